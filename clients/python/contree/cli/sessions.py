"""A bot at work, and what is told about it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from contree.cli.errors import BadInput, Failure
from contree.cli.load import own_traceback
from contree.cli.output import print_json, say, stdout
from contree.cli.render import DealRow, deal_line, match_screen, reason_text

if TYPE_CHECKING:
    from contree.cli.practice import Wish
    from contree.client import DealEnded, MatchEnded, SeatInfo, Summary
    from contree.engine import Seat

HOOKS = ("seated", "deal_ended", "match_ended")
_RECORD_S: Final = 30.0
_LOOK_S: Final = 1.0


class Narrator:
    """Tells a person, or a script, how the matches of a bot go.

    A bot may hold several seats of a match; each deal and each match is told once. Everything
    else, such as faults, is in the log of the SDK.
    """

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.matches: list[str] = []
        """The ids of all matches so far, in order."""
        self._seats: dict[str, list[Seat]] = {}
        self._deals: dict[str, list[DealRow]] = {}

    def seated(self, table: SeatInfo) -> None:
        """The bot has got a seat."""
        if table.match_id not in self.matches:
            self.matches.append(table.match_id)
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
    bot: Any,
    narrator: Narrator | None,
    options: Mapping[str, Any],
    wish: Wish | None,
    records: Path | None = None,
) -> Summary | None:
    """Play until the matches asked for are over; None when SIGTERM came before.

    Without a narrator the log tells everything; with a wish the bot practises at once, and the
    records of what was played are kept in the folder ``records``.
    """
    if narrator is not None:
        for hook in HOOKS:
            _attach(bot, hook, getattr(narrator, hook))
    kept = None if narrator is None or records is None else (records, narrator.matches)
    if records is not None:
        _make(records)
    return asyncio.run(_until_terminated(bot, options, wish, kept))


async def _until_terminated(
    bot: Any,
    options: Mapping[str, Any],
    wish: Wish | None,
    kept: tuple[Path, list[str]] | None,
) -> Summary | None:
    from contree.cli.practice import practising
    from contree.client import BotFailed, play_bot

    async def playing() -> Summary:
        async with practising(wish, bot, options) as found:
            try:
                return await play_bot(bot, **found)
            finally:
                # Also of a bot that failed: the house plays its match to the end.
                if kept is not None and not terminated:
                    await _keep_records(options, *kept)

    terminated = False
    task = asyncio.ensure_future(playing())
    loop = asyncio.get_running_loop()

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


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Records cannot be kept in {folder}: {error.strerror}.") from None


async def _keep_records(options: Mapping[str, Any], folder: Path, matches: list[str]) -> None:
    """Fetch the records of these matches, a few seconds after their bot at the latest."""
    from contree.client import ContreeError, HostClient

    try:
        async with HostClient(options["server"], options["token"]) as host:
            for match_id in matches:
                async with asyncio.timeout(_RECORD_S):
                    async for update in host.watch_match(match_id):
                        if update.match is not None and update.match.ended:
                            break
                    record = await host.get_record(match_id)
                path = folder / f"{match_id}.bgn"
                path.write_text(record, encoding="utf-8")
                say(f"record: {path}")
    except TimeoutError:
        say("The record of a match that goes on is not kept.")
    except (ContreeError, OSError) as error:
        say(f"No record is kept: {error}")


def warn_of_twins(bot: Any, options: Mapping[str, Any]) -> None:
    """Say so when other processes of the bot's name wait for seats, where the server tells it.

    Who names a process with an instance id means there to be several.
    """
    from contree.client import Connection, ContreeError, HostClient

    if options["instance_id"] or os.environ.get("CONTREE_INSTANCE"):
        return
    given = options["name"] or os.environ.get("CONTREE_BOT") or getattr(bot, "name", "")
    name = given or type(bot).__name__

    async def connected() -> int:
        patient = Connection(patience=_LOOK_S)
        async with HostClient(options["server"], options["token"], connection=patient) as host:
            return sum(one.bot == name for one in await host.list_bots())

    # Not everybody may ask, and a server that is not there yet is waited for later.
    with contextlib.suppress(ContreeError, TimeoutError):
        number = asyncio.run(connected())
        if number:
            others = "Another process" if number == 1 else f"{number} other processes"
            waits = "waits" if number == 1 else "wait"
            say(
                f"{others} named {name} {waits} here for seats, too: a seat goes to any of them. "
                "--name gives this one a name of its own."
            )


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
