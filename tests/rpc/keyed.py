"""A server that wants keys, and keys for it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from contree.server.access import Role, encode_key, new_key, new_token
from contree.server.access.tokens import digest
from contree.server.store import KeyStore, connect, embedded_store


class Given(NamedTuple):
    """A key and its token."""

    id: str
    token: str

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),)


class KeyRing:
    """Makes keys in the store of a server."""

    def __init__(self, keys: KeyStore) -> None:
        self.keys = keys

    async def make(self, *roles: Role, **fields: Any) -> Given:
        key, token = new_key(*roles, created_ms=now_ms(), **fields)
        assert await self.keys.add(encode_key(key))
        return Given(key.key_id, token)

    async def rotate(self, key: Given) -> Given:
        token = new_token(key.id)
        assert await self.keys.rotate(key.id, digest(token))
        return Given(key.id, token)

    async def revoke(self, key: Given) -> None:
        assert await self.keys.revoke(key.id, now_ms())


@asynccontextmanager
async def key_ring(data: Path) -> AsyncIterator[KeyRing]:
    """The keys of the server on a data folder."""
    async with embedded_store(data, in_passing=True) as embedded:
        store = await connect(embedded.url)
        try:
            yield KeyRing(store.api_keys)
        finally:
            await store.close()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Refusal:
    """How a call was refused."""

    error: grpc.aio.AioRpcError

    @property
    def reason(self) -> str:
        return str(self._detail(error_details_pb2.ErrorInfo()).reason)

    @property
    def text(self) -> str:
        return self.error.details() or ""

    @property
    def retry_s(self) -> float:
        delay = self._detail(error_details_pb2.RetryInfo()).retry_delay
        return float(delay.seconds + delay.nanos / 1e9)

    def _detail(self, message: Any) -> Any:
        data = dict(self.error.trailing_metadata() or ())["grpc-status-details-bin"]
        assert isinstance(data, bytes)
        status = status_pb2.Status.FromString(data)
        assert status.code == self.error.code().value[0]
        assert any(detail.Unpack(message) for detail in status.details)
        return message


@contextmanager
def refused(code: grpc.StatusCode, reason: str) -> Iterator[Refusal]:
    """What is done inside is refused with this status and reason."""
    refusal = Refusal()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        yield refusal
    refusal.error = caught.value
    assert caught.value.code() is code, caught.value
    assert refusal.reason == f"ERROR_REASON_{reason}"


unauthenticated = (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
denied = (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED")
