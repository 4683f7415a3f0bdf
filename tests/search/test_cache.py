"""What was compiled is kept for later processes, and no longer than it is true."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import contree.search

BOTH = """
import json
from contree.engine import Seat, Strain, preset
from contree.search import Position, rollouts, solve
from contree.search.dd_exact import outcomes_by_card
from contree.search.rollouts import _play_out

hands = [0xFF << 8 * seat for seat in range(4)]
position = Position.start(preset("ffb-mixte"), Strain.HEARTS, hands, Seat.NORTH)
solved = {str(card): outcome for card, outcome in solve(position).outcomes.items()}
drawn = rollouts(position, 3, 1).tolist()
stats = outcomes_by_card.stats, _play_out.stats
loaded = sum(sum(one.cache_hits.values()) for one in stats)
made = sum(sum(one.cache_misses.values()) for one in stats)
print(json.dumps({"solved": solved, "drawn": drawn, "loaded": loaded, "made": made}))
"""

ONE = """
import json, random
from contree.engine import Seat, Strain, mask_of, preset
from contree.search import Position, rollouts

deck = random.Random(1).sample(range(32), 32)
hands = [mask_of(deck[first : first + 8]) for first in (0, 8, 16, 24)]
position = Position.start(preset("ffb-mixte"), Strain.HEARTS, hands, Seat.NORTH)
print(json.dumps(rollouts(position, 5, 1).tolist()))
"""


def run(script: str, cache: Path, **environ: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), **environ},
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )
    return json.loads(done.stdout)


def test_later_processes_load_what_the_first_has_compiled(tmp_path: Path) -> None:
    first, second, third = (run(BOTH, tmp_path) for _ in range(3))
    assert (first.pop("loaded"), first.pop("made")) == (0, 2)
    for later in (second, third):
        assert (later.pop("loaded"), later.pop("made")) == (2, 0)
        assert later == first


def test_a_change_in_a_file_that_is_called_into_is_seen(tmp_path: Path) -> None:
    """numba itself would ask only the file of the caller."""
    package = Path(contree.search.__file__).parent
    copy = tmp_path / "contree" / "search"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    before = run(ONE, cache, PYTHONPATH=str(tmp_path))
    assert run(ONE, cache, PYTHONPATH=str(tmp_path)) == before

    called = copy / "slams.py"
    text = called.read_text()
    assert text.count("return points\n") == 1
    called.write_text(text.replace("return points\n", "return points + 1\n"))
    after = run(ONE, cache, PYTHONPATH=str(tmp_path))
    assert after == [points + 1 for points in before]
