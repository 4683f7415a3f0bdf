"""The rules of docs/rules.md by their number, R1 to R6: what all documents share, the deal, the
auction, the play, the points, belote. R7 to R11 are in test_marks_by_number.py.

Of every option each choice is shown to make its difference.
"""

import itertools

import pytest
from tests.engine.numbered import (
    ANNONCE,
    BY_SUIT,
    CLASSIQUE,
    GENERALE,
    MIXTE,
    SIMPLE,
    after,
    asked,
    calls,
    contracted,
    dealt,
    legal,
    marks,
    past_windows,
    play_out,
    quietly,
    race,
    under,
)

from contree.engine import (
    CARDS,
    PRESET_NAMES,
    SEATS,
    Announced,
    Bid,
    Game,
    IllegalAction,
    Mode,
    RulesError,
    RuleSet,
    Seat,
    SeededDeals,
    Strain,
    Termination,
    Trick,
    mask_of,
    parse_cards,
    preset,
    project,
    rules_from_dict,
)
from contree.engine.cards import ALL_CARDS
from contree.engine.points import taken_points
from contree.engine.shuffle import cut_size, gather, shuffled

H, SA, TA = Strain.HEARTS, Strain.NO_TRUMP, Strain.ALL_TRUMP
every_preset = pytest.mark.parametrize(
    "rules", [preset(name) for name in PRESET_NAMES], ids=PRESET_NAMES
)


# --- R1 what all documents share


@every_preset
def test_r1_1_four_players_in_two_pairs_and_eight_cards_each(rules: RuleSet) -> None:
    """R1.1"""
    assert [hand.bit_count() for hand in dealt(rules).dealt] == [8, 8, 8, 8]
    assert [seat.partner for seat in SEATS] == [SEATS[2], SEATS[3], SEATS[0], SEATS[1]]
    assert len(CARDS) == 32


@every_preset
def test_r1_2_order_and_worth_of_the_cards(rules: RuleSet) -> None:
    """R1.2"""
    points = rules.card_points(H)
    plain, trump = parse_cards("AS TS KS QS JS 9S 8S 7S"), parse_cards("JH 9H AH TH KH QH 8H 7H")
    assert [points[card] for card in plain] == [11, 10, 4, 3, 2, 0, 0, 0]
    assert [points[card] for card in trump] == [20, 14, 11, 10, 4, 3, 0, 0]
    assert sum(points) == 152
    for order in (plain, trump):
        for higher, lower in itertools.pairwise(order):
            trick = Trick(Seat.NORTH, (lower, higher))
            holder = trick.winner(H, rules.turn_direction)
            assert holder is rules.turn_direction.next(Seat.NORTH)


@every_preset
def test_r1_3_seat_after_the_dealer_speaks_and_leads(rules: RuleSet) -> None:
    """R1.3"""
    for dealer in SEATS:
        first = rules.turn_direction.next(dealer)
        deal = dealt(rules, dealer=str(dealer))
        assert deal.owed == (first,)
        assert quietly(after(deal, "P", "80S")).owed == (first,)


@every_preset
def test_r1_4_deal_passes_to_the_next_seat(rules: RuleSet) -> None:
    """R1.4"""
    game = race(rules, "E80S", "E80S")
    first, second = (deal.dealer for deal in game.finished)
    assert second is rules.turn_direction.next(first)


@every_preset
def test_r1_5_bids_must_stand_higher_whatever_the_suit(rules: RuleSet) -> None:
    """R1.5"""
    deal = past_windows(after(dealt(rules), "80S"))
    said = set(calls(deal).split())
    assert "90C" in said
    assert not said & {"80S", "80C", "80H"}
    with pytest.raises(IllegalAction, match="80 does not outbid 80"):
        after(deal, "80H")


