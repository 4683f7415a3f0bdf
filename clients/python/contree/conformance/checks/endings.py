"""When a bot is to end: told to by a signal, refused for good, superseded."""

from __future__ import annotations

from typing import Final

import grpc

from contree.conformance.checks.base import ERRORS, STREAM_ENDS, Check
from contree.conformance.gateway import Line
from contree.conformance.harness import Harness
from contree.conformance.script import Refusal, Script
from contree.conformance.verdicts import Failed
from contree.v1.play_service_pb2 import ServerMessage, Superseded

_QUIET_S: Final = 2.5
_END_S: Final = 5.0
"""How long a bot may take to end by itself: as long as runners of tournaments wait."""


async def sigterm(h: Harness) -> str:
    """SIGTERM ends it."""
    await h.connected()
    start = h.now()
    h.subject.terminate()
    await h.until(lambda: not h.subject.running, _END_S)
    if h.subject.running:
        raise Failed(
            "A bot ends soon when it is told to by SIGTERM.",
            STREAM_ENDS,
            f"it still ran {_END_S:g} s later",
        )
    return f"ended {h.subject.ending} after {h.now() - start:.1f} s"


async def superseded(h: Harness) -> str:
    """Another process has its instance id."""
    line = await h.connected()
    before = len(h.gateway.lines)
    line.say(ServerMessage(superseded=Superseded()))
    line.end()
    await h.until(lambda: len(h.gateway.lines) > before, _QUIET_S)
    if len(h.gateway.lines) > before:
        raise Failed(
            "After Superseded a bot stops: another process plays under its instance id.",
            STREAM_ENDS,
            "it dialled again",
        )
    if h.subject.dials_in:
        return "it did not dial again"
    await h.until(lambda: not h.subject.running, _END_S)
    if h.subject.running:
        raise Failed(
            "After Superseded a bot stops.",
            STREAM_ENDS,
            f"its process still ran after {_END_S:g} s",
        )
    return f"ended {h.subject.ending}"


class _Refusing(Script):
    """Refuses every stream for good."""

    def __init__(self, refusal: Refusal) -> None:
        self._refusal = refusal

    def greet(self, line: Line) -> Refusal | None:
        return self._refusal


_REFUSALS: Final = (
    Refusal(
        grpc.StatusCode.UNAUTHENTICATED, "this token is not known", "ERROR_REASON_UNAUTHENTICATED"
    ),
    Refusal(
        grpc.StatusCode.FAILED_PRECONDITION,
        "this server speaks protocol version 2",
        "ERROR_REASON_PROTOCOL_VERSION",
    ),
)


async def refused(h: Harness) -> str:
    """A token that is not known, and a protocol version that is not spoken."""
    told = []
    for refusal in _REFUSALS:
        await h.restart_bot()
        with h.script(_Refusing(refusal)):
            before = len(h.gateway.lines)
            await h.subject.start(h.door.address)
            await h.until(
                lambda before=before: len(h.gateway.lines) > before,  # type: ignore[misc]
                h.limits.start,
            )
            await h.until(lambda: not h.subject.running, _END_S)
            dials = len(h.gateway.lines) - before
            status = refusal.status.name
            expected = f"A stream that ends with {status} is not dialled again: a bot ends"
            if dials > 1:
                raise Failed(f"{expected}.", ERRORS, f"it dialled {dials} times")
            if h.subject.running:
                raise Failed(f"{expected}.", ERRORS, f"its process still ran after {_END_S:g} s")
            if not h.subject.exit_code:
                raise Failed(f"{expected}, with an exit code.", ERRORS, "it ended with exit code 0")
            told.append(f"{status}: ended {h.subject.ending}")
    return "; ".join(told)


CHECKS: Final = (
    Check("sigterm", "Ends on SIGTERM", sigterm, ("hello",), ends_it=True, owns_process=True),
    Check(
        "refused",
        "Refused: ends, does not hammer",
        refused,
        ("hello",),
        ends_it=True,
        owns_process=True,
    ),
    Check("superseded", "Superseded: stops", superseded, ("hello",), fresh=True, ends_it=True),
)
