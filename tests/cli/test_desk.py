"""What a person at a table sees, and what keys mean: without a terminal and without a server."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.cli.conftest import Golden

from contree.cli.playing.codes import LETTERS, code_of, read_code, shown_name, table_name
from contree.cli.playing.desk import (
    Desk,
    action_of,
    asked,
    desk_of,
    happened,
    named,
    trump_of,
    waiting_for,
)
from contree.cli.playing.hints import hint
from contree.cli.playing.pressing import Command, Do, choose, click, click_part, press
from contree.cli.playing.reading import allowed, read, refused
from contree.cli.render.board import board_text
from contree.cli.render.desk import Clock, clock_text, hand_text_big, head_text, pad_text, side_text
from contree.cli.render.faces import ENGLISH, FRENCH, Face, face_of
from contree.client import CardPlayed, Dealt, MatchStarted, TrickTaken
from contree.engine import (
    CARDS,
    CONTRE,
    DECLINE,
    PASS,
    PRESET_NAMES,
    SURCONTRE,
    Action,
    Announced,
    Bid,
    Card,
    Deal,
    DecisionKind,
    RuleSet,
    Seat,
    SeededDeals,
    Slam,
    Strain,
    Trick,
    View,
    mask_of,
    parse_cards,
    preset,
    project,
)
from contree.engine.options import BeloteMode
from contree.policy import random_player, rules_player

RULES = preset("ffb-mixte")
SOUTH_HAND = parse_cards("AS KS 7S JH 9H KH QH 8D")
NAMES = {Seat.NORTH: "rules", Seat.EAST: "quiet", Seat.SOUTH: "Ann", Seat.WEST: "random"}


def dealt(rules: RuleSet = RULES, dealer: Seat = Seat.EAST) -> Deal:
    """South holds SOUTH_HAND, the others what is left, in the order of the pack."""
    left = [card for card in CARDS if card not in SOUTH_HAND]
    hands = [mask_of(left[:8]), mask_of(left[8:16]), mask_of(SOUTH_HAND), mask_of(left[16:])]
    return Deal.start(rules, dealer, hands)


def played(deal: Deal, *actions: Action) -> Deal:
    for action in actions:
        deal = deal.apply(deal.owed[0], action)
    return deal


def sat(view: View, face: Face = ENGLISH) -> Desk:
    desk = named(desk_of(view.rules, view.seat, "m1", face), NAMES)
    return asked(desk, view)


def bidding(*calls: Action) -> Desk:
    return sat(project(played(dealt(), *calls), Seat.SOUTH))


def playing(*, strain: Strain = Strain.HEARTS, rules: RuleSet = RULES) -> Deal:
    """North has led the 8 of spades against a contract of West, and South is to play."""
    deal = played(dealt(rules), PASS, Bid(80, strain), PASS, PASS, PASS)
    return played(deal, Card.parse("8S"), Card.parse("7C"))


def typed(desk: Desk, text: str) -> Desk:
    for letter in text:
        desk, intent = press(desk, letter, letter)
        assert intent is None
    return desk


# --- letters


def test_every_card_is_read_as_it_is_drawn() -> None:
    for face in (ENGLISH, FRENCH):
        for card in CARDS:
            assert face.read_card(face.typed(card)) is card
            assert face.read_card(face.card(card).lower()) is card
        for strain in Strain:
            assert face.read_strain(face.strain(strain)) is strain
    assert FRENCH.card(Card.parse("QH")) == "D♥"
    assert FRENCH.read_card("DK") is Card.parse("QD")
    # K is no rank in French, so this can only be meant in English.
    assert FRENCH.read_card("KH") is Card.parse("KH")
    assert ENGLISH.read_card("1H") is None


def test_the_face_follows_option_or_locale() -> None:
    assert face_of(None, "symbols", "fr_FR.UTF-8") == FRENCH
    assert face_of(None, "symbols", "en_GB.UTF-8") == face_of(None, "symbols", "") == ENGLISH
    assert face_of("en", "letters", "fr_FR").card(Card.parse("TH")) == "10H"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("p", PASS),
        ("90h", Bid(90, Strain.HEARTS)),
        ("90 H", Bid(90, Strain.HEARTS)),
        ("100♦", Bid(100, Strain.DIAMONDS)),
        ("120sa", Bid(120, Strain.NO_TRUMP)),
        ("capot s", Bid(Slam.CAPOT, Strain.SPADES)),
        ("généraleTA", Bid(Slam.GENERALE, Strain.ALL_TRUMP)),
        ("x", CONTRE),
        ("coinche", CONTRE),
        ("90z", None),
        ("AS", None),
    ],
)
def test_calls_are_read(text: str, action: Action | None) -> None:
    assert read(text, project(dealt(), Seat.NORTH), ENGLISH) == action


def test_what_is_allowed_is_said_for_every_view() -> None:
    for name in PRESET_NAMES:
        play = random_player(name)
        for number in (1, 2, 3):
            dealer, hands = SeededDeals(bytes(32)).board(number, preset(name))
            deal = Deal.start(preset(name), dealer, hands)
            while deal.owed:
                view = project(deal, deal.owed[0])
                for face in (ENGLISH, None):
                    assert allowed(view, face).endswith(".")
                action, told = hint(view)
                assert action == rules_player(view)
                assert action in view.legal
                assert told.startswith("The rules player would ")
                desk = sat(view)
                for one in view.legal:
                    found, intent = press(choose(desk, one), "enter", None)
                    # A card that can be played with belote is.
                    said = isinstance(one, Card) and Announced(one) in view.legal
                    assert intent == Do(Announced(one) if said and isinstance(one, Card) else one)
                    assert found.said == ""
                    assert read(str(one).lower(), view, ENGLISH) == one
                deal = deal.apply(view.seat, play(view))


# --- keys in the auction


def test_a_bid_is_typed_and_entered() -> None:
    desk = typed(bidding(PASS, PASS), "90h")
    assert desk.pick == Bid(90, Strain.HEARTS)
    _, intent = press(desk, "enter", None)
    assert intent == Do(Bid(90, Strain.HEARTS))


def test_a_bid_is_chosen_with_arrows() -> None:
    desk = bidding(PASS, Bid(100, Strain.CLUBS))
    for key in ("right", "right", "down"):
        desk, _ = press(desk, key, None)
    assert desk.pick == Bid(120, Strain.HEARTS)
    for key in ("left", "left", "left", "up", "up"):
        desk, _ = press(desk, key, None)
    assert desk.pick == Bid(110, Strain.CLUBS)
    desk, _ = press(desk, "escape", None)
    assert desk.pick is None
    desk, intent = press(desk, "enter", None)
    assert intent is None
    assert desk.said.startswith("Nothing is chosen. You may pass (p), say contre (x) or bid 110")


def test_enter_keeps_the_reason_why_something_may_not_be() -> None:
    refused = typed(bidding(PASS, Bid(100, Strain.CLUBS)), "90h")
    desk, intent = press(refused, "enter", None)
    assert intent is None
    assert desk.said == refused.said
    assert "does not outbid" in desk.said


def test_a_bid_that_is_too_low_says_why() -> None:
    desk = typed(bidding(PASS, Bid(100, Strain.CLUBS)), "90h")
    assert desk.pick is None
    assert desk.said.startswith("90 does not outbid 100. You may pass (p), say contre (x) or bid")
    desk = typed(bidding(PASS, PASS), "x")
    assert desk.said.startswith("There is no bid to contre. ")


def test_a_wrong_key_says_what_may_be_done() -> None:
    desk = typed(bidding(PASS, PASS), "z")
    assert desk.said == (
        "'z' is not a call. You may pass (p) or bid 80 to 160 or capot, in spades, hearts, "
        "diamonds or clubs."
    )
    desk = typed(bidding(PASS, PASS), "90")
    desk, intent = press(desk, "enter", None)
    assert intent is None
    assert desk.said.startswith("'90' is not complete.")


def test_clicks_choose_and_do() -> None:
    desk = click_part(click_part(bidding(PASS, PASS), "110"), Strain.DIAMONDS)
    assert desk.pick == Bid(110, Strain.DIAMONDS)
    desk, intent = click(desk, PASS)
    assert (desk.pick, intent) == (PASS, None)
    assert click(desk, PASS)[1] == Do(PASS)
    assert click_part(bidding(PASS, Bid(100, Strain.CLUBS)), "90").said.startswith("You may")


def test_a_contre_window_takes_one_letter() -> None:
    rules = preset("coinche-annonce")
    deal = played(dealt(rules), PASS, PASS, PASS, Bid(90, Strain.CLUBS))
    while Seat.SOUTH not in deal.owed:
        deal = deal.apply(deal.owed[0], PASS)
    while deal.decision_kind(Seat.SOUTH) is not DecisionKind.CONTRE:
        deal = deal.apply(deal.owed[0], PASS)
    desk = sat(project(deal, Seat.SOUTH))
    assert typed(desk, "d").pick is typed(desk, "n").pick is DECLINE
    assert typed(desk, "x").pick is typed(desk, "y").pick is CONTRE
    desk = typed(desk, "k")
    assert desk.said == "'k' is not a call. You may say contre (x) or decline (d)."


def test_one_letter_means_surcontre_where_that_may_be_said() -> None:
    deal = played(dealt(), PASS, PASS, Bid(90, Strain.HEARTS), CONTRE)
    while deal.owed[0] is not Seat.SOUTH:
        deal = deal.apply(deal.owed[0], PASS)
    assert typed(sat(project(deal, Seat.SOUTH)), "x").pick is SURCONTRE


# --- keys in the play


def test_a_card_is_typed_and_entered() -> None:
    desk = typed(sat(project(playing(), Seat.SOUTH)), "as")
    assert press(desk, "enter", None)[1] == Do(Card.parse("AS"))
    desk = typed(sat(project(playing(), Seat.SOUTH), FRENCH), "rp")
    assert press(desk, "enter", None)[1] == Do(Card.parse("KS"))


@pytest.mark.parametrize(
    ("strain", "text", "said"),
    [
        (Strain.HEARTS, "8d", "You must follow spades. You may play 7♠ K♠ A♠."),
        (Strain.SPADES, "7s", "You must play higher than 8♠ where you can. You may play K♠ A♠."),
        (Strain.HEARTS, "th", "You do not hold 10♥. You may play 7♠ K♠ A♠."),
        (
            Strain.HEARTS,
            "z",
            "'z' is not a card: type a rank and a suit, such as 7S. You may play 7♠ K♠ A♠.",
        ),
    ],
    ids=["follow", "higher", "not held", "no card"],
)
def test_a_card_that_may_not_be_played_says_why(strain: Strain, text: str, said: str) -> None:
    desk = typed(sat(project(playing(strain=strain), Seat.SOUTH)), text)
    assert (desk.said, desk.pick) == (said, None)


def test_arrows_go_through_the_cards_that_may_be_played() -> None:
    desk = sat(project(playing(), Seat.SOUTH))
    seen = []
    for _ in range(4):
        desk, _ = press(desk, "right", None)
        seen.append(str(desk.pick))
    assert seen == ["AS", "KS", "7S", "AS"]
    assert str(press(desk, "left", None)[0].pick) == "7S"


def test_a_forced_card_is_chosen_but_asked_for() -> None:
    deal = played(playing(), Card.parse("7S"))
    while Seat.SOUTH not in deal.owed or len(deal.legal_actions(Seat.SOUTH)) > 1:
        deal = deal.apply(deal.owed[0], deal.legal_actions(deal.owed[0])[0])
    desk = sat(project(deal, Seat.SOUTH))
    assert desk.pick in deal.legal_actions(Seat.SOUTH)
    assert press(desk, "enter", None)[1] == Do(deal.legal_actions(Seat.SOUTH)[0])


def test_belote_is_said_unless_one_is_silent() -> None:
    rules = replace(RULES, belote_mode=BeloteMode.ANNOUNCED)
    deal, king = playing(rules=rules), Announced(Card.parse("KH"))
    while king not in deal.legal_actions(Seat.SOUTH):
        deal = deal.apply(deal.owed[0], deal.legal_actions(deal.owed[0])[0])
    desk = typed(sat(project(deal, Seat.SOUTH)), "kh")
    assert action_of(desk) == king
    quiet, _ = press(desk, "b", "b")
    assert action_of(quiet) == Card.parse("KH")
    assert (
        press(desk._replace(pick=None), "b", "b")[0].said
        == "There is no belote to say with this card."
    )


def test_the_card_of_index_0_is_a_card() -> None:
    # It is falsy, as an int: 7 of spades.
    desk = typed(sat(project(playing(), Seat.SOUTH)), "7s")
    assert press(desk, "enter", None)[1] == Do(CARDS[0])


def test_keys_that_are_no_answers() -> None:
    desk = sat(project(playing(), Seat.SOUTH))
    assert press(desk, "question_mark", "?")[1] is Command.HELP
    assert press(desk, "h", "h")[1] is Command.HINT
    assert press(desk, "q", "q")[1] is Command.LEAVE
    # The suit of a card is typed after its rank.
    assert typed(desk, "Qh").pick is None
    assert typed(desk, "ah").said.startswith("You do not hold A♥.")


def test_who_is_waited_for() -> None:
    desk = named(desk_of(RULES, Seat.SOUTH, "m1", ENGLISH), NAMES)
    assert waiting_for(desk) is None
    desk = happened(
        happened(desk, MatchStarted()), Dealt(1, Seat.EAST, ((Seat.SOUTH, SOUTH_HAND),))
    )
    assert waiting_for(desk) is Seat.NORTH
    assert press(desk, "a", "a")[0].said == "It is not your turn: North is to go."
    assert waiting_for(sat(project(playing(), Seat.SOUTH))) is Seat.SOUTH


# --- events and turns that cross


def test_a_turn_may_come_before_its_events() -> None:
    deal = playing()
    view = project(deal, Seat.SOUTH)
    desk = named(desk_of(RULES, Seat.SOUTH, "m1", ENGLISH), NAMES)
    desk = happened(
        happened(desk, MatchStarted()), Dealt(1, Seat.EAST, ((Seat.SOUTH, SOUTH_HAND),))
    )
    ahead = asked(desk, view)
    assert ahead.table.trick == Trick(Seat.NORTH, parse_cards("8S 7C"))
    assert ahead.table.contract == view.contract
    events = [*view.calls, view.contract, CardPlayed(Seat.NORTH, Card.parse("8S"), False)]
    for what in (*events, CardPlayed(Seat.WEST, Card.parse("7C"), False)):
        assert what is not None
        ahead = happened(ahead, what)
        assert ahead.table.trick == Trick(Seat.NORTH, parse_cards("8S 7C"))
    ahead = happened(ahead, CardPlayed(Seat.SOUTH, Card.parse("AS"), False))
    assert ahead.table.trick == Trick(Seat.NORTH, parse_cards("8S 7C AS"))
    assert Card.parse("AS") not in ahead.table.hands[Seat.SOUTH]
    trick = Trick(Seat.NORTH, parse_cards("8S 7C AS AH"))
    ahead = happened(
        happened(ahead, CardPlayed(Seat.EAST, trick.cards[3], False)), TrickTaken(trick, Seat.EAST)
    )
    assert ahead.table.tricks == (0, 1)


# --- codes


def test_codes() -> None:
    assert {len(code_of(number)) for number in range(1 << 12)} == {4}
    assert code_of(0b00001_00010_00011_00100) == LETTERS[4] + LETTERS[3] + LETTERS[2] + LETTERS[1]
    assert read_code(" 7kq-4 ") == "7KQ4"
    assert read_code("7KQ") is read_code("7KO4") is None
    assert table_name("7KQ4") == "table-7kq4"
    assert shown_name("table-7kq4", "Ann") == "Ann"
    assert shown_name("rules", "1") == "rules"
    assert shown_name("", "") == "nobody yet"


# --- screens


@pytest.mark.parametrize("width", [48, 106])
def test_boards(golden: Golden, width: int) -> None:
    for name, desk in {
        "auction": bidding(PASS, Bid(100, Strain.CLUBS)),
        "card": sat(project(playing(), Seat.SOUTH)),
        "french": sat(project(playing(), Seat.SOUTH), FRENCH._replace(symbols=False)),
    }.items():
        table = desk.table._replace(turn=waiting_for(desk))
        view = desk.owed
        assert view is not None
        parts = [head_text(table, desk.me, desk.rules, width)]
        parts += [board_text(table, width, gap=width // 100), side_text(table, desk.me)]
        if not view.auction_over:
            parts.append(pad_text(view, Bid(110, Strain.HEARTS), desk.face))
        strain = trump_of(view)
        parts.append(hand_text_big(view.hand, view, Card.parse("KS"), desk.face, strain))
        text = "\n".join([*(part.plain for part in parts), allowed(view, desk.face)])
        golden(f"desk-{name}-{width}", text)


def test_clocks() -> None:
    assert clock_text(None).plain == ""
    assert clock_text(Clock(86_400, 0)).plain == "no hurry"
    assert clock_text(Clock(29.4, 0)).plain == "0:30"
    assert clock_text(Clock(90, 60)).plain == "0:30 and 1:00 bank"
    assert clock_text(Clock(45, 60)).plain == "0:45 of the bank"


def test_words_without_a_face() -> None:
    view = project(playing(), Seat.SOUTH)
    assert refused(Card.parse("8D"), view, None) == (
        "You must follow spades. You may play 7 of spades, king of spades or ace of spades."
    )
