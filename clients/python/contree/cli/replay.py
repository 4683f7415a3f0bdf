"""`contree replay`: a recorded match, step by step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from contree.cli.stepping import Frame


def replay(
    file: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="A record, as text or JSON; - is standard input."),
    ],
    *,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print all steps instead, a line for each, numbered.")
    ] = False,
) -> None:
    """Step through a record in the terminal; all hands are open.

    Keys: n or space for the next action, p for the previous one; t and T for tricks, d and D for
    deals, g and G for the beginning and the end; arrows and page keys do the same. q quits.
    Where there is no terminal all steps are printed.
    """
    from contree.cli.output import stdout
    from contree.cli.records import read, the_one
    from contree.cli.stepping import frames

    shown = frames(read(the_one(file)))
    console = stdout()
    bare = not console.is_terminal or console.is_dumb_terminal or not sys.stdin.isatty()
    if plain or bare:
        _print(shown, console)
    else:
        _step_through(shown)


def _print(shown: Sequence[Frame], console: Console) -> None:
    from rich.text import Text

    for number, frame in enumerate(shown, start=1):
        margin = f"{number:>4}  "
        for line in frame.line.split("\n"):
            console.print(Text(margin, "dim").append_text(line), soft_wrap=True)
            margin = " " * len(margin)


def _step_through(shown: Sequence[Frame]) -> None:
    from contree.cli.terminal import is_light
    from contree.cli.tui.table_apps import ReplayApp

    ReplayApp(shown, light=is_light()).run()
