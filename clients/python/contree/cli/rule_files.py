"""A rule file looked at from all sides: what is wrong with it and where, or what it changes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from contree.cli.errors import BadInput
from contree.engine.errors import RulesError
from contree.engine.plain import Plain
from contree.engine.presets import (
    MAX_TEXT,
    differences,
    nearest_preset,
    parse_rules,
    preset,
    rule_problems,
)
from contree.engine.rules import RuleSet


class Problem(NamedTuple):
    """Something that keeps a file from being a rule set."""

    file: str
    line: int | None
    """Where the option is set, from 1; None when it is not, or when that cannot be told."""
    error: RulesError

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.error}"


class Checked(NamedTuple):
    """What became of a rule file."""

    rules: RuleSet | None
    """None when it is none."""
    problems: tuple[Problem, ...]
    base: str
    """The preset it starts from, else the one it is nearest to; empty when it is no rule set."""
    changes: Mapping[str, tuple[Plain, Plain]]
    """The options that differ from those of the base: theirs and its own."""

    def to_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        if self.rules is None:
            return {
                "valid": False,
                "problems": [
                    {
                        "line": line,
                        "option": error.option,
                        "problem": error.problem,
                        "expected": error.expected,
                    }
                    for _, line, error in self.problems
                ],
            }
        changes = {option: own for option, (_, own) in self.changes.items()}
        return {"valid": True, "name": self.rules.name, "base": self.base, "changes": changes}


def checked(path: Path) -> Checked:
    """Read a rule file; BadInput when there is nothing to read."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_TEXT + 1)
    except FileNotFoundError:
        raise BadInput(f"There is no rule file {path}: check the path.") from None
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
    except UnicodeDecodeError:
        raise BadInput(f"{path} is no text in UTF-8: rule files are TOML.") from None
    problems = rule_problems(text)
    if problems:
        found = [Problem(str(path), _line_of(error, text), error) for error in problems]
        found.sort(key=lambda problem: problem.line or 0)
        return Checked(None, tuple(found), "", {})
    rules = parse_rules(text)
    base = tomllib.loads(text).get("base") or nearest_preset(rules, ("name", "source"))[0]
    return Checked(rules, (), base, differences(preset(base), rules))


def _line_of(error: RulesError, text: str) -> int | None:
    """Where the file sets the option that an error is about."""
    if error.option == "file":  # no TOML; the parser has named the line
        return None
    option = "base" if error.option == "preset" else error.option
    setting = re.compile(rf"""\s*["']?{re.escape(option)}["']?\s*=""")
    lines = (number for number, line in enumerate(text.splitlines(), 1) if setting.match(line))
    return next(lines, None)
