"""Matches for tests: made by hand, moved on by seeded choices."""

from __future__ import annotations

import random
from collections.abc import Iterator

from contree.engine import SEATS, Action, Mode, Seat, SeededDeals, preset
from contree.server.match import (
    Act,
    Created,
    Entry,
    FaultPolicy,
    Match,
    MatchSpec,
    SayReady,
    SeatPlan,
    Step,
    TakeSeat,
    TimeControl,
    create,
    decide,
)

NOW = 1_790_000_000_000
BOTS = tuple(SeatPlan(bot=f"bot-{seat}") for seat in SEATS)


def spec(
    rules: str = "ffb-mixte",
    *,
    mode: Mode = Mode.BOARD,
    board: int = 1,
    time: TimeControl | None = None,
    faults: FaultPolicy | None = None,
    seats: tuple[SeatPlan, ...] = BOTS,
    seed: int = 7,
) -> MatchSpec:
    north, east, south, west = seats
    return MatchSpec(
        match_id="m-test",
        rules=preset(rules),
        mode=mode,
        board=board,
        deals=SeededDeals(bytes([seed]) * 32),
        seats=(north, east, south, west),
        secret=b"0123456789abcdef",
        created_ms=NOW,
        time=time or TimeControl(per_move=1000, bank=500, increment=0, allowance=100),
        faults=faults or FaultPolicy(illegal_strikes=1, timeout_strikes=1),
    )


def seated(made: MatchSpec) -> tuple[Match, list[Entry]]:
    """A match whose bots are all there and ready, and its journal so far."""
    step = create(Created(made), NOW)
    match, entries = step.after, list(step.entries)
    for seat in SEATS:
        if not match.seats[seat].taken:
            step = decide(match, TakeSeat(seat, "1", f"instance-{seat}"), NOW)
            match, entries = step.after, entries + list(step.entries)
    for seat in SEATS:
        if not match.seats[seat].ready:
            step = decide(match, SayReady(seat), NOW)
            match, entries = step.after, entries + list(step.entries)
    return match, entries


def owing(match: Match) -> Seat:
    """The first seat that owes a decision."""
    return next(seat for seat in SEATS if match.owed_since[seat])


def act(match: Match, seat: Seat, action: Action, elapsed: int = 10) -> Step:
    return decide(match, Act(seat, match.decision_id(seat), action, elapsed), NOW)


def random_steps(match: Match, seed: int) -> Iterator[Step]:
    """Play on with random legal actions until the match is over."""
    rng = random.Random(seed)
    while match.end is None:
        seat = rng.choice([one for one in SEATS if match.owed_since[one]])
        step = act(match, seat, rng.choice(match.game.legal_actions(seat)), rng.randrange(900))
        match = step.after
        yield step
