"""Node deals the published vectors again, from the page and its own crypto."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.languages, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bots" / "node" / "verify_deals.js"
VECTORS = ROOT / "tests" / "data" / "deals.json"


def verify(*arguments: str) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    assert node is not None, "node is not installed; bots/node needs Node 20 or newer"
    return subprocess.run(
        [node, str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_vectors_are_reproduced() -> None:
    count = sum(map(len, json.loads(VECTORS.read_text("utf-8")).values()))
    ran = verify()
    assert (ran.returncode, ran.stdout, ran.stderr) == (
        0,
        f"all {count} vectors are reproduced\n",
        "",
    )


@pytest.mark.parametrize("kind", ["boards", "disguises", "first_dealers", "entropy", "gathered"])
def test_another_seed_is_noticed(kind: str, tmp_path: Path) -> None:
    vectors = json.loads(VECTORS.read_text("utf-8"))
    for vector in vectors[kind]:
        vector["seed"] = "ab" * 32
    changed = tmp_path / "deals.json"
    changed.write_text(json.dumps(vectors), encoding="utf-8")
    ran = verify(str(changed))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"{kind}, seed {'ab' * 32}: ")


def test_it_needs_nothing_but_node() -> None:
    imports = [line for line in SCRIPT.read_text("utf-8").splitlines() if " from '" in line]
    assert imports
    assert all("'node:" in line for line in imports)
