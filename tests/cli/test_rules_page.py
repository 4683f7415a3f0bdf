"""docs/rules.md, "Make your own rules": its files are written, its commands run, its refusals said.

What is done with a block stands in the comment before it, as in README.md.
"""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Contree

from contree.engine import read_rules
from contree.engine.options import Undertrump

PAGE = (Path(__file__).parent.parent.parent / "docs" / "rules.md").read_text("utf-8")
SECTION = PAGE.partition("## Make your own rules\n")[2]
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```toml\n(.*?)```", SECTION, re.DOTALL))
COMMANDS = [
    line
    for block in re.findall(r"<!-- run -->\n```sh\n(.*?)```", SECTION, re.DOTALL)
    for line in block.splitlines()
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_file_of_the_page_is_a_rule_set() -> None:
    rules = read_rules("club.toml")
    assert (rules.name, rules.target, rules.generale_value) == ("club", 2000, 500)
    assert rules.undertrump is Undertrump.FREE
    assert rules.source == "house rules of our club, 2026"


def test_comments_in_the_file_name_the_rules_of_its_options() -> None:
    rows = dict(re.findall(r"^\| (R\d+\.\d+) \| `(\w+)`", PAGE, re.MULTILINE))
    cited = re.findall(r"^(\w+) = .*# (R\d+\.\d+)", FILES["club.toml"], re.MULTILINE)
    assert len(cited) == 5
    for option, rule in cited:
        assert rows[rule] == option


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_page(contree: Contree, line: str) -> None:
    program, *arguments = shlex.split(line)
    assert program == "contree"
    ran = contree(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert "club" in ran.out


def test_refusals_of_the_page(contree: Contree, folder: Path) -> None:
    first, second = (
        " ".join(block.split())
        for block in re.findall(
            r"^```\n(contree: wrong.toml.*?)```", SECTION, re.DOTALL | re.MULTILINE
        )
    )
    ran = contree("rules", "validate", "wrong.toml")
    assert (ran.code, ran.err) == (2, f"{first}\n")
    text = FILES["wrong.toml"].replace("maybe", "must")
    (folder / "wrong.toml").write_text(text, encoding="utf-8")
    ran = contree("rules", "validate", "wrong.toml")
    assert (ran.code, ran.err) == (2, f"{second}\n")


def test_everything_of_the_section_is_tried() -> None:
    assert len(COMMANDS) >= 4
    assert set(FILES) == {"club.toml", "wrong.toml"}
    assert SECTION.count("```") // 2 == len(FILES) + 1 + 2
