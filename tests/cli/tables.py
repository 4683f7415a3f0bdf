"""Tables for the tests of the terminal client: a real service, real bots, a screen of any size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from textual.pilot import Pilot

from contree.bots import Quiet
from contree.cli.playing.desk import Desk
from contree.cli.playing.game import person_of, sat_down
from contree.cli.playing.plan import Plan
from contree.cli.playing.sitting import DAY_S, Player, Sitting, Wish
from contree.cli.render.faces import ENGLISH
from contree.cli.tui.play_app import PlayApp
from contree.client import Connection, Turn
from contree.engine import Action, Bid, Seat, preset

WITHIN_S = 60.0


class Opener(Quiet):
    """Bids when nobody has: no deal of its table is passed out."""

    name = "opener"

    def decide(self, turn: Turn) -> Action:
        """The lowest bid, or what the quiet player does."""
        view = turn.view
        bids = [action for action in view.legal if isinstance(action, Bid)]
        opened = any(isinstance(placed.call, Bid) for placed in view.calls)
        return super().decide(turn) if opened or not bids else bids[0]


def wish(rules: str = "ffb-mixte", *, deals: int = 1, per_move: float = DAY_S) -> Wish:
    """South against the house, with a partner that is run here; no deal is passed out."""
    players = {
        Seat.WEST: Player("rules"),
        Seat.NORTH: Player("opener", Opener),
        Seat.EAST: Player("random"),
    }
    return Wish(preset(rules), Seat.SOUTH, players, deals=deals, per_move=per_move)


class Table(NamedTuple):
    """A screen, and hands to press keys."""

    app: PlayApp
    pilot: Pilot[Any]

    @property
    def desk(self) -> Desk:
        """What lies before the person."""
        assert self.app.desk is not None
        return self.app.desk

    async def until(self, what: Callable[[], object]) -> None:
        """Wait until something is so; dialogs stay."""
        async with asyncio.timeout(WITHIN_S):
            while not what():
                await self.pilot.pause(0.02)

    async def turn(self) -> None:
        """Wait for a turn, and put away what was shown before it."""
        app = self.app
        async with asyncio.timeout(WITHIN_S):
            while app.desk is None or app.desk.owed is None or len(app.screen_stack) > 1:
                if app.desk is not None and app.desk.ended is not None:
                    raise AssertionError("the match is over")
                await self.put_away()
                await self.pilot.pause(0.02)

    async def put_away(self) -> None:
        """Put away a dialog, if there is one: two keys for one dialog would play the second."""
        dialog = self.app.screen
        if len(self.app.screen_stack) > 1:
            await self.pilot.press("enter")
            await self.until(lambda: self.app.screen is not dialog)

    async def leave(self) -> None:
        """Leave the table."""
        await self.pilot.press("q")
        await self.until(lambda: len(self.app.screen_stack) > 1)
        await self.pilot.press("y")
        await self.until(lambda: not self.app.is_running)

    async def as_hinted(self) -> None:
        """Do what the hint says; the turn is answered then, for a key may be heard later."""
        owed = self.desk.owed
        await self.pilot.press("h", "enter")
        await self.until(lambda: self.desk.owed is not owed)

    async def to_the_end(self) -> int:
        """Play as the hints say; how many turns that took."""
        app, turns = self.app, 0
        async with asyncio.timeout(WITHIN_S):
            while app.desk is None or app.desk.ended is None:
                await self.put_away()
                if app.desk is not None and app.desk.owed is not None:
                    await self.as_hinted()
                    turns += 1
                await self.pilot.pause(0.02)
        return turns

    async def rest(self) -> None:
        """Wait until the screen shows what the desk holds: a turn lays its parts out anew."""
        parts = [self.app.screen_stack[0].query_one(f"#{name}") for name in ("pad", "hand")]
        before = None
        async with asyncio.timeout(WITHIN_S):
            while (now := [part.region for part in parts]) != before:
                before = now
                await self.pilot.pause()

    async def click(self, name: str, offset: tuple[int, int]) -> None:
        """Click on a part of the screen, where that lies now."""
        await self.rest()
        landed = await self.pilot.click(f"#{name}", offset=offset)
        assert landed, f"{offset} is not in {name}"

    def shown(self, name: str) -> str:
        """The text of a part of the screen."""
        lines = (
            self.app.screen_stack[0]
            .query_one(f"#{name}")
            .render_lines(self.app.screen_stack[0].query_one(f"#{name}").size.region)
        )
        return "\n".join(line.text.rstrip() for line in lines)


@asynccontextmanager
async def table(
    server: str,
    wanted: Wish | None,
    *,
    size: tuple[int, int] = (80, 24),
    code: str = "",
    name: str = "Ann",
    pace: float = 0.0,
    resume_patience: float = 20.0,
) -> AsyncIterator[Table]:
    """Somebody at a table, whose match is left in the end."""
    plan = Plan(wanted, name, code, server, ENGLISH, pace, light=False)
    person = person_of(plan)
    sitting = Sitting(
        person, server, None, Connection(patience=5.0, resume_patience=resume_patience)
    )
    async with sat_down(sitting, plan):
        app = PlayApp(person, sitting, plan)
        async with app.run_test(size=size) as pilot:
            yield Table(app, pilot)
