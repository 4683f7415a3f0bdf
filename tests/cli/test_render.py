"""Tables and matches on the screen, as golden files."""

import io

from rich.console import Console, RenderableType
from tests.cli.conftest import Golden

from contree.cli.render import (
    DealRow,
    TableScreen,
    deal_line,
    match_screen,
    table_screen,
)
from contree.engine import (
    PASS,
    Bid,
    Card,
    Contract,
    Direction,
    Doubling,
    PlacedCall,
    Say,
    Seat,
    Slam,
    Strain,
    Team,
    Trick,
    parse_cards,
)

NAMES = {Seat.NORTH: "rules", Seat.EAST: "random", Seat.SOUTH: "rules", Seat.WEST: "random"}
EMPTY = TableScreen("m1", "ffb-mixte", Direction.COUNTER_CLOCKWISE, NAMES)
CONTRACT = Contract(Bid(90, Strain.HEARTS), Seat.EAST, Doubling.CONTRE, Seat.NORTH)


def drawn(screen: RenderableType) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(screen)
    return console.export_text()


def test_table_before_the_first_deal(golden: Golden) -> None:
    golden("table-waiting", drawn(table_screen(EMPTY._replace(names={Seat.NORTH: "rules"}))))


def test_table_in_play(golden: Golden) -> None:
    screen = EMPTY._replace(
        state="playing",
        number=3,
        dealer=Seat.SOUTH,
        calls=(
            PlacedCall(Seat.EAST, Bid(90, Strain.HEARTS)),
            PlacedCall(Seat.NORTH, Say.CONTRE),
            PlacedCall(Seat.WEST, PASS),
            PlacedCall(Seat.SOUTH, PASS),
            PlacedCall(Seat.EAST, PASS),
        ),
        contract=CONTRACT,
        trick=Trick(Seat.EAST, parse_cards("9H AH TH")),
        tricks=(2, 1),
        scores=(250, 180),
        note="fault of W: timeout",
    )
    golden("table-playing", drawn(table_screen(screen)))


def test_table_with_open_hands(golden: Golden) -> None:
    hand = parse_cards("7S KH AH JC 9D TS")
    screen = EMPTY._replace(
        number=1, dealer=Seat.NORTH, hands={seat: hand[: seat + 2] for seat in Seat}
    )
    golden("table-open", drawn(table_screen(screen)))


def test_cards_stay_where_their_player_sits() -> None:
    trick = Trick(Seat.WEST, (Card.parse("AS"), Card.parse("7S")))
    clockwise = drawn(table_screen(EMPTY._replace(trick=trick, direction=Direction.CLOCKWISE)))
    counter = drawn(table_screen(EMPTY._replace(trick=trick)))
    # West leads; clockwise the next is north, counter-clockwise it is south.
    assert clockwise.index("7♠") < clockwise.index("A♠")
    assert counter.index("A♠") < counter.index("7♠")


def test_match(golden: Golden) -> None:
    deals = [
        DealRow(1, CONTRACT, True, (52, 110), (3, 5), (0, 500), (0, 500)),
        DealRow(2, None, False, (0, 0), (0, 0), (0, 0), (0, 500)),
        DealRow(
            3,
            Contract(Bid(Slam.CAPOT, Strain.SPADES), Seat.SOUTH),
            False,
            (140, 22),
            (7, 1),
            (0, 500),
            (0, 1000),
        ),
    ]
    golden(
        "match",
        drawn(match_screen(deals, (0, 1000), "The target is reached", Team.EAST_WEST))
        + "".join(drawn(deal_line(deal)) for deal in deals)
        + drawn(match_screen([], (10, 20), "All deals are played", None)),
    )