@every_preset
def test_r1_6_three_passes_end_it_and_four_without_a_bid(rules: RuleSet) -> None:
    """R1.6"""
    deal = past_windows(after(dealt(rules), "80S"))
    for _ in range(3):
        assert deal.play is None
        deal = after(deal, "P")
    assert past_windows(deal).play is not None
    passed = Game.start(rules, SeededDeals(bytes(32)), Mode.RACE)
    board = Game.start(rules, SeededDeals(bytes(32)), Mode.BOARD)
    for _ in SEATS:
        passed = passed.apply(passed.owed[0], passed.legal_actions(passed.owed[0])[0])
        board = board.apply(board.owed[0], board.legal_actions(board.owed[0])[0])
    assert (passed.number, passed.scores) == (2, (0, 0))
    assert board.outcome is not None
    assert (board.outcome.reason, board.outcome.scores) == (Termination.PASSED_OUT, (0, 0))


@every_preset
def test_r1_7_contre_by_opponents_surcontre_by_takers(rules: RuleSet) -> None:
    """R1.7"""
    deal = after(dealt(rules), "80S")
    said = []
    while deal.play is None:
        assert deal.contract is not None
        for seat in deal.owed:
            options = [str(action) for action in deal.legal_actions(seat)]
            takers = seat.team is deal.contract.team
            assert not (takers and "X" in options)
            assert not (not takers and "XX" in options)
        options = calls(deal).split()
        said.append(next(word for word in ("XX", "X", "P", "-") if word in options))
        deal = after(deal, said[-1])
    assert {"X", "XX"} <= set(said)


@every_preset
def test_r1_8_one_must_follow_and_need_not_beat(rules: RuleSet) -> None:
    """R1.8"""
    assert legal(rules, "H", "KS", "AS 7S AH") == "AS 7S"
    assert legal(rules, "H", "KS 7H", "AS 7S AH") == "AS 7S"


@every_preset
def test_r1_9_who_cannot_follow_must_trump(rules: RuleSet) -> None:
    """R1.9"""
    assert legal(rules, "H", "KS", "7H AD") == "7H"
    assert legal(rules, "H", "KS", "7C AD") == "7C AD"
    for trump in ("SA", "TA"):
        assert legal(rules, trump, "KS", "JH AD") == "JH AD"


@every_preset
def test_r1_10_highest_trump_or_else_highest_card_led(rules: RuleSet) -> None:
    """R1.10"""
    for cards, place in (("7S AD KS TC", 2), ("7S 7H KS TC", 1), ("AS 7H KS JH", 3)):
        trick = Trick(Seat.NORTH, parse_cards(cards))
        winner = rules.turn_direction.next(Seat.NORTH, place)
        assert trick.winner(H, rules.turn_direction) is winner
    trick = Trick(Seat.NORTH, parse_cards("7S JH AD TC"))
    assert trick.winner(TA, rules.turn_direction) is Seat.NORTH
    played = play_out(contracted(rules, "80H"))
    assert played.play is not None
    assert [trick.leader for trick in played.play.tricks[1:]] == list(played.play.winners[:-1])


@every_preset
def test_r1_11_king_and_queen_of_trump_are_worth_20(rules: RuleSet) -> None:
    """R1.11"""
    without, with_it = (marks(rules, "90H", 100, 62, belotes=(count, 0)) for count in (0, 1))
    assert with_it[0] - without[0] == 20
    for bid in ("80H", "80SA"):  # each holds a whole suit, so East has the belote of hearts
        if Strain.parse(bid[2:]) in rules.strains:
            result = play_out(contracted(rules, bid)).result
            assert result is not None
            assert result.belotes == ((0, 1) if bid == "80H" else (0, 0))


@every_preset
def test_r1_12_capot_is_all_tricks_not_all_points(rules: RuleSet) -> None:
    """R1.12"""
    assert marks(rules, "capotS", 162, 0, tricks=7)[0] == 0
    assert marks(rules, "capotS", 252, 0, tricks=8)[0] > 0
    if rules.generale_value is not None:
        assert marks(rules, "generaleS", 502, 0, tricks=8, bidder=7)[0] == 0
        assert marks(rules, "generaleS", 502, 0, tricks=8, bidder=8)[0] > 0


# --- R2 the deal


@pytest.mark.parametrize(("direction", "first"), [("cw", "E"), ("ccw", "W")])
def test_r2_1_turn_direction(direction: str, first: str) -> None:
    """R2.1"""
    assert asked(dealt(under(MIXTE, turn_direction=direction))) == first


