"""The matches of a test: so many at once, each replaced when it ends, and all of them checked."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.chaos.ledger import Ledger
from tests.chaos.thinker import PATIENT

from contree.cli.verifying import Seed
from contree.client import (
    Board,
    BotSeat,
    FaultPolicy,
    HostClient,
    Match,
    MatchSpec,
    Race,
    Seeded,
    TimeControl,
)
from contree.engine import SEATS, Seat

LABEL: Final = "chaos"
SEED: Final = Seed(bytes(range(32)), LABEL)
STUCK_S: Final = 150.0
"""So long without any match ending, and something is stuck. An outage is a few seconds."""


class Floor:
    """A room with tables."""

    def __init__(
        self,
        host: HostClient,
        bots: Mapping[Seat, str],
        choices: random.Random,
        *,
        tables: int,
        clock: TimeControl,
        deals: tuple[int, int] = (1, 3),
    ) -> None:
        """``deals`` is how many a match has, at least and at most: one is a board."""
        self.tables = tables
        self.created = 0
        self.ended: dict[str, Match] = {}
        self.open: dict[str, Match] = {}
        self._host = host
        self._bots = bots
        self._choices = choices
        self._clock = clock
        self._deals = deals
        self._filling = True
        self._progress = asyncio.Event()

    async def run(self) -> None:
        """Keep the tables full, until cancelled."""
        for _ in range(self.tables):
            await self._create()
        async for update in self._host.watch_matches(LABEL):
            match = update.match
            if not match.ended or match.id in self.ended:
                continue
            self.ended[match.id] = match
            self.open.pop(match.id, None)
            self._progress.set()
            if self._filling:
                await self._create()

    async def closed(self) -> None:
        """Fill tables no more, and wait until the last match has ended."""
        self._filling = False
        while self.open:
            self._progress.clear()
            try:
                async with asyncio.timeout(STUCK_S):
                    await self._progress.wait()
            except TimeoutError:
                raise AssertionError(await self._stuck()) from None

    async def check(self, ledger: Ledger, folder: Path) -> None:
        """Hold every match against the books."""
        await asyncio.to_thread(folder.mkdir)
        for match_id in self.ended:
            match = await self._host.get_match(match_id)
            ledger.check(match, await self._host.get_record(match_id), folder, SEED)

    async def _create(self) -> None:
        self.created += 1
        deals = self._choices.randint(*self._deals)
        spec = MatchSpec(
            request_id=f"{LABEL}-{self.created}",
            seats={seat: BotSeat(self._bots[seat]) for seat in SEATS},
            mode=Board(self.created) if deals == 1 else Race(target=0, deals=deals),
            deals=Seeded(SEED.seed, SEED.label),
            labels=(LABEL,),
            time_control=self._clock,
            fault_policy=FaultPolicy(),
        )
        match = await self._host.create_match(spec)
        if match.id not in self.ended:
            self.open[match.id] = match

    async def _stuck(self) -> str:
        lines = [f"{len(self.open)} matches are stuck:"]
        for match_id in self.open:
            match = await self._host.get_match(match_id)
            seats = [f"{s.seat}:{s.bot}{'' if s.connected else ' away'}" for s in match.seats]
            lines.append(f"{match_id} {match.state.value} version {match.version} {seats}")
        return "\n".join(lines)


def host_client(address: str) -> HostClient:
    """A host that waits as long as it takes."""
    return HostClient(address, connection=PATIENT)
