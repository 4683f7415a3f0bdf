"""Clocks as arithmetic on durations in whole milliseconds.

A decision may take ``per_move``; what it takes beyond comes out of the seat's bank. It is late when
it takes more than both and the allowance together. The increment is added to the bank after each
decision that was in time.
"""

from __future__ import annotations

from typing import NamedTuple


class TimeControl(NamedTuple):
    """What time a match gives; all in milliseconds."""

    per_move: int = 10_000
    bank: int = 0
    increment: int = 0
    allowance: int = 200
    ready: int = 30_000
    """For saying Ready once all seats are taken."""
    seat_timeout: int = 120_000
    """For all seats to be taken."""
    disconnect_grace: int = 30_000
    """How long a seat may be away in all before it is a fault."""


class Charge(NamedTuple):
    """What a decision cost."""

    late: bool
    charged: int
    """Milliseconds charged, at most all the time there was."""
    bank: int
    """The bank afterwards, never negative."""


def limit(control: TimeControl, bank: int) -> int:
    """Milliseconds after which a decision is late."""
    return control.per_move + bank + control.allowance


def remaining(control: TimeControl, bank: int, elapsed: int) -> int:
    """Milliseconds left to show to the player: without the allowance, never negative."""
    return max(0, control.per_move + bank - max(0, elapsed))


def charge(control: TimeControl, bank: int, elapsed: int) -> Charge:
    """What a decision that took ``elapsed`` milliseconds costs."""
    elapsed = max(0, elapsed)
    available = control.per_move + bank
    if elapsed > available + control.allowance:
        return Charge(late=True, charged=available, bank=0)
    spent = min(elapsed, available)
    left = bank - max(0, spent - control.per_move)
    return Charge(late=False, charged=spent, bank=left + control.increment)