def test_r2_2_first_dealer() -> None:
    """R2.2"""
    seeds = [number.to_bytes(32, "big") for number in range(40)]
    drawn = {SeededDeals(s).deal(1, under(MIXTE, first_dealer="random")).dealer for s in seeds}
    fixed = {SeededDeals(s).deal(1, under(MIXTE, first_dealer="fixed")).dealer for s in seeds}
    assert (drawn, fixed) == (set(SEATS), {Seat.NORTH})


@pytest.mark.parametrize(("choice", "second"), [("next", Seat.WEST), ("same", Seat.NORTH)])
def test_r2_3_redeal_dealer(choice: str, second: Seat) -> None:
    """R2.3"""
    rules = under(MIXTE, redeal_dealer=choice, first_dealer="fixed")
    game = Game.start(rules, SeededDeals(bytes(32)))
    for _ in SEATS:
        game = game.apply(game.owed[0], game.legal_actions(game.owed[0])[0])
    assert game.deal is not None
    assert game.deal.dealer is second


@pytest.mark.parametrize("choice", ["each_deal", "first_only_then_cut"])
def test_r2_4_shuffle(choice: str) -> None:
    """R2.4"""
    seed, rules = bytes(32), under(SIMPLE, shuffle=choice, cut_minimum=2)
    first = play_out(contracted(rules, "80S"))
    second = SeededDeals(seed).deal(2, rules, first)
    pack = shuffled(seed, "", 2) if choice == "each_deal" else gather(first)
    size = cut_size(seed, "", 2, 2)
    top = (*pack[size:], *pack[:size])[:3]
    assert mask_of(top) & ~second.hands[rules.turn_direction.next(second.dealer)] == 0
    boards = {SeededDeals(seed).board(number, rules).hands for number in range(1, 50)}
    assert len(boards) == 49  # a board is always shuffled


@pytest.mark.parametrize("minimum", ["off", 2, 16])
def test_r2_5_cut_minimum(minimum: str | int) -> None:
    """R2.5"""
    seed, rules = bytes(32), under(SIMPLE, cut_minimum=minimum)
    for number in range(1, 100):
        deck = shuffled(seed, "", number)
        size = 0
        if isinstance(minimum, int):
            size = cut_size(seed, "", number, minimum)
            assert minimum <= size <= 32 - minimum
        board = SeededDeals(seed).board(number, rules)
        top = (*deck[size:], *deck[:size])[:3]
        assert mask_of(top) & ~board.hands[rules.turn_direction.next(board.dealer)] == 0
    with pytest.raises(RulesError, match="cut_minimum"):
        under(SIMPLE, cut_minimum=17)


@pytest.mark.parametrize("choice", ["323", "332", "233", "any"])
def test_r2_6_packets(choice: str) -> None:
    """R2.6"""
    one, two, three = map(int, "323" if choice == "any" else choice)
    rules, deck = under(SIMPLE, packets=choice), shuffled(bytes(32), "", 1)
    board = SeededDeals(bytes(32)).board(1, rules)
    places = [*range(one), *range(4 * one, 4 * one + two)]
    places += range(4 * (one + two), 4 * (one + two) + three)
    first = rules.turn_direction.next(board.dealer)
    assert board.hands[first] == mask_of(deck[place] for place in places)


# --- R3 the auction


def test_r3_1_ladder() -> None:
    """R3.1"""
    rules = under(MIXTE, ladder=[90, "capot", 270])
    assert [call[:-1] for call in calls(dealt(rules)).split() if call.endswith("S")] == [
        "90",
        "capot",
        "270",
    ]
    above = calls(after(dealt(rules), "capotH")).split()
    assert ("capotS" in above, "270S" in above) == (False, True)


def test_r3_2_capot_value() -> None:
    """R3.2"""
    assert marks(under(SIMPLE, capot_value=260), "capotS", 252, 0, tricks=8) == (512, 0)
    assert marks(under(SIMPLE, capot_value=250), "capotS", 252, 0, tricks=8) == (502, 0)


