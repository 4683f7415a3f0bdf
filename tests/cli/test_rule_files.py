"""Rules of one's own on the command line: shown, compared, checked, asked and practised."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Contree, Golden
from tests.cli.test_bot_run import FIRST, run

from contree.cli.local import answers
from contree.engine import PRESET_NAMES, preset, read_rules

CLUB = """\
base = "ffb-mixte"
name = "club"
undertrump = "must"
target = 500
"""
ANNOUNCED = """\
base = "coinche-annonce"
name = "said"
belote_mode = "announced"
"""


@pytest.fixture
def club(tmp_path: Path) -> str:
    path = tmp_path / "club.toml"
    path.write_text(CLUB, encoding="utf-8")
    return str(path)


@pytest.fixture
def announced(tmp_path: Path) -> str:
    path = tmp_path / "said.toml"
    path.write_text(ANNOUNCED, encoding="utf-8")
    return str(path)


def wrong(tmp_path: Path, text: str) -> str:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


LEGAL = ("rules", "legal", "--trump", "H", "--trick", "AS 8H", "--hand", "7H KD")
SCORE = ("rules", "score", "--contract", "90H", "--taker-points", "96", "--defence-points", "66")


# --- asking


def test_rules_of_ones_own_answer_questions(contree: Contree, club: str) -> None:
    assert contree(*LEGAL, "--json").out == '["7H", "KD"]\n'
    assert contree(*LEGAL, "--json", "--rules", club).out == '["7H"]\n'
    assert contree(*LEGAL, "--json", "--preset", club).out == '["7H"]\n'
    assert "rules  club" in contree(*LEGAL, "--rules", club).out
    assert contree(*SCORE, "--json", "--rules", club).out == '{"taker": 190, "defence": 70}\n'


def test_rules_in_a_case(contree: Contree, club: str, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    case = {"trump": "H", "trick": ["AS", "8H"], "hand": ["7H", "KD"]}
    lines = [case, {**case, "rules": club}, {**case, "rules": club, "preset": "ffb-mixte"}]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ran = contree("rules", "legal", "--file", str(cases))
    first, second, third = (json.loads(line) for line in ran.out.splitlines())
    assert (first, second) == (["7H", "KD"], ["7H"])
    assert third == {"error": "preset and rules both say which rules: give one of them"}


@pytest.mark.parametrize("command", [LEGAL, SCORE], ids=["legal", "score"])
def test_what_is_no_rule_file_is_refused(
    contree: Contree, command: tuple[str, ...], club: str, tmp_path: Path
) -> None:
    bad = wrong(tmp_path, 'base = "ffb-mixte"\ntarget = "500"\n')
    for options, sentence in [
        (("--rules", "no.toml"), "There is no rule file no.toml: check the path."),
        (("--rules", club, "--preset", "ffb-mixte"), "Preset and rules both say which rules: "),
        (
            ("--rules", bad),
            f"{bad}: rule option 'target': '500' will not do; "
            "expected a whole number from 1 to 1000000.",
        ),
    ]:
        ran = contree(*command, *options)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"contree: {sentence}")
        assert ran.err.count("\n") == 1


# --- belote that is announced


@pytest.mark.parametrize(
    ("options", "legal"),
    [
        ('--trump H --hand "KH QH 7S"', ["KH", "QH", "7S", "KH+", "QH+"]),
        ('--trump H --hand "KH 7S"', ["KH", "7S"]),
        ('--trump H --hand "KH 7S" --played "AD QH"', ["KH", "7S", "KH+"]),
        ('--trump S --hand "KH QH 7S"', ["KH", "QH", "7S"]),
        ('--trump SA --hand "KH QH"', ["KH", "QH"]),
        ('--trump TA --hand "KH QH KD" --played "QD"', ["KH", "QH", "KD", "KH+", "QH+", "KD+"]),
        ('--trump H --trick "8D" --hand "KH QH 7D"', ["7D"]),
    ],
)
def test_belote_can_be_said_with_a_card(
    contree: Contree, announced: str, options: str, legal: list[str]
) -> None:
    words = [word.strip('"') for word in options.replace('" ', '"|').replace(' "', '|"').split("|")]
    arguments = [part for word in words for part in (word.split() if "--" in word else [word])]
    ran = contree("rules", "legal", *arguments, "--rules", announced, "--json")
    assert (ran.code, json.loads(ran.out)) == (0, legal)
    auto = contree("rules", "legal", *arguments, "--preset", "coinche-annonce", "--json")
    assert json.loads(auto.out) == [card for card in legal if "+" not in card]


def test_cards_that_cannot_have_been_played(contree: Contree, announced: str) -> None:
    for played in ("KH", "8D", "QH QH"):
        ran = contree(
            *("rules", "legal", "--trump", "H", "--trick", "8D", "--hand", "KH"),
            *("--played", played, "--rules", announced),
        )
        assert ran.code == 2
        assert ran.err.startswith("contree: Card given twice: ")


# --- showing and comparing


def test_show(contree: Contree, club: str) -> None:
    shown = json.loads(contree("rules", "show", club, "--json").out)
    assert shown == read_rules(club).to_dict()
    for name in PRESET_NAMES:
        assert json.loads(contree("rules", "show", name, "--json").out) == preset(name).to_dict()
    ran = contree("rules", "show", "belote")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("contree: There is no preset 'belote': choose one of contree-simple,")


def test_diff(contree: Contree, club: str, golden: Golden) -> None:
    ran = contree("rules", "diff", "ffb-mixte", club, "--json")
    assert json.loads(ran.out) == {
        "first": "ffb-mixte",
        "second": club,
        "options": {"undertrump": ["free", "must"], "target": [1000, 500]},
    }
    golden("rules-diff", contree("rules", "diff", "ffb-mixte", "coinche-annonce").out)
    same = contree("rules", "diff", "ffb-mixte", "ffb-mixte")
    assert same.out == "ffb-mixte and ffb-mixte are the same rules.\n"
    assert contree("rules", "diff", "ffb-mixte", "tarot").code == 2


def test_diff_names_every_option_that_differs(contree: Contree) -> None:
    for one in PRESET_NAMES:
        for other in PRESET_NAMES:
            told = json.loads(contree("rules", "diff", one, other, "--json").out)["options"]
            ours, theirs = preset(one).to_dict(), preset(other).to_dict()
            assert told == {
                option: [ours[option], theirs[option]]
                for option in ours
                if ours[option] != theirs[option] and option not in {"name", "source"}
            }


# --- checking


def test_validate(contree: Contree, club: str, tmp_path: Path) -> None:
    ran = contree("rules", "validate", club)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        f"{club}: the rules club. What differs from ffb-mixte:\n"
        "  undertrump = must  (not free)\n"
        "  target = 500  (not 1000)\n"
    )
    assert json.loads(contree("rules", "validate", club, "--json").out) == {
        "valid": True,
        "name": "club",
        "base": "ffb-mixte",
        "changes": {"undertrump": "must", "target": 500},
    }
    whole = wrong(tmp_path, preset("coinche-annonce").to_toml())
    assert contree("rules", "validate", whole).out == (
        f"{whole}: the rules coinche-annonce, the same as coinche-annonce.\n"
    )


def test_validate_names_every_fault_and_its_line(contree: Contree, tmp_path: Path) -> None:
    file = wrong(
        tmp_path, 'base = "ffb-mixte"\n\ntarget = "500" # here\n"undertrump" = "maybe"\nteh = 1\n'
    )
    ran = contree("rules", "validate", file)
    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert lines[:2] == [
        f"contree: {file}, line 3: rule option 'target': '500' will not do; "
        "expected a whole number from 1 to 1000000.",
        f"contree: {file}, line 4: rule option 'undertrump': 'maybe' will not do; "
        "expected one of must free.",
    ]
    assert lines[2].startswith(f"contree: {file}, line 5: rule option 'teh': unknown; expected one")
    ran = contree("rules", "validate", file, "--json")
    assert (ran.code, ran.err) == (2, "")
    told = json.loads(ran.out)
    assert told["valid"] is False
    assert [(problem["line"], problem["option"]) for problem in told["problems"]] == [
        (3, "target"),
        (4, "undertrump"),
        (5, "teh"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'base = "ffb-mixte"\nta_scale = "two_thirds"\n',
            ", line 2: rule option 'ta_scale': set, ",
        ),
        (
            'base = "ffb-mixte"\ngenerale_value = 500\n',
            "line 2: rule option 'generale_value': 500,",
        ),
        (
            '\nbase = "bridge"\n',
            ", line 2: rule option 'preset': 'bridge' is none; expected one of ",
        ),
        ("target 1000\n", ": rule option 'file': not TOML: "),
    ],
    ids=["scale", "générale", "base", "no TOML"],
)
def test_validate_refuses(contree: Contree, tmp_path: Path, text: str, told: str) -> None:
    ran = contree("rules", "validate", wrong(tmp_path, text))
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_validate_needs_a_text(contree: Contree, tmp_path: Path) -> None:
    assert contree("rules", "validate", "no.toml").err == (
        "contree: There is no rule file no.toml: check the path.\n"
    )
    (tmp_path / "x").write_bytes(b"\xff")
    for bad in (tmp_path / "x", tmp_path):
        ran = contree("rules", "validate", str(bad))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"contree: {bad}")


# --- practising

at_default = pytest.mark.skipif(
    answers("127.0.0.1:50051"), reason="a server runs here at the default address"
)


@at_default
@pytest.mark.parametrize("partner", ["", "rules"], ids=["alone", "with the house"])
def test_practice_under_rules_of_ones_own(tmp_path: Path, announced: str, partner: str) -> None:
    (tmp_path / "my_bot.py").write_text(FIRST, encoding="utf-8")
    options = ["--practice", "--rules", announced, "--deals", "2", "--json"]
    options += ["--partner", partner] if partner else []
    ran = run(tmp_path, "my_bot:MyBot", *options)
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert (told["rules"], told["deals"], told["reason"]) == ("said", 2, "deals_played")
    assert told["seats"] == (["N"] if partner else ["N", "S"])


@at_default
def test_practice_of_a_bot_that_fails(tmp_path: Path, club: str) -> None:
    # It bids what it may: a deal that is passed out has no cards to fail at.
    broken = FIRST.replace("view.legal[-1]", "view.nonsense").replace("legal[0]", "legal[-1]")
    (tmp_path / "my_bot.py").write_text(broken, encoding="utf-8")
    ran = run(tmp_path, "my_bot:MyBot", "--practice", "--rules", club, "--deals", "1")
    assert ran.code == 1
    assert ran.err.splitlines()[-1].startswith("contree: The bot MyBot ")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--rules club.toml", "--rules is about practice: add --practice, or leave it out."),
        ("--practice --rules no.toml", "There is no rule file no.toml: check the path."),
        ("--practice --preset no.toml", "There is no rule file no.toml: check the path."),
        ("--practice --rules x.toml --preset ffb-mixte", "Preset and rules both say which rules: "),
    ],
)
def test_practice_refuses(contree: Contree, options: str, sentence: str) -> None:
    ran = contree("bot", "run", "my_bot:MyBot", *options.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"contree: {sentence}")
