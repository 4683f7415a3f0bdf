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
        Path, typer.Argument(metavar="FILE", help="A record, as text or JSON; - is standard input.")
    ],
    *,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print all steps instead, a line for each.")
    ] = False,
) -> None:
    """Step through a record in the terminal; all hands are open.

    Keys: n or space for the next action, p for the previous one; t and T for tricks, d and D for
    deals, g and G for the beginning and the end; arrows and page keys do the same. q quits.
    Where there is no terminal all steps are printed.
    """
    from contree.cli.output import stdout
    from contree.cli.records import read
    from contree.cli.stepping import frames

    shown = frames(read(file))
    console = stdout()
    bare = not console.is_terminal or console.is_dumb_terminal or not sys.stdin.isatty()
    if plain or bare:
        _print(shown, console)
    else:
        _step_through(shown)


def _print(shown: Sequence[Frame], console: Console) -> None:
    for frame in shown:
        console.print(frame.line, soft_wrap=True)


def _step_through(shown: Sequence[Frame]) -> None:
    from contree.cli.terminal import is_light
    from contree.cli.tui.table_apps import ReplayApp

    ReplayApp(shown, light=is_light()).run()