def test_r3_3_generale_value() -> None:
    """R3.3"""
    for value, mark in ((500, 1002), (400, 902)):
        rules = under(GENERALE, generale_value=value)
        assert marks(rules, "generaleS", 502, 0, tricks=8, bidder=8) == (mark, 0)
    for base, wrong in ((GENERALE, "off"), (MIXTE, 500)):
        with pytest.raises(RulesError, match="generale_value"):
            under(base, generale_value=wrong)


def test_r3_4_strains() -> None:
    """R3.4"""
    assert "80SA" not in calls(dealt(under(MIXTE)))
    said = calls(dealt(under(MIXTE, strains=["S", "SA", "TA"]))).split()
    assert {"80S", "80SA", "80TA"} <= set(said)
    assert "80H" not in said


def test_r3_5_contre_timing() -> None:
    """R3.5"""
    # North deals and the turn goes to the right: West bids, then South, East, North.
    own = after(dealt(under(MIXTE)), "80S")
    assert (asked(own), calls(own).split()[:2]) == ("S", ["P", "X"])
    contred = after(own, "X")
    assert (asked(contred), calls(contred)) == ("E", "P XX")

    moment = after(dealt(under(MIXTE, contre_timing="any_moment")), "80S")
    assert (asked(moment), calls(moment)) == ("N", "X -")
    assert asked(after(moment, "X")) == "WE"
    assert asked(after(moment, "-")) == "S"

    last = after(dealt(under(MIXTE, contre_timing="after_auction")), "80S")
    assert "X" not in calls(last).split()
    window = after(last, "P", "P", "P")
    assert (asked(window), calls(window)) == ("SN", "X -")
    both = after(window, "N:X", "S:X")
    assert str(both.auction.calls[-1]) == "S:X"  # of two who say yes the first in turn order counts
    assert asked(both) == "EW"


@every_preset
def test_r3_6_contre_ends_the_bidding(rules: RuleSet) -> None:
    """R3.6"""
    deal = after(dealt(rules), "80S")
    while "X" not in calls(deal).split():
        deal = after(deal, "P" if "P" in calls(deal).split() else "-")
    deal = after(deal, "X")
    while deal.play is None:
        assert not any(isinstance(call, Bid) for call in deal.legal_actions(deal.owed[0]))
        deal = after(deal, "P" if "P" in calls(deal).split() else "-")
    with pytest.raises(RulesError, match="contre_ends_bidding"):
        rules_from_dict({**rules.to_dict(), "contre_ends_bidding": False})


def test_r3_7_contre_factor() -> None:
    """R3.7"""
    assert marks(under(SIMPLE), "90H", 100, 62, level=2) == (280, 62)
    assert marks(under(SIMPLE, contre_factor=3), "90H", 100, 62, level=2) == (370, 62)


def test_r3_8_surcontre_factor() -> None:
    """R3.8"""
    assert marks(under(SIMPLE), "90H", 100, 62, level=4) == (460, 62)
    assert marks(under(SIMPLE, surcontre_factor=3), "90H", 100, 62, level=4) == (370, 62)
    with pytest.raises(RulesError, match="surcontre_factor"):
        under(SIMPLE, surcontre_factor=2)


# --- R4 the play


def test_r4_1_overtrump() -> None:
    """R4.1"""
    position = ("H", "AS 8H", "9H 7H KD")
    assert legal(under(SIMPLE, overtrump=True), *position) == "9H"
    assert legal(under(SIMPLE, overtrump=False), *position) == "9H 7H"


def test_r4_2_undertrump() -> None:
    """R4.2"""
    position = ("H", "AS JH", "9H 7H KD")
    assert legal(under(SIMPLE, undertrump="must"), *position) == "9H 7H"
    assert legal(under(SIMPLE, undertrump="free"), *position) == "9H 7H KD"


def test_r4_3_partner_master() -> None:
    """R4.3"""
    position = ("H", "7S 8H KS", "9H 7H KD")  # the partner has cut with the eight
    expected = {"any": "9H 7H KD", "voluntary_rise": "9H KD", "must_rise": "9H"}
    for choice, cards in expected.items():
        assert legal(under(SIMPLE, partner_master=choice), *position) == cards


