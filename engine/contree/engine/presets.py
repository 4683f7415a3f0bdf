"""The eight rule sets that come with the engine, and rule files of one's own.

A preset is a TOML file in ``presets/`` that names its document and gives every option. A file of
one's own may start from one: ``base = "ffb-mixte"`` and then only what differs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from contree.engine.errors import RulesError
from contree.engine.rules import OPTIONS, RuleSet

PRESET_NAMES: Final[tuple[str, ...]] = (
    "contree-simple",
    "contree-generale",
    "coinche-classique",
    "ffb-points-faits",
    "ffb-points-annonces",
    "ffb-mixte",
    "ffb-mixte-tournoi",
    "coinche-annonce",
)
"""The presets, in the order of their documents."""

DEFAULT_PRESET: Final = "ffb-mixte"


@cache
def preset(name: str) -> RuleSet:
    """The preset of this name; RulesError, listing the names, when there is none."""
    if name not in PRESET_NAMES:
        raise RulesError("preset", f"{name!r} is none", "one of " + " ".join(PRESET_NAMES))
    folder = files("contree.engine") / "presets"
    return parse_rules((folder / f"{name}.toml").read_text(encoding="utf-8"))


def rules_from_dict(values: Mapping[str, object]) -> RuleSet:
    """The rule set of plain values, as ``RuleSet.to_dict`` gives them.

    With ``base`` naming a preset, what is missing is taken from it; without a ``name`` of its own
    such a rule set is called ``<base>-custom``. RulesError for an unknown or missing option, a
    value of the wrong type or range, or options that contradict each other.
    """
    given = dict(values)
    base = given.pop("base", None)
    for name in given:
        if name not in OPTIONS:
            raise RulesError(name, "unknown", "one of base " + " ".join(OPTIONS))
    if base is not None:
        if not isinstance(base, str):
            raise RulesError("base", f"{base!r} is no name", "one of " + " ".join(PRESET_NAMES))
        given = {**preset(base).to_dict(), "name": f"{base}-custom", **given}
    options: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        if name not in given:
            raise RulesError(name, "missing", f"{option.expected}, or base with a preset's name")
        try:
            options[name] = option.read(given[name])
        except ValueError:
            raise RulesError(name, f"{given[name]!r} will not do", option.expected) from None
    return RuleSet(**options)


def parse_rules(text: str) -> RuleSet:
    """The rule set of a TOML text; RulesError as ``rules_from_dict``, and when it is no TOML."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError("file", f"not TOML: {error}", "lines such as target = 1000") from None
    return rules_from_dict(values)


def load_rules(preset_or_path: str) -> RuleSet:
    """The preset of this name, or the rule set of the file at this path (ending in ``.toml``).

    RulesError as ``parse_rules``, and when there is no such preset or file.
    """
    if not preset_or_path.endswith(".toml"):
        return preset(preset_or_path)
    try:
        text = Path(preset_or_path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(
            "file", f"{preset_or_path} cannot be read: {error}", "the path of a TOML file"
        ) from None
    return parse_rules(text)
