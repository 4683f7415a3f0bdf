"""`contree watch`: a table as spectators see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from contree.cli.healthcheck import ServerOption

if TYPE_CHECKING:
    from contree.cli.render import TableScreen


def watch(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of the match.")],
    *,
    server: ServerOption = None,
    pace: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Between two events; default 0.3 on a terminal, 0 elsewhere.",
        ),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Print lines instead of drawing the table.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per event.")
    ] = False,
) -> None:
    """Watch a match from its beginning to its end.

    Hands are shown once they may be; lines are printed where there is no terminal.
    """
    import asyncio

    from contree.cli.output import stdout

    drawn = stdout().is_terminal and not lines and not as_json
    wait = pace if pace is not None else 0.3 if drawn else 0.0
    if as_json:
        asyncio.run(_print_json(match, server, wait))
    elif drawn:
        asyncio.run(_draw(match, server, wait))
    else:
        asyncio.run(_print_lines(match, server, wait))


async def _print_json(match_id: str, server: str | None, wait: float) -> None:
    import asyncio

    from contree.cli.output import print_json
    from contree.cli.spectate import as_json, match_json
    from contree.client import HostClient

    async with HostClient(server) as host:
        async for update in host.watch_match(match_id):
            if update.match is not None:
                print_json(match_json(update.match))
            for event in update.events:
                print_json({"seq": event.seq, **as_json(event.what)})
                await asyncio.sleep(wait)


async def _print_lines(match_id: str, server: str | None, wait: float) -> None:
    import asyncio

    from contree.cli.output import stdout
    from contree.cli.spectate import after, lines, with_match
    from contree.client import HostClient

    console = stdout()
    screen: TableScreen | None = None
    async with HostClient(server) as host:
        async for update in host.watch_match(match_id):
            if update.match is not None:
                if screen is None:
                    seats = "  ".join(f"{seat.seat} {seat.bot}" for seat in update.match.seats)
                    rules = update.match.rules.name
                    console.print(f"match {match_id}, {rules}: {seats}", soft_wrap=True)
                screen = with_match(screen, update.match)
            for event in update.events:
                assert screen is not None  # the first update brings the match
                for line in lines(screen, event.what):
                    console.print(line, soft_wrap=True)
                screen = after(screen, event.what)
                await asyncio.sleep(wait)


async def _draw(match_id: str, server: str | None, wait: float) -> None:
    import asyncio

    from rich.live import Live

    from contree.cli.output import stdout
    from contree.cli.render import table_screen
    from contree.cli.spectate import after, with_match
    from contree.client import HostClient

    screen: TableScreen | None = None
    with Live(console=stdout(), refresh_per_second=10) as live:
        async with HostClient(server) as host:
            async for update in host.watch_match(match_id):
                if update.match is not None:
                    screen = with_match(screen, update.match)
                    live.update(table_screen(screen))
                for event in update.events:
                    assert screen is not None  # the first update brings the match
                    screen = after(screen, event.what)
                    live.update(table_screen(screen))
                    await asyncio.sleep(wait)
