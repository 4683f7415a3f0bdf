"""Event folders made by hand: as a runner leaves them, without a service."""

from __future__ import annotations

import random
from pathlib import Path

from contree.client import FaultPolicy, TimeControl
from contree.engine import (
    SEATS,
    Game,
    Mode,
    Record,
    RuleSet,
    Termination,
    format_record,
    preset,
)
from contree.tournament.config import BotConfig, EventConfig
from contree.tournament.folder import EventFolder
from contree.tournament.formats import RoundRobin
from contree.tournament.layout import lay_out
from contree.tournament.plan import Plan
from contree.tournament.results import ResultLog
from contree.tournament.schedule import Table
from contree.tournament.tables import TableResult

SEED = bytes(range(32))


def played(table: Table, rules: RuleSet, label: str = "cup", seed: bytes = SEED) -> Record:
    """The record of a table whose bots play at random."""
    layout = lay_out(table, seed, label, rules)
    rng = random.Random(table.id)
    game = Game.start(rules, layout.deal, Mode.BOARD, table.board)
    while game.owed:
        seat = rng.choice(game.owed)
        game = game.apply(seat, rng.choice(game.legal_actions(seat)))
    return Record.of(game, [layout.seats[seat] for seat in SEATS], [f"match m-{table.id}"])


def result_of(table: Table, record: Record, rules: RuleSet, label: str = "cup") -> TableResult:
    """The result that the runner would write down for it."""
    outcome = record.replay().outcome
    assert outcome is not None
    layout = lay_out(table, SEED, label, rules)
    side = layout.first_team
    passed = outcome.reason is Termination.PASSED_OUT
    return TableResult(
        table=table,
        match_id=f"m-{table.id}",
        reason="passed_out" if passed else "board_done",
        seats={str(seat): layout.seats[seat] for seat in SEATS},
        marks=(outcome.scores[side], outcome.scores[side.other]),
    )


def make_event(
    folder: Path,
    *,
    rules: RuleSet | None = None,
    bots: tuple[str, ...] = ("x", "y", "z"),
    boards: int = 2,
    revealed: bool = True,
) -> Plan:
    """Play an event into a folder; its plan."""
    rules = rules or preset("ffb-mixte")
    plan = Plan(
        id="cup-1",
        config=EventConfig(
            name="cup",
            rules=rules,
            preset="",
            boards=boards,
            tables=4,
            time=TimeControl(),
            faults=FaultPolicy(),
            seed=None,
            bots=tuple(BotConfig(name=name) for name in bots),
        ),
        bots=tuple(BotConfig(name=name) for name in bots),
        schedule=RoundRobin(bots, boards),
        seed=SEED,
    )
    with EventFolder.opened(folder) as opened, ResultLog(opened.log) as log:
        opened.write_header(plan.header(revealed=revealed))
        for table in plan.schedule.opened({}).tables:
            record = played(table, rules)
            opened.record(table.id).write_text(format_record(record), encoding="ascii")
            log.append(result_of(table, record, rules))
    return plan
