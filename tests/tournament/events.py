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
from contree.tournament.bots import BotConfig
from contree.tournament.config import EventConfig
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
    names = [layout.seats[seat] for seat in SEATS]
    return Record.of(game, names, [f"match m-{table.id}", f"end: {_reason(game)}"])


def _reason(game: Game) -> str:
    assert game.outcome is not None
    return "passed_out" if game.outcome.reason is Termination.PASSED_OUT else "board_done"


def result_of(table: Table, record: Record, rules: RuleSet, label: str = "cup") -> TableResult:
    """The result that the runner would write down for it."""
    game = record.replay()
    assert game.outcome is not None
    scores, deal = game.outcome.scores, game.results[0]
    layout = lay_out(table, SEED, label, rules)
    side = layout.first_team
    return TableResult(
        table=table,
        match_id=f"m-{table.id}",
        reason=_reason(game),
        seats={str(seat): layout.seats[seat] for seat in SEATS},
        marks=(scores[side], scores[side.other]),
        contract="" if deal.contract is None else str(deal.contract),
        made=None if deal.contract is None else deal.winner is deal.contract.team,
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
