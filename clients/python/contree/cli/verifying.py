"""Records verified: played again, and their cards computed again from the seed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from contree.cli.errors import BadInput
from contree.cli.records import (
    DEALER,
    MODE,
    RULES,
    SEATS,
    Place,
    cards_of,
    score_of,
    text_of,
    where,
)
from contree.engine.disguise import NO_DISGUISE, disguise
from contree.engine.game import Game, Mode
from contree.engine.notation import RecordError, read_record
from contree.engine.recompute import WrongCards, check_cards, worn_by
from contree.engine.record import SEED_NOTE, Record
from contree.engine.shuffle import SEED_BYTES, SeededDeals, commitment, mix
from contree.engine.table import SEATS as ALL_SEATS

if TYPE_CHECKING:
    from contree.tournament.proof import EventProof
    from contree.tournament.schedule import Table


class Seed(NamedTuple):
    """Where cards are said to come from."""

    seed: bytes
    label: str

    @classmethod
    def parse(cls, text: str, label: str, entropy: str | None) -> Seed:
        """Read a seed in hex, and mix the public entropy in; BadInput when it is none."""
        try:
            seed = bytes.fromhex(text)
        except ValueError:
            seed = b""
        if len(seed) != SEED_BYTES or len(text) != 2 * SEED_BYTES:
            raise BadInput(f"A seed is {2 * SEED_BYTES} hex digits, not {text!r}.")
        return cls(seed if entropy is None else mix(seed, entropy.encode()), label)


class Verdict(NamedTuple):
    """What became of a record."""

    file: str
    game: Game | None = None
    """The match as played again; None when the record is none."""
    actions: int = 0
    """Calls and cards that were played again."""
    cards: str = ""
    """What the cards are, for people; empty when they were not computed again."""
    place: str = ""
    """Where it is wrong; empty when it is right."""
    problem: str = ""

    @property
    def right(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.place

    def to_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        if self.game is None or not self.right:
            return {"file": self.file, "right": False, "place": self.place, "problem": self.problem}
        return {
            "file": self.file,
            "right": True,
            "deals": len(self.game.finished),
            "actions": self.actions,
            "scores": list(self.game.scores),
            "cards": self.cards or None,
        }


class _Wrong(Exception):
    """Something in a record that is not as it should be."""

    def __init__(self, place: Place, problem: str) -> None:
        self.place = place
        self.problem = problem


def verify(path: Path, seed: Seed | None = None, event: EventProof | None = None) -> Verdict:
    """Read a record, play it again, and compare it with its seed and its event."""
    text = text_of(path)
    try:
        record = read_record(text)
    except RecordError as error:
        return Verdict(str(path), place=error.place, problem=f"{error.problem}: {error.text!r}")
    game = record.replay()
    actions = sum(len(deal.calls) + len(deal.cards) for deal in record.deals)
    verdict = Verdict(str(path), game, actions)
    try:
        _check_seed_notes(record)
        table = None if event is None else event.table(path.stem)
        if event is not None and table is not None:
            cards = _check_table(record, game, event, table, seed)
        elif seed is not None:
            cards = _check_seed(record, seed)
        elif record.seed is not None:
            cards = _check_own_seed(record, record.seed)
        else:
            cards = ""
    except _Wrong as wrong:
        return verdict._replace(place=where(text, wrong.place), problem=wrong.problem)
    return verdict._replace(cards=cards)


def folder_of(path: Path) -> Path | None:
    """The event folder in which a record lies, None when it lies in none."""
    records = Path(os.path.realpath(path)).parent  # resolve() fails on links in a circle
    found = records.name == "records" and (records.parent / "event.json").is_file()
    return records.parent if found else None


def _check_seed(record: Record, seed: Seed) -> str:
    """Compare the cards with those of a seed; a board may wear the disguise of a table."""
    if record.mode is Mode.RACE:
        _compare(record, seed, 1)
        return f"those of {_deals(record)} of the seed"
    table = worn_by(record, seed.seed, seed.label)
    _compare(record, seed, 1 if table is None else table)
    shown = f"those of board {record.number} of the seed"
    return shown if table == 1 else f"{shown}, disguised as at table {table}"


def _check_seed_notes(record: Record) -> None:
    """Whether what the notes say of a seed is one seed, and the same."""
    whole = None if record.seed is None else f"{SEED_NOTE}{record.seed.hex()}"
    nth = 0
    for index, note in enumerate(record.notes):
        if note.startswith(SEED_NOTE):
            if note != whole:
                place = Place(f'[Note "{SEED_NOTE}', f"notes[{index}]", nth)
                digits = 2 * SEED_BYTES
                raise _Wrong(place, f"a seed is {digits} hex digits, and there is one in a record")
            nth += 1


def _check_own_seed(record: Record, seed: bytes) -> str:
    """Compare the cards with those of the seed that the server drew for this match alone."""
    _compare(record, Seed(seed, ""), 1)
    which = f"board {record.number}" if record.mode is Mode.BOARD else _deals(record)
    return f"those of {which} of the seed in the record, whose commitment is {commitment(seed)}"


def _compare(record: Record, seed: Seed, table: int) -> None:
    worn = NO_DISGUISE if table == 1 else disguise(seed.seed, record.number, table)
    try:
        check_cards(record, SeededDeals(*seed), worn)
    except WrongCards as error:
        first = DEALER if error.dealer_is_wrong and not error.index else cards_of(error.index)
        raise _Wrong(first, str(error)) from None


def _check_table(
    record: Record, game: Game, event: EventProof, table: Table, seed: Seed | None
) -> str:
    """Compare a record with the table of the event that it is of, in the order of its lines."""
    if record.rules != event.rules:
        raise _Wrong(RULES, f"the event is played under {event.rules.name}, not under these rules")
    expected = (Mode.RACE, 1) if event.races else (Mode.BOARD, table.board)
    if (record.mode, record.number) != expected:
        raise _Wrong(MODE, f"the table {table.id} is of board {table.board}")
    used = seed or (None if event.seed is None else Seed(event.seed, event.label))
    if used is not None:
        seats = event.seats(table, used.seed, used.label)
        names = tuple(seats[seat] for seat in ALL_SEATS)
        if record.names != names:
            raise _Wrong(SEATS, f"by the seed {' '.join(names)} sit at N E S W of this table")
        if event.races:
            _compare(record, used._replace(seed=event.race_seed(table, used.seed)), 1)
        else:
            _compare(record, used, table.number)
    result = event.results.get(table.id)
    if result is not None and game.outcome is not None:
        seats_of_first = [s for s in ALL_SEATS if result.seats[str(s)] == table.pairing.first]
        side = seats_of_first[0].team
        marks = (game.scores[side], game.scores[side.other])
        if marks != result.marks:
            counted = f"{result.marks[0]} to {table.pairing.first}, {result.marks[1]} to the other"
            raise _Wrong(score_of(0), f"in the results of the event it counts {counted}")
    if used is None:
        return ""
    if event.races:
        return f"those of race {table.board}"
    disguised = "" if table.number == 1 else ", disguised"
    return f"those of board {table.board}, table {table.number}{disguised}"


def _deals(record: Record) -> str:
    last = record.number + len(record.deals) - 1
    return "deal 1" if last == 1 else f"deals 1 to {last}"


def commitments(seed: Seed | None, event: EventProof | None) -> Iterator[str]:
    """What to compare with what was published before the cards were dealt."""
    used = seed.seed if seed is not None else None if event is None else event.seed
    if used is not None:
        yield f"Commitment of the seed: {commitment(used)}"
