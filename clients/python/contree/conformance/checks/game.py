"""The game: windows of contre, sans-atout and tout-atout, belote, whole matches."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contree.client import Fixed, Race
from contree.conformance.checks.base import (
    ACCEPTED,
    DECISIONS,
    KINDS,
    Check,
    count,
    first_turn,
    no_illegal,
    not_answered,
    play_out,
    silent,
)
from contree.conformance.companions import NAME, dealer_before, dealt, opening
from contree.conformance.harness import ALLOWANCE_S, Harness
from contree.conformance.observer import Asked
from contree.conformance.verdicts import Failed, Skipped
from contree.engine import DECLINE, PRESET_NAMES, Bid, Card, Seat, Slam, Strain, preset
from contree.engine.options import BeloteMode, ContreTiming
from contree.v1 import observation_pb2

_MATCHES_S: Final = 20.0
_DEALS: Final = 2
_BOARDS: Final = 3


async def contre(h: Harness) -> str:
    """Asked for contre or decline after a bid of an opponent, out of turn."""
    rules = preset("coinche-classique")
    first = Seat.EAST
    dealer = dealer_before(first, rules)
    async with h.companions(opening({first: Bid(80, Strain.SPADES)})):
        match = await h.seat(dealer, rules=rules, deals=Fixed(dealer, dealt(dealer)), others=NAME)
        return await _window(h, match, observation_pb2.DECISION_KIND_CONTRE)


async def surcontre(h: Harness) -> str:
    """Asked for surcontre or decline after the opponents' contre of its partner's bid."""
    rules = preset("coinche-classique")
    first = Seat.EAST
    dealer = dealer_before(first, rules)
    async with h.companions(opening({first: Bid(80, Strain.SPADES)}, contred=True)):
        match = await h.seat(
            first.partner, rules=rules, deals=Fixed(dealer, dealt(dealer)), others=NAME
        )
        return await _window(h, match, observation_pb2.DECISION_KIND_SURCONTRE)


async def _window(h: Harness, match: str, kind: int) -> str:
    asked = await first_turn(h, match, kind)
    if asked is None:
        h.alive(DECISIONS)
        unanswered = silent(h, [match], h.limits.answer)
        if unanswered is not None:
            raise not_answered(unanswered, h.limits.answer, DECISIONS)
        raise Skipped(f"no decision of kind {KINDS[kind]} came up")
    patience = h.limits.answer + ALLOWANCE_S
    await h.until(lambda: asked.statuses or not h.subject.running, patience)
    h.alive(DECISIONS)
    if not asked.acts:
        raise Failed(
            f"A decision of kind {KINDS[kind].upper()} is answered with {KINDS[kind]} or decline.",
            DECISIONS,
            f"no answer to {asked} within {patience:g} s",
        )
    no_illegal(h, [match], DECISIONS)
    if ACCEPTED not in asked.statuses:
        raise Failed(
            "An answer comes in time and is legal.", DECISIONS, f"{asked.answers[0]} was not taken"
        )
    await play_out(h, [match], DECISIONS)
    return f"answered {'decline' if asked.answers[0] == str(DECLINE) else asked.answers[0]}"


async def strains(h: Harness) -> str:
    """Bids of others at sans-atout and tout-atout, low and as a capot, and their card play."""
    rules = replace(
        preset("coinche-classique"), name="check-strains", contre_timing=ContreTiming.OWN_TURN
    )
    bids = {
        Seat.NORTH: Bid(80, Strain.NO_TRUMP),
        Seat.EAST: Bid(80, Strain.ALL_TRUMP),
        Seat.SOUTH: Bid(Slam.CAPOT, Strain.NO_TRUMP),
        Seat.WEST: Bid(Slam.CAPOT, Strain.ALL_TRUMP),
    }
    async with h.companions(opening(bids)):
        matches = []
        for first in bids:
            dealer = dealer_before(first, rules)
            seat = rules.turn_direction.next(first)
            matches.append(
                await h.seat(seat, rules=rules, deals=Fixed(dealer, dealt(seat)), others=NAME)
            )
        await play_out(h, matches, DECISIONS)
    no_illegal(h, matches, DECISIONS)
    return f"{count(len(matches), 'deal')}, opened with {', '.join(map(str, bids.values()))}"


async def belote(h: Harness) -> str:
    """King and queen of trumps where a belote counts only when it is announced."""
    rules = replace(preset("ffb-mixte"), name="check-belote", belote_mode=BeloteMode.ANNOUNCED)
    first = Seat.NORTH
    pair = (Card.parse("KS"), Card.parse("QS"))
    dealer = dealer_before(first, rules)
    deals = Fixed(dealer, dealt(first.partner, pair))
    async with h.companions(opening({first: Bid(Slam.CAPOT, Strain.SPADES)})):
        match = await h.seat(first.partner, rules=rules, deals=deals, others=NAME)
        await play_out(h, [match], DECISIONS)
    no_illegal(h, [match], DECISIONS)
    offered = [one for one in h.observer.of_match(match) if one.decision.announceable]
    if not offered:
        raise Skipped("the auction took another turn: no belote could be announced")
    announced = sum(act.action.play.announce for one in offered for _, _, act in one.acts[:1])
    return f"announced {announced} of the {count(len(offered), 'time')} that it might"


async def presets(h: Harness) -> str:
    """Whole matches under every preset, against opponents that say and play anything."""
    at_once = max(1, h.room // 2)
    asked: list[Asked] = []
    finished, over = True, 0
    deadline = h.now() + _MATCHES_S
    for start in range(0, len(PRESET_NAMES), at_once):
        matches = [
            await h.seat(
                Seat.NORTH,
                Seat.SOUTH,
                rules=name,
                mode=Race(target=0, deals=_DEALS),
                others="random",
            )
            for name in PRESET_NAMES[start : start + at_once]
        ]
        finished = await play_out(h, matches, DECISIONS, within=max(1.0, deadline - h.now()))
        no_illegal(h, matches, DECISIONS)
        asked += [one for match in matches for one in h.observer.of_match(match)]
        over += sum(h.observer.is_over(match) for match in matches)
        if not finished:
            break
    kinds = {KINDS.get(one.decision.kind, "?") for one in asked}
    told = f"{count(len(asked), 'decision')} of kinds {', '.join(sorted(kinds))}"
    if not finished:
        told += f"; {over} of {len(PRESET_NAMES)} presets to the end within {_MATCHES_S:g} s"
    return told


async def legal(h: Harness) -> str:
    """Boards under simple rules, one after the other, against players that do anything."""
    matches = [h.memory["first deal"]] if "first deal" in h.memory else []
    for _ in range(_BOARDS):
        match = await h.seat(Seat.NORTH, Seat.SOUTH, others="random")
        matches.append(match)
        await play_out(h, [match], DECISIONS)
        no_illegal(h, matches, DECISIONS)
    asked = sum(len(h.observer.of_match(match)) for match in matches)
    return f"{count(asked, 'legal answer')} in {count(len(matches), 'deal')}"


_DEAL: Final = ("stays-up",)
_LEGAL: Final = (*_DEAL, "legal")
_WINDOWS: Final = (*_LEGAL, "contre")
_MANY: Final = (*_LEGAL, "batch")
_ALL: Final = (*_MANY, "contre", "surcontre", "strains")
LEGAL: Final = (Check("legal", "Only legal actions", legal, _DEAL),)
CHECKS: Final = (
    Check("contre", "Answers contre or decline, out of turn", contre, _LEGAL),
    Check("surcontre", "Answers surcontre or decline", surcontre, _WINDOWS),
    Check("strains", "Sans-atout and tout-atout", strains, _MANY),
    Check("belote", "Belote announced", belote, _LEGAL),
    Check("presets", "Whole matches, all presets", presets, _ALL),
)
