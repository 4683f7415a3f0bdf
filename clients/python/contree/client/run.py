"""Running a bot: ``run_bot`` for a program, ``play_bot`` inside an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from contree.client.bot import BatchBot, Bot, Delivery, Practice
from contree.client.channel import DEFAULT_CONNECTION, Connection, Route, Target
from contree.client.errors import ContreeError, InternalError, Superseded, TryLater
from contree.client.patience import Patience
from contree.client.seats import Counts, Identity
from contree.client.session import Session
from contree.client.stream import Renewal, Stream

_FAREWELL_S: Final = 1.5
_STEADY_S: Final = 5.0
"""When a stream that lived for so long ends, the next one is dialled without delay."""
_TERMINATED: Final = 143

log: Final = logging.getLogger("contree.client")


class Summary(NamedTuple):
    """What a bot did."""

    matches: int
    """Matches that ended."""
    decisions: int
    """Turns answered."""
    illegal: int
    """Answers that the rules did not allow."""
    late: int
    """Answers that came too late."""
    faults: int
    """Faults charged."""
    connections: int
    """Streams opened: one, and one for each time that the connection was lost, or another practice
    match asked for.
    """
    interrupted: bool = False
    """Ended by Ctrl-C."""
    replaced: int = 0
    """Seats that the house played on with, for faults of the bot."""


async def play_bot(
    bot: Bot | BatchBot,
    *,
    server: str | Sequence[str] | None = None,
    name: str | None = None,
    token: str | None = None,
    instance_id: str | None = None,
    capacity: int | None = None,
    practice: Practice | None = None,
    matches: int | None = None,
    delivery: Delivery = Delivery.STATE,
    connection: Connection = DEFAULT_CONNECTION,
    resigns: bool | None = None,
) -> Summary:
    """Connect a bot and play the seats it is given, until ``matches`` have ended (None: until it
    is cancelled).

    What is not given comes from CONTREE_SERVER, CONTREE_BOT, CONTREE_TOKEN or CONTREE_TOKEN_FILE,
    CONTREE_INSTANCE and CONTREE_CAPACITY. A server is HOST:PORT, or tls://HOST:PORT. Of several
    servers of one service (a sequence, or one text with commas) the next is dialled when one fails.
    A lost connection is dialled again under the same instance id, and play goes on where it was; no
    decision is asked of the bot twice.

    When it ends before its matches do, its seats wait for a process with the same instance id. If
    the id was made up here, nobody can come, and the seats are given up; ``resigns`` says so, or
    the contrary, for any id.

    Raises ``Unreachable`` when no server answers, ``Superseded`` when another process has the same
    instance id, ``BotFailed`` from whatever the bot raised, ``ServiceError`` when the service
    refuses it.
    """
    player = _Player(
        bot,
        _identity(
            bot,
            name=name,
            instance_id=instance_id,
            capacity=capacity,
            delivery=delivery,
            practice=practice,
        ),
        Target.of(server, token),
        connection,
        matches,
        resigns=_instance(instance_id) is None if resigns is None else resigns,
    )
    await player.play()
    return player.summary()


def run_bot(
    bot: Bot | BatchBot,
    *,
    server: str | Sequence[str] | None = None,
    name: str | None = None,
    token: str | None = None,
    instance_id: str | None = None,
    capacity: int | None = None,
    practice: Practice | None = None,
    matches: int | None = None,
    delivery: Delivery = Delivery.STATE,
    connection: Connection = DEFAULT_CONNECTION,
) -> Summary:
    """``play_bot`` as a program of its own: Ctrl-C ends it in good order.

    Writes a log to standard error when no logging is configured. SIGTERM ends the program with
    exit code 143. An error is raised, which ends it with 1: that of the bot with its traceback.
    """
    player = _Player(
        bot,
        _identity(
            bot,
            name=name,
            instance_id=instance_id,
            capacity=capacity,
            delivery=delivery,
            practice=practice,
        ),
        Target.of(server, token),
        connection,
        matches,
        resigns=_instance(instance_id) is None,
    )
    with _logging():
        try:
            asyncio.run(_until_terminated(player))
        except KeyboardInterrupt:
            log.info("interrupted")
            return player.summary(interrupted=True)
        except ContreeError as error:
            # The way through the event loop tells nobody anything; the cause, if any, is kept.
            raise error.with_traceback(None) from error.__cause__
        summary = player.summary()
        if summary.replaced:
            log.error(
                "the house played on with %d seats of this bot; %d of its answers were illegal",
                summary.replaced,
                summary.illegal,
            )
    return summary


class _Player:
    """A bot, its session, and the streams it takes."""

    def __init__(
        self,
        bot: object,
        identity: Identity,
        target: Target,
        connection: Connection,
        matches: int | None,
        *,
        resigns: bool,
    ) -> None:
        self._bot = bot
        self._identity = identity
        self._target = target
        self._route = Route(target)
        self._connection = connection
        self._matches = matches
        self._resigns = resigns
        target.warn(connection)
        self._stream: Stream | None = None
        self._counts = Counts()

    def summary(self, *, interrupted: bool = False) -> Summary:
        """What was done so far."""
        counts = self._counts
        return Summary(
            counts.matches,
            counts.decisions,
            counts.illegal,
            counts.late,
            counts.faults,
            counts.connections,
            interrupted,
            counts.replaced,
        )

    async def play(self) -> None:
        """Play to the end; raises why it came too early."""
        session = Session(self._bot, self._identity, self._matches, self._counts)
        connected = asyncio.create_task(self._keep_connected(session))
        try:
            await asyncio.wait({connected, session.over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            errors = [_error(session.over), _error(connected)]
            superseded = any(isinstance(error, Superseded) for error in errors)
            session.close(resign=self._resigns and not superseded)
            if self._stream is not None:
                self._stream.finish()
            await asyncio.wait({connected}, timeout=_FAREWELL_S)
            connected.cancel()
            await asyncio.wait({connected})
        for error in errors:
            if error is not None:
                raise error

    async def _keep_connected(self, session: Session) -> None:
        connection = self._connection
        patience = Patience(self._target.address, connection.patience, connection.backoff)
        now = asyncio.get_running_loop().time

        def over() -> bool:
            # Also when the last thing said was that this is the end, and nobody has heard it yet.
            return session.closed or session.over.done()

        while not over():
            address = self._route.address
            self._stream = stream = Stream(session, address, self._target, connection)
            try:
                await stream.run()
            except (TryLater, InternalError) as error:
                self._stream = None
                if over():
                    return
                if isinstance(error, Renewal):
                    patience.succeeded()
                    continue
                session.cut_off(str(error))
                # A stream that broke is dialled again where it was: its seats are there.
                if stream.welcomed_at is None or stream.going_away or stream.misplaced:
                    self._route.turn_from(address)
                if stream.welcomed_at is not None:
                    steady = now() - stream.welcomed_at > _STEADY_S
                    patience.succeeded(connection.resume_patience, at_ease=steady)
                await patience.failed(error)


def _error(future: asyncio.Future[None]) -> BaseException | None:
    """Why it failed; None when it did not, or not yet."""
    return future.exception() if future.done() and not future.cancelled() else None


async def _until_terminated(player: _Player) -> None:
    """Play; SIGTERM ends it like Ctrl-C, with an exit code of its own."""
    playing = asyncio.ensure_future(player.play())
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        playing.cancel()

    # Signals come to the main thread only, and not to every system.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    try:
        await playing
    except asyncio.CancelledError:
        if terminated:
            raise SystemExit(_TERMINATED) from None
        raise


def _identity(
    bot: Any,
    *,
    name: str | None,
    instance_id: str | None,
    capacity: int | None,
    delivery: Delivery,
    practice: Practice | None,
) -> Identity:
    return Identity(
        name=name
        or os.environ.get("CONTREE_BOT")
        or getattr(bot, "name", "")
        or type(bot).__name__,
        version=str(getattr(bot, "version", "") or ""),
        instance_id=_instance(instance_id) or secrets.token_hex(8),
        capacity=_capacity() if capacity is None else capacity,
        delivery=delivery,
        practice=practice,
    )


def _instance(instance_id: str | None) -> str | None:
    """The instance id that is given; None when one is to be made up."""
    return instance_id or os.environ.get("CONTREE_INSTANCE") or None


def _capacity() -> int:
    """The capacity in the environment; 0, the server's default, when there is none."""
    text = os.environ.get("CONTREE_CAPACITY", "") or "0"
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"CONTREE_CAPACITY is {text!r}: write a whole number of seats.")
    return int(text)


@contextlib.contextmanager
def _logging() -> Iterator[None]:
    """Log to standard error meanwhile, when nobody else has said where to log."""
    logger = logging.getLogger("contree")
    if logger.hasHandlers():
        yield
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
