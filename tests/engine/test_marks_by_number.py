"""The rules of docs/rules.md by their number, R7 to R11: what makes a contract, the marks, the end
of a match, the readings taken, the conventions of the engine.

R10 shows each reading, and next to it the other one where an option holds it.
"""

import pytest
from tests.engine.numbered import (
    ANNONCE,
    ANNONCES,
    BY_SUIT,
    CLASSIQUE,
    FAITS,
    GENERALE,
    MIXTE,
    SIMPLE,
    TOURNOI,
    Again,
    after,
    asked,
    calls,
    contracted,
    dealt,
    legal,
    marks,
    play_out,
    race,
    under,
)

from contree.engine import (
    PRESET_NAMES,
    Game,
    Mode,
    RulesError,
    RuleSet,
    Seat,
    Strain,
    Team,
    Termination,
    parse_cards,
    preset,
)
from contree.engine.options import BeloteMode
from contree.engine.points import deal_points

H, TA = Strain.HEARTS, Strain.ALL_TRUMP
NS, EW = Team


# --- R7 made or failed


def test_r7_1_min_points() -> None:
    """R7.1"""
    assert marks(under(GENERALE, min_points=82), "80H", 80, 82) == (0, 242)
    assert marks(under(GENERALE, min_points=0), "80H", 80, 82) == (160, 82)


def test_r7_2_tie_points() -> None:
    """R7.2"""
    expected = {
        # 81 each, and 80 against 82
        "ok": ((161, 81), (160, 82)),
        "fails": ((0, 242), (160, 82)),
        "must_exceed": ((0, 242), (0, 242)),
    }
    for choice, told in expected.items():
        rules = under(SIMPLE, tie_points=choice)
        assert (marks(rules, "80H", 81, 81), marks(rules, "80H", 80, 82)) == told


# --- R8 the mark


def test_r8_1_taker_mark() -> None:
    """R8.1"""
    for choice, taker in {"made": 100, "contract": 90, "made_plus_contract": 190}.items():
        assert marks(under(ANNONCE, taker_mark=choice), "90H", 100, 62) == (taker, 62)


def test_r8_2_defence_mark() -> None:
    """R8.2"""
    for choice, defence in {"made": 62, "nothing": 0}.items():
        assert marks(under(SIMPLE, defence_mark=choice), "90H", 100, 62) == (190, defence)


def test_r8_3_failed_base() -> None:
    """R8.3"""
    assert marks(under(SIMPLE, failed_base=162), "90H", 80, 82) == (0, 252)
    assert marks(under(SIMPLE, failed_base=160), "90H", 80, 82) == (0, 250)


def test_r8_4_failed_adds_contract() -> None:
    """R8.4"""
    assert marks(under(SIMPLE, failed_adds_contract=True), "90H", 80, 82) == (0, 252)
    assert marks(under(SIMPLE, failed_adds_contract=False), "90H", 80, 82) == (0, 162)


def test_r8_5_contre_mark() -> None:
    """R8.5"""
    expected = {
        # made and failed
        "ordinary": ((180, 0), (0, 500)),
        "base": ((320, 0), (0, 320)),
        "contract": ((180, 0), (0, 180)),
        "base_plus_contract": ((500, 0), (0, 500)),
    }
    for choice, told in expected.items():
        rules = under(ANNONCE, contre_mark=choice)
        assert told == (
            marks(rules, "90H", 100, 62, level=2),
            marks(rules, "90H", 80, 82, level=2),
        )


def test_r8_6_mult_scope() -> None:
    """R8.6"""
    assert marks(under(SIMPLE, mult_scope="contract"), "90H", 100, 62, level=2) == (280, 62)
    assert marks(under(SIMPLE, mult_scope="whole"), "90H", 100, 62, level=2) == (380, 62)


def test_r8_7_contre_loser() -> None:
    """R8.7"""
    assert marks(under(SIMPLE, contre_loser="keeps_points"), "90H", 100, 62, level=2)[1] == 62
    assert marks(under(SIMPLE, contre_loser="nothing"), "90H", 100, 62, level=2)[1] == 0


def test_r8_8_unannounced_capot() -> None:
    """R8.8"""
    for choice, taker in {"ordinary": 90, "capot_value": 250}.items():
        rules = under(ANNONCE, unannounced_capot=choice)
        assert marks(rules, "90H", 162, 0, tricks=8) == (taker, 0)


