"""The cards of a record computed again from the seed, in the disguise they wear."""

import dataclasses

import pytest
from tests.engine.test_notation_json import NAMES, RULES, random_record

from contree.engine import (
    NO_DISGUISE,
    Deal,
    FixedDeal,
    Game,
    Mode,
    Record,
    RecordedDeal,
    RuleSet,
    Seat,
    SeededDeals,
    disguise,
    preset,
)
from contree.engine.recompute import WrongCards, check_cards, worn_by


def seed_of(number: int) -> bytes:
    return number.to_bytes(32, "big")


@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.value)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_seed_gives_the_recorded_cards(rules: RuleSet, mode: Mode) -> None:
    for number in (1, 2, 3, 4):
        record = random_record(rules, mode, number)
        check_cards(record, SeededDeals(seed_of(number)))
        for wrong in (SeededDeals(seed_of(number + 1)), SeededDeals(seed_of(number), "other")):
            with pytest.raises(WrongCards) as caught:
                check_cards(record, wrong)
            assert caught.value.index == 0


def test_first_deal_that_differs_is_named() -> None:
    rules = dataclasses.replace(preset("coinche-classique"), deals_limit=3)
    record = next(
        record
        for number in range(1, 50)
        if len((record := random_record(rules, Mode.RACE, number)).deals) == 3
        if record.deals[1].cards
    )
    number = next(n for n in range(1, 50) if random_record(rules, Mode.RACE, n) == record)
    # The third pack is gathered from the tricks of the second: other tricks, other cards.
    game = record.replay()
    first = game.finished[0]
    other = SeededDeals(seed_of(number)).deal(2, rules, first)
    second = Deal.start(rules, *other)
    while second.owed:
        second = second.apply(second.owed[0], second.legal_actions(second.owed[0])[-1])
    changed = dataclasses.replace(
        record, deals=(record.deals[0], RecordedDeal.of(second), record.deals[2])
    )
    with pytest.raises(WrongCards) as caught:
        check_cards(changed, SeededDeals(seed_of(number)))
    assert caught.value.index == 2


def test_wrong_dealer_and_wrong_hands_are_told_apart() -> None:
    record = random_record(preset("ffb-mixte"), Mode.BOARD, 6)
    (deal,) = record.deals
    north, east, south, west = deal.hands
    turned = dataclasses.replace(
        record, deals=(RecordedDeal(deal.dealer, (east, south, west, north)),)
    )
    with pytest.raises(WrongCards, match=r"the cards of deal 6 are N:") as caught:
        check_cards(turned, SeededDeals(seed_of(6)))
    assert not caught.value.dealer_is_wrong
    moved = dataclasses.replace(record, deals=(RecordedDeal(deal.dealer.partner, deal.hands),))
    with pytest.raises(WrongCards, match=f"{deal.dealer} deals, not {deal.dealer.partner}"):
        check_cards(moved, SeededDeals(seed_of(6)))


@pytest.mark.parametrize("table", [1, 2, 7, 95])
def test_disguise_of_a_table_is_found(table: int) -> None:
    seed, board, rules = seed_of(9), 12, preset("ffb-mixte")
    worn = NO_DISGUISE if table == 1 else disguise(seed, board, table)
    dealt = worn.deal(SeededDeals(seed, "event").board(board, rules))
    record = Record(
        rules=rules,
        mode=Mode.BOARD,
        number=board,
        names=NAMES,
        deals=(RecordedDeal(dealt.dealer, dealt.hands),),
    )
    check_cards(record, SeededDeals(seed, "event"), worn)
    found = worn_by(record, seed, "event")
    assert found is not None
    assert (NO_DISGUISE if found == 1 else disguise(seed, board, found)) == worn
    assert worn_by(record, seed, "other") is None
    if table > 1:
        with pytest.raises(WrongCards):
            check_cards(record, SeededDeals(seed, "event"))


def test_cards_given_by_hand_come_from_no_seed() -> None:
    rules = preset("ffb-mixte")
    by_suit = FixedDeal(Seat.WEST, (0xFF, 0xFF00, 0xFF0000, 0xFF000000))
    record = Record.of(Game.start(rules, by_suit, Mode.BOARD, 1), NAMES)
    assert worn_by(record, bytes(32), "") is None
    with pytest.raises(WrongCards):
        check_cards(record, SeededDeals(bytes(32)))
