"""Records of random matches come back as they were, and no change of a record goes unnoticed.

Short by default; ``FULL=1`` in front plays 10,000 matches and tries every character everywhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import random
import string
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contree.engine import (
    PRESET_NAMES,
    Game,
    Mode,
    Record,
    RecordError,
    RuleSet,
    SeededDeals,
    format_record,
    parse_record,
    preset,
)
from contree.engine.options import BeloteMode, MatchEndTie, RedealDealer

FULL = bool(os.environ.get("FULL"))
MATCHES = 10_000 if FULL else 400
BATCHES = 8


# --- random matches


def random_rules(rng: random.Random) -> RuleSet:
    """A preset, or one with some options changed: short races, ties, announced belote ..."""
    rules = preset(rng.choice(PRESET_NAMES))
    if rng.random() < 0.2:
        return rules
    return dataclasses.replace(
        rules,
        name="of our own",
        target=rng.choice((1, 200, 501, 1500)),
        deals_limit=rng.choice((None, 1, 2, 5)),
        belote_mode=rng.choice(list(BeloteMode)),
        redeal_dealer=rng.choice(list(RedealDealer)),
        match_end_tie=rng.choice(list(MatchEndTie)),
    )


def random_match(rng: random.Random) -> Game:
    """Played to its end, or left somewhere on the way."""
    mode = rng.choice(list(Mode))
    game = Game.start(random_rules(rng), SeededDeals(rng.randbytes(32)), mode, rng.randint(1, 999))
    steps = rng.choice((10_000, 10_000, 10_000, rng.randrange(120)))
    passing = rng.random() / 2
    while game.owed and steps:
        steps -= 1
        seat = rng.choice(game.owed)
        legal = game.legal_actions(seat)
        game = game.apply(seat, legal[0] if rng.random() < passing else rng.choice(legal))
    return game


def random_text(rng: random.Random) -> str:
    alphabet = string.printable + 'éàœ♠"\\\u2028\U0001f0a1[]'
    return "".join(rng.choices(alphabet, k=rng.randrange(12)))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_records_of_random_matches_come_back(batch: int) -> None:
    rng = random.Random(batch)
    for _ in range(MATCHES // BATCHES):
        game = random_match(rng)
        names = [random_text(rng) for _ in range(4)]
        record = Record.of(game, names, [random_text(rng) for _ in range(rng.randrange(3))])
        text = format_record(record)
        assert parse_record(text) == record
        assert format_record(parse_record(text)) == text
        replayed = record.replay()
        assert replayed.finished == game.finished
        assert replayed.scores == game.scores
        assert replayed.outcome == game.outcome
        if game.deal is not None:
            assert replayed.deal is not None
            assert replayed.deal.auction.calls == game.deal.auction.calls


# --- one character changed


def a_record(seed: int, mode: Mode, preset_name: str) -> str:
    rng = random.Random(seed)
    rules = dataclasses.replace(
        preset(preset_name), belote_mode=BeloteMode.ANNOUNCED, deals_limit=2
    )
    game = Game.start(rules, SeededDeals(rng.randbytes(32)), mode, 7)
    while game.owed:
        seat = game.owed[0]
        legal = game.legal_actions(seat)
        game = game.apply(seat, legal[-1] if rng.random() < 0.3 else rng.choice(legal))
    return format_record(Record.of(game, ["Nora", "Eve", "Sören", ""], ["East: late"]))


BOARD = a_record(2, Mode.BOARD, "ffb-mixte")
RACE = a_record(4, Mode.RACE, "coinche-classique")


def is_refused(text: str) -> bool:
    """RecordError; any other error is a crash and no refusal."""
    try:
        parse_record(text)
    except RecordError as error:
        return bool(error.problem) and 1 <= error.line <= text.count("\n") + 1
    return False


def changes(text: str, place: int, rng: random.Random) -> Iterator[str]:
    """The text with the character at ``place`` replaced, doubled, left out or out of order."""
    before, old, after = text[:place], text[place], text[place + 1 :]
    others = [*string.printable, "\0", "é", "\u0660", "\ud800"]
    if not FULL:
        others = [*rng.sample(others, 2), rng.choice("0123456789ABCDEF")]
    replaced = [before + other + after for other in (*others, old.swapcase(), "")]
    swapped = before + after[:1] + old + after[1:]
    return (changed for changed in (*replaced, before + old + old + after, swapped))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("good", [BOARD, RACE], ids=["board", "race"])
def test_any_one_character_changed_is_refused(good: str) -> None:
    assert not is_refused(good)
    rng = random.Random(11)
    for place in range(len(good)):
        for changed in changes(good, place, rng):
            assert changed == good or is_refused(changed)


# --- changed, and signed again: what only the rules can refuse


def body_of(text: str) -> str:
    return text[: text.rindex("[Sha256 ")]


def signed(body: str) -> str:
    digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{body}[Sha256 {digest}]\n"


def is_record_or_refused(text: str) -> None:
    """Never a crash; and what is read can be written and read again."""
    try:
        record = parse_record(text)
    except RecordError:
        return
    record.replay()
    assert parse_record(format_record(record)) == record


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("good", [BOARD, RACE], ids=["board", "race"])
def test_a_forged_character_is_a_fault_or_another_record(good: str) -> None:
    rng = random.Random(12)
    body = body_of(good)
    for place in range(len(body)):
        for changed in changes(body, place, rng):
            is_record_or_refused(signed(changed))


WORDS = st.sampled_from(
    (
        *("P", "X", "XX", "80S", "CAPH", "AS", "KH+b", "N", "N:", "...", "/", "[", "]", '"'),
        *("race", "true", "Deal", "Bid", "[Note", "1]", "[[[[", "1e999", "\n", ""),
        *("[Option target 9]", '[Note "x"]', "[Mode board 1]"),
    )
)


@pytest.mark.timeout(1800)
@settings(max_examples=2_000 if FULL else 150)
@given(data=st.data())
def test_forged_words_and_lines_never_crash(data: st.DataObject) -> None:
    lines = body_of(data.draw(st.sampled_from((BOARD, RACE)))).split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(lines) - 2))
        words = lines[number].split(" ")
        place = data.draw(st.integers(0, len(words)))
        width = data.draw(st.integers(0, 2))
        words[place : place + width] = data.draw(st.lists(st.one_of(WORDS, st.text(max_size=5))))
        lines[number] = " ".join(words)
        if data.draw(st.booleans()):
            other = data.draw(st.integers(0, len(lines) - 2))
            lines[number], lines[other] = lines[other], lines[number]
    is_record_or_refused(signed("\n".join(lines)))
