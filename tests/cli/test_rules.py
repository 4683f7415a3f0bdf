"""`contree rules`: the examples of the documents, options and cases, and bad input of any kind."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Contree, Golden
from tests.cli.running import finish, start

from contree.engine import PRESET_NAMES, parse_rules, preset

DATA = Path(__file__).parent.parent / "data"
EXAMPLES = json.loads((DATA / "examples.json").read_text(encoding="utf-8"))["cases"]
LEGAL = json.loads((DATA / "legal.json").read_text(encoding="utf-8"))["cases"]

SCORE = ("rules", "score", "--json")
ASK_LEGAL = ("rules", "legal", "--json")


def words(text: str) -> list[str]:
    return text.split()


def score_case(example: dict[str, Any]) -> dict[str, Any]:
    return {
        "preset": example["preset"],
        "contract": f"{example['contract']}{example['strain']}",
        "level": example["multiplier_level"],
        "taker_points": example["taker_points"],
        "defence_points": example["defence_points"],
        "taker_tricks": example["taker_tricks"],
        "bidder_tricks": example.get("bidder_tricks"),
        "belote": example["belote"],
        "taker_belotes": None,
        "defence_belotes": None,
    }


def write(path: Path, cases: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return str(path)


def test_all_examples_of_the_documents(contree: Contree, tmp_path: Path) -> None:
    file = write(tmp_path / "cases.jsonl", [score_case(example) for example in EXAMPLES])
    ran = contree("rules", "score", "--file", file)
    assert (ran.code, ran.err) == (0, "")
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert answers == [example["expected"] for example in EXAMPLES]


def test_all_positions(contree: Contree, tmp_path: Path) -> None:
    asked = [
        (
            {
                "preset": name,
                "trump": position["trump"],
                "trick": [card for _, card in position["trick"]],
                "hand": position["hand"],
            },
            position["legal"],
        )
        for position in LEGAL
        for name in position["presets"]
    ]
    file = write(tmp_path / "cases.jsonl", [case for case, _ in asked])
    ran = contree("rules", "legal", "--file", file, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert [json.loads(line) for line in ran.out.splitlines()] == [legal for _, legal in asked]


def test_options_say_the_same_as_a_case(contree: Contree) -> None:
    ran = contree(
        *SCORE,
        *words("--preset contree-generale --contract generaleH --taker-points 502"),
        *words("--defence-points 0 --taker-tricks 8 --bidder-tricks 8 --level 1"),
    )
    assert (ran.code, json.loads(ran.out)) == (0, {"taker": 1002, "defence": 0})
    ran = contree(
        *SCORE,
        *words("--contract 100TA --preset coinche-classique --taker-points 100 --level 2"),
        *words("--defence-points 72 --taker-belotes 3 --defence-belotes 1"),
    )
    assert (ran.code, json.loads(ran.out)) == (0, {"taker": 360, "defence": 20})
    ran = contree(*ASK_LEGAL, "--trump", "H", "--trick", "AS 7S", "--hand", "KS 7H")
    assert (ran.code, ran.out) == (0, '["KS"]\n')


def test_thirds_of_points_at_tout_atout(contree: Contree) -> None:
    base = words("--contract 80TA --preset coinche-classique")
    answers = {
        contree(*SCORE, *base, "--taker-points", one, "--defence-points", other).out
        for one, other in (("260/3", "256/3"), ("86.67", "85.33"), ("86.666667", "85.333333"))
    }
    assert answers == {'{"taker": 170, "defence": 90}\n'}
    ran = contree(*SCORE, *base, "--taker-points", "86.5", "--defence-points", "85.5")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("contree: taker_points must be a number of points (66.67 or 200/3 ")


def test_belote_said_twice_alike_is_fine(contree: Contree) -> None:
    base = words("--contract 90H --taker-points 100 --defence-points 62")
    once = contree(*SCORE, *base, "--belote", "taker")
    twice = contree(*SCORE, *base, "--belote", "taker", "--taker-belotes", "1")
    assert once.out == twice.out
    none = contree(*SCORE, *base, "--belote", "none")
    assert none.out == contree(*SCORE, *base).out != once.out


def test_a_bad_line_is_answered_and_the_run_goes_on(contree: Contree, tmp_path: Path) -> None:
    good = {"trump": "H", "trick": None, "hand": ["KS", "7H"]}
    file = tmp_path / "cases.jsonl"
    bad_lines = [
        b"{",
        b"[1]",
        b"\xff",
        b'{"trump": "H", "hand": ["1S"]}',
        b'{"trump": "H", "hand": ["AS", "AS"]}',
        b'{"trump": "H", "hand": ["AS"], "tricks": []}',
        b'{"trump": "H", "hand": [7]}',
        b'{"trump": "X", "hand": ["AS"]}',
        b'{"trump": "H"}',
        b'{"preset": "belote", "trump": "H", "hand": ["AS"]}',
        b'{"preset": 7, "trump": "H", "hand": ["AS"]}',
        b"[" * 100_000,
    ]
    line = json.dumps(good).encode()
    file.write_bytes(b"\n".join([line, *bad_lines, b"", line]))
    ran = contree("rules", "legal", "--file", str(file))
    answers = [json.loads(answer) for answer in ran.out.splitlines()]
    assert ran.code == 0
    assert answers[0] == answers[-1] == ["KS", "7H"]
    assert len(answers) == len(bad_lines) + 2
    assert all(list(answer) == ["error"] and answer["error"] for answer in answers[1:-1])


def test_cases_from_standard_input() -> None:
    case = {"contract": "90H", "taker_points": 100, "defence_points": 62, "id": "first"}
    ran = finish(start("rules", "score", "--file", "-"), stdin=json.dumps(case))
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out) == {"taker": 190, "defence": 60}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--preset belote --trump H --hand AS", "There is no preset 'belote': choose one of "),
        ("--preset x.toml --trump H --hand AS", "There is no rule file x.toml: check the path."),
        ("--trump Z --hand AS", "'Z' is no strain: expected one of S H D C SA TA."),
        ("--trump TA --hand AS", "TA cannot be bid under ffb-mixte: choose one of S H D C."),
        ("--hand AS", "Trump is missing: give it, for example H."),
        ("--trump H", "Hand is missing: give it, for example KS 7H."),
        ("--trump H --hand=", "The hand is empty."),
        ("--trump H --hand 1S", "'1S' is no card: expected "),
        ("--trump H --hand as", "'as' is no card: expected "),
        ("--trump H --hand AS,7S", "'AS,7S' is no card: expected "),
        ("--trump H --hand AS_AS", "Card given twice: AS."),
        ("--trump H --trick AS --hand AS", "Card given twice: AS."),
        ("--trump H --trick AS_KS_QS_JS --hand 7S", "The trick is complete"),
        ("--trump H --hand 7S_8S_9S_TS_JS_QS_KS_AS_7H", "A hand has at most 8 cards, not 9."),
        ("--file nowhere.jsonl", "nowhere.jsonl: No such file or directory; check the path."),
        ("--file x.jsonl --trump H", "--file takes its cases from the file: leave out --trump."),
    ],
)
def test_bad_questions_about_cards(contree: Contree, arguments: str, sentence: str) -> None:
    options = [word.replace("_", " ") for word in arguments.split()]
    for form in (["--json"], []):
        ran = contree("rules", "legal", *options, *form)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"contree: {sentence}")
        assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"contract": None}, "contract is missing: give it, for example 90H"),
        ({"contract": "90"}, "'90' is no bid: "),
        ({"contract": 90}, "contract must be a text, not 90"),
        ({"contract": "85H"}, "85 cannot be bid under ffb-mixte: choose one of 80 90 "),
        ({"contract": "generaleH"}, "generale cannot be bid under ffb-mixte"),
        ({"contract": "90SA"}, "SA cannot be bid under ffb-mixte: choose one of S H D C"),
        ({"level": 3}, "level 3 is none: write 1 (plain), 2 (contre) or 4 (surcontre)"),
        ({"level": "2"}, 'level must be a whole number from 1 to 4, not "2"'),
        ({"taker_points": None}, "taker_points is missing: "),
        ({"taker_points": -1}, "taker_points must be a whole number from 0 to 1000, not -1"),
        ({"taker_points": 81.5}, "taker_points must be a whole number from 0 to 1000, not 81.5"),
        ({"taker_points": 1e400}, "taker_points must be a whole number from 0 to 1000, not Inf"),
        ({"taker_points": "1e999999999"}, "taker_points must be a whole number from 0 to 1000"),
        ({"taker_points": "1/0"}, "taker_points must be a whole number from 0 to 1000, not "),
        ({"taker_points": [1]}, "taker_points must be a whole number from 0 to 1000, not [1]"),
        ({"defence_points": True}, "defence_points must be a whole number from 0 to 1000, not t"),
        ({"taker_tricks": 9}, "taker_tricks must be a whole number from 0 to 8, not 9"),
        ({"taker_tricks": 1, "bidder_tricks": 2}, "bidder_tricks 2 cannot exceed taker_tricks 1"),
        ({"belote": "both"}, 'belote must be one of taker, defence, none, not "both"'),
        ({"belote": "none", "taker_belotes": 1}, "belote none contradicts taker_belotes 1"),
        ({"taker_belotes": 1, "defence_belotes": 1}, "at H the belotes can be 1 at most, not 2"),
        ({"points": 3}, "there is no field 'points': use preset, rules, contract, level, "),
    ],
    ids=str,
)
def test_bad_questions_about_marks(
    contree: Contree, tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    case = {"contract": "90H", "taker_points": 100, "defence_points": 62, **change}
    ran = contree("rules", "score", "--file", write(tmp_path / "cases.jsonl", [case]))
    assert json.loads(ran.out)["error"].startswith(sentence)


def test_screens(contree: Contree, golden: Golden) -> None:
    golden(
        "rules-legal",
        contree("rules", "legal", "--trump", "H", "--trick", "AS 7S", "--hand", "KS TS 7H 9D").out,
    )
    golden("rules-legal-lead", contree("rules", "legal", "--trump", "H", "--hand", "KS 7H").out)
    score = "--contract 90H --level 2 --taker-points 80 --defence-points 82 --belote taker"
    golden("rules-score", contree("rules", "score", *score.split()).out)
    capot = "--contract capotS --taker-points 250 --defence-points 0 --taker-tricks 8"
    golden("rules-score-capot", contree("rules", "score", *capot.split()).out)
    thirds = "--preset coinche-classique --contract 80TA --taker-points 86 --defence-points 86"
    golden("rules-score-ta", contree("rules", "score", *thirds.split()).out)
    golden("rules-list", contree("rules", "list").out)


def test_list_for_scripts(contree: Contree) -> None:
    assert json.loads(contree("rules", "list", "--json").out) == list(PRESET_NAMES)


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_what_show_prints_can_be_given_back(contree: Contree, tmp_path: Path, name: str) -> None:
    ran = contree("rules", "show", name)
    assert parse_rules(ran.out) == preset(name)
    own = tmp_path / "own.toml"
    own.write_text(ran.out, encoding="utf-8")
    assert contree("rules", "show", str(own)).out == ran.out


def test_an_unknown_option_in_a_rule_file(contree: Contree, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('base = "ffb-mixte"\nteh_target = 1\n', encoding="utf-8")
    ran = contree("rules", "show", str(own))
    assert ran.code == 2
    assert ran.err.startswith(
        f"contree: {own}: rule option 'teh_target': unknown (perhaps target is meant); "
        "expected one of base "
    )
