"""Judging a bot: all checks, one after the other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from grpc import aio

from contree.client import ContreeError
from contree.conformance.checks import CHECKS, Check
from contree.conformance.harness import DEFAULT_LIMITS, Harness, Limits
from contree.conformance.observer import Frame
from contree.conformance.verdicts import Failed, Report, Result, Skipped, Verdict

_FIRST_FRAMES: Final = 10
_LAST_FRAMES: Final = 30
_THE_KITS: Final = (ContreeError, aio.AioRpcError, AssertionError)
"""Raised where the kit or its server fails in a check."""
_log = logging.getLogger(__name__)
_BEATS: Final = ("heartbeat", "heartbeat_ack")


async def check_bot(
    name: str,
    command: Sequence[str] | None,
    *,
    only: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
    listen: str = "127.0.0.1:0",
    opened: Callable[[str], None] = lambda _: None,
    told: Callable[[Result], None] = lambda _: None,
) -> Report:
    """Judge a bot. With ``command`` it is started as often as needed; without, it is to dial the
    address that ``opened`` is told, by this ``name``.

    ``only`` names the checks to make, by default all. ``told`` hears each result at once. Raises
    ProcessError when the command cannot be started, OSError when ``listen`` is taken.
    """
    wanted = [check for check in CHECKS if not only or check.id in only]
    results: list[Result] = []
    async with Harness.ready(
        name, None if command is None else tuple(command), limits, listen
    ) as harness:
        opened(harness.door.address)
        for check in wanted:
            result = await _judge(harness, check, results)
            results.append(result)
            told(result)
    return Report(name, tuple(results))


async def _judge(h: Harness, check: Check, before: Sequence[Result]) -> Result:
    verdicts = {one.id: one.verdict for one in before}
    for need in check.needs:
        verdict = verdicts.get(need, Verdict.PASS)
        if verdict is not Verdict.PASS:
            how = "failed" if verdict is Verdict.FAIL else "was skipped"
            return Result(check.id, check.title, Verdict.SKIPPED, f"because {need} {how}")
    if check.owns_process and h.subject.dials_in:
        why = "for a bot that the kit starts: --command"
        return Result(check.id, check.title, Verdict.SKIPPED, why)
    if check.fresh:
        await h.restart_bot()
    h.gateway.failures.clear()
    start = h.now()
    first = h.observer.forgotten + len(h.observer.frames)
    output = ""
    try:
        note = await check.run(h)
        result = Result(check.id, check.title, Verdict.PASS, note.strip())
    except Failed as failure:
        output = h.subject.output
        result = Result(
            check.id,
            check.title,
            Verdict.FAIL,
            failure.seen,
            failure.expected,
            failure.section,
            output=output,
        )
    except Skipped as reason:
        result = Result(check.id, check.title, Verdict.SKIPPED, str(reason))
    except _THE_KITS as error:
        _log.exception("the check %s failed", check.id)
        result = _not_judged(check, error, h.subject.output)
    if h.gateway.failures and result.verdict is not Verdict.SKIPPED:
        # Whatever was seen after it is no word about the bot.
        result = _not_judged(check, h.gateway.failures[0], h.subject.output)
    frames = h.observer.frames[max(0, first - h.observer.forgotten) :]
    seconds = h.now() - start
    if result.verdict is Verdict.FAIL or check.ends_it:
        # Nothing of it may come back to the next process.
        h.memory.clear()
        await h.restart_bot()
    await h.clear()
    told = list(_telling(frames, beats=check.id == "heartbeats"))
    if result.verdict is Verdict.FAIL and not told:
        # It was judged by what passed before.
        told = list(_telling(h.observer.frames, beats=False))
    return result._replace(frames=tuple(frame.values(start) for frame in told), seconds=seconds)


def _not_judged(check: Check, error: Exception, output: str) -> Result:
    """A check that came to no end, for a fault that need not be the bot's."""
    why = f"{type(error).__name__}: {error}".rstrip(": ")
    return Result(
        check.id,
        check.title,
        Verdict.FAIL,
        f"could not be judged, the kit or its server failed: {why}",
        "The kit and its server do their part of the check.",
        output=output,
    )


def _telling(frames: Sequence[Frame], *, beats: bool) -> Iterator[Frame]:
    """The beginning and the end of what passed, without heartbeats unless they are the matter."""
    shown = [one for one in frames if beats or one.message.WhichOneof("message") not in _BEATS]
    yield from shown[:_FIRST_FRAMES]
    yield from shown[max(_FIRST_FRAMES, len(shown) - _LAST_FRAMES) :]
