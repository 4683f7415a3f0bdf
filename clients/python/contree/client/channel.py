"""How to reach a server: address, token, TLS, patience; as small frozen values."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from grpc import aio

from contree.client.credentials import (
    TLS_PREFIX,
    Tls,
    check_token,
    is_local,
    place_of,
    tls_of,
    token_of_environment,
)

DEFAULT_SERVER: Final = "127.0.0.1:50051"
_log: Final = logging.getLogger("contree.client")

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
    """For certificates that the environment does not name; with it, or an address that begins with
    ``tls://``, comes TLS."""


DEFAULT_CONNECTION: Final = Connection()


@dataclass(frozen=True, slots=True)
class Target:
    """The servers of one service, and the token for them, which no text that comes of it shows."""

    addresses: tuple[str, ...]
    """Each HOST:PORT, after ``tls://`` where TLS is meant."""
    token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        check_token(self.token)

    @classmethod
    def of(cls, server: str | Sequence[str] | None, token: str | None) -> Target:
        """What is given, else ``CONTREE_SERVER`` and ``CONTREE_TOKEN`` or the content of the file
        ``CONTREE_TOKEN_FILE``, else the default. Raises Misconfigured.

        Several servers are a sequence of addresses, or one text with commas.
        """
        given = server or os.environ.get("CONTREE_SERVER") or DEFAULT_SERVER
        names = given.split(",") if isinstance(given, str) else given
        addresses = tuple(name.strip() for name in names if name.strip())
        shown = token_of_environment() if token is None else token
        return cls(addresses or (DEFAULT_SERVER,), shown.strip())

    def warn(self, connection: Connection) -> None:
        """Say so when the token is about to go over a network in clear text."""
        for address in self.addresses:
            if self.token and not is_local(address) and tls_of(address, connection.tls) is None:
                _log.warning(
                    "the token goes to %s in clear text; write %s%s where the server has TLS",
                    address,
                    TLS_PREFIX,
                    address,
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

    def turn_from(self, address: str) -> None:
        """Dial the next one, unless that was done already."""
        if address == self.address:
            self._at = (self._at + 1) % len(self._addresses)


def open_channel(address: str, connection: Connection) -> aio.Channel:
    """A channel; it dials when it is first used."""
    tls = tls_of(address, connection.tls)
    if tls is None:
        return aio.insecure_channel(place_of(address), options=_OPTIONS)
    options = list(_OPTIONS)
    if tls.server_name:
        options.append(("grpc.ssl_target_name_override", tls.server_name))  # type: ignore[arg-type]
    return aio.secure_channel(place_of(address), tls.credentials(), options=options)
