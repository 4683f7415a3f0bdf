"""How to reach a server: address, token, TLS, patience; as small frozen values."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc
from grpc import aio

DEFAULT_SERVER: Final = "127.0.0.1:50051"

_OPTIONS: Final = (
    # A connection without traffic for 10 s is asked for life, and dead when silent for 10 s more.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # Redialling is the SDK's own: gRPC must not wait longer than it does.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.max_receive_message_length", 64 << 20),
    # Channels of one process do not share a connection: each is dialled anew.
    ("grpc.use_local_subchannel_pool", 1),
)


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before each new try: doubling from ``first`` to ``longest`` seconds, each
    time between half of it and all of it, by chance, so that many clients do not come at once.
    """

    first: float = 0.1
    longest: float = 5.0

    def delay(self, attempt: int) -> float:
        """Seconds to wait after so many failures in a row, from 1."""
        whole = min(self.longest, self.first * 2.0 ** min(attempt - 1, 30))
        return whole * random.uniform(0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS, with the system's certificate authorities or those of a PEM file."""

    authorities: Path | None = None
    server_name: str = ""
    """Expected in the server's certificate, when it is not the host of the address."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Everything about the connection that has a default. Times are in seconds."""

    patience: float = 30.0
    """How long a server may be away when it is dialled for the first time, or asked by a host."""
    resume_patience: float = 600.0
    """How long it may be away once a bot had been connected."""
    timeout: float = 10.0
    """For one unary call, one try."""
    backoff: Backoff = field(default_factory=Backoff)
    tls: Tls | None = None


DEFAULT_CONNECTION: Final = Connection()


@dataclass(frozen=True, slots=True)
class Target:
    """The servers of one service, and the token for them."""

    addresses: tuple[str, ...]
    token: str = field(default="", repr=False)

    @classmethod
    def of(cls, server: str | Sequence[str] | None, token: str | None) -> Target:
        """What is given, else ``CONTREE_SERVER`` and ``CONTREE_TOKEN``, else the default.

        Several servers are a sequence of addresses, or one text with commas.
        """
        given = server or os.environ.get("CONTREE_SERVER") or DEFAULT_SERVER
        names = given.split(",") if isinstance(given, str) else given
        addresses = tuple(name.strip() for name in names if name.strip())
        return cls(
            addresses or (DEFAULT_SERVER,),
            token if token is not None else os.environ.get("CONTREE_TOKEN", ""),
        )

    @property
    def address(self) -> str:
        """The addresses as one text, as CONTREE_SERVER has them."""
        return ",".join(self.addresses)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata of each call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()


class Route:
    """Which of the servers is dialled: the one that answered, and after a failure the next."""

    def __init__(self, target: Target) -> None:
        self._addresses = target.addresses
        self._at = 0

    @property
    def address(self) -> str:
        """The server to dial."""
        return self._addresses[self._at]

    @property
    def has_choice(self) -> bool:
        """There is another one."""
        return len(self._addresses) > 1

    def turn_from(self, address: str) -> None:
        """Dial the next one, unless that was done already."""
        if address == self.address:
            self._at = (self._at + 1) % len(self._addresses)


def open_channel(address: str, connection: Connection) -> aio.Channel:
    """A channel; it dials when it is first used."""
    tls = connection.tls
    if tls is None:
        return aio.insecure_channel(address, options=_OPTIONS)
    authorities = None if tls.authorities is None else tls.authorities.read_bytes()
    credentials = grpc.ssl_channel_credentials(root_certificates=authorities)
    options = list(_OPTIONS)
    if tls.server_name:
        options.append(("grpc.ssl_target_name_override", tls.server_name))  # type: ignore[arg-type]
    return aio.secure_channel(address, credentials, options=options)
