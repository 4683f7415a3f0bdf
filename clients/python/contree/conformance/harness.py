"""Everything that a check works with: the bot, a real server, and what stands between them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self, TypeVar

from contree.client import (
    Board,
    BotSeat,
    Connection,
    ContreeError,
    FaultPolicy,
    Fixed,
    HostClient,
    HouseSeat,
    MatchOver,
    MatchSpec,
    Race,
    TimeControl,
    play_bot,
)
from contree.conformance.companions import NAME, Companion, Speaker
from contree.conformance.door import Door
from contree.conformance.gateway import Gateway, Line
from contree.conformance.observer import Observer
from contree.conformance.script import LOST, NOTHING, Script
from contree.conformance.subject import Subject
from contree.conformance.verdicts import Failed
from contree.engine import RuleSet, Seat
from contree.testing import service
from contree.v1 import play_service_pb2

HELLO: Final = "One stream"
"""The heading in docs/protocol.md about the beginning of a stream."""
ALLOWANCE_S: Final = 1.0
"""Tolerance beyond the limit: the way there and back, on a busy machine, is not the bot's."""
_HEARTBEAT_S: Final = 1.0
_STRIKES: Final = 3
_LOOK_S: Final = 0.2
"""What only time changes is looked at this often."""
_T = TypeVar("_T")


class Limits(NamedTuple):
    """How long the bot is waited for, in seconds."""

    answer: float = 2.0
    """For one decision: ``--limit``."""
    start: float = 20.0
    """From its start to its Hello, for a runtime or a model to load."""
    back: float = 10.0
    """To be back after its stream was lost."""
    seats: int = 16
    """Seats that it is asked to play at once."""


DEFAULT_LIMITS: Final = Limits()


