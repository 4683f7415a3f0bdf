"""`contree bot replay-turn`: a recorded turn, asked of a bot again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contree.cli.errors import FAILED, BadInput
from contree.cli.options import ServerOption

if TYPE_CHECKING:
    from contree.engine import Record
    from contree.testing.turns import RecordedTurn


def replay_turn(
    record: Annotated[
        str,
        typer.Argument(
            metavar="RECORD", help="A record file, - for standard input, or the id of a match."
        ),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND...]", help="Starts the bot.", show_default=False),
    ] = None,
    *,
    at: Annotated[
        int,
        typer.Option(
            "--at", metavar="N", min=1, help="The step of the record, as contree replay counts."
        ),
    ],
    deal: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Count --at from the beginning of this deal, as logs of bots do.",
        ),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(
            metavar="N|E|S|W", help="Whose turn, where several were asked; else who acted."
        ),
    ] = None,
    clock: Annotated[
        float, typer.Option(metavar="S", min=0.05, help="Seconds on its clock; records have none.")
    ] = 10.0,
    server: ServerOption = None,
    dump: Annotated[
        bool, typer.Option("--dump", help="Print the turn as the service sends it, in JSON.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what it answers as one JSON object.")
    ] = False,
) -> None:
    """Ask a bot a recorded turn again: the same view and the same legal actions.

    Prints what it answers beside what was recorded. The exit code is 1 when it gives no answer in
    time, or one that is not legal. The record of a match that is disclosed is fetched by its id.
    """
    from contree.cli.output import say
    from contree.cli.records import the_one
    from contree.cli.render import printable

    if command and Path(command[0]).suffix in {".bgn", ".json"}:
        # Before -- there is one record: a pattern came to several.
        others = [one for one in command if Path(one).suffix in {".bgn", ".json"}]
        the_one([record, *others])
    found = _record(record, server)
    turn = _turn(found, at, seat, deal)
    name = printable(found.names[turn.seat]) or "nobody"
    if dump:
        say(_whose(turn, name))
        _dump(turn, clock)
        return
    if not command:
        raise BadInput("Which bot? Write its command after --, or --dump to see the turn.")
    _ask(turn, name, command, clock, as_json=as_json)


def _record(name: str, server: str | None) -> Record:
    """The record in a file, else that of a match."""
    from contree.cli.records import read
    from contree.engine import read_record

    path = Path(name)
    if name == "-" or path.suffix or path.exists() or "/" in name:
        return read(path)
    import asyncio

    from contree.client import HostClient

    async def fetched() -> str:
        async with HostClient(server) as host:
            return await host.get_record(name)

    return read_record(asyncio.run(fetched()))


def _turn(record: Record, at: int, seat: str | None, deal: int | None) -> RecordedTurn:
    from contree.engine import Seat
    from contree.testing.turns import NoSuchTurn, recorded_turn

    try:
        whose = None if seat is None else Seat.parse(seat.upper())
        return recorded_turn(record, at, whose, deal)
    except NoSuchTurn as error:
        raise BadInput(str(error)) from None


def _dump(turn: RecordedTurn, clock: float) -> None:
    from google.protobuf.json_format import MessageToJson

    from contree.conformance.one_turn import turn_message
    from contree.v1.play_service_pb2 import PlayResponse, ServerMessage

    message = ServerMessage(turn=turn_message(turn, clock))
    print(MessageToJson(PlayResponse(messages=[message])))


def _whose(turn: RecordedTurn, name: str) -> str:
    assert turn.view.kind is not None
    place = f"step {turn.step}, deal {turn.view.number}"
    return f"{place}: {turn.seat} ({name}) owes a {turn.view.kind.value}"


def _ask(turn: RecordedTurn, name: str, command: list[str], clock: float, *, as_json: bool) -> None:
    import asyncio

    from contree.cli.output import print_json, say, stdout
    from contree.conformance.one_turn import ask_again
    from contree.tournament import TournamentError

    try:
        reply = asyncio.run(ask_again(turn, command, clock=clock))
    except TournamentError as error:
        raise BadInput(str(error)) from None
    if as_json:
        told: dict[str, Any] = {
            "step": turn.step,
            "deal": turn.view.number,
            "seat": str(turn.seat),
            "name": name,
            "legal": [str(action) for action in turn.view.legal],
            "recorded": str(turn.action),
            "answered": None if reply.action is None else str(reply.action),
            "is_legal": reply.legal,
            "seconds": round(reply.seconds, 3),
            "problem": reply.problem,
        }
        print_json(told)
    else:
        console = stdout()

        def line(text: str) -> None:
            console.print(text, soft_wrap=True, markup=False)

        line(_whose(turn, name))
        line(f"hand      {' '.join(map(str, turn.view.hand))}")
        line(f"legal     {' '.join(map(str, turn.view.legal))}")
        line(f"recorded  {turn.action}")
        said = reply.problem if reply.action is None else str(reply.action)
        if reply.action is not None and not reply.legal:
            said += ", ILLEGAL"
        line(f"now       {said}  ({reply.seconds * 1000:.0f} ms)")
    if not reply.legal:
        for text in reply.output.splitlines():
            say(f"| {text}")
        raise typer.Exit(FAILED)
