"""The log names no hidden card, no seed, no decision and no token, whatever goes wrong."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from tests.rpc.conftest import WAIT_S, RawBot, board

from contree.engine import Action, IllegalAction, Seat, cards_in
from contree.server.app import Serving
from contree.server.match import Match, house
from contree.server.settings import Settings
from contree.server.telemetry import configure_logging
from contree.v1 import match_pb2, match_service_pb2

SEED = bytes(range(7, 39))
TOKEN = "ctr_bearer-of-bad-news"
CARD = re.compile(r"\b[789TJQKA][SHDC]\b")


@pytest.fixture
def log(settings: Settings, log_put_back: None) -> io.StringIO:
    stream = io.StringIO()
    configure_logging(Settings(log="json", log_level="info"), stream)
    return stream


def confused(match: Match, seat: Seat) -> Action:
    assert match.game.deal is not None
    held = cards_in(match.game.deal.hands[seat])
    raise IllegalAction(held[0], "the house is confused", held)


async def test_the_log_shows_nothing_that_is_hidden(
    log: io.StringIO,
    serving: Serving,
    matches: Any,
    bots: Callable[[], RawBot],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bot = bots()
    await bot.hello()
    seeded = match_pb2.DealSource(seeded=match_pb2.SeededDeals(seed=SEED, label="cup"))
    created = (await matches.CreateMatch(board(deals=seeded, labels=["event"]))).match
    get = match_service_pb2.GetMatchRequest(match_id=created.id)
    with pytest.raises(grpc.aio.AioRpcError):
        await matches.GetMatch(get, metadata=(("authorization", f"Bearer {TOKEN}"),))
    await bot.ready()
    await bot.ready()
    ids: list[bytes] = []
    async with asyncio.timeout(WAIT_S):
        for number in range(8):
            turn = (await bot.next("turn")).turn
            ids.append(turn.decision.id)
            hand = set(turn.view.hand)
            if number in (1, 3):  # what it does not hold, or a card where a call is asked for
                other = next(card for card in range(1, 33) if card not in hand)
                await bot.act(turn, action={"play": {"card": other}})
                await bot.next("act_result")
                turn.ClearField("again")
            if number == 5:
                monkeypatch.setattr(house, "choose", confused)
            try:
                await bot.act(turn)
                await bot.next("act_result")
            except (EOFError, TimeoutError):
                break
            if (await matches.GetMatch(get)).match.state == match_pb2.MATCH_STATE_ENDED:
                break
    match = (await matches.GetMatch(get)).match
    assert match.end_reason == match_pb2.END_REASON_INFRASTRUCTURE
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    events = {line["event"] for line in lines}
    assert {"bot_connected", "fault", "decide_failed", "match_ended"} <= events
    failed = next(line for line in lines if line["event"] == "decide_failed")
    assert "the house is confused" in failed["exception"], "an operator can tell what it was"
    text = log.getvalue()
    assert not CARD.search(text), CARD.search(text)
    assert len(ids) > 3
    for secret in (SEED, *ids):
        shown = (secret.hex(), base64.b64encode(secret).decode(), repr(secret)[2:-1])
        assert not any(form in text for form in shown)
    assert TOKEN not in text
