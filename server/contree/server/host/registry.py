"""Which session of a bot instance is the newest, over all servers of one store.

Each session writes its nonce under the name of its instance when it arrives, and every server looks
at each heartbeat whether its own sessions are still those written last, all in one round trip. So a
move costs nothing, and while the store is away every stream goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from contree.server.host.session import Session
from contree.server.store import RegistryStore, StoreError

_RETRY_S: Final = 0.5
_BEATS_KEPT: Final = 12
_LEAST_KEPT_S: Final = 60
_AT_ONCE: Final = 500
"""Sessions looked at in one round trip."""
_log = structlog.get_logger(__name__)


class Registry:
    """This server's part of it."""

    def __init__(
        self,
        store: RegistryStore,
        sessions: Callable[[], Sequence[Session]],
        supersede: Callable[[Session], None],
        *,
        beat_s: float,
        entered: Callable[[Sequence[Session]], None] = lambda sessions: None,
    ) -> None:
        """``supersede`` is called with a session that a newer one has replaced elsewhere,
        ``entered`` with those that the store knows to be the newest.
        """
        self._on_entered = entered
        self._store = store
        self._sessions = sessions
        self._supersede = supersede
        self._beat_s = beat_s
        self._kept_s = max(_LEAST_KEPT_S, int(_BEATS_KEPT * beat_s))
        self._arrived: list[Session] = []
        self._entered: set[str] = set()
        """Nonces of the sessions that are in the store."""
        self._wake = asyncio.Event()

    def enter(self, session: Session) -> None:
        """A session has arrived: it is written with the next round trip."""
        self._arrived.append(session)
        self._wake.set()

    async def run(self) -> None:
        """Write and look until cancelled."""
        now = asyncio.get_running_loop().time
        due = now() + self._beat_s
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, due - now())):
                    await self._wake.wait()
            self._wake.clear()
            try:
                await self._write()
                if now() >= due:
                    due = now() + self._beat_s
                    await self._look()
            except StoreError as error:
                _log.info("sessions_not_registered", error=str(error))
                await asyncio.sleep(_RETRY_S)
                self._wake.set()

    async def _write(self) -> None:
        arrived = [session for session in self._arrived if not session.outbox.closed]
        self._arrived = arrived
        while arrived:
            # Of two sessions of one instance the later one is written.
            group = arrived[:_AT_ONCE]
            nonces = {_name(session): session.nonce for session in group}
            await self._store.enter_sessions(nonces, self._kept_s)
            self._entered.update(nonces.values())
            self._on_entered(group)
            arrived = self._arrived = self._arrived[len(group) :]

    async def check(self, session: Session) -> None:
        """Let a session go at once if a newer one has replaced it."""
        if session.nonce in self._entered:
            try:
                await self._compare([session])
            except StoreError as error:  # the next look will tell
                _log.info("session_not_compared", error=str(error))

    async def _look(self) -> None:
        here = self._sessions()
        self._entered.intersection_update([session.nonce for session in here])
        await self._compare([session for session in here if session.nonce in self._entered])

    async def _compare(self, mine: Sequence[Session]) -> None:
        for first in range(0, len(mine), _AT_ONCE):
            group = {_name(session): session for session in mine[first : first + _AT_ONCE]}
            nonces = {name: session.nonce for name, session in group.items()}
            for name in await self._store.keep_sessions(nonces, self._kept_s):
                session = group[name]
                if not session.outbox.closed:
                    _log.info("bot_went_elsewhere", bot=session.identity.bot)
                    self._supersede(session)


def _name(session: Session) -> str:
    return "\n".join(session.identity.key)
