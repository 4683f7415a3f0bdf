"""Auctions: who is asked what, in each timing of the contre, and what is refused."""

import pytest

from contree.engine import Bid, IllegalAction, RuleSet, Say, Seat, Strain, parse_action, preset
from contree.engine.auction import Auction, DecisionKind
from contree.engine.contract import Doubling

N, E, S, W = Seat
OWN_TURN = preset("contree-simple")  # clockwise
ANY_MOMENT = preset("coinche-classique")  # clockwise
AFTER_AUCTION = preset("contree-generale")  # clockwise


def held(rules: RuleSet, script: str, dealer: Seat = W) -> Auction:
    """The auction after calls such as ``80S P W:X``; without a seat, by whoever is owed first."""
    auction = Auction.start(rules, dealer)
    for word in script.split():
        seat, colon, text = word.rpartition(":")
        auction = auction.after(
            Seat.parse(seat) if colon else auction.owed[0], parse_action(text or word)
        )
    return auction


def said(auction: Auction, seat: Seat) -> str:
    """What a seat may say that is no bid."""
    return " ".join(str(call) for call in auction.legal_calls(seat) if isinstance(call, Say))


CALL, CONTRE, SURCONTRE = DecisionKind.CALL, DecisionKind.CONTRE, DecisionKind.SURCONTRE

STEPS = [
    # rules, script, kind, owed seats and what each may say besides bids
    (OWN_TURN, "", CALL, {N: "P"}),
    (OWN_TURN, "P", CALL, {E: "P"}),
    (OWN_TURN, "80S", CALL, {E: "P X"}),
    (OWN_TURN, "80S P", CALL, {S: "P"}),
    (OWN_TURN, "80S P P", CALL, {W: "P X"}),
    (OWN_TURN, "80S X", CALL, {S: "P XX"}),
    (OWN_TURN, "80S X P", CALL, {W: "P"}),
    (OWN_TURN, "80S X P P", CALL, {N: "P XX"}),
    (OWN_TURN, "P P P", CALL, {W: "P"}),
    (ANY_MOMENT, "P", CALL, {E: "P"}),
    (ANY_MOMENT, "80S", CONTRE, {W: "X -"}),
    (ANY_MOMENT, "80S -", CALL, {E: "P X"}),
    (ANY_MOMENT, "80S - P", CALL, {S: "P"}),
    (ANY_MOMENT, "80S - P 90S", CONTRE, {E: "X -"}),
    (ANY_MOMENT, "80S - P 90S -", CALL, {W: "P X"}),
    (ANY_MOMENT, "80S - P P", CALL, {W: "P X"}),
    (ANY_MOMENT, "80S X", SURCONTRE, {N: "XX -", S: "XX -"}),
    (ANY_MOMENT, "80S - X", SURCONTRE, {S: "XX -", N: "XX -"}),
    (ANY_MOMENT, "80S - X N:-", SURCONTRE, {S: "XX -"}),
    (AFTER_AUCTION, "80S", CALL, {E: "P"}),
    (AFTER_AUCTION, "80S P P", CALL, {W: "P"}),
    (AFTER_AUCTION, "80S P P P", CONTRE, {E: "X -", W: "X -"}),
    (AFTER_AUCTION, "P 80S P P P", CONTRE, {S: "X -", N: "X -"}),
    (AFTER_AUCTION, "80S P P P W:X", CONTRE, {E: "X -"}),
    (AFTER_AUCTION, "80S P P P W:X E:-", SURCONTRE, {N: "XX -", S: "XX -"}),
    (AFTER_AUCTION, "80S P P P E:X W:-", SURCONTRE, {S: "XX -", N: "XX -"}),
]


@pytest.mark.parametrize(
    ("rules", "script", "kind", "owed"),
    STEPS,
    ids=[f"{rules.contre_timing.value}-{script or 'start'}" for rules, script, _, _ in STEPS],
)
def test_who_is_asked_what(
    rules: RuleSet, script: str, kind: DecisionKind, owed: dict[Seat, str]
) -> None:
    auction = held(rules, script)
    assert auction.kind is kind
    assert {seat: said(auction, seat) for seat in auction.owed} == owed
    assert list(auction.owed) == list(owed)  # in turn order
    for seat in Seat:
        assert auction.decision_kind(seat) is (kind if seat in owed else None)
        if seat not in owed:
            assert auction.legal_calls(seat) == ()


