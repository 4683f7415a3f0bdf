"""Actions as texts: parse and print are a pair, and what is none is refused."""

from __future__ import annotations

import pytest

from contree.engine import (
    CARDS,
    Action,
    Announced,
    Bid,
    Card,
    NotationError,
    Say,
    Slam,
    Strain,
    parse_action,
    parse_bid,
)

ACTIONS: list[Action] = [
    *Say,
    *(Bid(level, strain) for level in (80, 270, *Slam) for strain in Strain),
    *CARDS,
    *(Announced(card) for card in CARDS),
]


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_text_reads_back(action: Action) -> None:
    read = parse_action(str(action))
    assert read == action
    assert type(read) is type(action)


@pytest.mark.parametrize(
    "text", ["", "80", "H80", "1H", "p", "XXX", "+", "AS++", "1S+", "capot", "ASX"]
)
def test_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_action(text)
    assert caught.value.text in (text, text[:-1])
    with pytest.raises(NotationError, match="is no bid"):
        parse_bid(text)


def test_cards_have_their_text_and_their_bit() -> None:
    ace = Card.parse("AS")
    assert repr(ace) == "Card('AS')"
    assert ace.bit == 1 << 7
