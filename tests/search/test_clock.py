"""The bots that think heed their clock, beside one busy process for each core.

10,000 decisions with ``FULL=1``, and boards at a real service with 250 ms a move, for a machine
that has nothing else to do. The short form has to hold on any machine: of a few hundred decisions
it asks what they took of the processor, and the service gives ten times as long.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from tests.bots.processes import started
from tests.e2e.server_process import ServerProcess
from tests.search.deals import FULL, RULES, bid_and_played, uniform_hands

from contree.bots.sampler import Sampler
from contree.bots.solver import Solver
from contree.bots.thinking import Thinker
from contree.client import (
    Board,
    BotSeat,
    FaultPolicy,
    HostClient,
    MatchSpec,
    SeatInfo,
    TimeControl,
    Turn,
)
from contree.engine import SEATS, Deal, Strain, View, project

FFB = RULES["ffb-mixte"]
PER_MOVE, RESERVE = 0.250, 0.050
AT_THE_SERVICE = PER_MOVE if FULL else 10 * PER_MOVE
DECISIONS = 10_000 if FULL else 200
BOARDS = 260 if FULL else 4
BUSY = """
import os
started_by = os.getppid()
while os.getppid() == started_by:  # nothing is left behind when the test is killed
    for _ in range(1_000_000):
        pass
"""


@pytest.fixture
def busy() -> Iterator[None]:
    """One process for each core that does nothing but use it."""
    command = [sys.executable, "-c", BUSY]
    cores = len(os.sched_getaffinity(0))
    processes = [subprocess.Popen(command, stdin=subprocess.DEVNULL) for _ in range(cores)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def views(count: int) -> Iterator[View]:
    """Decisions of all kinds: first calls, and cards at any time."""
    rng = random.Random(1)
    for number in range(count):
        hands = uniform_hands(rng)
        if number % 6 == 0:
            deal = Deal.start(FFB, SEATS[rng.randrange(4)], hands)
        else:
            deal, _ = bid_and_played(FFB, Strain(rng.randrange(4)), hands, rng, rng.randrange(28))
        yield project(deal, deal.owed[0])


def turn_of(view: View) -> Turn:
    table = SeatInfo("", view.seat, FFB, Board(0), TimeControl(), FaultPolicy(), resumed=False)
    deadline = time.monotonic() + PER_MOVE
    return Turn(view, table, deadline, bank=0.0, allowance=0.0, charged=0.0, round_trip=None)


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("kind", [Sampler, Solver])
@pytest.mark.parametrize(
    ("budget_ms", "decisions"),
    [(20.0, DECISIONS), (inf, DECISIONS // 10)],
    ids=["20 ms", "all there is"],
)
def test_thinks_within_its_time(kind: type[Thinker], budget_ms: float, decisions: int) -> None:
    """To the limit less the reserve, in 99.9 % of all decisions."""
    bot = kind(budget_ms, reserve_ms=1000 * RESERVE)
    by_the_clock, of_the_processor = [], []
    for view in views(decisions):
        turn = turn_of(view)
        begun, used = time.monotonic(), time.thread_time()
        assert bot.decide(turn) in view.legal
        by_the_clock.append(time.monotonic() - begun)
        of_the_processor.append(time.thread_time() - used)
    for what, took in (("by the clock", by_the_clock), ("CPU", of_the_processor)):
        took.sort()
        parts = (
            f"{1000 * took[int(part * (decisions - 1))]:.1f}" for part in (0.5, 0.99, 0.999, 1)
        )
        print(
            f"{kind.name}, {budget_ms:g} ms, {decisions} decisions, {what}: "
            f"median, 99 %, 99.9 %, longest {', '.join(parts)} ms"
        )
    judged = by_the_clock if FULL else of_the_processor
    late = sum(one > PER_MOVE - RESERVE for one in judged)
    assert late <= decisions // 1000


@pytest.mark.usefixtures("busy")
async def test_is_never_late_at_a_real_service(tmp_path: Path) -> None:
    """Two processes of the solver and the sampler, everything else compiled anew."""
    server = ServerProcess(tmp_path / "server")
    server.start()
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    commands = {
        name: (sys.executable, "-m", f"contree.bots.{name}") for name in ("solver", "sampler")
    }
    names = ("solver", "sampler", "solver", "sampler")
    seats = {seat: BotSeat(name) for seat, name in zip(SEATS, names, strict=True)}
    try:
        async with (
            HostClient(server.address) as host,
            started(commands["solver"], server.address, "solver", **cache),
            started(commands["sampler"], server.address, "sampler", **cache),
        ):
            for number in range(1, BOARDS + 1):
                spec = MatchSpec(
                    request_id=f"clock-{number}",
                    seats=seats,
                    mode=Board(number),
                    time_control=TimeControl(
                        per_move=AT_THE_SERVICE, bank=0.0, increment=0.0, seat_timeout=900.0
                    ),
                    labels=(f"clock-{number}",),
                )
                await host.create_match(spec)
                async for update in host.watch_matches(f"clock-{number}"):
                    if update.match.ended:
                        assert update.match.counts
                        assert update.match.faults == ()
                        break
    finally:
        server.kill()