def test_r4_4_trump_rise() -> None:
    """R4.4"""
    expected = {"always": ("9H", "9H"), "opponents": ("9H 7H", "9H"), "never": ("9H 7H", "9H 7H")}
    for choice, cards in expected.items():
        rules = under(SIMPLE, trump_rise=choice)
        over_partner = legal(rules, "H", "AH 8H", "9H 7H KD")
        over_opponent = legal(rules, "H", "8H AH", "9H 7H KD")
        assert (over_partner, over_opponent) == cards


def test_r4_5_ta_rise() -> None:
    """R4.5"""
    for choice, cards in {"always": "JS", "opponents": "JS", "never": "JS 7S"}.items():
        assert legal(under(ANNONCE, ta_rise=choice), "TA", "9S", "JS 7S KD") == cards
    assert legal(under(ANNONCE, ta_rise="opponents"), "TA", "9S 8S", "JS 7S KD") == "JS 7S"
    assert legal(under(ANNONCE), "TA", "9S JD", "AS 7S KD") == "AS 7S"  # the JD never counts


def test_r4_6_sa_rise() -> None:
    """R4.6"""
    for choice, cards in {"always": "AS", "opponents": "AS", "never": "AS 7S"}.items():
        assert legal(under(ANNONCE, sa_rise=choice), "SA", "TS", "AS 7S KD") == cards
    assert legal(under(ANNONCE, sa_rise="opponents"), "SA", "TS 8S", "AS 7S KD") == "AS 7S"


# --- R5 points


def pair_points(rules: RuleSet, strain: Strain, ours: str) -> tuple[str, str]:
    """Both pairs' points when North-South won these cards and the last trick."""
    won = mask_of(parse_cards(ours))
    points = taken_points(rules, strain, (won, ALL_CARDS ^ won), [3, 2, 2, 1], Seat.NORTH)
    return str(points[0]), str(points[1])


def all_tricks(rules: RuleSet, strain: Strain, by_seat: list[int]) -> int:
    """The points of North-South when they won every trick."""
    points = taken_points(rules, strain, (ALL_CARDS, 0), by_seat, Seat.NORTH)
    assert points[1] == 0
    return int(points[0])


def test_r5_1_sa_ace() -> None:
    """R5.1"""
    assert pair_points(under(ANNONCE, sa_ace=19), SA, "AS AH") == ("48", "114")
    assert pair_points(under(ANNONCE, sa_ace=11), SA, "AS AH") == ("32", "98")


def test_r5_2_ta_scale() -> None:
    """R5.2"""
    assert pair_points(under(ANNONCE, ta_scale="none"), TA, "JS 9S") == ("44", "214")
    assert pair_points(under(ANNONCE, ta_scale="two_thirds"), TA, "JS 9S") == ("88/3", "428/3")
    assert pair_points(under(ANNONCE, ta_scale="table_152"), TA, "JS 9S") == ("33", "129")


def test_r5_3_last_trick() -> None:
    """R5.3"""
    assert pair_points(under(SIMPLE), H, "AS JH") == ("41", "121")
    assert pair_points(under(SIMPLE, last_trick=20), H, "AS JH") == ("51", "121")


def test_r5_4_capot_last_trick() -> None:
    """R5.4"""
    assert all_tricks(under(SIMPLE), H, [4, 0, 4, 0]) == 252
    assert all_tricks(under(SIMPLE, capot_last_trick=10), H, [4, 0, 4, 0]) == 162


def test_r5_5_generale_last_trick() -> None:
    """R5.5"""
    assert all_tricks(under(GENERALE), H, [8, 0, 0, 0]) == 502
    assert all_tricks(under(GENERALE), H, [7, 0, 1, 0]) == 252
    assert all_tricks(under(GENERALE, generale_last_trick="off"), H, [8, 0, 0, 0]) == 252


def test_r5_6_capot_total() -> None:
    """R5.6"""
    assert all_tricks(under(MIXTE), H, [4, 0, 4, 0]) == 250
    assert all_tricks(under(MIXTE, capot_total="off"), H, [4, 0, 4, 0]) == 162
    assert all_tricks(under(CLASSIQUE), TA, [4, 0, 4, 0]) == 250


# --- R6 belote


