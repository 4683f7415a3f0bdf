"""Writes BGN records. See ``notation`` for the format."""

from __future__ import annotations

import json
from collections.abc import Iterator

from contree.engine.bgn_words import VERSION, digest, format_call, format_card, format_hand
from contree.engine.errors import NotationError
from contree.engine.game import Game, Mode
from contree.engine.plain import Plain
from contree.engine.presets import nearest_preset
from contree.engine.record import (
    PlacedCard,
    Record,
    RecordedDeal,
    check_next,
    dealer_after,
    replay_calls,
    replay_cards,
)
from contree.engine.rules import RuleSet
from contree.engine.table import FOLLOWING, SEATS


def format_record(record: Record) -> str:
    """The text of a record, ending with its digest.

    IllegalAction or DeckError when the record does not replay; NotationError when the dealers do
    not follow from the rules, which the format has no words for.
    """
    text = "".join(f"{line}\n" for line in _lines(record))
    return f"{text}[Sha256 {digest(text)}]\n"


def base_and_options(rules: RuleSet) -> tuple[str, dict[str, Plain]]:
    """The preset that a record names, and the options that differ from it; the target stands by
    itself.
    """
    return nearest_preset(rules, without=("target",))


def _lines(record: Record) -> Iterator[str]:
    base, changes = base_and_options(record.rules)
    yield f"[BGN {VERSION}]"
    yield f'[Rules "{base}"]'
    for name, value in changes.items():
        yield f"[Option {name} {json.dumps(value)}]"
    yield f"[Target {record.rules.target}]"
    yield f"[Mode board {record.number}]" if record.mode is Mode.BOARD else "[Mode race]"
    names = " ".join(json.dumps(name) for name in record.names)
    yield f"[Seats {names} {record.rules.turn_direction.value}]"
    yield f"[Dealer {record.deals[0].dealer}]"
    for note in record.notes:
        yield f"[Note {json.dumps(note)}]"
    game = record.start()
    for index, deal in enumerate(record.deals):
        check_next(game, index)
        if index and deal.dealer is not dealer_after(record.rules, record.deals[index - 1]):
            raise NotationError("dealer", str(deal.dealer), "the dealer that the rules give")
        game = replay_cards(replay_calls(game, deal), deal)
        yield from _deal_lines(record.rules, deal)
        if len(game.finished) > index:
            yield score_line(game, index)


def _deal_lines(rules: RuleSet, deal: RecordedDeal) -> Iterator[str]:
    yield "Deal " + " ".join(f"{seat}:{format_hand(deal.hands[seat])}" for seat in SEATS)
    following = FOLLOWING[rules.turn_direction]
    expected = following[deal.dealer]
    words = ["Bid"]
    for placed in deal.calls:
        word = format_call(placed.call)
        words.append(word if placed.seat is expected else f"{placed.seat}:{word}")
        expected = following[placed.seat]
    if deal.calls:
        yield " ".join(words)
    if deal.cards:
        tricks = (deal.cards[first : first + 4] for first in range(0, len(deal.cards), 4))
        yield "Play " + " / ".join(_trick_text(trick) for trick in tricks)


def _trick_text(trick: tuple[PlacedCard, ...]) -> str:
    return " ".join([str(trick[0].seat), *(format_card(placed.action) for placed in trick)])


def score_line(game: Game, index: int) -> str:
    """The line with the marks of the finished deal at ``index`` and the totals after it."""
    marks = [result.marks for result in game.results[: index + 1]]
    north_south, east_west = marks[-1]
    totals = (sum(pair[0] for pair in marks), sum(pair[1] for pair in marks))
    return f"Score N-S {north_south} E-W {east_west} | {totals[0]}-{totals[1]}"
