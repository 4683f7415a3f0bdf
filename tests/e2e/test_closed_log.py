"""A server whose log nobody reads any more plays on."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc
from tests.e2e.server_process import START_S
from tests.rpc.conftest import RawBot

from contree.v1 import play_service_pb2


async def play(address: str) -> None:
    """Practise to the end."""
    async with grpc.aio.insecure_channel(address) as channel:
        bot = RawBot(channel)
        await bot.hello(practice=play_service_pb2.Practice(deals=1), capacity=2)
        await bot.ready()
        await bot.ready()
        while True:
            message = await bot.anything()
            if message.HasField("turn"):
                await bot.act(message.turn)
            elif message.HasField("match_ended"):
                break
        await bot.close()


def test_a_match_is_played_though_the_log_is_closed(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "contree.cli", "serve", "--listen", "127.0.0.1:0"),
            *("--metrics", "off", "--log", "json", "--drain", "1"),
            *("--data", str(tmp_path / "data"), "--ready-file", str(ready)),
        ],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={"PATH": ""},
    )
    try:
        assert process.stderr is not None
        deadline = time.monotonic() + START_S
        while not ready.exists():
            assert process.poll() is None
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.02)
        process.stderr.close()
        asyncio.run(play(json.loads(ready.read_text())["address"]))
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.wait(START_S)
        assert not ready.exists()  # it drained to its end
    finally:
        process.kill()
        process.wait()
