"""BGN records: written, read back, replayed; and refused when anything is wrong with them."""

import dataclasses
import hashlib
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.engine import (
    PRESET_NAMES,
    SEATS,
    DeckError,
    FixedDeal,
    Game,
    IllegalAction,
    Mode,
    NotationError,
    Record,
    RecordError,
    RuleSet,
    Say,
    SeededDeals,
    format_record,
    parse_record,
    preset,
)
from contree.engine.auction import PlacedCall
from contree.engine.cards import ALL_CARDS
from contree.engine.notation import format_hand, parse_hand
from contree.engine.options import BeloteMode, RedealDealer
from contree.engine.record import PlacedCard
from contree.engine.shuffle import ListedDeals

N, E, S, W = SEATS
NAMES = ("Nora", 'Eve "the cut"', "Sören\\", "")
ANNOUNCED = dataclasses.replace(
    preset("coinche-annonce"), name="home", belote_mode=BeloteMode.ANNOUNCED, deals_limit=4
)
RULES = [*map(preset, PRESET_NAMES), ANNOUNCED]


def random_game(rules: RuleSet, mode: Mode, seed: int, *, steps: int = 10_000) -> Game:
    rng = random.Random(seed)
    game = Game.start(rules, SeededDeals(seed.to_bytes(32, "big")), mode, seed)
    while game.owed and steps:
        steps -= 1
        seat = rng.choice(game.owed)
        legal = game.legal_actions(seat)
        game = game.apply(seat, legal[0] if rng.random() < 0.3 else rng.choice(legal))
    return game


def without_source(game: Game) -> Game:
    """The game but for where its cards came from."""
    return game._replace(deals=ListedDeals(()))


@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.value)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_round_trip(rules: RuleSet, mode: Mode) -> None:
    for seed in range(1, 9):
        game = random_game(rules, mode, seed)
        record = Record.of(game, NAMES, ["East: too late in deal 2", "é"])
        text = format_record(record)
        assert text.isascii()
        assert parse_record(text) == record
        assert format_record(parse_record(text)) == text
        assert without_source(record.replay()) == without_source(game)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_match_under_way_has_a_record_too(rules: RuleSet) -> None:
    for steps in range(0, 150, 7):
        game = random_game(rules, Mode.RACE, 3, steps=steps)
        record = Record.of(game, NAMES)
        assert parse_record(format_record(record)) == record
        replayed = record.replay()
        assert replayed.finished == game.finished
        if game.deal is not None and replayed.deal is not None:
            # Answers to an open window are private, so they are not in the record.
            assert replayed.deal.auction.calls == game.deal.auction.calls
            assert replayed.deal.play == game.deal.play or len(game.deal.auction.asked) > 1


def test_passed_out_deals_and_the_same_dealer_again() -> None:
    rules = dataclasses.replace(preset("ffb-mixte"), redeal_dealer=RedealDealer.SAME, deals_limit=3)
    game = Game.start(rules, SeededDeals(bytes(32)))
    while game.owed:
        game = game.apply(game.owed[0], Say.PASS)
    record = Record.of(game, NAMES)
    text = format_record(record)
    assert text.count("Bid P P P P\nScore N-S 0 E-W 0 | 0-0\n") == 3
    assert '[Option redeal_dealer "same"]\n[Option deals_limit 3]\n' in text
    assert parse_record(text) == record


PAGE = """\
[BGN 1]
[Rules "coinche-classique"]
[Target 500]
[Mode board 4]
[Seats "Nora" "Eve" "Sue" "Walt" cw]
[Dealer W]
[Note "Walt: timeout"]
Deal N:KQ7.AT.AT.T E:T98.98.98.9 S:AJ.KQ.KQ.AK W:.J7.J7.QJ87
Bid P 80C P 90N S:X
Play N AH 8H QH 7H / N KS 8S AS JD / S KD 7D AD 8D
"""


def signed(text: str) -> str:
    return f"{text}[Sha256 {hashlib.sha256(text.encode()).hexdigest()}]\n"


def test_the_page_of_the_manual() -> None:
    record = parse_record(signed(PAGE))
    assert record.rules == dataclasses.replace(preset("coinche-classique"), target=500)
    assert record.mode is Mode.BOARD
    assert record.number == 4
    assert record.names == ("Nora", "Eve", "Sue", "Walt")
    assert record.notes == ("Walt: timeout",)
    (deal,) = record.deals
    assert deal.dealer is W
    assert deal.hands[N] == parse_hand("KQ7.AT.AT.T")
    assert " ".join(map(str, deal.calls)) == "N:P E:80C S:P W:90SA S:X"
    assert len(deal.cards) == 12
    assert format_record(record) == signed(PAGE)


