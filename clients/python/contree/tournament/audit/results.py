"""The results of an event: each table that there should be, once, as it was laid down. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contree.tournament.manifest import Finding
from contree.tournament.proof import UNREADABLE, EventProof
from contree.tournament.results import LOG_NAME
from contree.tournament.tables import FORFEITED, TableResult, forfeited


def read_results(header: Mapping[str, Any], data: bytes, found: list[Finding]) -> EventProof:
    """The event with its results. What is wrong with a line is added to ``found``."""
    results: dict[str, TableResult] = {}
    lines: dict[str, int] = {}

    def wrong(number: int, problem: str) -> None:
        found.append(Finding(LOG_NAME, number, problem))

    for number, line in enumerate(data.splitlines(keepends=True), 1):
        try:
            result = TableResult.from_dict(json.loads(line.decode()))
            if result.line().encode() != line:
                wrong(number, "it is not as the runner writes it")
        except UNREADABLE as error:
            wrong(number, f"it is no result ({error!r})")
            continue
        if result.table.id in results:
            wrong(number, f"the table {result.table.id} has a result in line "
                  f"{lines[result.table.id]} already")  # fmt: skip
            continue
        results[result.table.id] = result
        lines[result.table.id] = number
    proof = EventProof.of(header, results, Path())
    for table_id, result in results.items():
        table = proof.table(table_id)
        if table is None:
            wrong(lines[table_id], f"the event has no table {table_id}")
        elif table != result.table:
            wrong(lines[table_id], f"it is table {table.number} of its board")
        elif problem := _problem(result, proof, header):
            wrong(lines[table_id], problem)
    if proof.seed is not None and not found:
        opened = proof.schedule.opened(results)
        for table in opened.tables:
            if table.id not in results:
                wrong(0, f"there is no result of the table {table.id}")
    return proof


def _problem(result: TableResult, proof: EventProof, header: Mapping[str, Any]) -> str:
    """What is wrong with a result, but for what its record says; empty when nothing."""
    bots = set(result.table.pairing)
    if result.race is not proof.races:
        return f"the event is played {'in races' if proof.races else 'by boards'}"
    told = (result.decisions, result.seconds, result.overruns, result.times, result.slowest)
    if not bots >= {*result.forfeited_by}.union(*told):
        return "somebody else is named than the two who meet there"
    if any(not value >= 0 for value in (*result.seconds.values(), *result.decisions.values())):
        return "nobody takes less than no time"
    if result.reason != FORFEITED:
        if result.forfeited_by:
            return "a table that was played is not forfeited"
        if proof.seed is not None:
            seats = proof.seats(result.table, proof.seed, proof.label)
            if dict(result.seats) != {str(seat): bot for seat, bot in seats.items()}:
                return f"by the seed {' '.join(seats.values())} sit at N E S W"
        return ""
    if header["broken"]["stops"]:
        return "by its policy the event would have stopped"
    expected = forfeited(
        result.table,
        result.forfeited_by,
        header["broken"]["marks"],
        race=proof.races,
        attempts=result.attempts,
    )
    if result != expected or not result.forfeited_by:
        return "by its policy a forfeit is entered otherwise"
    return ""
