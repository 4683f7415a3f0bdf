"""A bot at work, and what is told about it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from contree.cli.errors import Failure
from contree.cli.load import own_traceback
from contree.cli.output import print_json, say, stdout
from contree.cli.render import DealRow, deal_line, match_screen, reason_text

if TYPE_CHECKING:
    from contree.client import DealEnded, FaultCharged, MatchEnded, SeatInfo
    from contree.engine import Seat

HOOKS = ("seated", "deal_ended", "match_ended", "fault")


class Narrator:
    """Tells a person, or a script, what becomes of a bot's seats.

    A bot may hold several seats of a match; each deal and each match is told once.
    """

    def __init__(self, *, as_json: bool, deal_by_deal: bool) -> None:
        self._as_json = as_json
        self._deal_by_deal = deal_by_deal
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
        if self._deal_by_deal and not self._as_json:
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
            return
        shown = deals if self._deal_by_deal else []
        stdout().print(match_screen(shown, ended.scores, reason_text(ended.reason), ended.winner))

    def fault(self, table: SeatInfo, fault: FaultCharged, detail: str) -> None:
        """A fault was charged to the bot."""
        end = "; the house plays on" if fault.replaced else ""
        say(f"fault at seat {fault.seat} of {table.match_id}: {detail or fault.kind.value}{end}")


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


def play(bot: Any, narrator: Narrator, options: Mapping[str, Any]) -> bool:
    """Play until the matches asked for are over; False when SIGTERM came before."""
    for hook in HOOKS:
        _attach(bot, hook, getattr(narrator, hook))
    return asyncio.run(_until_terminated(bot, options))


async def _until_terminated(bot: Any, options: Mapping[str, Any]) -> bool:
    from contree.client import BotFailed, play_bot

    task = asyncio.ensure_future(play_bot(bot, **options))
    loop = asyncio.get_running_loop()
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        await task
    except asyncio.CancelledError:
        if not terminated:
            raise
    except BotFailed as error:
        if error.__cause__ is not None:
            say(own_traceback(error.__cause__))
        raise Failure(f"{error}".rstrip(".") + ": its code is at fault, see above.") from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
    return not terminated


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