def good_text() -> str:
    return format_record(
        Record.of(random_game(preset("coinche-annonce"), Mode.RACE, 16), NAMES, ["late"])
    )


GOOD = good_text()


def line_number(start: str, text: str = GOOD) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if line.startswith(start))


def changed(start: str, change: Callable[[str], str]) -> str:
    """The good text, its first line with this start changed and the digest renewed."""
    lines = GOOD.split("\n")[:-2]
    number = line_number(start)
    lines[number - 1] = change(lines[number - 1])
    return signed("".join(f"{line}\n" for line in lines if line != "(gone)"))


FAULTS: list[tuple[str, Callable[[str], str], str]] = [
    ("[BGN", lambda line: "[BGN 2]", "the only version known"),
    ("[Rules", lambda line: '[Rules "tarot"]', "tarot"),
    ("[Rules", lambda line: "[Rules tarot]", "in double quotes"),
    ("[Target", lambda line: "[Target many]", "in JSON"),
    ("[Target", lambda line: "[Target true]", "whole number"),
    ("[Target", lambda line: "[Target 0]", "target"),
    ("[Mode", lambda line: "[Mode board 0]", "race, or board"),
    ("[Mode", lambda line: "[Mode rubber]", "race, or board"),
    ("[Seats", lambda line: line.replace("ccw", "cw"), "turn direction ccw"),
    ("[Seats", lambda line: line.replace('"Nora" ', ""), "4 texts"),
    ("[Dealer", lambda line: "[Dealer X]", "one of N E S W"),
    ("[Dealer", lambda line: "[Colour red]", "unknown tag"),
    ("[Dealer", lambda line: "[Mode race]", "given twice"),
    ("[Note", lambda line: "[Option overtrump maybe]", "in JSON"),
    ("[Note", lambda line: '[Option overtrump "maybe"]', "true or false"),
    ("[Note", lambda line: "[Option trumps 4]", "unknown"),
    ("[Note", lambda line: "[Note late]", "1 text in double quotes"),
    ("[Dealer", lambda line: "[Dealer]", "expected a tag"),
    ("Deal", lambda line: line.replace("N:", "X:"), "the hand of N"),
    ("Deal", lambda line: line.replace("A", "", 1), "7 cards, not 8"),
    ("Deal", lambda line: line.replace("A", "?", 1), "is no hand"),
    ("Deal", lambda line: line.rsplit(" ", 1)[0], "four hands"),
    ("Deal", lambda line: line.split(" ")[0] + " N:ATKQJ987... " * 4, "the hand of E"),
    ("Bid", lambda line: "Bid 80Z", "is no call"),
    ("Bid", lambda line: "Bid X", "there is no bid to contre"),
    ("Bid", lambda line: "Bid 90H 80H", "80 does not outbid 90"),
    ("Bid", lambda line: "Bid -", "is no call"),
    ("Bid", lambda line: "Bit 80H", "expected a line with Deal or Bid or Play or Score"),
    ("Play", lambda line: line.replace("Play", "Play Q", 1), "not a leader and four cards"),
    ("Play", lambda line: "Play X AS AH AD AC", "one of N E S W"),
    ("Play", lambda line: line.replace(" / ", " / N ", 1), "not a leader and four cards"),
    ("Play", lambda line: line[: line.rindex(" ")], "is not over, so it has no score"),
    ("Score", lambda line: line + "0", "by the rules it is"),
    ("Score", lambda line: line.replace("N-S", "E-W"), "by the rules it is"),
]


@pytest.mark.parametrize(
    ("start", "change", "problem"),
    FAULTS,
    ids=[
        f"{index}-{start.strip('[')}-{problem}" for index, (start, _, problem) in enumerate(FAULTS)
    ],
)
def test_faults_are_refused_with_their_line(
    start: str, change: Callable[[str], str], problem: str
) -> None:
    text = changed(start, change)
    with pytest.raises(RecordError) as caught:
        parse_record(text)
    expected = line_number(start) + ("no score" in problem)
    assert caught.value.line == expected
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"line {expected}: ")
    assert caught.value.text == text.split("\n")[expected - 1]


