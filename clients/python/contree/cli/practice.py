"""A match against the house: asked for with the greeting where a preset will do, else as any host
would ask for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, NamedTuple

from contree.client import (
    BotSeat,
    ContreeError,
    HostClient,
    HouseSeat,
    MatchOver,
    MatchSpec,
    Practice,
    Race,
    TimeControl,
)
from contree.engine import PRESET_NAMES, RuleSet, Seat, preset

_CANCEL_S: Final = 3.0
_DAY_S: Final = 86_400.0


class Wish(NamedTuple):
    """What a bot wants to practise."""

    rules: RuleSet
    opponents: str
    """The house player of the opponents."""
    partner: str
    """The house player of the partner; empty for the bot itself."""
    deals: int
    """0 for a race to the target of the rules."""


@contextlib.asynccontextmanager
async def practising(
    wish: Wish | None, bot: Any, options: Mapping[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    """The options with which ``play_bot`` gets the match; what is left of it in the end is
    cancelled.
    """
    if wish is None:
        yield dict(options)
    elif wish.rules.name in PRESET_NAMES and wish.rules == preset(wish.rules.name):
        yield {
            **options,
            "practice": Practice(wish.rules.name, wish.opponents, wish.partner, wish.deals),
        }
    else:
        # The greeting can name a preset only, so the match is made first; this instance alone may
        # take its seats.
        name = _name_of(bot, options)
        instance = options.get("instance_id") or os.environ.get("CONTREE_INSTANCE")
        instance = instance or secrets.token_hex(8)
        seats = 1 if wish.partner else 2
        # With room for one match they are played one after the other.
        capacity = options.get("capacity") or seats
        found = {**options, "capacity": capacity, "name": name, "instance_id": instance}
        async with HostClient(options["server"], options.get("token")) as host:
            matches = [
                await host.create_match(_spec(wish, name, instance))
                for _ in range(options["matches"])
            ]
            try:
                yield found
            except BaseException:
                # Nobody comes back for them. Whether that is heard does not matter any more.
                with contextlib.suppress(ContreeError, TimeoutError):
                    async with asyncio.timeout(_CANCEL_S):
                        for match in matches:
                            with contextlib.suppress(MatchOver):
                                await host.cancel_match(match.id, "the practice was broken off")
                raise


def _spec(wish: Wish, name: str, instance: str) -> MatchSpec:
    house = HouseSeat(wish.opponents)
    bot = BotSeat(name, instance_id=instance)
    return MatchSpec(
        request_id=f"practice-{secrets.token_hex(8)}",
        seats={
            Seat.NORTH: bot,
            Seat.EAST: house,
            Seat.SOUTH: HouseSeat(wish.partner) if wish.partner else bot,
            Seat.WEST: house,
        },
        mode=Race(target=0, deals=wish.deals) if wish.deals else Race(),
        rules=wish.rules,
        time_control=TimeControl(seat_timeout=_DAY_S),
        labels=("practice",),
    )


def _name_of(bot: Any, options: Mapping[str, Any]) -> str:
    """The name under which the bot will connect, found as ``play_bot`` finds it."""
    given = options.get("name") or os.environ.get("CONTREE_BOT") or getattr(bot, "name", "")
    return str(given or type(bot).__name__)
