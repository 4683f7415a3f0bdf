"""docs/write-a-bot.md: its files are written and its commands run, in order.

The blocks for other languages run in tests/languages/test_write_a_bot_page.py.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.languages.folders import LANGUAGES, commands
from tests.pages import ROOT, Block, Reader, blocks_of, dead_links

PAGE = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
BLOCKS = blocks_of(PAGE)
ALONE = [block for block in BLOCKS if not block.what.startswith(("guest", "language"))]
(GUEST,) = (block for block in BLOCKS if block.what == "guest")
HOST = blocks_of((ROOT / "docs" / "host-a-competition.md").read_text(encoding="utf-8"))
FIRST_BOT = "file: my_bot.py"
PREPARED = [
    block for block in ALONE if block.what in ("environment", FIRST_BOT, "file: better_bot.py")
]
CHECK = [block for block in ALONE if block.text.startswith("contree check-bot")]
RATE = ALONE[[block.what for block in ALONE].index("file: rate.toml") :]


def followed(blocks: Sequence[Block], folder: Path) -> str:
    with ExitStack() as running:
        return "\n".join(Reader(folder).follow(blocks, running))


@pytest.mark.pages
@pytest.mark.timeout(400)
def test_commands_in_order(tmp_path: Path) -> None:
    blocks = [block for block in ALONE if block not in (*CHECK, *RATE)]
    everything = followed(blocks, tmp_path)
    assert "All deals are played: NS " in everything
    assert re.search(r"match m\w+, ffb-mixte: N MyBot  E rules  S MyBot  W rules", everything)
    assert '"decision": {' in everything
    assert "3 passed" in everything
    assert re.search(r"^now  ", everything, re.MULTILINE)


@pytest.mark.pages
@pytest.mark.timeout(400)
def test_the_bot_passes_every_check(tmp_path: Path) -> None:
    assert "25 passed." in followed([*PREPARED, *CHECK], tmp_path)


@pytest.mark.pages
@pytest.mark.timeout(400)
def test_the_rating(tmp_path: Path) -> None:
    said = followed([*PREPARED, *RATE], tmp_path)
    assert "points/board [95%]" in said
    assert re.search(r"^better and rules: \d+ boards", said, re.MULTILINE)
    assert re.search(r"^now  ", said, re.MULTILINE)
    (standings,) = tmp_path.glob("results/rate-*/standings.json")
    told = json.loads(standings.read_text("utf-8"))
    assert not [row for row in told["standings"] if row["faults"] or row["replaced"]]
    (meeting,) = (one for one in told["meetings"] if one["opponent"] == "before")
    assert meeting["bot"] == "better"
    assert meeting["points"]["mean"] > 0, "the same boards each time, so the same outcome"


@pytest.mark.pages
@pytest.mark.timeout(200)
def test_the_guest_of_a_host_who_followed_the_other_page(tmp_path: Path) -> None:
    """Its certificate, its keys and its server are those of docs/host-a-competition.md."""
    for name in ("host", "guest"):
        (tmp_path / name).mkdir()
    host, guest = Reader(tmp_path / "host"), Reader(tmp_path / "guest")
    guest.port = host.port
    environment = [block for block in HOST if block.what == "environment"]
    keys = [block for block in HOST if "openssl" in block.text]
    server = [block for block in HOST if block.what == "run: server"]
    with ExitStack() as running:
        host.follow([*environment, *keys, *server], running)
        for name in ("ann.token", "cert.pem"):
            shutil.copy(host.folder / name, guest.folder)
        guest.follow(PREPARED, running)
        connected = guest.said("as ann, instance ")
        line = GUEST.text.strip() + " > run.log 2>&1"
        running.enter_context(guest.background(line, connected))


def test_the_first_bot_is_that_of_the_readme() -> None:
    readme = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
    (here,) = (block.text for block in BLOCKS if block.what == FIRST_BOT)
    assert [here] == [block.text for block in readme if block.what == FIRST_BOT]


def test_the_languages_are_built_and_run_as_their_readmes_say() -> None:
    rows = re.findall(
        r"^\| [\w+]+ \| \[`bots/(\w+)`\].*?\| `(.*?)` \| `(.*?)` \|", PAGE, re.MULTILINE
    )
    assert {name: (build, run) for name, build, run in rows} == {
        name: commands(name) for name in LANGUAGES if name != "python"
    }


def test_every_block_is_run() -> None:
    assert PAGE.count("```") == 2 * len(BLOCKS)


def test_links_lead_somewhere() -> None:
    assert not dead_links(PAGE, ROOT / "docs")