def test_r8_9_capot_made_mark() -> None:
    """R8.9"""
    for choice, told in {500: (500, 1000), "off": (250, 320)}.items():
        rules = under(FAITS, capot_made_mark=choice)
        plain = marks(rules, "capotH", 250, 0, tricks=8)
        assert (plain[0], marks(rules, "capotH", 250, 0, tricks=8, level=2)[0]) == told


def test_r8_10_capot_failed_mark() -> None:
    """R8.10"""
    for choice, told in {500: (500, 1000), "off": (160, 320)}.items():
        rules = under(FAITS, capot_failed_mark=choice)
        plain = marks(rules, "capotH", 142, 20, tricks=7)
        assert (plain[1], marks(rules, "capotH", 142, 20, tricks=7, level=2)[1]) == told


def test_r8_11_defence_capot() -> None:
    """R8.11"""
    for choice, defence in {"ordinary": 252, "points": 342, "capot_value": 260}.items():
        rules = under(SIMPLE, defence_capot=choice)
        assert marks(rules, "90H", 0, 252, tricks=0) == (0, defence)


def test_r8_12_rounding() -> None:
    """R8.12"""
    assert marks(under(MIXTE, rounding="nearest10"), "90H", 95, 67) == (190, 70)
    assert marks(under(MIXTE, rounding="none"), "90H", 95, 67) == (185, 67)
    # On the total with belote, and after success was decided: 89 is no 90.
    assert marks(under(MIXTE), "90H", 89, 73) == (0, 250)
    assert marks(under(CLASSIQUE), "90H", 79, 83, belotes=(1, 0)) == (190, 80)


# --- R9 the match


def test_r9_1_target() -> None:
    """R9.1"""
    # East takes all eight tricks in hearts: 252 + 80, and belote.
    assert race(under(SIMPLE, target=353), "E80H").outcome is None
    ended = race(under(SIMPLE, target=352), "E80H").outcome
    assert ended == (Termination.TARGET_REACHED, EW, (0, 352))


def test_r9_2_deals_limit() -> None:
    """R9.2"""
    assert race(under(SIMPLE, deals_limit=2), "E80H").outcome is None
    ended = race(under(SIMPLE, deals_limit=2), "-", "E80H").outcome  # passed-out deals count
    assert ended == (Termination.DEALS_PLAYED, EW, (0, 352))


def test_r9_3_match_end_tie() -> None:
    """R9.3"""
    bids = ("E80H", "N80S")
    last_deal = race(under(SIMPLE, deals_limit=2, match_end_tie="last_deal"), *bids)
    assert last_deal.outcome == (Termination.DEALS_PLAYED, NS, (352, 352))
    assert race(under(SIMPLE, deals_limit=2, match_end_tie="play_on"), *bids).outcome is None


MIXED = "K7.KQJ.9.TJ AT.AT7.TJ.7 Q9.98.KQ.Q8 J8..A87.AK9"
"""Cards with which both pairs win tricks."""


def test_r9_4_when_a_race_ends() -> None:
    """R9.4"""
    (both,) = race(under(SIMPLE, target=1000), "E80C", hands=MIXED).results
    low, high = sorted(both.marks)
    assert 0 < low < high
    # Both reach the target with the same deal, and the higher total wins.
    ended = race(under(SIMPLE, target=low), "E80C", hands=MIXED).outcome
    assert ended == (Termination.TARGET_REACHED, NS if both.marks[0] == high else EW, both.marks)
    # Whichever comes first, and never within a deal.
    limited = race(under(SIMPLE, target=353, deals_limit=1), "E80H").outcome
    assert limited is not None
    assert limited.reason is Termination.DEALS_PLAYED
    game = Game.start(under(SIMPLE, target=1), Again(MIXED))
    while game.owed:
        assert game.outcome is None
        game = game.apply(
            game.owed[0], game.legal_actions(game.owed[0])[0 if game.finished else -1]
        )
    assert len(game.finished) == 1


def test_r9_5_ties() -> None:
    """R9.5"""
    # Passed-out deals are passed over; where all were passed out, nobody wins.
    over = race(under(SIMPLE, deals_limit=3), "E80H", "N80S", "-").outcome
    assert over == (Termination.DEALS_PLAYED, NS, (352, 352))
    assert race(under(SIMPLE, deals_limit=1), "-").outcome == (
        Termination.DEALS_PLAYED,
        None,
        (0, 0),
    )
    # Played on beyond the limit, until the totals differ.
    on = under(SIMPLE, deals_limit=1, match_end_tie="play_on")
    assert race(on, "-", "-").outcome is None
    assert race(on, "-", "-", "E80H").outcome == (Termination.DEALS_PLAYED, EW, (0, 352))
    # A board with equal marks goes to the winner of its contract; passed out it is a draw.
    worthless = under(SIMPLE, failed_base=0, failed_adds_contract=False, belote_mode="announced")
    assert board(worthless, "80S").outcome == (Termination.BOARD_DONE, NS, (0, 0))
    assert board(worthless, "P").outcome == (Termination.PASSED_OUT, None, (0, 0))