ENDS = [
    # rules, script, contract as bid, taker and doubling, and who said contre and surcontre
    (OWN_TURN, "80S P P P", "80SN", None, None),
    (OWN_TURN, "P P P 80S P P P", "80SW", None, None),
    (OWN_TURN, "80S X P P P", "80SNx", E, None),
    (OWN_TURN, "80S X XX", "80SNxx", E, S),
    (OWN_TURN, "80S X P P XX", "80SNxx", E, N),
    (OWN_TURN, "80S 90H capotD P P P", "capotDS", None, None),
    (ANY_MOMENT, "80S - P P P", "80SN", None, None),
    (ANY_MOMENT, "80S X N:- S:-", "80SNx", W, None),
    (ANY_MOMENT, "80S - X S:- N:XX", "80SNxx", E, N),
    (ANY_MOMENT, "80S - X N:XX S:XX", "80SNxx", E, S),  # S is the first after E
    (ANY_MOMENT, "80S X S:XX N:XX", "80SNxx", W, N),  # N is the first after W
    (ANY_MOMENT, "100SA - 110TA - 270H - P P P", "270HS", None, None),
    (AFTER_AUCTION, "80S P P P E:- W:-", "80SN", None, None),
    (AFTER_AUCTION, "80S P P P W:X E:X N:- S:-", "80SNx", E, None),  # E is the first after N
    (AFTER_AUCTION, "80S P P P W:X E:- S:XX N:XX", "80SNxx", W, N),
    (AFTER_AUCTION, "generaleC P P P W:- E:X S:- N:XX", "generaleCNxx", E, N),
]


@pytest.mark.parametrize(
    ("rules", "script", "contract", "contre_by", "surcontre_by"),
    ENDS,
    ids=[f"{rules.contre_timing.value}-{script}" for rules, script, *_ in ENDS],
)
def test_how_it_ends(
    rules: RuleSet, script: str, contract: str, contre_by: Seat | None, surcontre_by: Seat | None
) -> None:
    auction = held(rules, script)
    assert auction.over
    assert not auction.passed_out
    assert auction.owed == auction.asked == ()
    assert str(auction.contract) == contract
    assert auction.contract is not None
    assert auction.contract.contre_by is contre_by
    assert auction.contract.surcontre_by is surcontre_by
    assert all(placed.call is not Say.DECLINE for placed in auction.calls)


@pytest.mark.parametrize("rules", [OWN_TURN, ANY_MOMENT, AFTER_AUCTION], ids=lambda r: r.name)
def test_four_passes_end_it_without_contract(rules: RuleSet) -> None:
    auction = held(rules, "P P P P")
    assert auction.over
    assert auction.passed_out
    assert auction.contract is None


@pytest.mark.parametrize(
    ("dealer", "preset_name", "speakers"),
    [(W, "contree-simple", "NESW"), (N, "ffb-mixte", "WSEN"), (S, "coinche-annonce", "ENWS")],
)
def test_the_seat_after_the_dealer_speaks_first(
    dealer: Seat, preset_name: str, speakers: str
) -> None:
    auction = held(preset(preset_name), "P P P P", dealer)
    assert "".join(str(placed.seat) for placed in auction.calls) == speakers


def test_answers_to_a_window_are_private_until_all_have_answered() -> None:
    window = held(AFTER_AUCTION, "80S P P P")
    contre, decline = (held(AFTER_AUCTION, f"80S P P P W:{answer}") for answer in ("X", "-"))
    for answered in (contre, decline):
        assert answered.calls == window.calls
        assert answered.contract == window.contract
        assert answered.asked == window.asked
        assert answered.legal_calls(W) == ()
    resolved = contre.after(E, Say.DECLINE)
    assert str(resolved.calls[-1]) == "W:X"
    assert resolved.answers == ()


