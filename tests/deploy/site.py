"""A site to be broken: two servers on a store, each a process, workers below a supervisor on a
store of their own, and a Prometheus that watches.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.duration_pb2 import Duration
from tests.chaos.server import Server
from tests.deploy import hurried
from tests.deploy.events import Event
from tests.deploy.prometheus import STEP_S, Prometheus, eventually, prometheus
from tests.ports import Port
from tests.rpc.conftest import RawBot, board
from tests.rpc.keyed import KeyRing
from tests.workers.crew import Crew

from contree.server.store import connect
from contree.server.store.binary import find_binary
from contree.v1 import match_pb2, match_service_pb2, play_service_pb2
from contree.v1.match_service_pb2_grpc import MatchServiceStub

SETTINGS: Final = {
    "CONTREE_HEARTBEAT_S": "1",
    "CONTREE_LEASE_MS": "1000",
    "CONTREE_RETURN_S": "0.3",
    "CONTREE_DRAIN_S": "60",
}
WAIT_S: Final = 150.0
"""For what comes soon, where the machine is not too busy."""
_START_S: Final = 60.0


class StoreProcess:
    """A store on a port that stays the same from one start to the next."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = Port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"redis://{self._port.address}/0"

    def start(self) -> None:
        options = ("--appendonly", "yes", "--appendfsync", "everysec", "--save", "")
        self._process = subprocess.Popen(
            [
                *(str(find_binary()), "--bind", "127.0.0.1", "--port", str(self._port.number)),
                *(*options, "--dir", str(self._folder)),
            ],
            stdout=subprocess.DEVNULL,
        )

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(_START_S)


class Site:
    """What there is, and how it is reached."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.store = StoreProcess(folder)
        self.one, self.other = (
            Server(folder, name, redis=self.store.url, settings=SETTINGS) for name in ("one", "two")
        )
        names = ("waits", "ends", "replays", "faults", "restarts")
        self.events = {name: Event(folder, name) for name in names}
        self.crew: Crew
        self.prometheus: Prometheus

    @contextmanager
    def running(self, folder: Path) -> Iterator[None]:
        """All of it for the time of a ``with``; nothing is left."""
        self.store.start()
        try:
            with ExitStack() as everything:
                for server in (self.one, self.other):
                    everything.enter_context(server)
                for event in self.events.values():
                    everything.enter_context(event)
                for server in (self.one, self.other):
                    asyncio.run(server.start())
                (self._folder / "crew").mkdir()
                self.crew = Crew(self._folder / "crew")
                everything.callback(self.crew.close)
                asyncio.run(self.crew.serving())
                targets = {
                    "contree": [self.one.metrics_address, self.other.metrics_address],
                    "contree-supervisor": [str(self.crew.facts["metrics"])],
                    "event": [event.metrics_address for event in self.events.values()],
                }
                with prometheus(hurried.write(folder, targets)) as self.prometheus:
                    yield
        finally:
            self.store.kill()

    async def quiet(self, alert: str = "") -> None:
        """Wait until an alert, or any at all, fires no more: what it looks back at has gone by."""
        one = self.prometheus
        what = f"{alert or 'nothing'} is quiet"
        await asyncio.to_thread(eventually, lambda: not one.firing(alert), WAIT_S, what)

    async def rests(self, seconds: float, but: Mapping[str, float]) -> None:
        """Wait until nothing has fired for so many seconds in a row, and see that before no more
        fired than those named in ``but``, none of them for longer in all than it says.
        """
        since, one = time.time(), self.prometheus

        def rested() -> bool:
            fired = one.fired(since)
            for name, when in fired.items():
                assert name in but, f"{name} fires where nothing is wrong"
                assert len(when) * STEP_S <= but[name], f"{name} fires again and again, or on"
            last = max((when[-1] for when in fired.values()), default=since)
            return not one.firing() and time.time() - last > seconds

        await asyncio.to_thread(eventually, rested, WAIT_S, f"nothing fires for {seconds:g} s")

    async def fires(self, alert: str) -> None:
        """Wait until an alert fires, and see that it says what it is to say."""
        one = self.prometheus
        fired = await asyncio.to_thread(
            eventually, lambda: one.firing(alert), WAIT_S, f"{alert} fires"
        )
        for firing in fired:
            assert firing.annotations["command"].startswith("contree ")
            assert not {"{", "}"} & set("".join(firing.annotations.values()))

    async def restarted(self, server: Server) -> None:
        """Killed if it lives, and started again."""
        if server.alive:
            await server.kill()
        await server.start()

    @asynccontextmanager
    async def keys(self) -> AsyncIterator[KeyRing]:
        """The keys in its store."""
        store = await connect(self.store.url)
        try:
            yield KeyRing(store.api_keys)
        finally:
            await store.close()


@asynccontextmanager
async def hosting(server: Server) -> AsyncIterator[Any]:
    """The host's calls, at a server."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield MatchServiceStub(channel)


@asynccontextmanager
async def sitting(
    server: Server, metadata: tuple[tuple[str, str], ...] = (), *, seats: int = 0
) -> AsyncIterator[RawBot]:
    """A bot that takes ``seats`` and says Ready, answers heartbeats, and never a turn."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = RawBot(channel, metadata)
        await bot.hello(capacity=max(1, seats))
        for _ in range(seats):
            await bot.ready()
        reading = asyncio.create_task(_read(bot))
        try:
            yield bot
        finally:
            reading.cancel()
            await asyncio.wait([reading])
            await bot.close()


async def _read(bot: RawBot) -> None:
    """Answer heartbeats, however long. A limit of time on reading would end the stream."""
    bot.taken()
    with suppress(grpc.RpcError, asyncio.InvalidStateError):  # it is ended by the server
        while (frame := await bot.call.read()) is not grpc.aio.EOF:
            for message in frame.messages:
                if message.HasField("heartbeat"):
                    ack = play_service_pb2.HeartbeatAck(nonce=message.heartbeat.nonce)
                    await bot.say(play_service_pb2.ClientMessage(heartbeat_ack=ack))


def board_with(
    per_move: float = 5.0, seat_timeout: float = 120.0, strikes: int = 0
) -> match_service_pb2.CreateMatchRequest:
    """A board of the bot "raw" on a clock of its own, which forgives so many timeouts."""
    clock = match_pb2.TimeControl(
        per_move=_duration(per_move),
        seat_timeout=_duration(seat_timeout),
        ready=_duration(60),
        disconnect_grace=_duration(60),
    )
    return board(time_control=clock, fault_policy=match_pb2.FaultPolicy(timeout_strikes=strikes))


def long_race(per_move: float) -> match_service_pb2.CreateMatchRequest:
    """A match of the bot "raw" that goes on and on, and forgives a thousand timeouts."""
    request = board_with(per_move, strikes=1_000)
    request.race.CopyFrom(match_pb2.RaceMode(target=0, deals=1_000))
    return request


def _duration(seconds: float) -> Duration:
    return Duration(seconds=int(seconds), nanos=int(seconds % 1 * 1e9))
