"""Rule files: everything that is wrong with one, and what one changes."""

import dataclasses
import time
from pathlib import Path

import pytest

from contree.engine import PRESET_NAMES, RulesError, parse_rules, preset, read_rules
from contree.engine.options import Undertrump
from contree.engine.presets import differences, nearest_preset, rule_problems

FFB = preset("ffb-mixte")


def test_all_problems_are_told_at_once() -> None:
    text = 'base = "ffb-mixte"\nundertrumps = "free"\ntarget = "1000"\novertrump = 1\n'
    told = [(error.option, error.expected) for error in rule_problems(text)]
    assert [option for option, _ in told] == ["undertrumps", "overtrump", "target"]
    assert told[1:] == [
        ("overtrump", "true or false"),
        ("target", "a whole number from 1 to 1000000"),
    ]


def test_unknown_option_is_told_with_what_may_be_meant() -> None:
    (error,) = rule_problems('base = "ffb-mixte"\nundertrumps = "free"\n')
    assert error.problem == "unknown (perhaps undertrump is meant)"
    (error,) = rule_problems('base = "ffb-mixte"\nxyzzy = 1\n')
    assert error.problem == "unknown"


def test_contradictions_are_told_once_single_options_will_do() -> None:
    (error,) = rule_problems('base = "ffb-mixte"\nta_scale = "two_thirds"\n')
    assert error.option == "ta_scale"
    assert 'ta_scale = "none"' in error.expected
    (error,) = rule_problems('base = "ffb-mixte"\ngenerale_value = 500\n')
    assert error.option == "generale_value"
    assert "generale on the ladder" in error.expected


def test_without_a_base_every_option_is_needed() -> None:
    problems = rule_problems("target = 1000\n")
    assert {error.problem for error in problems} == {"missing"}
    assert len(problems) == len(FFB.to_dict()) - 1


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ('base = "bridge"\n', "preset"),
        ("base = 3\n", "base"),
        ("target 1000", "file"),
        ("x = " + "[" * 8_000, "file"),
        ("#" * 8_193, "file"),
        (".".join("a" * 2_000) + " = 1", "file"),
        ('x = """ " """\n' + '."a"' * 1_000 + " = 1", "file"),
        ('x = {b = """"b"""", ' + ".".join("a" * 2_000) + " = 1}", "file"),
        ("[" + ".".join("a" * 2_000) + "]", "file"),
    ],
    ids=["preset", "base", "text", "brackets", "long", "dots", "quoted", "inline", "header"],
)
def test_files_that_cannot_be_read_further(text: str, option: str) -> None:
    (error,) = rule_problems(text)
    assert error.option == option
    with pytest.raises(RulesError):
        parse_rules(text)


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 4_000) + " = 1",
        "".join(f"{number:x} = 1\n" for number in range(1_000)),
        "".join(f"a.a.a.a.a.a.a.a.b{number:x} = 1\n" for number in range(300)),
        'x = """' + '\\"' * 4_000,
    ],
    ids=["parts", "unknown", "names", "quotes"],
)
def test_no_text_takes_long(text: str) -> None:
    # A server reads what callers send while all its tables wait. Dots took 200 ms and more.
    took = []
    for _ in range(3):
        start = time.process_time()
        assert rule_problems(text)
        took.append(time.process_time() - start)
    assert min(took) < 0.05


def test_dots_in_texts_and_comments_mean_nothing() -> None:
    dots = "..." * 20
    text = f'base = "ffb-mixte" # {dots}\nsource = "a {dots}" # \'\n# {dots}\nname = \'{dots}\'\n'
    assert parse_rules(text).name == dots


def test_what_was_given_is_repeated_in_brief() -> None:
    for text in (f"{'x' * 8_000} = 1", f'base = "{"x" * 8_000}"', f'target = "{"x" * 8_000}"'):
        for error in rule_problems(text):
            assert len(str(error)) < 2_000
            assert "x" * 101 not in str(error)


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_presets_have_no_problems(name: str) -> None:
    assert rule_problems(preset(name).to_toml()) == ()
    assert nearest_preset(preset(name)) == (name, {})


def test_files_are_read_whatever_they_are_called(tmp_path: Path) -> None:
    path = tmp_path / "club.rules"
    path.write_text('base = "ffb-mixte"\ntarget = 500\n', encoding="utf-8")
    assert read_rules(path).target == read_rules(str(path)).target == 500
    path.write_bytes(b"\xff\xfe")
    for bad in (path, tmp_path, tmp_path / "none.toml"):
        with pytest.raises(RulesError, match="cannot be read"):
            read_rules(bad)


def test_differences_have_both_values() -> None:
    other = dataclasses.replace(
        FFB, name="club", source="us", target=500, undertrump=Undertrump.MUST
    )
    assert differences(FFB, other) == {"undertrump": ("free", "must"), "target": (1000, 500)}
    assert differences(other, other) == {}


def test_nearest_preset_is_the_one_with_the_least_to_change() -> None:
    bids = preset("ffb-points-annonces")
    own = dataclasses.replace(bids, target=500)
    assert nearest_preset(own) == ("ffb-points-annonces", {"target": 500})
    assert nearest_preset(own, without=("target",)) == ("ffb-points-annonces", {})
