"""What the rules player plays where there is a right card."""

from __future__ import annotations

import pytest
from tests.policy.positions import FFB, after, dealt, view_of

from contree.engine import Deal, preset
from contree.policy import rules_player

# Play goes counter-clockwise: North leads, then West, South, East.


def played(deal: Deal, *actions: str) -> str:
    """The card of the player whose turn it is after these actions."""
    return str(rules_player(view_of(after(deal, *actions))))


NORTH_TAKES = ("100H", "P", "P", "P")


def test_the_taker_draws_trumps_from_the_top() -> None:
    deal = dealt(FFB, north="JH 9H AH 7H AS TS AD 7C")
    assert played(deal, *NORTH_TAKES) == "JH"


def test_the_taker_stops_drawing_when_the_opponents_have_none() -> None:
    hands = {
        "north": "JH 9H AH 8H AS TS AD 7C",
        "west": "7S 8S 9S JS QS KS 7D 8D",
        "south": "7H TH KH QH JD 9D TC KC",
        "east": "QD KD TD AC QC JC 9C 8C",
    }
    deal = after(dealt(FFB, **hands), *NORTH_TAKES, "JH", "7S", "7H", "8C")
    assert str(rules_player(view_of(deal)))[1] != "H"


def test_the_defence_leads_an_ace_and_no_trump() -> None:
    deal = dealt(FFB, north="AS 7S 8S JH 7D 8D 9C 8C")
    assert played(deal, "P", "100H", "P", "P", "P") == "AS"


def test_gives_points_to_a_master_partner() -> None:
    # South cannot follow to its partner's best trump: it gives the ten that it cannot hold on to.
    hands = {"north": "JH 9H AH KS 7C 8C 9C 7S", "south": "TS QD 7D 8D 9D QC JC KC"}
    deal = dealt(FFB, **hands, west="8S 9S QH KH JD KD TD AD", east="AS JS QS TH 8H 7H TC AC")
    assert played(deal, *NORTH_TAKES, "JH", "KH") == "TS"


def test_does_not_cut_its_partner_with_a_trump_it_needs() -> None:
    hands = {"south": "9H 7H QD 7D 8D QC JC 8C", "north": "AS KS JH AH 8H 7C 9C KC"}
    deal = dealt(FFB, **hands, west="TS 7S QH KH JD KD TD AD", east="8S 9S JS QS TH 9D TC AC")
    assert played(deal, *NORTH_TAKES, "AS", "7S")[1] != "H"


def test_throws_nothing_into_the_opponents_trick() -> None:
    hands = {"west": "AS JH 9H AH 7C 8C 9C TC", "north": "7S QS 8H TH AD TD JC QC"}
    deal = dealt(FFB, **hands, south="TS KS 9S 7D 8D 9D 7H QH")
    assert played(deal, "P", "100H", "P", "P", "P", "7S", "AS") == "9S"


def test_brings_an_ace_or_ten_home_in_the_last_seat() -> None:
    hands = {"east": "AS TS 9S 7D JC QC KC TC", "north": "7S JH 9H AH 7H AD TD KD"}
    deal = dealt(FFB, **hands, west="QS 8S 8H QH 8D 9D 7C 8C", south="JS KS TH KH JD QD AC 9C")
    assert played(deal, *NORTH_TAKES, "7S", "8S", "JS") in {"AS", "TS"}


def test_ruffs_an_opponents_ace() -> None:
    hands = {"east": "7H 9H AD TD JC QC KC TC", "north": "7S JH AH 8H KD 9D 7C 8C"}
    deal = dealt(preset("contree-simple"), **hands, west="JS QS 9S TH 8D JD AC 9C")
    deal = after(deal, "P", "P", "P", "100H", "P", "P", "P")
    assert str(rules_player(view_of(after(deal, "7S"))))[1] == "H"


def test_keeps_its_trump_for_the_last_trick() -> None:
    hands = {
        "north": "JH 9H AH TH KH QH 8H 7C",
        "west": "7S 8S 9S JS QS KS TS AS",
        "south": "7D 8D 9D JD QD KD TD AD",
        "east": "7H 8C 9C JC QC KC TC AC",
    }
    deal = after(dealt(FFB, **hands), *NORTH_TAKES)
    for trick in ("JH 7S 7D 7H", "9H 8S 8D 8C", "AH 9S 9D 9C", "TH JS JD JC", "KH QS QD QC"):
        deal = after(deal, *trick.split())
    deal = after(deal, "QH", "KS", "KD", "KC")
    assert str(rules_player(view_of(deal))) == "7C"


@pytest.mark.parametrize(
    ("bid", "north", "first"),
    [
        pytest.param("100SA", "AS TS KS QS AH 7D 8C 9C", "AS", id="sans-atout"),
        pytest.param("100TA", "JS 9S AS TS JH 7D 8C 9C", "JS", id="tout-atout"),
    ],
)
def test_cashes_masters_where_nothing_can_cut_them(bid: str, north: str, first: str) -> None:
    rules = preset("coinche-annonce")
    deal = after(dealt(rules, north=north), bid)
    while deal.play is None:
        deal = after(deal, "-" if len(view_of(deal).legal) == 2 else "P")
    assert str(rules_player(view_of(deal))) == first
