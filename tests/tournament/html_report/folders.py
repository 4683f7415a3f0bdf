"""Event folders of every format, with records, made without a service."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.tournament.events import SEED, played, result_of
from tests.tournament.formats.play import play_event

from contree.client import FaultPolicy, TimeControl
from contree.engine import SEATS, Game, Mode, Record, format_record, preset
from contree.engine.drive import Policy, drive_game
from contree.tournament.bots import BotConfig
from contree.tournament.config import EventConfig
from contree.tournament.folder import EventFolder
from contree.tournament.formats import Shape
from contree.tournament.layout import lay_out
from contree.tournament.plan import Plan
from contree.tournament.results import LOG_NAME
from contree.tournament.schedule import Table
from contree.tournament.tables import TableResult

RULES = preset("ffb-mixte")


def make_folder(
    folder: Path,
    shape: Shape | None = None,
    *,
    bots: tuple[str, ...] = ("x", "y", "z"),
    boards: int = 3,
    revealed: bool = True,
    change: Callable[[TableResult], TableResult] = lambda result: result,
    players: Mapping[str, Policy] | None = None,
) -> Path:
    """Play an event into a folder; ``change`` may alter its results.

    Bots act at random where no ``players`` are given.
    """
    shape = shape or Shape()
    plan = Plan(
        id="cup-1",
        config=EventConfig(
            name="cup",
            rules=RULES,
            preset="",
            boards=boards,
            tables=4,
            time=TimeControl(),
            faults=FaultPolicy(),
            seed=None,
            bots=tuple(BotConfig(name=name) for name in bots),
            shape=shape,
        ),
        bots=tuple(BotConfig(name=name) for name in bots),
        schedule=shape.build(bots, boards),
        seed=SEED,
    )
    records: dict[str, str] = {}

    def marks(table: Table) -> tuple[int, int]:
        record = played(table, RULES) if players is None else _by(players, table)
        records[table.id] = format_record(record)
        return result_of(table, record, RULES).marks

    done = play_event(plan.schedule, marks)
    with EventFolder.opened(folder) as opened:
        opened.write_header(plan.header(revealed=revealed))
        for name, text in records.items():
            opened.record(name).write_text(text, encoding="ascii")
    timed = (
        replace(result, decisions=dict.fromkeys(result.table.pairing, 16), seconds=_seconds(result))
        for result in done.values()
    )
    lines = "".join(change(result).line() for result in timed)
    (folder / LOG_NAME).write_text(lines, encoding="utf-8")
    return folder


def _by(players: Mapping[str, Policy], table: Table) -> Record:
    layout = lay_out(table, SEED, "cup", RULES)
    names = [layout.seats[seat] for seat in SEATS]
    game = Game.start(RULES, layout.deal, Mode.BOARD, table.board)
    return Record.of(drive_game([players[name] for name in names], game), names)


def _seconds(result: TableResult) -> dict[str, float]:
    return dict.fromkeys(result.table.pairing, 0.1 + 0.01 * result.table.board)


def change_header(folder: Path, **values: Any) -> None:
    """Write other values into an event's header."""
    path = folder / "event.json"
    header: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**header, **values}), encoding="utf-8")
