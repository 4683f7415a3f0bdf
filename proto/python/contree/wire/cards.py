"""Cards, strains, seats and teams: enums whose numbers are those of the engine plus one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, cast

from contree.engine.cards import CARDS, Card, Strain, mask_of
from contree.engine.table import SEATS, Seat, Team
from contree.v1 import card_pb2, deal_pb2, table_pb2
from contree.wire.errors import WireError, at_most

CARD_TO_PB: Final = cast("tuple[card_pb2.Card.ValueType, ...]", tuple(range(1, 33)))
STRAIN_TO_PB: Final = cast("tuple[card_pb2.Strain.ValueType, ...]", tuple(range(1, 7)))
SEAT_TO_PB: Final = cast("tuple[table_pb2.Seat.ValueType, ...]", tuple(range(1, 5)))
TEAM_TO_PB: Final = cast("tuple[table_pb2.Team.ValueType, ...]", tuple(range(1, 3)))

HAND_CARDS: Final = len(CARDS) // len(SEATS)
"""The cards of a hand before the first is played, and the tricks of a deal."""

_STRAINS: Final = tuple(Strain)
_TEAMS: Final = tuple(Team)


def card_to_pb(card: Card) -> card_pb2.Card.ValueType:
    """The number of a card on the wire."""
    return CARD_TO_PB[card]


def card_from_pb(number: int, field: str = "card") -> Card:
    """The card of this number; WireError naming ``field`` when there is none."""
    if 1 <= number <= 32:
        return CARDS[number - 1]
    raise _unknown(field, number, "card", 32)


def cards_to_pb(cards: Iterable[Card]) -> list[card_pb2.Card.ValueType]:
    """The numbers of these cards."""
    return [CARD_TO_PB[card] for card in cards]


def cards_from_pb(
    numbers: Collection[int], field: str = "cards", most: int = len(CARDS)
) -> tuple[Card, ...]:
    """The cards of these numbers in this order; WireError for an unknown one, one given twice, and
    more than ``most``.
    """
    at_most(field, numbers, most)
    cards: list[Card] = []
    seen = 0
    for number in numbers:
        if not 1 <= number <= 32:
            raise _unknown(f"{field}[{len(cards)}]", number, "card", 32)
        card = CARDS[number - 1]
        if seen >> card & 1:
            raise WireError(f"{field}[{len(cards)}]", f"{card} is given twice")
        seen |= 1 << card
        cards.append(card)
    return tuple(cards)


def strain_to_pb(strain: Strain) -> card_pb2.Strain.ValueType:
    """The number of a strain on the wire."""
    return STRAIN_TO_PB[strain]


def strain_from_pb(number: int, field: str = "strain") -> Strain:
    """The strain of this number; WireError naming ``field`` when there is none."""
    if 1 <= number <= 6:
        return _STRAINS[number - 1]
    raise _unknown(field, number, "strain", 6)


def seat_to_pb(seat: Seat) -> table_pb2.Seat.ValueType:
    """The number of a seat on the wire."""
    return SEAT_TO_PB[seat]


def seat_from_pb(number: int, field: str = "seat") -> Seat:
    """The seat of this number; WireError naming ``field`` when there is none."""
    if 1 <= number <= 4:
        return SEATS[number - 1]
    raise _unknown(field, number, "seat", 4)


def team_to_pb(team: Team) -> table_pb2.Team.ValueType:
    """The number of a team on the wire."""
    return TEAM_TO_PB[team]


def team_from_pb(number: int, field: str = "team") -> Team:
    """The team of this number; WireError naming ``field`` when there is none."""
    if 1 <= number <= 2:
        return _TEAMS[number - 1]
    raise _unknown(field, number, "team", 2)


def team_score_to_pb(score: tuple[int, int]) -> table_pb2.TeamScore:
    """A number for each team, (North-South, East-West)."""
    return table_pb2.TeamScore(north_south=score[0], east_west=score[1])


def team_score_from_pb(message: table_pb2.TeamScore) -> tuple[int, int]:
    """(North-South, East-West)."""
    return message.north_south, message.east_west


def hand_to_pb(seat: Seat, cards: Iterable[Card]) -> deal_pb2.Hand:
    """The cards of one seat."""
    return deal_pb2.Hand(seat=SEAT_TO_PB[seat], cards=cards_to_pb(cards))


def hand_from_pb(message: deal_pb2.Hand) -> tuple[Seat, tuple[Card, ...]]:
    """The seat and its cards."""
    return seat_from_pb(message.seat), cards_from_pb(message.cards, most=HAND_CARDS)


def hands_from_pb(
    messages: Sequence[deal_pb2.Hand], field: str = "hands"
) -> tuple[tuple[Seat, tuple[Card, ...]], ...]:
    """Hands as (seat, cards); WireError for a seat or a card given twice."""
    at_most(field, messages, len(SEATS))
    hands = []
    seats: set[Seat] = set()
    seen = 0
    for index, message in enumerate(messages):
        try:
            seat, cards = hand_from_pb(message)
        except WireError as error:
            raise error.within(f"{field}[{index}]") from None
        if seat in seats:
            raise WireError(f"{field}[{index}].seat", f"{seat} is given twice")
        mask = mask_of(cards)
        if seen & mask:
            raise WireError(f"{field}[{index}].cards", "a card is in two hands")
        seats.add(seat)
        seen |= mask
        hands.append((seat, cards))
    return tuple(hands)


def _unknown(field: str, number: int, what: str, last: int) -> WireError:
    if number == 0:
        return WireError(field, f"{what} is not given")
    return WireError(field, f"there is no {what} {number}, only 1 to {last}")
