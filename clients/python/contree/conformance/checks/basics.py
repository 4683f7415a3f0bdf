"""The first deal: what every other check builds on."""

from __future__ import annotations

from statistics import median
from typing import Final

from contree.conformance.checks.base import (
    CLOCKS,
    DECISIONS,
    ONE_STREAM,
    STREAM_ENDS,
    Check,
    count,
    first_turn,
    not_answered,
    ready,
    silent,
)
from contree.conformance.harness import ALLOWANCE_S, HELLO, Harness
from contree.conformance.verdicts import Failed, Skipped
from contree.engine import Seat

_VERSION: Final = 1
_ENOUGH_LATE: Final = 2
_DEAL_S: Final = 120.0


async def hello(h: Harness) -> str:
    """Dials, says Hello, is welcomed."""
    said = await h.greeting()
    if said.protocol_version != _VERSION:
        raise Failed(
            f"Hello names the protocol version, {_VERSION}.",
            HELLO,
            f"protocol_version was {said.protocol_version}",
        )
    if said.bot != h.subject.name:
        raise Failed(
            f"Hello names the bot as CONTREE_BOT does: {h.subject.name}.",
            HELLO,
            f"it was {said.bot!r}",
        )
    if not said.instance_id:
        raise Failed(
            "Hello has an instance id, kept for the life of the process.", HELLO, "it was empty"
        )
    if not h.subject.dials_in and said.instance_id != h.subject.instance:
        raise Failed(
            "A bot that is started with CONTREE_INSTANCE uses it as its instance id.",
            HELLO,
            f"instance_id was {said.instance_id!r} instead of {h.subject.instance!r}",
        )
    await h.connected()
    capacity = str(said.capacity) if said.capacity else "the server's"
    return f"protocol {said.protocol_version}, capacity {capacity}"


async def says_ready(h: Harness) -> str:
    """Says Ready for both of its seats."""
    match = await _first_deal(h)
    await ready(h, match)
    return "said for 2 seats"


async def answers(h: Harness) -> str:
    """Answers the first turn."""
    match = await _played(h)
    asked = h.observer.of_match(match)
    if not asked:
        raise Failed("A bot waits for its turn.", ONE_STREAM, "the match ended before its turn")
    if not any(one.acts for one in asked):
        if not h.subject.running:
            h.alive(DECISIONS)
        raise not_answered(asked[0], h.now() - asked[0].at, DECISIONS)
    return count(sum(bool(one.acts) for one in asked), "answer")


async def in_time(h: Harness) -> str:
    """Answers within the limit."""
    match = await _played(h)
    limit = h.limits.answer
    times = [one.answered_in for one in h.observer.of_match(match) if one.answered_in is not None]
    late = silent(h, [match], limit + ALLOWANCE_S) if h.subject.running else None
    if late is not None:
        raise not_answered(late, h.now() - late.at, CLOCKS)
    if not times:
        raise Skipped("no decision was answered")
    told = f"p50 {_ms(median(times))}, max {_ms(max(times))} over {count(len(times), 'decision')}"
    if max(times) > limit:
        raise Failed(
            f"A bot answers each decision within {limit:g} s, and within its clock (--limit).",
            CLOCKS,
            told,
        )
    return told


async def stays_up(h: Harness) -> str:
    """Plays a deal to its end on one stream."""
    match = await _played(h)
    h.alive(STREAM_ENDS)
    if not h.observer.is_over(match):
        raise Failed(
            "A bot plays its matches to their end.", STREAM_ENDS, "the first deal did not end"
        )
    streams = {stream for one in h.observer.of_match(match) for _, stream, _ in one.acts}
    if len(streams) > 1:
        raise Failed(
            "A bot stays on its stream.", STREAM_ENDS, f"it opened {len(streams)} in one deal"
        )
    return "a deal on one stream"


async def _first_deal(h: Harness) -> str:
    """A match of one deal with the bot as north and south."""
    if "first deal" not in h.memory:
        h.memory["first deal"] = await h.seat(Seat.NORTH, Seat.SOUTH)
    return h.memory["first deal"]


async def _played(h: Harness) -> str:
    """The first deal, played as far as it came."""
    match = await _first_deal(h)
    if await first_turn(h, match) is None:
        return match
    patience = h.limits.answer + ALLOWANCE_S

    def enough() -> bool:
        asked = h.observer.of_match(match)
        late = sum((one.answered_in or 0.0) > h.limits.answer for one in asked)
        return late >= _ENOUGH_LATE or silent(h, [match], patience) is not None

    await h.until(lambda: h.observer.is_over(match) or not h.subject.running or enough(), _DEAL_S)
    return match


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


CHECKS: Final = (
    Check("hello", "Connects and says Hello", hello),
    Check("ready", "Says Ready for its seats", says_ready, ("hello",)),
    Check("answers", "Answers a turn", answers, ("ready",)),
    Check("in-time", "Answers in time", in_time, ("answers",)),
    Check("stays-up", "Plays a deal to its end", stays_up, ("in-time",)),
)
