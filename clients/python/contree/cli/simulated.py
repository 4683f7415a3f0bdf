"""What `contree simulate` has found: the points of each pairing, played now or read from files."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contree.cli.errors import BadInput, Failure

if TYPE_CHECKING:
    from contree.tournament.schedule import Pairing
    from contree.tournament.statistics import Estimate

Points = Mapping["Pairing", Sequence[float]]
"""What each board of a pairing was worth to its first player."""


def read_points(paths: Sequence[Path]) -> Points:
    """What the files of `--out` come to, together. Raises BadInput for what is no such line, and
    for a board that is there twice.
    """
    from contree.tournament.schedule import Pairing

    points: dict[Pairing, list[float]] = defaultdict(list)
    seen: dict[Pairing, set[int]] = defaultdict(set)
    for path in paths:
        try:
            with path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, start=1):
                    try:
                        row = json.loads(line)
                        board, value = int(row["board"]), float(row["points"])
                        pairing = Pairing(str(row["first"]), str(row["second"]))
                    except (ValueError, KeyError, TypeError):
                        raise BadInput(
                            f"{path}, line {number}, is no line of contree simulate --out."
                        ) from None
                    if board in seen[pairing]:
                        raise BadInput(
                            f"{path}, line {number}: board {board} of {pairing.first} and "
                            f"{pairing.second} is there twice. Ranges of parts must not overlap."
                        )
                    seen[pairing].add(board)
                    points[pairing].append(value)
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise Failure(f"{path} cannot be read: {why}.") from None
    if not points:
        raise BadInput("There is no board to read.")
    return points


def sentences(points: Points) -> list[str]:
    """A line for each pairing: mean points a board, with its interval."""
    return [
        f"{pairing.first} over {pairing.second}: "
        + ("one board has no interval" if one is None else _points(one))
        for pairing, one in _estimates(points).items()
    ]


def as_plain(points: Points) -> list[dict[str, Any]]:
    """The same, for JSON."""
    return [
        {
            "first": pairing.first,
            "second": pairing.second,
            "boards": len(points[pairing]),
            "points": None if one is None else one._asdict(),
        }
        for pairing, one in _estimates(points).items()
    ]


def _estimates(points: Points) -> dict[Pairing, Estimate | None]:
    from contree.tournament.statistics import estimate

    return {pairing: estimate(values) for pairing, values in points.items()}


def _points(one: Estimate) -> str:
    return f"{one.mean:+.2f} points a board [{one.low:+.2f}, {one.high:+.2f}], {one.boards} boards"
