"""Replay gives the same state, byte for byte: whatever bots, clocks and hosts do to a match."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.match.digests import digest
from tests.match.matches import BOTS, NOW, spec

from contree.engine import CARDS, PASS, PRESET_NAMES, SEATS, Mode, Seat
from contree.server.match import (
    Abandon,
    Act,
    Command,
    Created,
    EndReason,
    Entry,
    FaultKind,
    FaultPolicy,
    GiveUp,
    GoOn,
    Match,
    Rejected,
    RunOut,
    SayReady,
    SeatPlan,
    TakeSeat,
    create,
    decide,
    decode_entry,
    encode_entry,
    fold,
)

_HOUSES = (*BOTS[:2], SeatPlan(house="rules"), SeatPlan(house="random"))


@given(
    rules=st.sampled_from(PRESET_NAMES),
    mode=st.sampled_from(list(Mode)),
    seed=st.integers(0, 2**32),
    deals=st.integers(1, 3),
    houses=st.integers(0, 2),
    passing=st.floats(0, 1),
    wild=st.floats(0, 0.3),
)
@settings(max_examples=30)
def test_whatever_happens_the_journal_comes_to_the_live_match(
    *, rules: str, mode: Mode, seed: int, deals: int, houses: int, passing: float, wild: float
) -> None:
    rng = random.Random(seed)
    seats = (*BOTS[: 4 - houses], *_HOUSES[4 - houses :])
    made = spec(rules, mode=mode, seats=seats, seed=seed % 256, faults=FaultPolicy(2, 3))
    made = replace(made, rules=replace(made.rules, deals_limit=deals))
    step = create(Created(made), NOW)
    match, journal = step.after, [encode_entry(entry) for entry in step.entries]
    while match.end is None:
        try:
            step = decide(match, _command(match, rng, passing, wild), NOW + len(journal))
        except Rejected:
            continue
        match = step.after
        journal += [encode_entry(entry) for entry in step.entries]
        if rng.random() < 0.01:
            _check(match, journal)
    _check(match, journal)


def _check(match: Match, journal: list[bytes]) -> None:
    entries: list[Entry] = [decode_entry(data) for data in journal]
    again = fold(entries)
    assert again == match
    assert digest(again) == digest(match)
    assert [encode_entry(entry) for entry in entries] == journal
    assert match.version == len(journal)


def _command(match: Match, rng: random.Random, passing: float, wild: float) -> Command:
    """Mostly what a bot does, now and then what one should not do."""
    seat = rng.choice(SEATS)
    if rng.random() < wild:
        return _mishap(match, seat, rng)
    if match.house_owes is not None:
        return GoOn()
    for one in SEATS:
        if not match.seats[one].taken:
            return TakeSeat(one, f"0.{rng.randrange(9)} β", f"instance-{one}")
        if not match.seats[one].ready:
            return SayReady(one)
    owing = rng.choice([one for one in SEATS if match.owed_since[one]])
    legal = match.game.legal_actions(owing)
    action = PASS if PASS in legal and rng.random() < passing else rng.choice(legal)
    return Act(owing, match.decision_id(owing), action, rng.randrange(1700))


def _mishap(match: Match, seat: Seat, rng: random.Random) -> Command:
    which = rng.randrange(200)
    if which == 0:
        return Abandon(rng.choice((EndReason.CANCELLED, EndReason.INFRASTRUCTURE)), "so it is")
    if which < 5:
        return GiveUp(seat, rng.choice(list(FaultKind)), "out")
    if which < 80:
        return RunOut(seat, match.owed_since[seat])
    decision = match.decision_id(seat) if match.owed_since[seat] else rng.randbytes(12)
    return Act(seat, decision, rng.choice(CARDS), rng.randrange(1700))
