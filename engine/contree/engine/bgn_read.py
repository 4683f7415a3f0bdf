"""Reads BGN records, and plays them again to check them. See ``notation`` for the format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple

from contree.engine.auction import PlacedCall
from contree.engine.bgn_words import (
    VERSION,
    RecordError,
    digest,
    parse_call,
    parse_card,
    parse_hand,
)
from contree.engine.bgn_write import score_line
from contree.engine.deal import check_hands
from contree.engine.errors import EngineError, IllegalAction, RulesError
from contree.engine.game import Game, Mode
from contree.engine.presets import preset, rules_from_dict
from contree.engine.record import (
    PlacedCard,
    Record,
    RecordedDeal,
    check_next,
    dealer_after,
    replay_calls,
    replay_cards,
)
from contree.engine.rules import RuleSet
from contree.engine.shuffle import Hands
from contree.engine.table import SEATS, Direction, Seat


def parse_record(text: str) -> Record:
    """Read a record and play it again to check it; RecordError, naming the line, when it is none.

    Refused are an unknown version, what cannot be read, cards missing or twice, calls and cards
    that the rules forbid, wrong scores, and a text that its digest does not fit.
    """
    lines = _split(text)
    start = next((n for n, line in enumerate(lines) if not line.text.startswith("[")), None)
    if start is None:
        raise lines[-1].error("expected a Deal before the end")
    header = _read_header(lines[:start])
    blocks = _read_blocks(lines[start:-1])
    record = _assemble(header, blocks)
    _check_replay(record, blocks)
    _check_digest(text, lines[-1])
    return record


class _Line(NamedTuple):
    """A line of a record and its number, from 1."""

    number: int
    text: str

    def error(self, problem: str) -> RecordError:
        return RecordError(self.number, self.text, problem)


class _Tag(NamedTuple):
    """A line such as ``[Dealer W]`` and what stands after the name."""

    line: _Line
    value: str


class _Header(NamedTuple):
    """What the tags say."""

    rules: RuleSet
    mode: Mode
    number: int
    names: tuple[str, str, str, str]
    dealer: Seat
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Block:
    """The lines of one deal."""

    deal: _Line
    bid: _Line | None = None
    play: _Line | None = None
    score: _Line | None = None


def _split(text: str) -> list[_Line]:
    lines = [_Line(number, line) for number, line in enumerate(text.split("\n"), 1)]
    for line in lines:
        if not line.text.isascii() or not (line.text.isprintable()):
            raise line.error("only printable ASCII is read")
    if lines[-1].text:
        raise lines[-1].error("the record does not end with a full line")
    del lines[-1]
    if not lines or lines[0].text != f"[BGN {VERSION}]":
        first = lines[0] if lines else _Line(1, "")
        raise first.error(f"expected [BGN {VERSION}], the only version known")
    if not _SHA256.fullmatch(lines[-1].text):
        raise lines[-1].error("expected [Sha256 ...] with 64 hex digits as the last line")
    return lines


def _read_header(lines: list[_Line]) -> _Header:
    tags: dict[str, _Tag] = {}
    options: dict[str, _Tag] = {}
    notes: list[str] = []
    for line in lines[1:]:
        found = _TAG.fullmatch(line.text)
        if found is None:
            raise line.error("expected a tag such as [Dealer W]")
        name, value = found.groups()
        if name == "Note":
            notes += _read_strings(_Tag(line, value), value, 1)
            continue
        known = tags
        if name == "Option":
            known = options
            name, _, value = value.partition(" ")
        elif name not in _TAGS:
            raise line.error(f"unknown tag, expected one of {' '.join(_TAGS)} Option Note")
        if name in known:
            raise line.error(f"{name} is given twice")
        known[name] = _Tag(line, value)
    for name in _TAGS:
        if name not in tags:
            raise lines[-1].error(f"the tag {name} is missing before the first deal")
    rules = _read_rules(tags, options)
    mode, number = _read_mode(tags["Mode"])
    names = _read_seats(tags["Seats"], rules)
    with _errors_of(tags["Dealer"].line):
        dealer = Seat.parse(tags["Dealer"].value)
    return _Header(rules, mode, number, names, dealer, tuple(notes))


def _read_rules(tags: dict[str, _Tag], options: dict[str, _Tag]) -> RuleSet:
    (base,) = _read_strings(tags["Rules"], tags["Rules"].value, 1)
    with _errors_of(tags["Rules"].line):
        values: dict[str, object] = dict(preset(base).to_dict())
    given = {**options, "target": tags["Target"]}
    for name, tag in given.items():
        try:
            values[name] = json.loads(tag.value)
        except (ValueError, RecursionError):
            raise tag.line.error(f"expected the value of {name} in JSON") from None
    try:
        return rules_from_dict(values)
    except RulesError as error:
        raise given.get(error.option, tags["Rules"]).line.error(str(error)) from None


def _read_mode(tag: _Tag) -> tuple[Mode, int]:
    if tag.value == "race":
        return Mode.RACE, 1
    word, _, number = tag.value.partition(" ")
    if word != "board" or not _NUMBER.fullmatch(number):
        raise tag.line.error("expected race, or board and its number")
    return Mode.BOARD, int(number)


def _read_seats(tag: _Tag, rules: RuleSet) -> tuple[str, str, str, str]:
    names, _, direction = tag.value.rpartition(" ")
    if direction != rules.turn_direction.value:
        raise tag.line.error(f"expected the turn direction {rules.turn_direction.value} at the end")
    north, east, south, west = _read_strings(tag, names, 4)
    return north, east, south, west


def _read_strings(tag: _Tag, text: str, count: int) -> list[str]:
    """JSON strings with blanks between them."""
    read = json.JSONDecoder().raw_decode
    strings: list[str] = []
    rest = text
    while rest:
        try:
            string, end = read(rest)
        except (ValueError, RecursionError):
            break
        strings.append(string)
        rest = rest[end:].lstrip(" ")
    if rest or len(strings) != count or not all(isinstance(string, str) for string in strings):
        raise tag.line.error(f"expected {count} text{'s' if count > 1 else ''} in double quotes")
    return strings


def _read_blocks(lines: list[_Line]) -> list[_Block]:
    """The lines of each deal: Deal, then perhaps Bid, Play and Score, in this order."""
    blocks: list[_Block] = []
    allowed: tuple[str, ...] = ()
    for line in lines:
        word = line.text.split(" ", 1)[0]
        if word == "Deal":
            blocks.append(_Block(line))
            allowed = ("Bid", "Play", "Score")
        elif word in allowed:
            setattr(blocks[-1], word.lower(), line)
            allowed = allowed[allowed.index(word) + 1 :]
        else:
            raise line.error(f"expected a line with {' or '.join(['Deal', *allowed])}")
    return blocks


def _assemble(header: _Header, blocks: list[_Block]) -> Record:
    deals: list[RecordedDeal] = []
    for block in blocks:
        dealer = dealer_after(header.rules, deals[-1]) if deals else header.dealer
        direction = header.rules.turn_direction
        deals.append(
            RecordedDeal(
                dealer,
                _read_hands(block.deal),
                tuple(_read_calls(block.bid, dealer, direction)) if block.bid else (),
                tuple(_read_cards(block.play, direction)) if block.play else (),
            )
        )
    return Record(
        rules=header.rules,
        mode=header.mode,
        number=header.number,
        names=header.names,
        deals=tuple(deals),
        notes=header.notes,
    )


def _read_hands(line: _Line) -> Hands:
    hands = []
    words = line.text.split()[1:]
    for seat, word in zip(SEATS, words, strict=False):
        name, _, hand = word.partition(":")
        if name != str(seat):
            raise line.error(f"expected the hand of {seat}: as in {seat}:AT9.KQ.J87.")
        with _errors_of(line):
            hands.append(parse_hand(hand))
    if len(words) != 4:
        raise line.error("expected four hands")
    with _errors_of(line):
        return check_hands(hands)


def _read_calls(line: _Line, dealer: Seat, direction: Direction) -> Iterator[PlacedCall]:
    turn = direction.next(dealer)
    for word in line.text.split()[1:]:
        name, colon, call = word.rpartition(":")
        with _errors_of(line):
            seat = Seat.parse(name) if colon else turn
            yield PlacedCall(seat, parse_call(call))
        turn = direction.next(seat)


def _read_cards(line: _Line, direction: Direction) -> Iterator[PlacedCard]:
    tricks = [trick.split() for trick in line.text.removeprefix("Play").split("/")]
    for index, words in enumerate(tricks):
        last = index == len(tricks) - 1
        if len(words) != 5 and not (last and 2 <= len(words) <= 5):
            raise line.error(f"trick {index + 1} is not a leader and four cards")
        with _errors_of(line):
            leader = Seat.parse(words[0])
            for turns, word in enumerate(words[1:]):
                yield PlacedCard(direction.next(leader, turns), parse_card(word))


def _check_replay(record: Record, blocks: list[_Block]) -> None:
    """Play the record; what breaks the rules is an error of its line."""
    with _errors_of(blocks[0].deal):
        game = record.start()
    for index, (block, deal) in enumerate(zip(blocks, record.deals, strict=True)):
        with _errors_of(block.deal):
            check_next(game, index)
        with _errors_of(block.bid or block.deal):
            game = replay_calls(game, deal)
        with _errors_of(block.play or block.bid or block.deal):
            game = replay_cards(game, deal)
        _check_score(block, game, index)


def _check_score(block: _Block, game: Game, index: int) -> None:
    finished = len(game.finished) > index
    if block.score is None:
        if finished:
            raise (block.play or block.bid or block.deal).error("the deal is over, expected Score")
        return
    if not finished:
        raise block.score.error("the deal is not over, so it has no score")
    expected = score_line(game, index)
    if block.score.text.split() != expected.split():
        raise block.score.error(f"by the rules it is {expected!r}")


def _check_digest(text: str, line: _Line) -> None:
    before = text[: text.rindex("[Sha256 ")]
    if line.text != f"[Sha256 {digest(before)}]":
        raise line.error("the text above has been changed: its SHA-256 is another")


@contextmanager
def _errors_of(line: _Line) -> Iterator[None]:
    """Errors of the engine inside are errors of this line."""
    try:
        yield
    except RecordError:
        raise
    except IllegalAction as error:
        raise line.error(f"{error.action} is not allowed: {error.reason}") from None
    except EngineError as error:
        raise line.error(str(error)) from None


_TAGS: Final = ("Rules", "Target", "Mode", "Seats", "Dealer")
_TAG: Final = re.compile(r"\[([A-Za-z0-9]+) (.*)\]")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_SHA256: Final = re.compile(r"\[Sha256 ([0-9a-f]{64})\]")
