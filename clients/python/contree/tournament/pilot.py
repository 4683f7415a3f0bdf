"""How many boards an event needs, from the boards of an earlier one: its pilot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from contree.tournament.proof import EventProof
from contree.tournament.schedule import Pairing
from contree.tournament.standings import close_boards
from contree.tournament.statistics.needed import Needed, to_see


def boards_needed(pilot: EventProof, difference: float) -> Mapping[Pairing, Needed | None]:
    """For each meeting: the boards that show a true difference of so many points a board."""
    counted = pilot.schedule.opened(pilot.results).counted(pilot.results)
    points: dict[Pairing, list[float]] = defaultdict(list)
    for board in close_boards(counted):
        points[board.pairing].append(board.points)
    return {pairing: to_see(values, difference) for pairing, values in points.items()}
