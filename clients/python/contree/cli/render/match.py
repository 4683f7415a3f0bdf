"""Deals and matches as lines and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from contree.cli.render.cards import contract_text
from contree.engine.contract import Contract
from contree.engine.table import Team


class DealRow(NamedTuple):
    """A finished deal. Pairs are (North-South, East-West)."""

    number: int
    contract: Contract | None
    """None when all four passed."""
    made: bool
    points: tuple[int, int]
    tricks: tuple[int, int]
    marks: tuple[int, int]
    scores: tuple[int, int]
    """The totals of the match after the deal."""


_REASONS: Final[Mapping[str, str]] = {
    "board_done": "The board is played",
    "passed_out": "Passed out",
    "target_reached": "The target is reached",
    "deals_played": "All deals are played",
    "not_started": "Never started, no result: a seat was not taken or a bot not ready in time",
    "cancelled": "Cancelled, no result",
    "infrastructure": "Broken off by the service, no result",
}


def reason_text(reason: Enum) -> str:
    """Why a match ended (an `EndReason`), in words."""
    return _REASONS.get(str(reason.value), str(reason.value))


def deal_line(deal: DealRow) -> Text:
    """A finished deal in one line."""
    text = Text(f"deal {deal.number}: ", "dim").append(_outcome(deal))
    if deal.contract is not None:
        text.append(f", NS {deal.marks[0]} EW {deal.marks[1]}")
    return text.append(f"  ({deal.scores[0]} : {deal.scores[1]})", "bold")


def match_screen(
    deals: Sequence[DealRow], scores: tuple[int, int], ending: str, winner: Team | None
) -> RenderableType:
    """A finished match: its deals, the totals, why it ended and who won."""
    table = Table(box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column("deal", justify="right")
    table.add_column("contract", no_wrap=True)
    for name in ("points", "tricks", "marks", "total"):
        table.add_column(name, justify="right", no_wrap=True)
    for deal in deals:
        table.add_row(
            str(deal.number),
            _outcome(deal),
            *(
                f"{pair[0]} : {pair[1]}"
                for pair in (deal.points, deal.tricks, deal.marks, deal.scores)
            ),
        )
    end = Text(f"{ending}: ").append(f"NS {scores[0]}, EW {scores[1]}", "bold")
    if winner is not None:
        end.append(f"; {winner} wins")
    return Group(table, end) if deals else end


def _outcome(deal: DealRow) -> Text:
    if deal.contract is None:
        return Text("all four passed")
    made = Text(" made", "green") if deal.made else Text(" failed", "red")
    return contract_text(deal.contract).append(made)
