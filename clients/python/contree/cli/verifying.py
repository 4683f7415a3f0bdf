"""Records verified: played again, and their cards computed again from the seed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from contree.cli.errors import BadInput
from contree.cli.records import text_of
from contree.engine.game import Game, Mode
from contree.engine.notation import RecordError, read_record
from contree.engine.places import Place, WrongRecord, where
from contree.engine.recompute import check_seeded, worn_by
from contree.engine.record import SEED_NOTE, Record
from contree.engine.shuffle import SEED_BYTES, commitment, mix

if TYPE_CHECKING:
    from contree.tournament.proof import EventProof


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
            from contree.tournament.checking import check_table

            used = event.seed if seed is None else seed.seed
            label = event.label if seed is None else seed.label
            cards = check_table(record, game, event, table, seed=used, label=label)
        elif seed is not None:
            cards = _check_seed(record, seed)
        elif record.seed is not None:
            cards = _check_own_seed(record, record.seed)
        else:
            cards = ""
    except WrongRecord as wrong:
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
        check_seeded(record, *seed)
        return f"those of {_deals(record)} of the seed"
    table = worn_by(record, seed.seed, seed.label)
    check_seeded(record, *seed, 1 if table is None else table)
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
                raise WrongRecord(
                    place, f"a seed is {digits} hex digits, and there is one in a record"
                )
            nth += 1


def _check_own_seed(record: Record, seed: bytes) -> str:
    """Compare the cards with those of the seed that the server drew for this match alone."""
    check_seeded(record, seed, "")
    which = f"board {record.number}" if record.mode is Mode.BOARD else _deals(record)
    return f"those of {which} of the seed in the record, whose commitment is {commitment(seed)}"


def _deals(record: Record) -> str:
    last = record.number + len(record.deals) - 1
    return "deal 1" if last == 1 else f"deals 1 to {last}"


def commitments(seed: Seed | None, event: EventProof | None) -> Iterator[str]:
    """What to compare with what was published before the cards were dealt."""
    used = seed.seed if seed is not None else None if event is None else event.seed
    if used is not None:
        yield f"Commitment of the seed: {commitment(used)}"
