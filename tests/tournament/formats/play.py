"""Events played without a service: tables by a function, or by policies on ``engine.drive``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from contree.engine import SEATS, Game, Mode, RuleSet
from contree.engine.drive import Policy, drive_game
from contree.tournament.formats import Format
from contree.tournament.layout import lay_out
from contree.tournament.schedule import Seating, Table
from contree.tournament.tables import TableResult

PlayTable = Callable[[Table], tuple[int, int]]


def result(table: Table, marks: tuple[int, int], *, race: bool = False) -> TableResult:
    return TableResult(
        table=table,
        match_id=f"m-{table.id}",
        reason="target_reached" if race else "board_done",
        seats={},
        marks=marks,
        race=race,
    )


def by_strength(strength: Mapping[str, float], spread: float = 0.0, seed: int = 0) -> PlayTable:
    """Who is stronger marks more, with some luck, always the same at the same table."""

    def play(table: Table) -> tuple[int, int]:
        luck = random.Random(f"{seed} {table.id}").gauss(0, spread) if spread else 0.0
        first, second = (strength[bot] for bot in table.pairing)
        return round(100 + first - second + luck), 100

    return play


def by_policies(policies: Mapping[str, Policy], rules: RuleSet, seed: bytes) -> PlayTable:
    """Deals as the event lays them out, disguises included."""

    def play(table: Table) -> tuple[int, int]:
        layout = lay_out(table, seed, "event", rules)
        seated = [policies[layout.seats[seat]] for seat in SEATS]
        game = drive_game(seated, Game.start(rules, layout.deal, Mode.BOARD, table.board))
        side = layout.first_team
        return game.scores[side], game.scores[side.other]

    return play


def play_event(
    schedule: Format,
    play: PlayTable,
    *,
    at_once: int = 1,
    chance: random.Random | None = None,
    results: dict[str, TableResult] | None = None,
    stop_after: int | None = None,
) -> dict[str, TableResult]:
    """Play an event as the runner does: ask the format, seat tables, end them in any order."""
    results = {} if results is None else results
    started = len(results)
    while True:
        opened = schedule.opened(results)
        if opened.over(results):
            return results
        seating = Seating(schedule.bots)
        seating.open(table for table in opened.tables if table.id not in results)
        playing: list[Table] = []
        asked = len(results)
        while True:
            while len(playing) < at_once and (table := seating.next()) is not None:
                playing.append(table)
            if not playing:
                break
            table = playing.pop(chance.randrange(len(playing)) if chance else 0)
            seating.left(table)
            results[table.id] = result(table, play(table))
            if stop_after is not None and len(results) - started >= stop_after:
                return results
            every = schedule.asks_every
            if every is not None and len(results) - asked >= 2 * every:
                break
