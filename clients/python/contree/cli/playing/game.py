"""A person's game from the first to the last: the server, the sitting, and the screen or lines."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from contree.cli.errors import Failure
from contree.cli.local import answers, local_server
from contree.cli.options import DEFAULT_SERVER
from contree.cli.output import say
from contree.cli.playing.codes import maker_name, table_name
from contree.cli.playing.person import Person
from contree.cli.playing.plain import Left, PlainTable
from contree.cli.playing.plan import Plan, invitation
from contree.cli.playing.sitting import Sitting
from contree.cli.playing.telling import deal_lines, ending
from contree.client import Connection, ContreeError, Unreachable

if TYPE_CHECKING:
    from contree.cli.playing.desk import Desk

_REMOTE: Final = Connection(patience=5.0, resume_patience=300.0)
"""A person hears soon that there is no server; one that goes away is waited for."""
_LOCAL: Final = Connection(patience=10.0, resume_patience=15.0)
"""A server of one's own that is gone does not come back."""


class Place(NamedTuple):
    """Where it is played."""

    server: str
    token: str | None
    connection: Connection


def run_plain(plan: Plan) -> None:
    """Play one match in lines."""
    with place_of(plan) as place, _quiet():
        asyncio.run(_plain(plan, place))


def run_screen(plan: Plan) -> None:
    """Play on a screen, one match after the other for as long as the person likes."""
    from contree.cli.tui.play_app import PlayApp

    async def once(place: Place) -> bool:
        person = person_of(plan)
        sitting = Sitting(person, *place)
        async with sat_down(sitting, plan):
            app = PlayApp(person, sitting, plan)
            await app.run_async()
        if app.desk is not None:
            for line in how_it_ended(app.desk):
                print(line, flush=True)
        if app.failure is not None:
            raise app.failure if app.desk is None else ended_by(app.failure)
        return app.again

    with place_of(plan) as place, _quiet():
        while asyncio.run(once(place)):
            pass


async def _plain(plan: Plan, place: Place) -> None:
    person = person_of(plan)
    sitting = Sitting(person, *place)
    async with sat_down(sitting, plan):
        if plan.code:
            print(invitation(plan, place.server), flush=True)
        table = PlainTable(person, plan.face, sitting.names, sitting.fill)
        try:
            await table.play(sys.stdin)
        except Left:
            return
        except ContreeError as error:
            if table.seated:
                raise ended_by(error) from None
            raise


def person_of(plan: Plan) -> Person:
    """The person; people who join a table share the name by which its seats are given."""
    if not plan.code:
        return Person(plan.name, plan.name)
    name = table_name(plan.code) if plan.wish is None else maker_name(plan.code)
    return Person(name, plan.name)


@contextlib.asynccontextmanager
async def sat_down(sitting: Sitting, plan: Plan) -> AsyncIterator[None]:
    """The match goes on meanwhile; in the end it is left."""
    if plan.wish is None:
        playing = sitting.join(plan.code)
    elif plan.code:
        playing = sitting.host(plan.wish, plan.code)
    else:
        playing = sitting.play(plan.wish)
    task = asyncio.create_task(playing)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


def how_it_ended(desk: Desk) -> Iterator[str]:
    """What stays on the terminal of a screen that is gone: the last deal, and the match."""
    if desk.ended is None:
        return
    if desk.result is not None:
        yield from deal_lines(desk.result, desk.me, desk.rules)
    yield ending(desk.ended, desk.me)


def ended_by(error: BaseException) -> BaseException:
    """What a person who had a seat is told when the game cannot go on."""
    if isinstance(error, Unreachable):
        return Failure("The server does not answer any more: the game ends here, without a result.")
    return error


@contextlib.contextmanager
def place_of(plan: Plan) -> Iterator[Place]:
    """The server that was named, else one for this session; of a table with others, the one at the
    default address.
    """
    if plan.server is not None:
        yield Place(plan.server, None, _REMOTE)
        return
    if plan.code and answers(DEFAULT_SERVER):
        yield Place(DEFAULT_SERVER, None, _REMOTE)
        return
    if plan.wish is None:
        raise Failure(
            f"No server answers at {DEFAULT_SERVER}: give --server HOST:PORT, that of the table."
        )
    _need_server()
    say("Setting the table...")
    with local_server(DEFAULT_SERVER if plan.code else "127.0.0.1:0") as address:
        # A token for another server would mean nothing to this one.
        yield Place(address, "", _LOCAL)


def _need_server() -> None:
    from importlib.util import find_spec

    if find_spec("redis") is None or find_spec("structlog") is None:
        raise Failure(
            "A table of one's own needs a server, and none is installed here: "
            "pip install 'contree[server]', or give --server HOST:PORT."
        )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The words of the SDK and of bots are not written across the screen meanwhile; what a person
    should know of them the table says itself.
    """
    logger = logging.getLogger("contree")
    handler = logging.NullHandler()
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
