"""What a check is, and what most of them do: let a match be played, and say what was missing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from contree.conformance.harness import ALLOWANCE_S, Harness
from contree.conformance.observer import Asked
from contree.conformance.verdicts import Failed
from contree.v1 import observation_pb2, play_service_pb2

DECISIONS: Final = "Decisions"
CLOCKS: Final = "Clocks"
STREAM_ENDS: Final = "When the stream ends"
ONE_STREAM: Final = "One stream"
FAULTS: Final = "Faults"
ERRORS: Final = "Errors"
"""Headings of docs/protocol.md."""

ILLEGAL: Final = play_service_pb2.ACT_STATUS_ILLEGAL
ACCEPTED: Final = play_service_pb2.ACT_STATUS_ACCEPTED
KINDS: Final[dict[int, str]] = {
    observation_pb2.DECISION_KIND_CALL: "call",
    observation_pb2.DECISION_KIND_CONTRE: "contre",
    observation_pb2.DECISION_KIND_SURCONTRE: "surcontre",
    observation_pb2.DECISION_KIND_CARD: "card",
}
_DEAL_S: Final = 60.0


class Check(NamedTuple):
    """One thing that a bot has to do well."""

    id: str
    title: str
    run: Callable[[Harness], Awaitable[str]]
    """Gives what it measured, in short; raises Failed or Skipped."""
    needs: tuple[str, ...] = ()
    """Without these it cannot be judged."""
    fresh: bool = False
    """It wants a process that has done nothing yet."""
    ends_it: bool = False
    """It ends the bot, or leaves it in a state from which a bot may end itself."""
    owns_process: bool = False
    """It is about the process, so the kit must have started it."""


async def ready(h: Harness, *matches: str) -> None:
    """Wait until Ready was said for every seat of these matches."""

    def missing() -> bool:
        seats = [held for held in h.observer.assigned if held.match_id in matches]
        told = {held.match_id for held in seats}
        return told != set(matches) or any(held not in h.observer.ready for held in seats)

    await h.until(lambda: not missing() or not h.subject.running, h.limits.start)
    h.alive(ONE_STREAM)
    if missing():
        raise Failed(
            "Where SeatAssigned says ready_owed, a bot says Ready when it is.",
            ONE_STREAM,
            f"Ready was not said for every seat within {h.limits.start:g} s",
        )


async def first_turn(h: Harness, match: str, kind: int | None = None) -> Asked | None:
    """The first decision of this kind that is asked in a match; None when there comes none."""

    def found() -> Asked | None:
        asked = h.observer.of_match(match)
        return next((one for one in asked if kind in {None, one.decision.kind}), None)

    await h.until(
        lambda: found() is not None or h.observer.is_over(match) or not h.subject.running,
        h.limits.start,
    )
    return found()


def silent(h: Harness, matches: Sequence[str], patience: float) -> Asked | None:
    """A decision that has been waiting for an answer for longer than this."""
    now = h.now()
    for match in matches:
        for asked in h.observer.of_match(match):
            if not asked.acts and now - asked.at > patience:
                return asked
    return None


async def play_out(
    h: Harness,
    matches: Sequence[str],
    section: str,
    *,
    patience: float | None = None,
    within: float = _DEAL_S,
) -> bool:
    """Let matches be played to their end; False when the time was over before.

    Raises Failed when the bot ends, or leaves a decision unanswered for ``patience`` seconds, by
    default the limit for an answer.
    """
    await ready(h, *matches)
    longest = h.limits.answer + ALLOWANCE_S if patience is None else patience

    def done() -> bool:
        return all(h.observer.is_over(match) for match in matches)

    await h.until(
        lambda: done() or not h.subject.running or silent(h, matches, longest) is not None, within
    )
    if done():
        return True
    h.alive(section)
    unanswered = silent(h, matches, longest)
    if unanswered is not None:
        raise not_answered(unanswered, longest, section)
    return False


def not_answered(asked: Asked, waited: float, section: str) -> Failed:
    """The failure to answer a decision."""
    kind = KINDS.get(asked.decision.kind, "?")
    return Failed(
        "A bot answers every decision that it is asked for.",
        section,
        f"no answer to {asked} (kind {kind}) within {waited:.1f} s",
    )


def no_illegal(h: Harness, matches: Sequence[str], section: str) -> None:
    """Raises Failed for the first answer in these matches that was not legal."""
    for match in matches:
        for asked in h.observer.of_match(match):
            if ILLEGAL in asked.statuses:
                kind = KINDS.get(asked.decision.kind, "?")
                raise Failed(
                    "A bot answers with one of the legal actions of the decision.",
                    section,
                    f"the answer {asked.answers[0]} to {asked} (kind {kind}) was illegal",
                )


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