@pytest.mark.parametrize(
    ("mode", "said", "counted"),
    [("auto", False, 1), ("announced", True, 1), ("announced", False, 0)],
    ids=["auto", "said", "forgotten"],
)
def test_r6_1_belote_mode(mode: str, said: bool, counted: int) -> None:
    """R6.1"""
    deal = contracted(under(ANNONCE, belote_mode=mode, turn_direction="cw"), "80H")
    while deal.owed:
        options = deal.legal_actions(deal.owed[0])
        announced = [action for action in options if isinstance(action, Announced)]
        assert not announced or mode == "announced"
        deal = deal.apply(deal.owed[0], announced[0] if said and announced else options[0])
    assert deal.result is not None
    assert deal.result.belotes == (0, counted)
    with pytest.raises(IllegalAction, match="belote counts by itself"):
        after(contracted(under(ANNONCE, turn_direction="cw"), "80H"), "KH+")


def test_r6_2_belotes_at_all_trump() -> None:
    """R6.2"""
    for count, belotes in ((4, (2, 2)), (0, (0, 0))):
        deal = play_out(contracted(under(ANNONCE, belotes_at_all_trump=count), "80TA"))
        assert deal.result is not None
        assert deal.result.belotes == belotes


def test_r6_3_belote_counts_for_contract() -> None:
    """R6.3"""
    for choice, expected in {True: (185, 87), False: (20, 252)}.items():
        rules = under(SIMPLE, belote_counts_for_contract=choice)
        assert marks(rules, "90H", 75, 87, belotes=(1, 0)) == expected


def test_r6_4_belote_on_failure() -> None:
    """R6.4"""
    expected = {
        # failed; all eight tricks lost; all eight lost at capot
        "kept": ((20, 252), (20, 252), (20, 422)),
        "to_defence": ((0, 272), (0, 272), (0, 442)),
        "to_defence_unless_swept": ((0, 272), (20, 252), (0, 442)),
    }
    for choice, told in expected.items():
        rules = under(SIMPLE, belote_on_failure=choice)
        assert told == (
            marks(rules, "90H", 60, 102, belotes=(1, 0)),
            marks(rules, "90H", 0, 252, tricks=0, belotes=(1, 0)),
            marks(rules, "capotH", 0, 252, tricks=0, belotes=(1, 0)),
        )


def test_r6_5_belote_on_contre() -> None:
    """R6.5"""
    for choice, expected in {"holder": (280, 82), "winner": (300, 62)}.items():
        rules = under(SIMPLE, belote_on_contre=choice)
        assert marks(rules, "90H", 100, 62, level=2, belotes=(0, 1)) == expected


def test_r6_6_belote_multiplied() -> None:
    """R6.6"""
    for choice, taker in {False: 300, True: 320}.items():
        rules = under(SIMPLE, belote_multiplied=choice)
        assert marks(rules, "90H", 100, 62, level=2, belotes=(1, 0))[0] == taker


APART = "KQJ9.KJ.QJ. A8.Q98.K98. T7.AT7.AT7. ...ATKQJ987"
"""King and queen of hearts in two hands."""


@pytest.mark.parametrize("mode", ["auto", "announced"])
def test_r6_7_what_a_belote_gives_away(mode: str) -> None:
    """R6.7"""
    rules = under(ANNONCE, belote_mode=mode, turn_direction="cw")
    deal = contracted(rules, "80H", BY_SUIT)  # East holds all hearts
    silent = after(deal, "QH")
    seen = (Seat.EAST,) if mode == "auto" else ()
    assert {project(silent, seat).belotes for seat in SEATS} == {seen}
    if mode == "announced":
        said = after(deal, "QH+")
        assert {project(said, seat).belotes for seat in SEATS} == {(Seat.EAST,)}
        rest = play_out(said)  # the king follows in silence: East is named, and marks nothing
        assert rest.play is not None
        assert rest.play.belotes == (Seat.EAST,)
        assert rest.result is not None
        assert rest.result.belotes == (0, 0)
    # A queen that brings no belote says that her king lies elsewhere; nobody can say more.
    split = contracted(rules, "80H", APART)
    assert "QH+" not in calls(split).split()
    assert project(after(split, "QH"), Seat.NORTH).belotes == ()