def test_bids_come_from_low_to_high_after_what_is_no_bid() -> None:
    legal = held(OWN_TURN, "150H").legal_calls(E)
    expected = "P X 160S 160H 160D 160C capotS capotH capotD capotC"
    assert " ".join(map(str, legal)) == expected


REFUSALS = [
    (OWN_TURN, "120H", "E", "120S", "120 does not outbid 120"),
    (OWN_TURN, "130H", "E", "120S", "120 does not outbid 130"),
    (OWN_TURN, "capotH", "E", "160S", "160 does not outbid capot"),
    (OWN_TURN, "", "N", "85S", "85 is no bid of these rules"),
    (OWN_TURN, "", "N", "generaleS", "generale is no bid of these rules"),
    (OWN_TURN, "", "N", "80SA", "SA is no strain of these rules"),
    (OWN_TURN, "", "N", "X", "there is no bid to contre"),
    (OWN_TURN, "80S P", "S", "X", "one cannot contre one's own side"),
    (OWN_TURN, "80S X P", "W", "X", "the contract is contred already"),
    (OWN_TURN, "80S X P", "W", "XX", "only the takers may say surcontre"),
    (OWN_TURN, "80S", "E", "XX", "only a contre can be answered with surcontre"),
    (OWN_TURN, "80S X", "S", "90S", "the contre has ended the bidding"),
    (OWN_TURN, "80S", "E", "-", "nothing was asked that could be declined; say pass"),
    (OWN_TURN, "80S", "E", "AS", "it is time to bid, not to play"),
    (OWN_TURN, "80S", "E", "KS+", "it is time to bid, not to play"),
    (OWN_TURN, "80S", "W", "P", "it is East's turn to speak"),
    (OWN_TURN, "80S P P P", "N", "P", "the auction is over"),
    (ANY_MOMENT, "80S", "W", "P", "the question is contre or decline"),
    (ANY_MOMENT, "80S", "W", "90S", "the question is contre or decline"),
    (ANY_MOMENT, "80S", "E", "P", "East is not asked for a contre now"),
    (ANY_MOMENT, "80S X", "N", "X", "the question is surcontre or decline"),
    (ANY_MOMENT, "80S X N:-", "N", "XX", "North has already answered"),
    (AFTER_AUCTION, "80S", "E", "X", "these rules ask for a contre after the auction only"),
]


@pytest.mark.parametrize(
    ("rules", "script", "seat", "call", "reason"),
    REFUSALS,
    ids=[f"{rules.name}-{script}-{seat}-{call}" for rules, script, seat, call, _ in REFUSALS],
)
def test_refusals_say_why(rules: RuleSet, script: str, seat: str, call: str, reason: str) -> None:
    auction = held(rules, script)
    with pytest.raises(IllegalAction) as caught:
        auction.after(Seat.parse(seat), parse_action(call))
    assert caught.value.reason == reason
    assert caught.value.legal == auction.legal_calls(Seat.parse(seat))
    assert str(caught.value.action) == call


@pytest.mark.parametrize("call", [(90, Strain.SPADES), Bid(90, 0), Bid("90", Strain.SPADES), None])  # type: ignore[arg-type]
def test_look_alikes_of_calls_are_refused(call: object) -> None:
    with pytest.raises(IllegalAction):
        held(OWN_TURN, "80S").after(E, call)  # type: ignore[arg-type]


@pytest.mark.parametrize("strain", list(Strain), ids=str)
def test_every_level_outbids_those_below_it_in_any_strain(strain: Strain) -> None:
    ladder = ANY_MOMENT.ladder
    for rung, level in enumerate(ladder):
        auction = Auction.start(ANY_MOMENT, W)
        auction = auction.after(N, Bid(level, strain)).after(W, Say.DECLINE)
        offered = {call.level for call in auction.legal_calls(E) if isinstance(call, Bid)}
        assert offered == set(ladder[rung + 1 :])


def test_standing_contract_is_known_while_bidding() -> None:
    assert held(OWN_TURN, "P").contract is None
    contract = held(OWN_TURN, "80S 90H").contract
    assert contract is not None
    assert str(contract) == "90HE"
    assert contract.doubling is Doubling.NONE
