"""The eight rule sets that come with the engine, and rule files of one's own.

A preset is a TOML file in ``presets/`` that names its document and gives every option. A file of
one's own may start from one: ``base = "ffb-mixte"`` and then only what differs.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from contree.engine.errors import RulesError, brief
from contree.engine.plain import Plain
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

MAX_TEXT: Final = 8192
"""The characters of the longest rule file that is read; those of the presets have half as many."""
_MAX_DOTS: Final = 8
"""In a line, outside of texts and comments: names have none, and the reader of TOML takes time with
the square of their parts."""
_MAX_HINTS: Final = 8
"""Unknown options of one file that are compared with the known ones, which takes time."""
_ASIDE: Final = re.compile(
    r'''"""(?:[^\\]|\\.)*?(?:"{3,5}|\\?\Z)|'{3}.*?(?:'{3,5}|\Z)'''
    r"""|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|\#[^\n]*""",
    re.DOTALL,
)
"""Texts and comments, in which dots mean nothing."""


@cache
def preset(name: str) -> RuleSet:
    """The preset of this name; RulesError, listing the names, when there is none."""
    if name not in PRESET_NAMES:
        raise RulesError("preset", f"{brief(name)!r} is none", "one of " + " ".join(PRESET_NAMES))
    folder = files("contree.engine") / "presets"
    return parse_rules((folder / f"{name}.toml").read_text(encoding="utf-8"))


def rules_from_dict(values: Mapping[str, object]) -> RuleSet:
    """The rule set of plain values, as ``RuleSet.to_dict`` gives them.

    With ``base`` naming a preset, what is missing is taken from it; without a ``name`` of its own
    such a rule set is called ``<base>-custom``. RulesError for an unknown or missing option, a
    value of the wrong type or range, or options that contradict each other.
    """
    options, problems = _read(values)
    if problems:
        raise problems[0]
    return RuleSet(**options)


def parse_rules(text: str) -> RuleSet:
    """The rule set of a TOML text; RulesError as ``rules_from_dict``, and when it is no TOML."""
    return rules_from_dict(_parse_toml(text))


def read_rules(path: str | Path) -> RuleSet:
    """The rule set of the file at this path; RulesError as ``parse_rules``, and when it cannot be
    read.
    """
    return parse_rules(_text_of(path))


def load_rules(preset_or_path: str) -> RuleSet:
    """The preset of this name, or the rule set of the file at this path (ending in ``.toml``).

    RulesError as ``parse_rules``, and when there is no such preset or file.
    """
    if preset_or_path.endswith(".toml"):
        return read_rules(preset_or_path)
    return preset(preset_or_path)


def rule_problems(text: str) -> tuple[RulesError, ...]:
    """All that keeps a TOML text from being a rule set, in its order; nothing when it is one.

    Options that contradict each other are looked for only when each by itself will do, and the
    first contradiction is told.
    """
    try:
        options, problems = _read(_parse_toml(text))
        if not problems:
            RuleSet(**options)
    except RulesError as error:
        return (error,)
    return tuple(problems)


def differences(first: RuleSet, second: RuleSet) -> dict[str, tuple[Plain, Plain]]:
    """The options in which two rule sets differ, with the plain values of both; their names and
    sources, on which nothing depends, are left out.
    """
    ours, theirs = first.to_dict(), second.to_dict()
    return {
        option: (value, theirs[option])
        for option, value in ours.items()
        if value != theirs[option] and option not in ("name", "source")
    }


def nearest_preset(rules: RuleSet, without: Collection[str] = ()) -> tuple[str, dict[str, Plain]]:
    """The preset with the fewest options to change, and these with their values here; options
    named in ``without`` do not count.
    """
    name, changes = _nearest(rules, frozenset(without))
    return name, dict(changes)


@lru_cache(maxsize=64)
def _nearest(rules: RuleSet, without: frozenset[str]) -> tuple[str, Mapping[str, Plain]]:
    values = rules.to_dict()
    candidates = []
    for name in PRESET_NAMES:
        known = preset(name).to_dict()
        changes = {
            option: value
            for option, value in values.items()
            if option not in without and known[option] != value
        }
        candidates.append((len(changes), name, changes))
    _, name, changes = min(candidates, key=lambda candidate: candidate[0])
    return name, changes


def _read(values: Mapping[str, object]) -> tuple[dict[str, Any], list[RulesError]]:
    """The options that these plain values give, and all that is wrong with single ones."""
    given = dict(values)
    base = given.pop("base", None)
    unknown = [name for name in given if name not in OPTIONS]
    problems = [_unknown(name, number < _MAX_HINTS) for number, name in enumerate(unknown)]
    try:
        given = {**_of_base(base), **given}
    except RulesError as error:
        return {}, [*problems, error]
    options: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        if name not in given:
            expected = f"{option.expected}, or base with a preset's name"
            problems.append(RulesError(name, "missing", expected))
            continue
        try:
            options[name] = option.read(given[name])
        except ValueError:
            problems.append(
                RulesError(name, f"{brief(repr(given[name]))} will not do", option.expected)
            )
    return options, problems


def _of_base(base: object) -> dict[str, object]:
    """What a file has from its base."""
    if base is None:
        return {}
    if not isinstance(base, str):
        raise RulesError(
            "base", f"{brief(repr(base))} is no name", "one of " + " ".join(PRESET_NAMES)
        )
    return {**preset(base).to_dict(), "name": f"{base}-custom"}


def _unknown(name: str, with_hint: bool) -> RulesError:
    # Nothing close to a name has twice its length.
    close = difflib.get_close_matches(name, OPTIONS, 1) if with_hint and len(name) < 64 else ()
    hint = f" (perhaps {close[0]} is meant)" if close else ""
    return RulesError(name, f"unknown{hint}", "one of base " + " ".join(OPTIONS))


def _parse_toml(text: str) -> dict[str, Any]:
    expected = "lines such as target = 1000"
    if len(text) > MAX_TEXT:
        raise RulesError("file", f"is longer than {MAX_TEXT} characters", expected)
    # Whoever sends a few kilobytes must not stop all others for seconds.
    for line in _ASIDE.sub("", text).split("\n"):
        if line.count(".") > _MAX_DOTS:
            problem = f"names with dots ({brief(line.strip())!r}) are no options"
            raise RulesError("file", problem, expected)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for numbers too long
        raise RulesError("file", f"not TOML: {brief(str(error))}", expected) from None


def _text_of(path: str | Path) -> str:
    try:
        with Path(path).open(encoding="utf-8") as file:
            return file.read(MAX_TEXT + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(
            "file", f"{path} cannot be read: {error}", "the path of a TOML file"
        ) from None