def test_rotating_the_leader_is_a_wrong_turn() -> None:
    line = GOOD.split("\n")[line_number("Play") - 1]
    leader = line.split(" ")[1]
    other = "S" if leader != "S" else "W"
    with pytest.raises(RecordError, match="turn to play") as caught:
        parse_record(changed("Play", lambda line: line.replace(leader, other, 1)))
    assert caught.value.line == line_number("Play")


def test_lines_that_are_missing_or_too_many() -> None:
    lines = GOOD.split("\n")[:-2]

    def refused(kept: list[str], line: int, problem: str) -> None:
        with pytest.raises(RecordError, match=problem) as caught:
            parse_record(signed("".join(f"{text}\n" for text in kept)))
        assert caught.value.line == line

    first_deal, score = line_number("Deal"), line_number("Score")
    refused(lines[: first_deal - 1], first_deal, "expected a Deal")
    kept = [line for line in lines if not line.startswith("[Dealer")]
    refused(kept, first_deal - 2, "tag Dealer is missing")
    refused(lines[: score - 1] + lines[score:], score - 1, "expected Score")
    refused(lines[:score], score - 1, "is not in the list")
    refused([*lines, lines[first_deal - 1]], len(lines) + 1, "the match was over")
    unfinished = lines[:first_deal] + lines[score:]
    refused(unfinished, first_deal + 1, "was not finished")
    refused([*lines[:first_deal], lines[score - 1], *lines[score:]], first_deal + 1, "not over")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "only version known"),
        ("[BGN 1]", 1, "full line"),
        ("[BGN 1]\n", 1, "Sha256"),
        ("1. e4 e5\n", 1, "only version known"),
        (GOOD[:-1], GOOD.count("\n"), "full line"),
        (GOOD + "\n", GOOD.count("\n") + 1, "Sha256"),
        (GOOD.replace("\n", "\r\n"), 1, "printable ASCII"),
        (GOOD.replace("Score", "Score é", 1), line_number("Score"), "printable ASCII"),
    ],
    ids=range(8),
)
def test_texts_that_are_no_record(text: str, line: int, problem: str) -> None:
    with pytest.raises(RecordError, match=problem) as caught:
        parse_record(text)
    assert caught.value.line == line


def test_wrong_digest_names_the_last_line() -> None:
    text = GOOD.replace("Nora", "Nick")
    with pytest.raises(RecordError, match="has been changed") as caught:
        parse_record(text)
    assert caught.value.line == GOOD.count("\n")


@given(st.integers(0, len(GOOD) - 1), st.characters(codec="utf-8"))
def test_any_changed_character_is_noticed(place: int, character: str) -> None:
    if GOOD[place] == character:
        return
    with pytest.raises(RecordError):
        parse_record(GOOD[:place] + character + GOOD[place + 1 :])


@given(st.integers(0, ALL_CARDS))
def test_hands_round_trip(mask: int) -> None:
    assert parse_hand(format_hand(mask)) == mask


@pytest.mark.parametrize("text", ["", "A.K.Q", "TA...", "AA...", "X...", "a...", "A.K.Q.J.T"])
def test_texts_that_are_no_hand(text: str) -> None:
    with pytest.raises(NotationError, match="is no hand"):
        parse_hand(text)


def test_records_that_cannot_be_written() -> None:
    rules = dataclasses.replace(preset("ffb-mixte"), deals_limit=2)
    hands = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)
    game = Game.start(rules, ListedDeals((FixedDeal(N, hands), FixedDeal(N, hands))))
    while game.owed:
        game = game.apply(game.owed[0], Say.PASS)
    record = Record.of(game, NAMES)
    assert record.replay().outcome == game.outcome
    with pytest.raises(NotationError, match="the dealer that the rules give"):
        format_record(record)
    bad = dataclasses.replace(
        record, deals=(record.deals[0]._replace(calls=(PlacedCall(N, Say.PASS),)),)
    )
    with pytest.raises(IllegalAction, match="turn to speak"):
        format_record(bad)


def test_records_that_do_not_replay() -> None:
    game = random_game(preset("ffb-mixte"), Mode.BOARD, 1)
    record = Record.of(game, NAMES)
    (deal,) = record.deals
    with pytest.raises(DeckError, match="the match was over"):
        dataclasses.replace(record, deals=(deal, deal)).replay()
    cards = list(deal.cards)
    cards[0] = PlacedCard(cards[1].seat, cards[0].action)
    with pytest.raises(IllegalAction):
        dataclasses.replace(record, deals=(deal._replace(cards=tuple(cards)),)).replay()
