"""`contree watch`: a table as spectators see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from contree.cli.errors import BadInput
from contree.cli.options import ServerOption

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from contree.cli.render import TableScreen
    from contree.client import HostClient, Match, TableUpdate

_FIRST_ANSWER_S = 3.0
"""A person hears soon that there is no server; one that goes away later is waited for."""


def watch(
    match: Annotated[
        str | None, typer.Argument(metavar="MATCH", help="The id of the match.")
    ] = None,
    *,
    server: ServerOption = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Instead of an id: the newest match with this label, one in play before others. "
            "Labels are the ids of events, and practice.",
        ),
    ] = None,
    pace: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Between two events; default 0.3 on a terminal, 0 elsewhere.",
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", "--lines", help="Print lines instead of drawing the table.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per event.")
    ] = False,
) -> None:
    """Watch a match from its beginning to its end.

    On a terminal space stops it and goes on, q leaves; elsewhere lines are printed. Hands are shown
    once they may be. A table of an
    event can be watched when its board is disclosed, or live if the event's file says so.
    """
    import asyncio
    import logging
    import sys

    from contree.cli.output import stdout

    if (match is None) == (label is None):
        raise BadInput("Say which match: its id, or --label practice, or --label with an event.")
    # The SDK's words about a lost connection would break the drawing.
    logging.getLogger("contree").addHandler(logging.NullHandler())
    found = Watched(match, label, server)
    keys = stdout().is_terminal and sys.stdin.isatty()
    drawn = keys and not plain and not as_json
    wait = pace if pace is not None else 0.3 if drawn else 0.0
    if as_json:
        asyncio.run(_print_json(found, wait))
    elif drawn:
        _draw(found, wait)
    else:
        asyncio.run(_print_lines(found, wait))


class Watched(NamedTuple):
    """Which match, by its id or a label, and where."""

    match_id: str | None
    label: str | None
    server: str | None

    async def updates(self) -> AsyncIterator[TableUpdate]:
        """What happens at its table, from the beginning to the end."""
        from contree.client import Connection, HostClient

        async with HostClient(self.server, connection=Connection(patience=_FIRST_ANSWER_S)) as host:
            if self.match_id is None:
                match_id = await self._newest(host)
            else:
                match_id = (await host.get_match(self.match_id)).id
        async with HostClient(self.server) as host:
            async for update in host.watch_match(match_id):
                yield update

    async def _newest(self, host: HostClient) -> str:
        assert self.label is not None
        newest: Match | None = None
        async for match in host.list_matches(self.label):
            if newest is None or _to_see(match) >= _to_see(newest):
                newest = match
        if newest is None:
            raise BadInput(f"There is no match with the label {self.label!r}: check the label.")
        return newest.id


def _to_see(match: Match) -> tuple[bool, bool]:
    """A match that may be watched comes before others, then one in play."""
    from contree.client import Disclosure, WatchPolicy

    at_once = match.disclosure is Disclosure.AT_MATCH_END or match.watch is WatchPolicy.LIVE
    return at_once or match.disclosed, not match.ended


async def _print_json(watched: Watched, wait: float) -> None:
    import asyncio

    from contree.cli.output import print_json
    from contree.cli.spectate import as_json, match_json

    async for update in watched.updates():
        if update.match is not None:
            print_json(match_json(update.match))
        for event in update.events:
            print_json({"seq": event.seq, **as_json(event.what)})
            await asyncio.sleep(wait)


async def _print_lines(watched: Watched, wait: float) -> None:
    import asyncio

    from contree.cli.output import stdout
    from contree.cli.spectate import after, lines, with_match

    console = stdout()
    screen: TableScreen | None = None
    async for update in watched.updates():
        if update.match is not None:
            if screen is None:
                seats = "  ".join(f"{seat.seat} {seat.bot}" for seat in update.match.seats)
                rules = update.match.rules.name
                console.print(f"match {update.match.id}, {rules}: {seats}", soft_wrap=True)
            screen = with_match(screen, update.match)
        for event in update.events:
            assert screen is not None  # the first update brings the match
            for line in lines(screen, event.what):
                console.print(line, soft_wrap=True)
            screen = after(screen, event.what)
            await asyncio.sleep(wait)


def _draw(watched: Watched, wait: float) -> None:
    from contree.cli.output import stdout
    from contree.cli.render import table_screen
    from contree.cli.terminal import is_light
    from contree.cli.tui.table_apps import WatchApp

    app = WatchApp(watched.updates, wait, light=is_light())
    app.run()
    if app.failure is not None:
        raise app.failure
    if app.shown is not None:
        stdout().print(table_screen(app.shown))
