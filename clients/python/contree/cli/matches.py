"""`contree matches list | show | cancel`: what a service plays, for whoever looks after it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from contree.cli.errors import BadInput
from contree.cli.options import ServerOption

if TYPE_CHECKING:
    from contree.client import HostClient, Match

app = typer.Typer(
    help="The matches of a service: what is played, what stands still, what is to end.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
STATES: Final = ("waiting", "readying", "playing", "ended")
STUCK_S: Final = 60.0
"""After so long without a step a match counts as stuck."""
_FIRST_ANSWER_S: Final = 10.0

_Answer = TypeVar("_Answer")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback()
def _matches() -> None:
    """The matches of a service."""


@app.command("list")
def list_matches(
    *,
    server: ServerOption = None,
    event: Annotated[
        str, typer.Option("--event", "--label", metavar="LABEL", help="Of this event or label.")
    ] = "",
    state: Annotated[
        str | None,
        typer.Option(metavar="|".join(STATES), help="In this state; ended needs --event."),
    ] = None,
    stuck: Annotated[
        bool,
        typer.Option("--stuck", help="In play and for a minute without a step; longest first."),
    ] = False,
    stuck_for: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=5, help="The same with another time than a minute."),
    ] = None,
    bot: Annotated[
        str, typer.Option(metavar="NAME", help="With this bot; with --event also when over.")
    ] = "",
    faults: Annotated[
        bool,
        typer.Option("--faults", help="With faults, of --bot or any; with --event also when over."),
    ] = False,
    unreadable: Annotated[
        bool, typer.Option("--unreadable", help="Only those that the servers cannot read.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The matches that are not over: who is awaited, for how long, who is there, at which server.

    With a host's key its own, with an operator's all. Whichever server is asked knows of all of
    them; what another holds and has come on in the last seconds is UNMOVED no. Of what is
    unreadable nothing but the id is known.
    """
    from contree.cli.match_lines import as_json as plain
    from contree.cli.match_lines import faults_of, table
    from contree.cli.output import print_json, say

    if state is not None and state not in STATES:
        raise BadInput(f"There is no state {state!r}: write one of {' '.join(STATES)}.")
    if state == "ended" and not event:
        raise BadInput("Matches that are over are listed by event: add --event LABEL.")
    limit = stuck_for if stuck_for is not None else STUCK_S if stuck else None
    if limit is not None and state not in {None, "playing"}:
        raise BadInput("What is stuck is in play: leave --state out.")
    chosen = state is not None or limit is not None or bool(bot) or faults
    if unreadable and (chosen or event):
        raise BadInput("Of what is unreadable only the id is known: leave the other options out.")
    cannot_be_read: list[str] = []

    async def ask(host: HostClient) -> list[Match]:
        over = state == "ended" or (bool(event) and limit is None and (bool(bot) or faults))
        listed = host.list_matches(event, unfinished=not over, unreadable=cannot_be_read.append)
        found = [one async for one in listed]
        wanted = "playing" if limit is not None else state
        found = [one for one in found if wanted is None or one.state.value == wanted]
        found = [one for one in found if not bot or bot in _bots(one)]
        if faults:
            found = [one for one in found if faults_of(one, bot)]
        if limit is not None:
            found = [one for one in found if _unmoved(one) >= limit]
            found.sort(key=_unmoved, reverse=True)
        return found

    matches = _ask(server, ask)
    if unreadable:
        matches = []
    if chosen:
        cannot_be_read.clear()
    if as_json:
        print_json({"matches": [plain(one) for one in matches], "unreadable": cannot_be_read})
    elif matches or cannot_be_read:
        for line in table(matches, cannot_be_read, faults=faults):
            typer.echo(line)
    else:
        say("No such match." if limit is None else "No match is stuck.")


@app.command()
def show(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of the match.")],
    *,
    server: ServerOption = None,
    as_json: AsJson = False,
) -> None:
    """One match: its seats, who is awaited and for how long, its faults and marks. No cards."""
    from contree.cli.match_lines import as_json as plain
    from contree.cli.match_lines import details
    from contree.cli.output import print_json

    async def ask(host: HostClient) -> Match:
        return await host.get_match(match)

    found = _ask(server, ask)
    if as_json:
        print_json(plain(found))
        return
    for line in details(found):
        typer.echo(line)


@app.command()
def cancel(
    matches: Annotated[list[str], typer.Argument(metavar="MATCH...", help="Ids of matches.")],
    *,
    server: ServerOption = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for whoever looks.")] = "",
) -> None:
    """End matches without a result. The runner of an event plays them again.

    All of them are tried; the exit code is 1 where one could not be cancelled.
    """
    from contree.cli.output import say
    from contree.client import ServiceError

    async def ask(host: HostClient) -> list[str]:
        failed = []
        for match_id in matches:
            try:
                await host.cancel_match(match_id, reason)
            except ServiceError as error:
                failed.append(match_id)
                say(f"{match_id}: {error}")
            else:
                typer.echo(f"{match_id} is cancelled.")
        return failed

    if _ask(server, ask):
        raise typer.Exit(1)


def _bots(match: Match) -> set[str]:
    return {seat.bot for seat in match.seats if not seat.house}


def _unmoved(match: Match) -> float:
    standing = match.standing
    return 0.0 if standing is None or standing.unmoved is None else standing.unmoved


def _ask(server: str | None, question: Callable[[HostClient], Awaitable[_Answer]]) -> _Answer:
    import asyncio

    from contree.client import Connection, HostClient

    async def ask() -> _Answer:
        patience = Connection(patience=_FIRST_ANSWER_S)
        async with HostClient(server, connection=patience) as host:
            return await question(host)

    return asyncio.run(ask())
