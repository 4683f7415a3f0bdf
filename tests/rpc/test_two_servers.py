"""Two servers on one store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from tests.rpc.conftest import RawBot

from contree.server.app import Serving, running
from contree.server.settings import Settings
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage


@pytest.fixture
async def other(serving: Serving, settings: Settings, tmp_path: Path) -> AsyncIterator[Serving]:
    """A second server that joins the store of the first."""
    async with running(replace(settings, server_id="other")) as other:
        yield other


@pytest.mark.parametrize("heartbeat_s", [1.5])  # at which it is noticed; three may be missed
async def test_15_a_session_is_superseded_by_one_at_the_other_server(
    serving: Serving, other: Serving
) -> None:
    async with (
        grpc.aio.insecure_channel(serving.address) as here,
        grpc.aio.insecure_channel(other.address) as there,
    ):
        old = RawBot(here, acks=False)
        await old.hello(instance="one")
        new = RawBot(there, acks=False)
        await new.hello(instance="one")
        await old.next("superseded")
        with pytest.raises(EOFError):
            await old.anything()
        back = RawBot(here)
        await back.hello(instance="one")
        await new.next("superseded")
        await back.say(ClientMessage(act=play_service_pb2.Act(seat_ref=7)))
        await back.next("act_result")
