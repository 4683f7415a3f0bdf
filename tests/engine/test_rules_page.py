"""docs/rules.md says of every option what each preset chooses."""

import re
from pathlib import Path

import pytest

from contree.engine.cards import Strain
from contree.engine.plain import Plain
from contree.engine.presets import PRESET_NAMES, preset
from contree.engine.rules import OPTIONS

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "rules.md").read_text("utf-8")
ROWS = {
    option: [cell.strip().removesuffix("°") for cell in cells.split("|")]
    for option, cells in re.findall(r"^\| R\d+\.\d+ \| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
}
NEUTRAL: dict[str, Plain] = {
    "sa_ace": 11,
    "sa_rise": "never",
    "ta_rise": "never",
    "ta_scale": "none",
    "belotes_at_all_trump": 0,
}
SUITS: list[Plain] = ["S", "H", "D", "C"]


def written(option: str, name: str) -> str:
    """The choice of a preset as the tables write it."""
    rules = preset(name)
    value = rules.to_dict()[option]
    if option == "ladder":
        points, rest = str(value).split("'", 1)[0], str(value).split("'", 1)[1]
        tens = [int(level) for level in re.findall(r"\d+", points)]
        assert tens == list(range(tens[0], tens[-1] + 10, 10))
        return f"{tens[0]}..{tens[-1]} " + " ".join(re.findall(r"\w+", rest))
    if option == "strains":
        assert isinstance(value, list)
        assert value[:4] == SUITS
        return " ".join(["4 suits", *map(str, value[4:])])
    strain = {"s": Strain.NO_TRUMP, "t": Strain.ALL_TRUMP, "b": Strain.ALL_TRUMP}
    if option in NEUTRAL and strain[option[0]] not in rules.strains:
        assert value == NEUTRAL[option]
        return "n/a"
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_every_option_has_a_row() -> None:
    assert list(ROWS) == [option for option in OPTIONS if option not in ("name", "source")]


@pytest.mark.parametrize("option", ROWS)
def test_row_is_true(option: str) -> None:
    assert ROWS[option] == [written(option, name) for name in PRESET_NAMES]


def test_rules_are_numbered_in_order() -> None:
    numbers = [
        (int(part), int(rule))
        for part, rule in re.findall(r"^- \*\*R(\d+)\.(\d+)\*\*", PAGE, re.MULTILINE)
    ]
    assert numbers == sorted(set(numbers))
    assert {part for part, _ in numbers} == set(range(1, 12))


DEFINED = set(re.findall(r"\*\*(R\d+\.\d+)\*\*", PAGE))


def cited_in(path: Path) -> set[str]:
    """The rules that a file names."""
    return set(re.findall(r"\bR\d+\.\d+\b", path.read_text("utf-8")))


def test_rules_referred_to_exist() -> None:
    assert cited_in(ROOT / "docs" / "rules.md") <= DEFINED


def test_every_rule_is_cited_by_a_test_and_every_citation_exists() -> None:
    tests = {path: cited_in(path) for path in (ROOT / "tests").rglob("test_*.py")}
    cited = set().union(*tests.values())
    assert DEFINED - cited == set(), "rules that no test cites"
    for path, rules in tests.items():
        assert rules <= DEFINED, f"{path.name} cites rules that docs/rules.md does not have"


def test_every_rule_has_a_test_of_its_name() -> None:
    """Not a comment somewhere: a test whose name begins with the number."""
    names = set()
    for file in ("test_rules_by_number.py", "test_marks_by_number.py"):
        text = (ROOT / "tests" / "engine" / file).read_text("utf-8")
        for part, rule, docstring in re.findall(
            r"^def test_r(\d+)_(\d+)_\w+\([^\n]*\n    \"\"\"(R\d+\.\d+)\"\"\"\n", text, re.MULTILINE
        ):
            assert docstring == f"R{part}.{rule}"
            names.add(docstring)
    assert names == DEFINED


def test_the_printed_400_is_contradicted_openly() -> None:
    assert '"140*2 +160 = 400"' in PAGE
    assert "the defence marks 440 (E041)" in PAGE.replace("\n  ", " ")


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_preset_names_its_document(name: str) -> None:
    number = preset(name).source.split(":")[0]
    assert re.search(rf"^\| {number} \| .*`{name}`", PAGE, re.MULTILINE)
    assert preset(name).name == name
