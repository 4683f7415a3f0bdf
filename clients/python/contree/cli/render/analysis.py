"""What decisions cost, to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from contree.analysis import (
    COSTLY,
    LEAST_BOARDS,
    Analysis,
    CardCost,
    DealAnalysis,
    Share,
    Total,
    totals,
)
from contree.cli.render.cards import action_text, call_text, contract_text
from contree.cli.render.record import printable
from contree.engine.contract import Contract

_NONE: Final = "-"
_MOST_CALLS: Final = 3
"""Calls that are told of a deal."""


class _At(NamedTuple):
    """A card and where it was played."""

    analysis: Analysis
    deal: DealAnalysis
    card: CardCost


def analysis_screen(analyses: Sequence[Analysis], worst: int) -> RenderableType:
    """Players by what they gave away, the costliest cards, and, of a single record, its deals."""
    rows = totals(analyses)
    parts: list[RenderableType] = [_players(rows)]
    parts += map(Text, _footnotes(analyses, rows))
    if worst:
        parts += [Text(), *_worst(analyses, worst)]
    if len(analyses) == 1:
        parts += [Text(), *_deals(analyses[0])]
    return Group(*parts)


def _players(rows: Sequence[Total]) -> Table:
    seen = any(row.seen for row in rows)
    table = _table()
    table.add_column("player")
    each = all(row.open is None or row.open.reach is not None for row in rows)
    heads = ["seen/card", "open/card", "costly", "auction/deal"]
    heads = heads if each else [head.partition("/")[0] for head in heads]
    for name in ["cards", *heads[not seen :]]:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            printable(row.player) or "nobody",
            str(row.cards),
            *([_share(row.seen)] if seen else []),
            _share(row.open),
            _percent(row.costly),
            _share(row.auction),
        )
    return table


def _footnotes(analyses: Sequence[Analysis], rows: Sequence[Total]) -> Iterator[str]:
    worlds = analyses[0].worlds
    if any(row.open is not None and row.open.reach is None for row in rows):
        yield f"Marks in all: fewer than {LEAST_BOARDS} boards are too few for means and errors."
    else:
        yield "Marks a card and a deal; ± is half a 95% interval."
    if worlds:
        yield f"seen: on average over {worlds} worlds that the seat could not tell apart"
    yield "open: in the deal as it lay, if all play perfectly with open cards"
    yield "auction: lost against par, perfect bidding with open cards; below 0: won"
    yield f"costly: cards that cost {COSTLY:g} marks or more" + (
        " in these worlds, and more than twice the error" if worlds else ""
    )
    for row in rows:
        if row.house:
            yield f"{row.house} cards of {printable(row.player)} may be the house's: left out."


def _worst(analyses: Sequence[Analysis], worst: int) -> Iterator[RenderableType]:
    every = [
        _At(analysis, deal, card)
        for analysis in analyses
        for deal in analysis.deals
        for card in deal.cards
        if round(card.blame)
    ]
    if not every:
        yield Text("No card cost a mark.")
        return
    several = len(analyses) > 1
    seen = every[0].card.seen is not None
    yield Text("costliest cards", "bold")
    table = _table()
    for name in (*(["seen"] if seen else []), "open"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("played", "better"):
        table.add_column(name, no_wrap=True)
    for name in ("deal", "trick"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("player", overflow="fold")
    if several:
        table.add_column("record", overflow="fold")
    for at in sorted(every, key=_order)[:worst]:
        card = at.card
        best = card.open.best if card.seen is None else card.seen.best
        table.add_row(
            *([] if card.seen is None else [_marks(card.seen.marks, card.seen.marks_error)]),
            str(card.open.marks),
            action_text(card.action),
            action_text(best),
            str(at.deal.number),
            str(card.trick),
            f"{card.seat} {printable(at.analysis.names[card.seat])}",
            *([printable(at.analysis.record)] if several else []),
        )
    yield table


def _order(at: _At) -> tuple[float, float, int]:
    return -at.card.surely, -at.card.blame, -at.card.open.marks


def _deals(analysis: Analysis) -> Iterator[RenderableType]:
    """Par, and what the auction and the play of each deal made of it."""
    yield Text("deals, in marks of NS less those of EW", "bold")
    table = _table()
    table.add_column("deal", justify="right", no_wrap=True)
    table.add_column("par", no_wrap=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("contract", no_wrap=True)
    for name in ("with open cards", "played"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("worst calls", overflow="fold")
    for deal in analysis.deals:
        table.add_row(
            str(deal.number),
            _contract(deal.par.contract),
            f"{deal.par.marks:+d}",
            Text(_NONE) if deal.reached is None else _contract(deal.contract),
            _NONE if deal.reached is None else f"{deal.reached:+d}",
            _NONE if deal.marks is None else f"{deal.marks[0] - deal.marks[1]:+d}",
            _calls(deal),
        )
    yield table


def _calls(deal: DealAnalysis) -> Text:
    costly = sorted((call for call in deal.calls if call.marks), key=lambda call: -call.marks)
    shown = [
        Text(f"{call.seat} ").append(call_text(call.call)).append(f" {call.marks}")
        for call in costly[:_MOST_CALLS]
    ]
    return Text(", ").join(shown)


def _contract(contract: Contract | None) -> Text:
    return Text("passed out") if contract is None else contract_text(contract)


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))


def _share(share: Share | None) -> str:
    if share is None:
        return _NONE
    return f"{share.total:.0f}" if share.reach is None else f"{share.each:.1f} ±{share.reach:.1f}"


def _percent(share: Share | None) -> str:
    if share is None:
        return _NONE
    if share.reach is None:
        return f"{share.total:.0f}"
    return f"{100 * share.each:.1f} ±{100 * share.reach:.1f} %"


def _marks(mean: float, error: float | None) -> str:
    return f"{mean:.0f}" if error is None else f"{mean:.0f} ±{2 * error:.0f}"
