"""The guard: from a token to a caller, and the end of what a key has open once it is no good.

A key is read from the store at most every ``fresh_s`` seconds, whether it exists or not. As long as
a key has something open it is read that often while ``running``, all such keys in one round trip.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import structlog

from contree.server.access.callers import ANONYMOUS, Caller, Unauthenticated
from contree.server.access.keys import ApiKey, UnreadableKey, decode_key
from contree.server.access.tokens import parse_token
from contree.server.store import KeyStore, StoredKey, StoreError

FRESH_S: Final = 2.0
_REMEMBERED: Final = 10_000
"""Ids, known or not, so that a flood of made-up ones takes no more memory than this."""
_NOBODIES: Final = 1_000
_NO_DIGEST: Final = bytes(32)
_log = structlog.get_logger(__name__)

_NO_TOKEN: Final = (
    "This server wants an API key: set CONTREE_TOKEN_FILE or CONTREE_TOKEN "
    "(metadata authorization: Bearer TOKEN)."
)
_NO_SUCH: Final = "The token is none that this server knows: check that it is whole, and of here."


class _Known(NamedTuple):
    key: ApiKey | None
    until: float


class _Open(NamedTuple):
    """Something that a caller has open, and how it is ended."""

    digest: bytes
    end: Callable[[Exception], None]


class Guard:
    """Knows callers by their tokens. ``anonymous``: whoever shows none may come in, too."""

    def __init__(
        self,
        keys: KeyStore,
        *,
        anonymous: bool,
        wall_ms: Callable[[], int],
        fresh_s: float = FRESH_S,
    ) -> None:
        self.anonymous = anonymous
        self._keys = keys
        self._wall_ms = wall_ms
        self._fresh_s = fresh_s
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._nobodies: dict[str, Caller] = {}
        self._open: dict[str, dict[object, _Open]] = {}
        self._now = asyncio.get_running_loop().time

    async def caller(self, authorization: str | None, peer: str = "") -> Caller:
        """Who shows this ``authorization`` metadata, or calls from this ``peer`` without. Raises
        Unauthenticated, StoreUnavailable.

        A token that is shown must be good, also where none is needed: a bot that thinks it has a
        key must not play without.
        """
        if authorization is None:
            if self.anonymous:
                return self._nobody_from(peer)
            raise Unauthenticated(_NO_TOKEN)
        scheme, _, text = authorization.partition(" ")
        token = parse_token(text.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise Unauthenticated(_NO_SUCH)
        key = await self._key(token.key_id)
        # The same steps whether there is such a key or not.
        good = hmac.compare_digest(token.digest, _NO_DIGEST if key is None else key.digest)
        if key is None or not good:
            raise Unauthenticated(_NO_SUCH)
        refusal = key.refusal(self._wall_ms())
        if refusal:
            raise Unauthenticated(_ended(key.key_id, refusal))
        return Caller.of(key)

    def _nobody_from(self, peer: str) -> Caller:
        """Whoever shows no token and calls from there: one for all of them."""
        caller = self._nobodies.get(peer)
        if caller is None:
            if len(self._nobodies) >= _NOBODIES:
                self._nobodies.clear()
            caller = self._nobodies[peer] = replace(ANONYMOUS, peer=peer)
        return caller

    def has_met(self, authorization: str | None) -> bool:
        """Whether it knows who shows this, or thinks so, without a look at the store."""
        if authorization is None:
            return self.anonymous
        token = parse_token(authorization.partition(" ")[2].strip())
        known = None if token is None else self._known.get(token.key_id)
        return known is not None and known.key is not None

    @contextlib.contextmanager
    def open(self, caller: Caller, end: Callable[[Exception], None]) -> Iterator[None]:
        """Something stays open for a caller: ``end`` is called with the error that says why, when
        its key is revoked, expires, or gets another token.
        """
        if not caller.key_id:
            yield
            return
        mine = object()
        self._open.setdefault(caller.key_id, {})[mine] = _Open(caller.digest, end)
        try:
            yield
        finally:
            held = self._open.get(caller.key_id)
            if held is not None:
                held.pop(mine, None)
                if not held:
                    del self._open[caller.key_id]

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look after what is open, for the time of an ``async with``."""
        looking = asyncio.create_task(self._run())
        try:
            yield
        finally:
            looking.cancel()
            await asyncio.wait([looking])

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._fresh_s)
            try:
                await self.look()
            except StoreError as error:
                # What is open stays open: nothing can be played meanwhile.
                _log.warning("keys_not_read", error=str(error))
            except Exception:
                # Whatever it is: without the next look revoked keys would keep what they have.
                _log.exception("keys_not_looked_at")

    async def look(self) -> None:
        """Read the keys that have something open, and end what is to end. Raises StoreError.

        What cannot be ended keeps nothing else from its end, and is tried again at the next look.
        """
        ids = list(self._open)
        for key_id, stored in zip(ids, await self._keys.get(ids), strict=True):
            key = self._remember(key_id, stored)
            refusal = "is gone" if key is None else key.refusal(self._wall_ms())
            ended = 0
            for one in list(self._open.get(key_id, {}).values()):
                why = refusal
                if not why and key is not None and not hmac.compare_digest(key.digest, one.digest):
                    why = "got another token"
                if not why:
                    continue
                try:
                    one.end(Unauthenticated(_ended(key_id, why)))
                    ended += 1
                except Exception:
                    _log.exception("stream_not_ended", key_id=key_id, why=why)
            if ended:
                _log.info("key_ended", key_id=key_id, why=refusal or "rotated", streams=ended)

    async def _key(self, key_id: str) -> ApiKey | None:
        known = self._known.get(key_id)
        if known is None or known.until <= self._now():
            (stored,) = await self._keys.get([key_id])
            return self._remember(key_id, stored)
        return known.key

    def _remember(self, key_id: str, stored: StoredKey | None) -> ApiKey | None:
        key = None
        if stored is not None:
            try:
                key = decode_key(stored)
            except UnreadableKey as error:
                _log.error("key_unreadable", key_id=key_id, error=str(error))
        self._known[key_id] = _Known(key, self._now() + self._fresh_s)
        self._known.move_to_end(key_id)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return key


def _ended(key_id: str, why: str) -> str:
    return f"The key {key_id} {why}: ask whoever runs this server for another."
