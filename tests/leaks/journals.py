"""Journals of random matches: legal and illegal actions, timeouts, resignations, the house."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.match.matches import NOW, seated

from contree.engine import SEATS, Action, Bid, Mode, RuleSet, Seat, SeededDeals, preset
from contree.engine.cards import CARDS
from contree.engine.options import BeloteMode
from contree.engine.presets import PRESET_NAMES
from contree.server.match import (
    Abandon,
    Act,
    Command,
    EndReason,
    Entry,
    FaultKind,
    FaultPolicy,
    GiveUp,
    GoOn,
    Match,
    MatchSpec,
    RunOut,
    SeatPlan,
    decide,
)
from contree.server.match.feed import in_window

ANNOUNCED = replace(preset("coinche-classique"), name="announced", belote_mode=BeloteMode.ANNOUNCED)
RULES: tuple[RuleSet, ...] = (*map(preset, PRESET_NAMES), ANNOUNCED)


def spec(rules: RuleSet, mode: Mode, seed: int, deals: int = 2, house: int = 0) -> MatchSpec:
    plans = [SeatPlan(house="rules") if seat < house else SeatPlan(bot="bot") for seat in SEATS]
    north, east, south, west = plans
    return MatchSpec(
        match_id="m-leaks",
        rules=replace(rules, deals_limit=deals) if mode is Mode.RACE else rules,
        mode=mode,
        deals=SeededDeals(seed.to_bytes(32, "big")),
        seats=(north, east, south, west),
        secret=b"0123456789abcdef",
        created_ms=NOW,
        board=seed % 60 + 1,
        faults=FaultPolicy(illegal_strikes=1, timeout_strikes=1),
        labels=("event", "event-table"),
        group="event-board",
    )


def random_journal(made: MatchSpec, seed: int, faults: float = 0.05) -> list[Entry]:
    """The journal of a match played at random, to its end."""
    rng = random.Random(f"{made.rules.name} {made.mode} {seed}")
    match, entries = seated(made)
    while match.end is None:
        step = decide(match, _command(match, rng, faults), NOW)
        match, entries = step.after, entries + list(step.entries)
    return entries


def _command(match: Match, rng: random.Random, faults: float) -> Command:
    owing = [seat for seat in SEATS if match.owed_since[seat] and not match.seats[seat].house]
    if not owing:
        return GoOn()
    if rng.random() < faults / 50:
        return Abandon(EndReason.CANCELLED, "enough")
    seat = rng.choice(owing)
    chance = rng.random() / faults if faults else 1.0
    if in_window(match.game):
        chance /= 4  # where faults may tell most
    if chance < 0.6:
        return Act(seat, match.decision_id(seat), rng.choice(CARDS), 100)
    if chance < 0.85:
        return RunOut(seat, match.owed_since[seat])
    if chance < 1:
        return GiveUp(rng.choice(SEATS), FaultKind.RESIGNED, "the bot resigned")
    return Act(seat, match.decision_id(seat), _choice(match, seat, rng), rng.randrange(9000))


def _choice(match: Match, seat: Seat, rng: random.Random) -> Action:
    legal = match.game.legal_actions(seat)
    # Low bids and few of them, so that auctions have many rounds and end in every strain.
    low = [
        action
        for action in legal
        if not isinstance(action, Bid) or (isinstance(action.level, int) and action.level <= 100)
    ]
    return rng.choice(low or legal)
