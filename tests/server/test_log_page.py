"""docs/operations.md: every event of the log is there, with the level that it has."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import contree.server.app

SOURCE = Path(contree.server.app.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
SECTION = PAGE[PAGE.index("## The log\n") : PAGE.index("## Metrics\n")]
LEVELS = {"exception": "error"}


def logged() -> Iterator[tuple[str, str]]:
    """Each event that the server logs, and its level."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="_log"), attr=method),
                    args=[ast.Constant(value=str(event)), *_],
                ):
                    yield event, LEVELS.get(method, method)


def parts() -> dict[str, str]:
    """The section, by the level that each part of it is about."""
    info, _, rest = SECTION.partition("\nAt `warning`")
    warning, _, error = rest.partition("\nAt `error`")
    assert error, "the parts are not to be found"
    return {"info": info, "debug": info, "warning": warning, "error": error}


def test_every_event_is_described_with_its_level() -> None:
    described = parts()
    missing = {(event, level) for event, level in logged() if f"`{event}`" not in described[level]}
    assert missing == set()


def test_nothing_is_described_that_is_never_logged() -> None:
    events = {event for event, _ in logged()}
    named = set(re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", SECTION, re.MULTILINE))
    assert {event for some in named for event in re.findall(r"`(\w+)`", some)} <= events
