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
        _step_through(shown, console)


def _print(shown: Sequence[Frame], console: Console) -> None:
    for frame in shown:
        console.print(frame.line, soft_wrap=True)


def _step_through(shown: Sequence[Frame], console: Console) -> None:
    from rich.live import Live

    from contree.cli.keys import typing
    from contree.cli.render import step_screen
    from contree.cli.stepping import Move, moved, moves

    at = 0
    with (
        typing() as keys,
        Live(
            step_screen(shown[at].screen, at, len(shown)),
            console=console,
            screen=True,
            auto_refresh=False,
        ) as live,
    ):
        live.refresh()
        for typed in keys:
            for move in moves(typed):
                if move is Move.QUIT:
                    return
                at = moved(shown, at, move)
            live.update(step_screen(shown[at].screen, at, len(shown)), refresh=True)
