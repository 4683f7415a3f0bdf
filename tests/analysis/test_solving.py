"""What decisions cost: in the deal as it lies, and in the worlds a seat could see."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, pstdev

import pytest
from tests.search.deals import (
    FULL,
    KINDS,
    RULES,
    bid_and_played,
    unequal_hands,
    uniform_hands,
    variant,
)
from tests.search.plain import plain_outcome

from contree.analysis import Analysis, analysis_from_dict, analysis_to_dict
from contree.analysis.play import CardJudge
from contree.analysis.solving import Analyst
from contree.engine import (
    PASS,
    SEATS,
    Announced,
    Bid,
    Card,
    Contract,
    Deal,
    Mode,
    Record,
    RecordedDeal,
    RuleSet,
    Seat,
    Strain,
    cards_in,
    mask_of,
    parse_cards,
    preset,
    project,
)
from contree.policy import random_player
from contree.search import Position, Solver, hidden_from, solve, stakes_of

NAMES = ("anna", "bert", "cleo", "dora")


def record_of(*deals: Deal, notes: tuple[str, ...] = ()) -> Record:
    return Record(
        rules=deals[0].rules,
        mode=Mode.BOARD,
        names=NAMES,
        deals=tuple(map(RecordedDeal.of, deals)),
        notes=notes,
    )


def by_chance(rules: RuleSet, rng: random.Random) -> Deal:
    hands = unequal_hands(rng, Strain.HEARTS) if rng.random() < 0.3 else uniform_hands(rng)
    deal = Deal.start(rules, SEATS[rng.randrange(4)], hands)
    player = random_player(str(rng.random()))
    while deal.result is None:
        seat = deal.owed[0]
        deal = deal.apply(seat, player(project(deal, seat)))
    return deal


def sign(seat: Seat) -> int:
    return -1 if seat & 1 else 1


@pytest.fixture(scope="module")
def analyst() -> Analyst:
    return Analyst(worlds=3)


ANNOUNCED = {
    "announced": variant("ffb-mixte", belote_mode="announced"),
    "announced-tout-atout": variant("coinche-classique", belote_mode="announced"),
}


@pytest.mark.parametrize("rules", [*RULES.values(), *ANNOUNCED.values()], ids=[*RULES, *ANNOUNCED])
def test_what_was_marked_is_par_less_what_was_given_away(rules: RuleSet, analyst: Analyst) -> None:
    """Costs are never negative, and add up: calls from par to the contract, cards from there to the
    marks of the deal.
    """
    rng = random.Random(f"sum {rules.name}")
    cards = 0
    for _ in range(40 if FULL else 4):
        deal = by_chance(rules, rng)
        analysis = analyst.analyse(record_of(deal), "x")
        (found,) = analysis.deals
        assert all(call.marks >= 0 for call in found.calls)
        for card in found.cards:
            assert min(card.open.points, card.open.marks) >= 0
            assert card.seen is not None
            assert min(card.seen.points, card.seen.marks) >= 0
            assert card.choices > 1
            cards += 1
        result = deal.result
        assert result is not None
        assert found.contract == deal.contract
        assert found.marks == result.marks
        reached = found.par.marks - sum(sign(call.seat) * call.marks for call in found.calls)
        assert reached == found.reached
        if str(deal.contract).startswith("generale") or (
            rules.name == "coinche-annonce" and 0 in result.points and 0 not in result.tricks
        ):
            continue  # what an outcome does not tell: who won the tricks, and tricks without points
        marked = reached - sum(sign(card.seat) * card.open.marks for card in found.cards)
        assert marked == result.marks[0] - result.marks[1]
    assert cards > 0


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_perfect_play_costs_nothing(name: str, strain: Strain) -> None:
    rng = random.Random(f"perfect {name} {strain}")
    analyst, solver = Analyst(worlds=0), Solver()
    for _ in range(5 if FULL else 1):
        deal, _ = bid_and_played(RULES[name], strain, uniform_hands(rng), rng, 0)
        while deal.result is None:
            best = solver.solve(Position.of_deal(deal)).best
            deal = deal.apply(deal.owed[0], rng.choice(best))
        (found,) = analyst.analyse(record_of(deal), "x").deals
        assert found.cards
        assert {(card.open.points, card.open.marks) for card in found.cards} == {(0, 0)}
        assert all(card.open.best == card.action and card.seen is None for card in found.cards)


@pytest.mark.parametrize(("name", "strain"), KINDS)
def test_points_are_those_of_a_plain_minimax(name: str, strain: Strain) -> None:
    rng = random.Random(f"plain {name} {strain}")
    rules, given_away = RULES[name], 0
    stakes = stakes_of(rules, strain)
    for _ in range(20 if FULL else 3):
        deal, _ = bid_and_played(rules, strain, uniform_hands(rng), rng, 18)
        expected = []
        place = 18
        while deal.result is None:
            position, seat = Position.of_deal(deal), deal.owed[0]
            worths = {
                card: sign(seat) * plain_outcome(position.play(card), stakes)
                for card in position.legal
            }
            card = rng.choice(position.legal)
            if len(worths) > 1:
                lost = (max(worths.values()) - worths[card]) / stakes.unit
                expected.append((place, round(lost, 3)))
            deal = deal.apply(seat, card)
            place += 1
        (found,) = Analyst(worlds=0).analyse(record_of(deal), "x").deals
        told = [(card.place, card.open.points) for card in found.cards if card.place >= 18]
        assert told == expected
        given_away += sum(lost > 0 for _, lost in expected)
    assert given_away > 0 or not FULL


# Two tricks from the end, at trump clubs, all of which are gone. East leads the ace of spades, and
# holds the king too. North has the ten with the seven, and South and West nothing that counts.
LEFT = {Seat.NORTH: "TS 7S", Seat.EAST: "AS KS", Seat.SOUTH: "7H 8H", Seat.WEST: "7D 8D"}


def ending() -> Deal:
    """A deal that came to this."""
    rng = random.Random("ending")
    rules = preset("ffb-mixte")
    kept = {seat: mask_of(parse_cards(text)) for seat, text in LEFT.items()}
    while True:
        rest = list(cards_in(0xFFFF_FFFF & ~sum(kept.values())))
        rng.shuffle(rest)
        hands = [kept[seat] | mask_of(rest[6 * seat : 6 * seat + 6]) for seat in SEATS]
        deal, _ = bid_and_played(rules, Strain.CLUBS, hands, rng, 0)
        while deal.unplayed.bit_count() > 8:
            free = [card for card in deal.choices if card not in cards_in(kept[deal.owed[0]])]
            if not free:
                break
            deal = deal.apply(deal.owed[0], rng.choice(free))
        if deal.unplayed.bit_count() == 8 and deal.owed == (Seat.EAST,):
            return deal


def finished(deal: Deal, *cards: str) -> Deal:
    for card in cards:
        deal = deal.apply(deal.owed[0], Card.parse(card))
    while deal.result is None:
        assert len(deal.choices) == 1
        deal = deal.apply(deal.owed[0], deal.choices[0])
    return deal


def test_the_ten_under_the_ace_costs_what_one_can_count() -> None:
    """The ten wins the last trick when it is kept: with the king and the last trick 24 points for
    North-South, which has none of them otherwise.
    """
    start = ending()
    order = start.rules.turn_direction.order(Seat.EAST)
    small = {Seat.SOUTH: "7H", Seat.WEST: "7D"}

    def played(north: str) -> Deal:
        first = [small.get(seat, north) for seat in order[1:]]
        return finished(start, "AS", *first)

    kept, thrown = played("7S"), played("TS")
    assert kept.result is not None
    assert thrown.result is not None
    assert kept.result.points[0] - thrown.result.points[0] == 24
    marks = [deal.result.marks[0] - deal.result.marks[1] for deal in (kept, thrown)]  # type: ignore[union-attr]
    for deal, points, lost in ((kept, 0, 0), (thrown, 24, marks[0] - marks[1])):
        (found,) = Analyst(worlds=5).analyse(record_of(deal), "x").deals
        norths = {card.place: card for card in found.cards if card.seat is Seat.NORTH}
        card = norths[24 + order.index(Seat.NORTH)]
        assert (card.open.points, card.open.marks) == (points, lost)
        assert card.open.best == Card.parse("7S")
    # East's ace cost something, too: to the king North's ten must go, and wins 14; then the ace has
    # the last trick, and North-South 14 in place of 24.
    (found,) = Analyst(worlds=0).analyse(record_of(kept), "x").deals
    assert [card.open.points for card in found.cards if card.place == 24] == [10]


def test_belote_that_is_not_said_costs_its_points() -> None:
    rng = random.Random("belote")
    rules = ANNOUNCED["announced"]
    lost: list[int] = []
    while len(lost) < 6:
        deal, _ = bid_and_played(rules, Strain.HEARTS, uniform_hands(rng), rng, 0)
        said: list[Announced] = []
        while deal.result is None and not said:
            said = [choice for choice in deal.choices if isinstance(choice, Announced)]
            deal = deal if said else deal.apply(deal.owed[0], rng.choice(deal.choices))
        if not said:
            continue
        silent, place = said[0].card, 32 - deal.unplayed.bit_count()
        contract = deal.contract
        assert contract is not None
        judge = CardJudge(rules, contract, Solver(), Solver())
        told, untold = (judge.judge(deal, action, place, 20, "x") for action in (said[0], silent))
        assert untold.open.points == told.open.points, "the card is the same"
        assert untold.seen is not None
        assert told.seen is not None
        lost.append(untold.open.marks - told.open.marks)
        assert untold.seen.marks > told.seen.marks or lost[-1] <= 0
    assert max(lost) >= 20, "20 points, and maybe the contract"


def test_a_seat_is_judged_by_what_it_could_see(analyst: Analyst) -> None:
    """The hidden cards lie otherwise, as they may for the seat: in its worlds nothing changes,
    while with open cards much does.
    """
    rng = random.Random("seen")
    different = 0
    for number in range(20 if FULL else 6):
        rules = list(RULES.values())[number % len(RULES)]
        deal, done = bid_and_played(rules, Strain.HEARTS, uniform_hands(rng), rng, 5 + number)
        while len(deal.choices) == 1:
            done.append((deal.owed[0], deal.choices[0]))
            deal = deal.apply(*done[-1])
        seat = deal.owed[0]
        view = project(deal, seat)
        hidden = hidden_from(view)
        world = hidden.sample(1, rng.randrange(1 << 30)).tolist()[0]
        dealt = [held | played for held, played in zip(world, hidden.evidence.played, strict=True)]
        other = Deal.start(rules, deal.dealer, dealt)
        for step in done:
            other = other.apply(*step)
        assert project(other, seat) == view
        place = 32 - deal.unplayed.bit_count()
        action = rng.choice(deal.choices)
        costs = []
        for one in (deal, other):
            played = one.apply(seat, action)
            (found,) = analyst.analyse(record_of(played), "x").deals
            costs.append(next(card for card in found.cards if card.place == place))
        assert costs[0].seen == costs[1].seen
        assert costs[0].seen is not None
        different += len({solve(Position.of_deal(one)).outcome for one in (deal, other)}) - 1
    assert different > 0


def test_the_mean_and_its_error_are_those_of_all_worlds() -> None:
    """Late in a deal there are few worlds, all of which can be solved one by one and played out."""
    rng = random.Random("few")
    strain, rules = Strain.SPADES, RULES["ffb-mixte"]
    checked = 0
    while checked < 3:
        deal, _ = bid_and_played(rules, strain, uniform_hands(rng), rng, 18 + rng.randrange(6))
        view = project(deal, deal.owed[0])
        hidden = hidden_from(view)
        if len(deal.choices) == 1 or not 3 < hidden.count < 60:
            continue
        every = {tuple(world) for world in hidden.sample(4000, 1).tolist()}
        assert len(every) == hidden.count
        marks = [[worth(deal, world, card) for card in cards_of(deal)] for world in every]
        means = [fmean(column) for column in zip(*marks, strict=True)]
        played = means.index(min(means))
        lost = [row[means.index(max(means))] - row[played] for row in marks]
        if pstdev(lost) == 0 or sorted(means)[-2:][0] > max(means) - 5:
            continue
        contract = deal.contract
        assert contract is not None
        judge, place = (
            CardJudge(rules, contract, Solver(), Solver()),
            32 - deal.unplayed.bit_count(),
        )
        seen = judge.judge(deal, deal.choices[played], place, 2000, "a").seen
        assert seen is not None
        assert seen.marks_error == pytest.approx(pstdev(lost) / sqrt(2000), rel=0.15)
        assert seen.marks == pytest.approx(fmean(lost), abs=4 * pstdev(lost) / sqrt(2000))
        assert seen.best == deal.choices[means.index(max(means))]
        checked += 1


def cards_of(deal: Deal) -> list[Card]:
    assert all(isinstance(choice, Card) for choice in deal.choices)
    return [choice for choice in deal.choices if isinstance(choice, Card)]


def worth(deal: Deal, hands: Sequence[int], card: Card) -> int:
    """The marks, for the seat to play, of a card in a world: played out by the engine."""
    played = [
        sum(1 << int(one) for seat, one in done_by(deal) if seat is holder) for holder in SEATS
    ]
    dealt = [held | gone for held, gone in zip(hands, played, strict=True)]
    other = Deal.start(deal.rules, deal.dealer, dealt)
    for call in deal.auction.calls:
        other = other.apply(*call)
    for seat, one in done_by(deal):
        other = other.apply(seat, one)
    side = other.owed[0] & 1
    other = other.apply(other.owed[0], card)
    if other.result is None:
        for one in Solver().line(Position.of_deal(other)):
            other = other.apply(other.owed[0], one)
    assert other.result is not None
    return other.result.marks[side] - other.result.marks[1 - side]


def done_by(deal: Deal) -> list[tuple[Seat, Card]]:
    assert deal.play is not None
    return [
        (trick.seat_of(n, deal.rules.turn_direction), card)
        for trick in (*deal.play.tricks, deal.play.trick)
        for n, card in enumerate(trick.cards)
    ]


@pytest.fixture(scope="module")
def match() -> Analysis:
    rng = random.Random("match")
    deal = by_chance(RULES["coinche-classique"], rng)
    notes = ("match m1", "fault: W timeout in deal 1, replaced by the house", "end: board_done")
    return Analyst(worlds=4, seed="a").analyse(record_of(deal, notes=notes), "m1")


def test_an_analysis_goes_to_json_and_back(match: Analysis) -> None:
    document = json.loads(json.dumps(analysis_to_dict(match)))
    back = analysis_from_dict(document)
    contract = match.deals[0].contract
    assert contract is not None
    plain = contract._replace(contre_by=None, surcontre_by=None)  # by whom is not written
    par = match.deals[0].par
    assert par.contract is not None
    expected = match.deals[0]._replace(
        contract=plain,
        par=par._replace(contract=par.contract._replace(contre_by=None, surcontre_by=None)),
    )
    assert back == match._replace(deals=(expected,))
    assert match.house == ((), (), (), (1,))


def test_a_decision_that_the_house_made_is_known_from_the_notes(analyst: Analyst) -> None:
    """At a time that was forgiven the house acts once; at other faults the bot acts again."""
    deal = by_chance(RULES["ffb-mixte"], random.Random("notes"))
    notes = (
        "fault: N timeout in deal 1",
        "fault: N timeout in deal 1",
        "fault: E illegal_action in deal 1",
        "fault: S protocol_error in deal 1",
        "fault: S resigned in deal 1, replaced by the house",
    )
    found = analyst.analyse(record_of(deal, notes=notes), "x", event="cup")
    assert found.house == ((1,), (), (1,), ())
    assert found.event == "cup"


def test_the_same_again_and_otherwise_with_another_seed(match: Analysis) -> None:
    rng = random.Random("match")
    deal = by_chance(RULES["coinche-classique"], rng)

    def analysed(seed: str) -> Analysis:
        return Analyst(worlds=4, seed=seed).analyse(record_of(deal), "m1")

    assert analysed("a").deals == match.deals
    assert analysed("b").deals != match.deals
    open_only = Analyst(worlds=0).analyse(record_of(deal), "m1")
    assert [card.open for card in open_only.deals[0].cards] == [
        card.open for card in match.deals[0].cards
    ]


def test_a_race_and_a_deal_that_was_broken_off(analyst: Analyst) -> None:
    rng = random.Random("race")
    rules = variant("ffb-mixte", target=5000)
    first = by_chance(rules, rng)
    following = rules.following[first.dealer]
    second, _ = _played_by(rules, following, rng, 9)
    record = Record(
        rules=rules,
        mode=Mode.RACE,
        names=NAMES,
        deals=(RecordedDeal.of(first), RecordedDeal.of(second)),
    )
    analysis = analyst.analyse(record, "x")
    assert not analysis.board
    whole, broken = analysis.deals
    assert (whole.number, broken.number) == (1, 2)
    assert whole.marks is not None
    assert broken.marks is None
    assert broken.contract == second.contract
    assert broken.reached is not None
    assert all(card.place < 9 for card in broken.cards)
    in_auction = Deal.start(rules, Seat.NORTH, uniform_hands(rng))
    in_auction = in_auction.apply(in_auction.owed[0], Bid(80, Strain.HEARTS))
    (found,) = analyst.analyse(record_of(in_auction), "x").deals
    assert (found.contract, found.reached, found.marks, found.cards) == (None, None, None, ())
    assert len(found.calls) == 1
    dealt = Deal.start(rules, Seat.NORTH, uniform_hands(rng))
    (found,) = analyst.analyse(record_of(dealt), "x").deals
    assert (found.calls, found.cards, found.reached) == ((), (), None)


def _played_by(
    rules: RuleSet, dealer: Seat, rng: random.Random, cards: int
) -> tuple[Deal, Contract]:
    deal = Deal.start(rules, dealer, uniform_hands(rng))
    deal = deal.apply(deal.owed[0], Bid(80, Strain.HEARTS))
    while deal.setting is None:
        deal = deal.apply(deal.owed[0], PASS)
    for _ in range(cards):
        deal = deal.apply(deal.owed[0], rng.choice(deal.choices))
    assert deal.contract is not None
    return deal, deal.contract


def test_a_deal_that_was_passed_out(analyst: Analyst) -> None:
    deal = Deal.start(RULES["ffb-mixte"], Seat.NORTH, uniform_hands(random.Random(4)))
    while deal.result is None:
        deal = deal.apply(deal.owed[0], PASS)
    (found,) = analyst.analyse(record_of(deal), "x").deals
    assert (found.contract, found.reached, found.marks, found.cards) == (None, 0, (0, 0), ())
    assert found.par.marks == sum(sign(call.seat) * call.marks for call in found.calls) != 0
