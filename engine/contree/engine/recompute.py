"""The cards of a record computed again from where they are said to come from."""

from __future__ import annotations

from contree.engine.bgn_words import format_hand
from contree.engine.disguise import NO_DISGUISE, Disguise, disguise
from contree.engine.errors import EngineError
from contree.engine.game import Mode
from contree.engine.places import DEALER, WrongRecord, cards_of
from contree.engine.record import Record
from contree.engine.shuffle import Deals, FixedDeal, SeededDeals
from contree.engine.table import SEATS

__all__ = ["WrongCards", "check_cards", "check_seeded", "worn_by"]


class WrongCards(EngineError):
    """A deal that is not the one computed: ``index`` counts from 0."""

    def __init__(self, index: int, number: int, expected: FixedDeal, found: FixedDeal) -> None:
        self.index = index
        self.expected = expected
        self.found = found
        self.dealer_is_wrong = expected.dealer is not found.dealer
        if self.dealer_is_wrong:
            problem = f"by the seed {expected.dealer} deals, not {found.dealer}"
        else:
            hands = " ".join(f"{seat}:{format_hand(expected.hands[seat])}" for seat in SEATS)
            problem = f"by the seed the cards of deal {number} are {hands}"
        super().__init__(problem)


def check_cards(record: Record, deals: Deals, worn: Disguise = NO_DISGUISE) -> None:
    """WrongCards for the first deal that is not what ``deals`` gives, in the disguise it wears.

    A race is shuffled, or gathered and cut, as its rules say, so the deals before count too; no
    race wears a disguise.
    """
    finished = record.replay().finished
    for index, recorded in enumerate(record.deals):
        number = record.number + index
        if record.mode is Mode.BOARD:
            expected = worn.deal(deals.board(number, record.rules))
        else:
            previous = finished[index - 1] if index else None
            expected = deals.deal(number, record.rules, previous)
        found = FixedDeal(recorded.dealer, recorded.hands)
        if expected != found:
            raise WrongCards(index, number, expected, found)


def check_seeded(record: Record, seed: bytes, label: str, table: int = 1) -> None:
    """WrongRecord unless the cards are those of a seed, in the disguise of a table of a board."""
    worn = NO_DISGUISE if table == 1 else disguise(seed, record.number, table)
    try:
        check_cards(record, SeededDeals(seed, label), worn)
    except WrongCards as error:
        first = DEALER if error.dealer_is_wrong and not error.index else cards_of(error.index)
        raise WrongRecord(first, str(error)) from None


def worn_by(record: Record, seed: bytes, label: str, tables: int = 1000) -> int | None:
    """The number of the table at which this board of the seed looks like that: 1 is undisguised,
    the others wear ``disguise(seed, board, number)``. None when no table up to ``tables`` does.

    There are 96 disguises, so that tables with a higher number only repeat them.
    """
    plain = SeededDeals(seed, label).board(record.number, record.rules)
    (recorded,) = record.deals
    found = FixedDeal(recorded.dealer, recorded.hands)
    for number in range(1, tables + 1):
        worn = NO_DISGUISE if number == 1 else disguise(seed, record.number, number)
        if worn.deal(plain) == found:
            return number
    return None
