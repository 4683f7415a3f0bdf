"""A bot at work, and what is told about it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import signal
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from contree.cli.errors import Failure
from contree.cli.load import own_traceback
from contree.cli.output import print_json, say, stdout
from contree.cli.render import DealRow, deal_line, match_screen, reason_text

if TYPE_CHECKING:
    from contree.cli.practice import Wish
    from contree.client import DealEnded, MatchEnded, SeatInfo, Summary
    from contree.engine import Seat

HOOKS = ("seated", "deal_ended", "match_ended")


class Narrator:
    """Tells a person, or a script, how the matches of a bot go.

    A bot may hold several seats of a match; each deal and each match is told once. Everything
    else, such as faults, is in the log of the SDK.
    """

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._seats: dict[str, list[Seat]] = {}
        self._deals: dict[str, list[DealRow]] = {}

    def seated(self, table: SeatInfo) -> None:
        """The bot has got a seat."""
        seats = self._seats.setdefault(table.match_id, [])
        if table.seat in seats:
            return
        seats.append(table.seat)
        if not self._as_json:
            say(f"seat {table.seat} of match {table.match_id}, rules {table.rules.name}")

    def deal_ended(self, table: SeatInfo, ended: DealEnded) -> None:
        """A deal is over."""
        deals = self._deals.setdefault(table.match_id, [])
        if deals and deals[-1].number >= ended.number:
            return
        deals.append(deal_row(ended))
        if not self._as_json:
            stdout().print(deal_line(deals[-1]))

    def match_ended(self, table: SeatInfo, ended: MatchEnded) -> None:
        """A match is over."""
        seats = self._seats.pop(table.match_id, None)
        if seats is None:
            return
        deals = self._deals.pop(table.match_id, [])
        if self._as_json:
            print_json(
                {
                    "match_id": table.match_id,
                    "rules": table.rules.name,
                    "seats": [str(seat) for seat in sorted(seats)],
                    "reason": ended.reason.value,
                    "scores": list(ended.scores),
                    "winner": None if ended.winner is None else str(ended.winner),
                    "deals": len(deals),
                }
            )
        else:
            reason = reason_text(ended.reason)
            stdout().print(match_screen(deals, ended.scores, reason, ended.winner))


def deal_row(ended: DealEnded) -> DealRow:
    """A finished deal for the screen."""
    result = ended.result
    return DealRow(
        ended.number,
        result.contract,
        result.made,
        result.points,
        result.tricks,
        result.marks,
        ended.scores,
    )


def play(
    bot: Any, narrator: Narrator | None, options: Mapping[str, Any], wish: Wish | None
) -> Summary | None:
    """Play until the matches asked for are over; None when SIGTERM came before.

    Without a narrator the log tells everything; with a wish the bot practises at once.
    """
    if narrator is not None:
        for hook in HOOKS:
            _attach(bot, hook, getattr(narrator, hook))
    with _logging(logging.INFO if narrator is None else logging.WARNING):
        return asyncio.run(_until_terminated(bot, options, wish))


@contextlib.contextmanager
def _logging(level: int) -> Iterator[None]:
    """The SDK's log on standard error meanwhile, unless the bot has said where it goes."""
    logger = logging.getLogger("contree")
    if logger.hasHandlers():
        yield
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


async def _until_terminated(
    bot: Any, options: Mapping[str, Any], wish: Wish | None
) -> Summary | None:
    from contree.cli.practice import practising
    from contree.client import BotFailed, play_bot

    async def playing() -> Summary:
        async with practising(wish, bot, options) as found:
            return await play_bot(bot, **found)

    task = asyncio.ensure_future(playing())
    loop = asyncio.get_running_loop()
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        return await task
    except asyncio.CancelledError:
        if not terminated:
            raise
        return None
    except BotFailed as error:
        trace = None if error.__cause__ is None else own_traceback(error.__cause__)
        if trace is not None:
            say(trace)
        raise Failure(str(error)) from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _attach(bot: Any, hook: str, ours: Callable[..., None]) -> None:
    """Call ours before the bot's own hook."""
    theirs = getattr(bot, hook, None)

    def both(*arguments: Any) -> Any:
        ours(*arguments)
        return theirs(*arguments) if callable(theirs) else None

    async def both_async(*arguments: Any) -> None:
        ours(*arguments)
        assert theirs is not None
        await theirs(*arguments)

    # A bot with slots plays without our words.
    with contextlib.suppress(AttributeError):
        setattr(bot, hook, both_async if inspect.iscoroutinefunction(theirs) else both)
