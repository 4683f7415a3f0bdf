"""`rules = "FILE"` in the file of an event: found beside it, checked, and part of what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from contree.engine import read_rules
from contree.tournament import ConfigError, load_event

EVENT = """
name = "Cup"
rules = "{}"
boards = 1
[[bots]]
name = "x"
[[bots]]
name = "y"
"""
CLUB = 'base = "ffb-mixte"\nname = "club"\nbelote_mode = "announced"\n'


def event(folder: Path, rules: str, text: str = CLUB) -> Path:
    (folder / rules).parent.mkdir(exist_ok=True)
    (folder / rules).write_text(text, encoding="utf-8")
    path = folder / "cup.toml"
    path.write_text(EVENT.format(rules), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["club.toml", "rules/club.toml", "club.rules"])
def test_file_is_found_from_that_of_the_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = event(tmp_path, name)
    monkeypatch.chdir("/")
    config = load_event(path)
    assert (config.preset, config.rules) == ("", read_rules(tmp_path / name))


def test_other_rules_are_another_event(tmp_path: Path) -> None:
    path = event(tmp_path, "club.toml")
    before = load_event(path)
    (tmp_path / "club.toml").write_text(CLUB + "target = 7\n", encoding="utf-8")
    after = load_event(path)
    assert before.settings(before.bots) != after.settings(after.bots)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            CLUB + 'undertrump = "maybe"\n',
            "rules: 'r.toml': rule option 'undertrump': 'maybe' will not do; "
            "expected one of must free.",
        ),
        (
            CLUB + "generale_value = 500\n",
            "rules: 'r.toml': rule option 'generale_value': 500, though generale is not on the "
            'ladder; expected "off", or generale on the ladder.',
        ),
        (CLUB + "undertrumps = 1\n", "rule option 'undertrumps': unknown (perhaps undertrump is"),
        ('base = "bridge"\n', "rules: 'r.toml': rule option 'preset': 'bridge' is none; expected"),
        ("target 7\n", "rules: 'r.toml': not TOML: "),
    ],
    ids=["value", "contradiction", "unknown", "base", "no TOML"],
)
def test_refusals_name_the_option_and_what_it_takes(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_event(event(tmp_path, "r.toml", text))
    assert told in str(refused.value)
