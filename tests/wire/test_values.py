"""Values there and back, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contree.engine import (
    CARDS,
    CONTRE,
    DECLINE,
    PASS,
    PRESET_NAMES,
    SEATS,
    Action,
    Announced,
    Bid,
    Card,
    Contract,
    DealResult,
    DecisionKind,
    Doubling,
    FixedDeal,
    Game,
    PlacedCall,
    Say,
    Seat,
    SeededDeals,
    Slam,
    Strain,
    Team,
    Trick,
    drive_game,
    preset,
)
from contree.v1 import auction_pb2, card_pb2, deal_pb2, match_pb2, observation_pb2, table_pb2
from contree.wire import (
    Clock,
    DealSummary,
    Decision,
    WireError,
    action_from_pb,
    action_to_pb,
    bid_from_pb,
    call_from_pb,
    call_to_pb,
    card_from_pb,
    card_to_pb,
    cards_from_pb,
    clock_from_pb,
    clock_to_pb,
    contract_from_pb,
    contract_to_pb,
    deal_result_to_pb,
    deal_summary_from_pb,
    decision_from_pb,
    decision_to_pb,
    doubling_from_pb,
    doubling_to_pb,
    duration_from_pb,
    duration_to_pb,
    fixed_deal_from_pb,
    fixed_deal_to_pb,
    hand_from_pb,
    hand_to_pb,
    hands_from_pb,
    level_from_pb,
    level_to_pb,
    placed_call_from_pb,
    placed_call_to_pb,
    placed_calls_from_pb,
    rules_from_pb,
    rules_from_toml,
    rules_to_pb,
    seat_from_pb,
    seat_to_pb,
    strain_from_pb,
    strain_to_pb,
    team_from_pb,
    team_score_from_pb,
    team_score_to_pb,
    team_to_pb,
    trick_from_pb,
    trick_to_pb,
)

LEVELS = (80, 90, 160, Slam.CAPOT, Slam.GENERALE)
BIDS = tuple(Bid(level, strain) for level in LEVELS for strain in Strain)
CONTRACTS = (
    Contract(Bid(80, Strain.HEARTS), Seat.NORTH),
    Contract(Bid(Slam.CAPOT, Strain.ALL_TRUMP), Seat.EAST, Doubling.CONTRE, Seat.NORTH),
    Contract(Bid(90, Strain.CLUBS), Seat.WEST, Doubling.SURCONTRE, Seat.SOUTH, Seat.EAST),
)

ROUND_TRIPS: list[tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = [
    (card_to_pb, card_from_pb, CARDS),
    (strain_to_pb, strain_from_pb, tuple(Strain)),
    (seat_to_pb, seat_from_pb, SEATS),
    (team_to_pb, team_from_pb, tuple(Team)),
    (doubling_to_pb, doubling_from_pb, tuple(Doubling)),
    (team_score_to_pb, team_score_from_pb, ((0, 0), (162, 0), (-10, 4000))),
    (level_to_pb, level_from_pb, LEVELS),
    (call_to_pb, call_from_pb, (*BIDS, *Say)),
    (
        placed_call_to_pb,
        placed_call_from_pb,
        (*(PlacedCall(Seat.EAST, bid) for bid in BIDS), PlacedCall(Seat.WEST, PASS)),
    ),
    (contract_to_pb, contract_from_pb, CONTRACTS),
    (action_to_pb, action_from_pb, (*CARDS, *map(Announced, CARDS), *BIDS, *Say)),
    (duration_to_pb, duration_from_pb, (0, 1, 999, 1000, 86_400_000)),
    (clock_to_pb, clock_from_pb, (Clock(0), Clock(10_000, 5, 200, 17, 3), Clock(1, round_trip=0))),
    (rules_to_pb, rules_from_pb, tuple(map(preset, PRESET_NAMES))),
    (fixed_deal_to_pb, fixed_deal_from_pb, (SeededDeals(b"s" * 32).board(3, preset("ffb-mixte")),)),
]


@pytest.mark.parametrize(
    ("to_pb", "from_pb", "values"), ROUND_TRIPS, ids=[trip[0].__name__ for trip in ROUND_TRIPS]
)
def test_values_come_back_equal(
    to_pb: Callable[..., Any], from_pb: Callable[..., Any], values: tuple[Any, ...]
) -> None:
    for value in values:
        back = from_pb(to_pb(value))
        assert back == value
        assert type(back) is type(value)


def test_numbers_are_those_the_proto_names() -> None:
    for card in CARDS:
        assert card_pb2.Card.Name(card_to_pb(card)) == f"CARD_{card}"
    for strain in Strain:
        assert card_pb2.Strain.Name(strain_to_pb(strain)) == f"STRAIN_{strain.name}"
    for seat in SEATS:
        assert table_pb2.Seat.Name(seat_to_pb(seat)) == f"SEAT_{seat.name}"
    for team in Team:
        assert table_pb2.Team.Name(team_to_pb(team)) == f"TEAM_{team.name}"


@pytest.mark.parametrize(
    ("from_pb", "last"),
    [(card_from_pb, 32), (strain_from_pb, 6), (seat_from_pb, 4), (team_from_pb, 2)],
    ids=["card", "strain", "seat", "team"],
)
def test_unspecified_and_unknown_numbers_are_refused(
    from_pb: Callable[[int, str], object], last: int
) -> None:
    for number in (0, -1, last + 1, 1_000_000):
        with pytest.raises(WireError) as refused:
            from_pb(number, "where.it.stood")
        assert refused.value.field == "where.it.stood"


def test_rules_say_the_same_in_their_fields() -> None:
    message = rules_to_pb(preset("ffb-mixte"))
    assert message.name == "ffb-mixte"
    assert [level_from_pb(level) for level in message.ladder] == list(preset("ffb-mixte").ladder)
    assert rules_to_pb(preset("contree-generale")).generale_value > 0
    assert rules_from_pb(message) is rules_from_pb(message)


def test_hand_and_trick_come_back() -> None:
    cards = (Card.parse("AS"), Card.parse("7D"))
    assert hand_from_pb(hand_to_pb(Seat.SOUTH, cards)) == (Seat.SOUTH, cards)
    assert trick_from_pb(trick_to_pb(Trick(Seat.WEST, cards)))[:2] == (
        Trick(Seat.WEST, cards),
        None,
    )
    whole = Trick(Seat.WEST, CARDS[:4])
    assert trick_from_pb(trick_to_pb(whole, Seat.EAST)) == (whole, Seat.EAST, 0b1111)


def test_results_come_back_as_summaries() -> None:
    rules = preset("coinche-classique")  # scales tout-atout: points may be fractions

    def first(view: Any) -> Any:
        return view.legal[-1] if not view.calls else view.legal[0]

    game = drive_game([first] * 4, Game.start(rules, SeededDeals(b"x" * 32)))
    for result in game.results:
        summary = deal_summary_from_pb(deal_result_to_pb(result))
        assert summary == DealSummary.of(result)
        assert summary.marks == result.marks
        assert summary.contract == result.contract
    passed_out = DealResult(None, (0, 0), (0, 0), (0, 0), None, (0, 0))
    assert deal_summary_from_pb(deal_result_to_pb(passed_out)) == DealSummary.of(passed_out)


def _card_enum(*numbers: int) -> Any:
    return list(numbers)


def _decision(**fields: Any) -> observation_pb2.Decision:
    message = decision_to_pb(DecisionKind.CARD, CARDS[:3], b"id", Clock(1))
    for name, value in fields.items():
        message.ClearField(name)  # type: ignore[arg-type]
        if isinstance(value, list):
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)
    return message


def _contract(**fields: Any) -> auction_pb2.Contract:
    message = contract_to_pb(CONTRACTS[1])
    for name, value in fields.items():
        setattr(message, name, value)
    return message


def _fixed(change: Callable[[match_pb2.FixedDeal], object]) -> match_pb2.FixedDeal:
    message = fixed_deal_to_pb(SeededDeals(b"s" * 32).board(1, preset("ffb-mixte")))
    change(message)
    return message


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "call not given": (lambda: call_from_pb(auction_pb2.Call()), "call"),
    "level not given": (
        lambda: call_from_pb(auction_pb2.Call(bid=auction_pb2.Bid(strain=card_pb2.STRAIN_CLUBS))),
        "call.bid.level",
    ),
    "points too low": (lambda: level_from_pb(table_pb2.Level(points=0)), "level.points"),
    "points too high": (lambda: level_from_pb(table_pb2.Level(points=1000)), "level.points"),
    "slam not given": (
        lambda: level_from_pb(table_pb2.Level(slam=table_pb2.SLAM_UNSPECIFIED)),
        "level.slam",
    ),
    "strain not given": (
        lambda: bid_from_pb(auction_pb2.Bid(level=table_pb2.Level(points=80))),
        "bid.strain",
    ),
    "decline made public": (
        lambda: placed_calls_from_pb(
            [
                placed_call_to_pb(PlacedCall(Seat.EAST, PASS)),
                auction_pb2.PlacedCall(seat=table_pb2.SEAT_EAST, call=call_to_pb(DECLINE)),
            ]
        ),
        "calls[1].call",
    ),
    "doubling not given": (
        lambda: contract_from_pb(_contract(doubling=auction_pb2.DOUBLING_UNSPECIFIED)),
        "contract.doubling",
    ),
    "doubled by nobody": (lambda: contract_from_pb(_contract(contre_by=0)), "contract.contre_by"),
    "taker not given": (lambda: contract_from_pb(_contract(taker=0)), "contract.taker"),
    "card not given": (lambda: cards_from_pb([1, 0]), "cards[1]"),
    "card twice": (lambda: cards_from_pb([5, 6, 5]), "cards[2]"),
    "action not given": (lambda: action_from_pb(observation_pb2.Action()), "action"),
    "card to play not given": (
        lambda: action_from_pb(observation_pb2.Action(play=observation_pb2.PlayCard())),
        "action.play.card",
    ),
    "call to make not given": (
        lambda: action_from_pb(observation_pb2.Action(call=auction_pb2.Call())),
        "action.call",
    ),
    "trick of five": (
        lambda: trick_from_pb(deal_pb2.Trick(leader=1, cards=_card_enum(1, 2, 3, 4, 5))),  # type: ignore[arg-type]
        "cards",
    ),
    "trick without leader": (lambda: trick_from_pb(deal_pb2.Trick()), "leader"),
    "trick taken too early": (
        lambda: trick_from_pb(deal_pb2.Trick(leader=1, winner=1)),  # type: ignore[arg-type]
        "winner",
    ),
    "decision kind not given": (lambda: decision_from_pb(_decision(kind=0)), "decision.kind"),
    "nothing legal": (lambda: decision_from_pb(_decision(cards=[])), "decision.cards"),
    "no call legal": (lambda: decision_from_pb(_decision(kind=1)), "decision.calls"),
    "legal call not given": (
        lambda: decision_from_pb(_decision(kind=1, calls=[call_to_pb(PASS), auction_pb2.Call()])),
        "decision.calls[1]",
    ),
    "announces another card": (
        lambda: decision_from_pb(_decision(announceable=[9])),
        "decision.announceable",
    ),
    "negative clock": (
        lambda: decision_from_pb(
            observation_pb2.Decision(
                kind=observation_pb2.DECISION_KIND_CARD,
                cards=_card_enum(1),
                clock=observation_pb2.Clock(remaining=_seconds(-1)),
            )
        ),
        "decision.clock.remaining",
    ),
    "endless duration": (lambda: duration_from_pb(_seconds(10**9)), "duration"),
    "no rules": (lambda: rules_from_pb(table_pb2.RuleSet()), "toml"),
    "faulty rules": (lambda: rules_from_toml("target = 0", "rules_toml"), "rules_toml"),
    "no TOML": (lambda: rules_from_toml("=", "rules_toml"), "rules_toml"),
    "dealer not given": (
        lambda: fixed_deal_from_pb(_fixed(lambda deal: deal.ClearField("dealer"))),
        "fixed.dealer",
    ),
    "hand missing": (
        lambda: fixed_deal_from_pb(_fixed(lambda deal: deal.hands.pop())),
        "fixed.hands",
    ),
    "short hand": (
        lambda: fixed_deal_from_pb(_fixed(lambda deal: deal.hands[2].cards.pop())),
        "fixed.hands[2].cards",
    ),
    "hand twice": (
        lambda: fixed_deal_from_pb(_fixed(lambda deal: deal.hands[3].CopyFrom(deal.hands[0]))),
        "fixed.hands[3].seat",
    ),
    "card in two hands": (
        lambda: hands_from_pb(
            [hand_to_pb(Seat.NORTH, CARDS[:1]), hand_to_pb(Seat.EAST, CARDS[:1])]
        ),
        "hands[1].cards",
    ),
}


def _seconds(seconds: int) -> Any:
    message = duration_to_pb(0)
    message.seconds = seconds
    return message


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_by_the_field_at_fault(case: str) -> None:
    decode, field = REFUSED[case]
    for _ in range(2):  # a refusal is not kept as a value
        with pytest.raises(WireError) as refused:
            decode()
        assert refused.value.field == field
        assert str(refused.value).startswith(f"{field}: ")


def test_fields_of_a_later_version_are_passed_over() -> None:
    later = b"\xfa\x3f\x05later"  # field 1023, a text
    call = auction_pb2.Call.FromString(call_to_pb(CONTRE).SerializeToString() + later)
    assert call_from_pb(call) is CONTRE
    long = auction_pb2.Call.FromString(call_to_pb(CONTRE).SerializeToString() + later * 40)
    assert call_from_pb(long) is CONTRE


def test_legal_actions_keep_their_order() -> None:
    legal: tuple[Action, ...] = (*CARDS[3:6], Announced(CARDS[4]), Announced(CARDS[5]))
    message = decision_to_pb(DecisionKind.CARD, legal, b"id", Clock(7))
    assert decision_from_pb(message) == Decision(b"id", DecisionKind.CARD, legal, Clock(7))


def test_clock_is_never_negative() -> None:
    assert clock_from_pb(clock_to_pb(Clock(-5, -1, -1, -1))) == Clock(0)


def test_fixed_deal_holds_the_whole_pack() -> None:
    deal = fixed_deal_from_pb(
        fixed_deal_to_pb(SeededDeals(b"s" * 32).board(1, preset("ffb-mixte")))
    )
    assert isinstance(deal, FixedDeal)
    assert sum(deal.hands) == (1 << 32) - 1