class Harness:
    """The table at which a bot is judged. Made by ``ready``."""

    def __init__(self, subject: Subject, limits: Limits, folder: Path) -> None:
        self.subject = subject
        self.limits = limits
        self._folder = folder
        self._loop = asyncio.get_running_loop()
        self._change = asyncio.Event()
        self.observer = Observer(self.now)
        self.gateway = Gateway(self.observer, self.changed)
        self.door = Door("")
        self._service: contextlib.AsyncExitStack | None = None
        self._server = ""
        self._host: HostClient | None = None
        self._open_matches: list[str] = []
        self._numbers = itertools.count(1)
        self.memory: dict[str, str] = {}
        """Matches that several checks look at, by name."""

    @classmethod
    @contextlib.asynccontextmanager
    async def ready(
        cls, name: str, command: tuple[str, ...] | None, limits: Limits, listen: str
    ) -> AsyncIterator[Self]:
        """A server, and the door to it open, for the time of an ``async with``. Raises OSError
        when ``listen`` cannot be listened on.
        """
        with tempfile.TemporaryDirectory(prefix="contree-") as text:
            folder = Path(text)
            subject = Subject(name, command, folder=folder, capacity=limits.seats)
            harness = cls(subject, limits, folder)
            subject.changed = harness.changed
            async with harness.gateway.serving():
                harness.door = Door(harness.gateway.address)
                async with harness.door.listening(listen):
                    try:
                        await harness.start_service()
                        yield harness
                    finally:
                        await subject.stop()
                        await harness.stop_service()

    # -- the server -----------------------------------------------------------------------------

    async def start_service(self) -> None:
        """Start the server; a later one goes on with the matches of the one before."""
        async with contextlib.AsyncExitStack() as stack:
            serving = service(
                data=self._folder / "data",
                per_move=self.limits.answer,
                heartbeat=_HEARTBEAT_S,
                drain=0.0,
            )
            running = await stack.enter_async_context(serving)
            self._server = running.address
            self._host = await stack.enter_async_context(HostClient(running.address))
            await self.gateway.connect(running.address)
            self._service = stack.pop_all()

    async def stop_service(self) -> None:
        """Stop the server; its matches stay in its store."""
        stack, self._service = self._service, None
        if stack is not None:
            for line in self.gateway.current():
                line.leave_server()
            await self.gateway.connect(None)
            await stack.aclose()

    @property
    def host(self) -> HostClient:
        """The host of the kit's matches."""
        assert self._host is not None
        return self._host

    # -- time -----------------------------------------------------------------------------------

    def now(self) -> float:
        """Seconds on the clock by which everything here is measured."""
        return self._loop.time()

    def changed(self) -> None:
        """Something was sent or seen, or a stream or the process has ended."""
        self._change.set()

    async def until(self, found: Callable[[], _T], within: float) -> _T:
        """The first true value of ``found``, looked at whenever something changes; what it is when
        the time is over.
        """
        deadline = self.now() + within
        while not (value := found()) and (left := deadline - self.now()) > 0:
            self._change.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, _LOOK_S)):
                    await self._change.wait()
        return value

    # -- the bot --------------------------------------------------------------------------------

    @property
    def line(self) -> Line | None:
        """The newest stream, if it is open and welcomed."""
        lines = self.gateway.lines
        return lines[-1] if lines and lines[-1].welcomed and not lines[-1].over else None

    @property
    def room(self) -> int:
        """Seats that the bot takes at once, of those that it was asked to."""
        lines = self.gateway.lines
        hello = lines[-1].hello if lines else None
        said = self.limits.seats if hello is None or not hello.capacity else hello.capacity
        return min(said, self.limits.seats)

    async def connected(self) -> Line:
        """The stream of the bot, which is started if need be. Raises Failed when none comes."""
        return await self._come(lambda: self.line)

    async def greeting(self) -> play_service_pb2.Hello:
        """The newest Hello, whether the server takes it or not. Raises Failed when none comes."""
        return await self._come(
            lambda: next((one.hello for one in reversed(self.gateway.lines) if one.hello), None)
        )

    async def _come(self, found: Callable[[], _T | None]) -> _T:
        if not self.subject.running:
            await self.subject.start(self.door.address)
        await self.until(lambda: found() is not None or not self.subject.running, self.limits.start)
        come = found()
        if come is not None:
            return come
        if not self.subject.running:
            raise Failed(
                "A bot stays connected and waits for seats.",
                HELLO,
                f"its process ended {self.subject.ending}",
            )
        raise Failed(
            "A bot dials CONTREE_SERVER and says Hello.",
            HELLO,
            f"no stream with a Hello was open within {self.limits.start:g} s",
        )

    async def restart_bot(self) -> None:
        """Let the next check have a new process; of a bot that dials in, a new stream."""
        for line in self.gateway.current():
            line.end(LOST)
        if not self.subject.dials_in:
            await self.subject.forget()
        await self.until(lambda: not self.gateway.current(), 1.0)

    def alive(self, section: str) -> None:
        """Raises Failed when the process of the bot has ended."""
        if not self.subject.running:
            raise Failed(
                "A bot stays up, whatever the server says and whatever becomes of its matches.",
                section,
                f"its process ended {self.subject.ending}",
            )

    # -- tables ---------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def companions(self, say: Speaker) -> AsyncIterator[None]:
        """Players of the kit for the time of an ``async with``, at seats named companion."""
        playing = asyncio.create_task(
            play_bot(
                Companion(say), server=self._server, token="", name=NAME, connection=Connection()
            )
        )
        try:
            yield
        finally:
            playing.cancel()
            await asyncio.wait({playing})

    @contextlib.contextmanager
    def script(self, script: Script) -> Iterator[None]:
        """Change what passes for the time of a ``with``."""
        self.gateway.script = script
        try:
            yield
        finally:
            self.gateway.script = NOTHING

    async def seat(
        self,
        *seats: Seat,
        rules: RuleSet | str = "contree-simple",
        mode: Board | Race | None = None,
        deals: Fixed | None = None,
        others: str | Mapping[Seat, str] = "rules",
        per_move: float | None = None,
    ) -> str:
        """A match with the bot in these seats, and in the others the house or the kit's companion;
        its id. ``per_move`` is the clock, by default the limit for an answer.
        """
        line = await self.connected()
        assert line.hello is not None
        bot = BotSeat(line.hello.bot, instance_id=line.hello.instance_id)

        def player(seat: Seat) -> BotSeat | HouseSeat:
            name = others if isinstance(others, str) else others[seat]
            return BotSeat(NAME) if name == NAME else HouseSeat(name)

        spec = MatchSpec(
            request_id=f"check-{next(self._numbers)}-{id(self)}",
            seats={seat: bot if seat in seats else player(seat) for seat in Seat},
            mode=mode or Board(1),
            rules=rules,
            deals=deals,
            time_control=TimeControl(
                per_move=self.limits.answer if per_move is None else per_move,
                bank=0.0,
                allowance=ALLOWANCE_S,
                ready=self.limits.start,
                seat_timeout=self.limits.start,
                disconnect_grace=60.0,
            ),
            fault_policy=FaultPolicy(
                illegal_strikes=_STRIKES, timeout_strikes=_STRIKES, protocol_strikes=1_000
            ),
        )
        match = await self.host.create_match(spec)
        self._open_matches.append(match.id)
        return match.id

    async def clear(self) -> None:
        """Cancel the matches that are still being played, but for those in memory."""
        kept = set(self.memory.values())
        matches = [one for one in self._open_matches if one not in kept]
        self._open_matches = [one for one in self._open_matches if one in kept]
        for match_id in matches:
            if not self.observer.is_over(match_id):
                with contextlib.suppress(MatchOver, ContreeError):
                    await self.host.cancel_match(match_id, "the check is over")
        await self.until(
            lambda: self.line is None or all(self.observer.is_over(one) for one in matches), 1.0
        )
