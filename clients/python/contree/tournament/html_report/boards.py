"""The boards of an event for the board explorer, as compact text. Pure.

Each table is played again with its disguise undone, so that the same cards lie in the same places
at both tables of a board, and where the two parted is looked for. What a browser gets is one JSON
document, deflated and in base64; ``explorer.js`` is its only reader, and the names below are its.

    bots    names, by number
    races   whether boards are worth races, not points
    packs   each dealer and deal once: the dealer's seat, then of the 32 cards by index whose it is
    tables  [marks of first, of second, how it ended, faults, deals or why there are none]
            a deal: [pack, calls, cards, winners of tricks, contract, made, points, tricks, marks]
            the last three are pairs of North-South and East-West; null where there are none
            with an analysis (``costs``) a table has its worst card and a deal its costs besides
    boards  [number, first, second, points, table A, table B, parting]
            a parting: [deal, 0 for a call and 1 for a card, index, seat, at A, at B]
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from contree.engine import CARDS, SEATS, Announced, Deal, EngineError, Record, RuleSet
from contree.engine.disguise import Disguise
from contree.engine.record import PlacedCard, RecordedDeal
from contree.tournament.html_report.costs import Analyses, deal_costs, worst_card
from contree.tournament.html_report.partings import Part, parted, undone
from contree.tournament.schedule import Pairing, Side, Table
from contree.tournament.standings import BoardResult
from contree.tournament.tables import FORFEITED, TableResult

MOST_TABLES: Final = 20_000
"""Tables that a page holds, at most: about 50 bytes each."""
_CARDS: Final = "0123456789abcdefghijklmnopqrstuv"


class Explorer(NamedTuple):
    """What the board explorer is given."""

    data: str
    """The document, deflated and in base64."""
    tables: int
    left_out: int
    """Tables that are beyond ``MOST_TABLES``."""
    partings: Mapping[Pairing, tuple[int, int, int]]
    """Boards of a pairing that parted in the auction, in the play, and never."""
    analysed: int = 0
    """Tables of which it is told what their decisions cost."""


class _Seen(NamedTuple):
    """A table as it was played, the disguise undone."""

    deals: tuple[tuple[RecordedDeal, Deal], ...]
    problem: str = ""
    costs: tuple[list[Any], ...] = ()
    """Of each deal, where it was analysed; and where the worst card is."""
    worst: list[Any] | None = None


Reader = Callable[[Table], Record]
"""Gives the record of a table; LookupError, with a sentence, when there is none."""


def explorer(
    rules: RuleSet,
    bots: Sequence[str],
    *,
    closed: Iterable[BoardResult],
    results: Iterable[TableResult],
    read: Reader,
    worn: Callable[[Table], Disguise],
    races: bool = False,
    analyses: Analyses | None = None,
) -> Explorer:
    """The closed boards with all that was done at their tables, and what of it cost how much where
    that was analysed.
    """
    tables: dict[tuple[int, Pairing], dict[Side, TableResult]] = defaultdict(dict)
    for result in results:
        tables[result.table.board, result.table.pairing][result.table.side] = result
    everything = list(closed)
    shown = everything[: MOST_TABLES // len(Side)]
    packs: dict[str, int] = {}
    rows: list[list[Any]] = []
    boards = []
    analysed = 0
    ways: dict[Pairing, list[int]] = defaultdict(lambda: [0, 0, 0])
    for board in shown:
        sides = [tables[board.board, board.pairing][side] for side in Side]
        seen = [_see(result, read, worn, analyses) for result in sides]
        analysed += sum(bool(one.costs) for one in seen)
        parting = _parting(rules, *seen)
        if all(one.deals for one in seen):
            ways[board.pairing][2 if parting is None else parting[1]] += 1
        boards.append(
            [
                board.board,
                bots.index(board.pairing.first),
                bots.index(board.pairing.second),
                board.points,
                len(rows),
                len(rows) + 1,
                parting,
            ]
        )
        rows.extend(_table(result, one, packs) for result, one in zip(sides, seen, strict=True))
    document = {
        "bots": list(bots),
        "races": races,
        "packs": list(packs),
        "tables": rows,
        "boards": boards,
    }
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True)
    data = base64.b64encode(zlib.compress(text.encode("ascii"), 9)).decode("ascii")
    partings = {pairing: (call, card, never) for pairing, (call, card, never) in ways.items()}
    return Explorer(data, len(rows), 2 * (len(everything) - len(shown)), partings, analysed)


def _see(
    result: TableResult,
    read: Reader,
    worn: Callable[[Table], Disguise],
    analyses: Analyses | None,
) -> _Seen:
    if result.reason == FORFEITED:
        return _Seen((), "Not played: " + ", ".join(result.forfeited_by) + " had failed for good.")
    try:
        record = read(result.table)
        plain = replace(
            record, deals=tuple(undone(deal, worn(result.table)) for deal in record.deals)
        )
        game = plain.replay()
    except LookupError as error:
        return _Seen((), str(error.args[0]))
    except EngineError as error:
        return _Seen((), f"The record cannot be played again: {error}.")
    played = game.finished if game.deal is None else (*game.finished, game.deal)
    seen = _Seen(tuple(zip(plain.deals, played, strict=True)))
    analysis = None if analyses is None else analyses.of(record)
    if analysis is None:
        return seen
    costs = tuple(deal_costs(deal, worn(result.table)) for deal in analysis.deals)
    return seen._replace(costs=costs, worst=worst_card(analysis))


def _parting(rules: RuleSet, one: _Seen, other: _Seen) -> list[Any] | None:
    for number, ((here, _), (there, _)) in enumerate(zip(one.deals, other.deals, strict=False)):
        parting = parted(rules, here, there)
        if parting is not None:
            kind = 1 if parting.part is Part.PLAY else 0
            done = map(str, parting.actions)
            return [number, kind, parting.place, int(parting.seat), *done]
        if here != there:
            return None  # other cards, or broken off: what follows does not compare
    return None


def _table(result: TableResult, seen: _Seen, packs: dict[str, int]) -> list[Any]:
    faults = [
        f"{fault.bot}: {fault.kind.replace('_', ' ')}"
        + (", and the house played on" if fault.replaced else "")
        for fault in result.faults
    ]
    deals = [_deal(recorded, deal, packs) for recorded, deal in seen.deals]
    if not seen.costs:
        return [*result.marks, result.reason, faults, seen.problem or deals]
    priced = [[*deal, costs] for deal, costs in zip(deals, seen.costs, strict=True)]
    return [*result.marks, result.reason, faults, priced, seen.worst]


def _deal(recorded: RecordedDeal, deal: Deal, packs: dict[str, int]) -> list[Any]:
    result, play = deal.result, deal.play
    contract = deal.contract
    return [
        packs.setdefault(_pack(recorded), len(packs)),
        " ".join(f"{int(seat)}{call}" for seat, call in recorded.calls),
        "".join(map(_card, recorded.cards)),
        "" if play is None else "".join(str(int(seat)) for seat in play.winners),
        "" if contract is None else str(contract),
        None if result is None or result.score is None else result.score.made,
        None if result is None else [str(points) for points in result.points],
        None if result is None else list(result.tricks),
        None if result is None else list(result.marks),
    ]


def _pack(recorded: RecordedDeal) -> str:
    holder = {
        card: str(int(seat)) for seat in SEATS for card in CARDS if recorded.hands[seat] >> card & 1
    }
    return str(int(recorded.dealer)) + "".join(holder[card] for card in CARDS)


def _card(placed: PlacedCard) -> str:
    action = placed.action
    if isinstance(action, Announced):
        return f"{_CARDS[action.card]}+"
    assert isinstance(action, int)
    return _CARDS[action]
