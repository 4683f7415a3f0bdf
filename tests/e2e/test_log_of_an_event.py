"""The log of a server over a whole event: a line for each change of state, and nothing hidden."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.server import Server
from tests.chaos.waiting import until
from tests.deploy.events import Event
from tests.rpc.keyed import key_ring

from contree.engine import parse_record
from contree.server.access import Role

BOARDS = 6
HEAD = (
    f'boards = {BOARDS}\ntables = 4\nisolation = "none"\n[time]\nper_move = "20s"\nready = "60s"\n'
)
CARD = re.compile(r"\b[789TJQKA][SHDC]\b")
OF_EACH_MATCH = ["match_created", "match_started", "match_ended"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


async def test_a_line_for_each_change_of_state_and_nothing_that_is_hidden(tmp_path: Path) -> None:
    with Server(tmp_path, "server") as server, Event(tmp_path, "cup") as event:
        await server.start()
        async with key_ring(tmp_path / "data") as ring:
            host, bots = await ring.make(Role.HOST), await ring.make(Role.BOT)
        event.start(
            server.address, HEAD, ("random", "first"), token=host.token, bots_token=bots.token
        )
        await until(lambda: "Metrics are served" in event.last_words(), 300, "the event is over")
        assert "All 12 tables have a result" in event.last_words()
        await server.stop()
        text = server.log.read_text(encoding="utf-8")
        lines: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
        records = [path.read_text("utf-8") for path in event.results.glob("records/*")]
        seed = (event.results / "seed").read_text("utf-8").split()[0]

    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)
    assert not [line for line in lines if line["level"] == "error"]

    # Each match from its creation to its end, in this order.
    of_matches: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if "match_id" in line:
            of_matches.setdefault(line["match_id"], []).append(line)
    assert len(of_matches) == 2 * BOARDS
    label = event.results.name
    for story in of_matches.values():
        assert [line["event"] for line in story] == OF_EACH_MATCH
        created, started, ended = story
        assert "request_id" not in started, "it is of no call"
        assert label in created["labels"]
        assert created["request_id"]
        assert created["method"].endswith("/CreateMatch")
        assert ended["reason"] in {"board_done", "passed_out"}

    # Each bot that came, went; and so did the server.
    seen = Counter(line["event"] for line in lines)
    assert seen["bot_connected"] == seen["bot_disconnected"] == 2
    assert seen["group_released"] == BOARDS
    assert [seen[event] for event in ("serving", "draining", "stopped")] == [1, 1, 1]

    # Nothing that is hidden: cards and seeds are in the records, tokens with whoever has them.
    assert len(records) == 2 * BOARDS
    assert any(CARD.search(record) for record in records)
    assert not CARD.search(text)
    dealt = {
        hand for record in records for deal in parse_record(record).deals for hand in deal.hands
    }
    assert len(dealt) > BOARDS
    assert not dealt & {int(number) for number in re.findall(r"\d{5,}", text)}, "hands as masks"
    assert len(seed) == 64
    assert seed not in text
    assert not any(key.token in text for key in (host, bots))