def board(rules: RuleSet, first: str) -> Game:
    """A board: East, who speaks first, says this; nobody else bids, all play their first card."""
    game = Game.start(rules, Again(BY_SUIT), Mode.BOARD)
    opening = next(call for call in game.legal_actions(Seat.EAST) if str(call) == first)
    game = game.apply(Seat.EAST, opening)
    while game.owed:
        game = game.apply(game.owed[0], game.legal_actions(game.owed[0])[0])
    return game


# --- R10 contradictions and readings


def test_r10_1_a_coinche_of_140_that_fails_marks_440() -> None:
    """R10.1"""
    assert marks(under(CLASSIQUE), "140H", 100, 62, level=2) == (0, 440)
    assert marks(under(CLASSIQUE), "120H", 100, 62, level=2) == (0, 400)


def test_r10_2_nearest_ten() -> None:
    """R10.2"""
    assert marks(under(CLASSIQUE), "120H", 126, 36) == (250, 40)
    assert marks(under(CLASSIQUE), "120H", 146, 16)[0] == 270
    assert marks(under(CLASSIQUE), "120H", 136, 26)[0] == 260


def test_r10_3_two_thirds_make_172() -> None:
    """R10.3"""
    assert deal_points(under(CLASSIQUE), TA) == 172
    assert deal_points(under(CLASSIQUE, ta_scale="table_152"), TA) == 162


def test_r10_4_at_least_what_was_bid() -> None:
    """R10.4"""
    assert marks(under(CLASSIQUE), "120H", 120, 42) == (240, 40)
    assert marks(under(CLASSIQUE), "120H", 119, 43) == (0, 280)


def test_r10_5_bids_up_to_270() -> None:
    """R10.5"""
    said = calls(dealt(under(CLASSIQUE))).split()
    assert said.index("240S") < said.index("capotS") < said.index("270S")
    assert marks(under(CLASSIQUE), "270H", 250, 0, tricks=8, belotes=(1, 0)) == (540, 0)
    assert marks(under(CLASSIQUE), "270H", 250, 0, tricks=8) == (0, 430)


@pytest.mark.parametrize(("name", "free"), [(CLASSIQUE, True), (MIXTE, True), (SIMPLE, False)])
def test_r10_6_duties_of_002_are_those_of_003(name: str, free: bool) -> None:
    """R10.6"""
    assert legal(under(name), "H", "AS JH", "9H 7H KD") == ("9H 7H KD" if free else "9H 7H")


def test_r10_7_defence_with_all_tricks_in_002() -> None:
    """R10.7"""
    assert marks(under(CLASSIQUE), "120H", 0, 250, tricks=0) == (0, 280)
    other = under(CLASSIQUE, defence_capot="points")
    assert marks(other, "120H", 0, 250, tricks=0) == (0, 370)


def test_r10_8_only_equality_fails_in_000() -> None:
    """R10.8"""
    assert marks(under(SIMPLE), "80H", 80, 82) == (160, 82)
    assert marks(under(SIMPLE, tie_points="must_exceed"), "80H", 80, 82) == (0, 242)
    assert marks(under(SIMPLE), "80H", 91, 71, belotes=(0, 1)) == (0, 262)


def test_r10_9_a_trump_over_the_partner_is_free_in_000() -> None:
    """R10.9"""
    position = ("H", "7S 8H KS", "9H 7H KD")
    assert legal(under(SIMPLE), *position) == "9H 7H KD"
    assert legal(under(SIMPLE, partner_master="voluntary_rise"), *position) == "9H KD"


def test_r10_10_capot_of_000() -> None:
    """R10.10"""
    assert marks(under(SIMPLE), "capotH", 252, 0, tricks=8) == (512, 0)
    flat = under(SIMPLE, capot_made_mark=260)
    assert marks(flat, "capotH", 252, 0, tricks=8) == (260, 0)


def test_r10_11_defence_with_all_tricks_in_000() -> None:
    """R10.11"""
    assert marks(under(SIMPLE), "90H", 0, 252, tricks=0) == (0, 252)
    assert marks(under(SIMPLE, defence_capot="points"), "90H", 0, 252, tricks=0) == (0, 342)


def test_r10_12_82_points_for_a_bid_of_80_in_001() -> None:
    """R10.12"""
    assert marks(under(GENERALE), "80H", 80, 82) == (0, 242)
    assert marks(under(GENERALE), "80H", 62, 100, belotes=(1, 0)) == (162, 100)
    assert marks(under(GENERALE), "80H", 61, 101, belotes=(1, 0)) == (20, 242)
    assert marks(under(GENERALE), "90H", 90, 72) == (180, 72)


def test_r10_13_failed_contract_of_001() -> None:
    """R10.13"""
    assert marks(under(GENERALE), "100H", 90, 72) == (0, 262)


def test_r10_14_litige_of_001() -> None:
    """R10.14"""
    assert marks(under(GENERALE), "80H", 81, 81) == (0, 242)
    assert marks(under(GENERALE), "90H", 91, 71, belotes=(0, 1)) == (0, 272)


def test_r10_15_slams_of_001_bring_no_prime() -> None:
    """R10.15"""
    assert marks(under(GENERALE), "capotH", 252, 0, tricks=8, bidder=4) == (512, 0)
    assert marks(under(GENERALE), "generaleH", 502, 0, tricks=8, bidder=8) == (1002, 0)


def test_r10_16_behind_a_master_partner_in_001() -> None:
    """R10.16"""
    position = ("H", "7S 8H KS", "9H 7H KD")
    assert legal(under(GENERALE), *position) == "9H 7H KD"
    assert legal(under(GENERALE, partner_master="must_rise"), *position) == "9H"
    assert legal(under(GENERALE), "H", "AS 8H", "9H 7H KD") == "9H"


def test_r10_17_defence_under_contre_in_001() -> None:
    """R10.17"""
    assert marks(under(GENERALE), "90H", 100, 62, level=2, belotes=(0, 1)) == (280, 20)
    keeps = under(GENERALE, contre_loser="keeps_points")
    assert marks(keeps, "90H", 100, 62, level=2) == (280, 62)
    winner = under(GENERALE, belote_on_contre="winner")
    assert marks(winner, "90H", 100, 62, level=2, belotes=(0, 1)) == (300, 0)


def test_r10_18_the_bidder_alone_makes_a_generale() -> None:
    """R10.18"""
    assert marks(under(GENERALE), "generaleH", 252, 0, tricks=8, bidder=7) == (0, 662)
    assert marks(under(GENERALE), "capotH", 502, 0, tricks=8, bidder=8) == (762, 0)
    assert marks(under(GENERALE), "90H", 502, 0, tricks=8, bidder=0) == (592, 0)


def test_r10_19_contre_after_the_three_passes_in_001() -> None:
    """R10.19"""
    deal = after(dealt(under(GENERALE)), "80S")
    assert "X" not in calls(deal).split()
    window = after(deal, "P", "P", "P")
    assert (asked(window), calls(window)) == ("SN", "X -")


def test_r10_20_capot_not_bid_under_contre_in_003() -> None:
    """R10.20"""
    told = {FAITS: 320, ANNONCES: 180, MIXTE: 500, TOURNOI: 340}
    for name, taker in told.items():
        assert marks(under(name), "90H", 250, 0, tricks=8, level=2) == (taker, 0)


def test_r10_21_belote_of_a_failed_capot_in_003() -> None:
    """R10.21"""
    assert marks(under(MIXTE), "capotH", 142, 20, tricks=7, belotes=(1, 0)) == (0, 520)


def test_r10_22_takers_who_lose_every_trick_in_003() -> None:
    """R10.22"""
    assert marks(under(MIXTE), "90H", 0, 250, tricks=0, belotes=(1, 0)) == (20, 340)
    assert marks(under(MIXTE), "capotH", 0, 250, tricks=0, belotes=(1, 0)) == (0, 520)
    assert marks(under(MIXTE), "90H", 0, 250, tricks=0, level=2, belotes=(1, 0)) == (0, 520)


def test_r10_23_belote_and_failed_capot_in_points_annonces() -> None:
    """R10.23"""
    assert marks(under(ANNONCES), "90H", 75, 87, belotes=(1, 0)) == (110, 0)
    assert marks(under(ANNONCES), "90H", 60, 102, belotes=(1, 0)) == (0, 180)
    assert marks(under(ANNONCES), "capotH", 142, 20, tricks=7) == (0, 250)


def test_r10_24_tournament_convention_leaves_the_capot() -> None:
    """R10.24"""
    assert marks(under(TOURNOI), "90H", 100, 62, level=2) == (340, 0)
    assert marks(under(TOURNOI), "capotH", 250, 0, tricks=8, level=2) == (1000, 0)
    other = under(TOURNOI, capot_made_mark="off", capot_failed_mark="off")
    assert marks(other, "capotH", 250, 0, tricks=8, level=2) == (660, 0)


def test_r10_25_defence_with_all_tricks_in_003() -> None:
    """R10.25"""
    for name, defence in {FAITS: 250, ANNONCES: 160, MIXTE: 340, TOURNOI: 340}.items():
        assert marks(under(name), "90H", 0, 250, tricks=0) == (0, defence)


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_r10_26_engine_says_belote_for_the_player(name: str) -> None:
    """R10.26"""
    assert preset(name).belote_mode is BeloteMode.AUTO
    result = play_out(contracted(preset(name), "80H")).result
    assert result is not None
    assert result.belotes == (0, 1)
    forgotten = play_out(contracted(under(name, belote_mode="announced"), "80H")).result
    assert forgotten is not None
    assert forgotten.belotes == (0, 0)


def test_r10_27_capots_of_004() -> None:
    """R10.27"""
    assert marks(under(ANNONCE), "100H", 162, 0, tricks=8) == (250, 0)
    ordinary = under(ANNONCE, unannounced_capot="ordinary")
    assert marks(ordinary, "100H", 162, 0, tricks=8) == (100, 0)
    assert marks(under(ANNONCE), "100H", 0, 162, tricks=0) == (0, 260)
    flat = under(ANNONCE, defence_capot="capot_value")
    assert marks(flat, "100H", 0, 162, tricks=0) == (0, 250)


def test_r10_28_belote_under_coinche_in_004() -> None:
    """R10.28"""
    assert marks(under(ANNONCE), "90H", 100, 62, level=2, belotes=(0, 1)) == (180, 20)
    assert marks(under(ANNONCE), "90H", 60, 102, level=2, belotes=(1, 0)) == (20, 500)


def test_r10_29_undertrumping_in_004() -> None:
    """R10.29"""
    assert legal(under(ANNONCE), "H", "AS JH", "9H 7H KD") == "9H 7H"
    assert legal(under(ANNONCE), "H", "AS JH", "9S KD") == "9S"
    assert legal(under(ANNONCE), "H", "AS JH", "9C KD") == "9C KD"


def test_r10_30_scale_of_tout_atout_in_004() -> None:
    """R10.30"""
    points = under(ANNONCE).card_points(TA)
    suit = parse_cards("JS 9S AS TS KS QS 8S 7S")
    assert [points[card] for card in suit] == [14, 9, 6, 5, 3, 1, 0, 0]
    assert sum(points) == 4 * 38 == 152


# --- R11 conventions of this engine


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_r11_1_points_have_the_last_trick_and_no_belote(name: str) -> None:
    """R11.1"""
    split = play_out(contracted(preset(name), "80S", MIXED)).result
    assert split is not None
    assert sum(split.points) == 162
    capot = play_out(contracted(preset(name), "80H")).result  # East alone takes all eight
    assert capot is not None
    told = {SIMPLE: 252, GENERALE: 502, ANNONCE: 162}
    assert capot.points == (0, told.get(name, 250))


def test_r11_2_eight_tricks_are_inferred_from_the_points() -> None:
    """R11.2"""
    assert marks(under(SIMPLE), "90H", 252, 0) == marks(under(SIMPLE), "90H", 252, 0, tricks=8)
    # A pair without points may have won a trick.
    assert marks(under(SIMPLE), "capotH", 162, 0) == (0, 422)
    assert marks(under(GENERALE), "generaleH", 502, 0) == (1002, 0)
    assert marks(under(ANNONCE), "90H", 162, 0) == (250, 0)


@pytest.mark.parametrize(
    ("base", "option", "value"),
    [
        (MIXTE, "generale_value", 500),
        (MIXTE, "ta_scale", "table_152"),
        (MIXTE, "sa_ace", 19),
        (MIXTE, "belotes_at_all_trump", 4),
        (MIXTE, "shuffle", "first_only_then_cut"),
        (FAITS, "mult_scope", "contract"),
        (MIXTE, "capot_last_trick", 100),
        (MIXTE, "surcontre_factor", 2),
    ],
)
def test_r11_3_contradictions_are_refused(base: str, option: str, value: object) -> None:
    """R11.3"""
    with pytest.raises(RulesError) as refused:
        under(base, **{option: value})
    assert refused.value.option == ("cut_minimum" if option == "shuffle" else option)
    assert refused.value.expected
