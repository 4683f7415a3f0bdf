"""Where the store is, as a frozen value read from one URL."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from redis.asyncio.connection import Connection, parse_url

from contree.server.store.errors import BadStoreUrl


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The address of the store and the times after which it counts as away.

    `url` is redis://, rediss:// or unix://; it may hold a password and is not shown by `repr`.
    `endpoint` is its HOST:PORT or socket path, safe to show. Times are in seconds: `connect_s` for
    making a connection, `reply_s` for one exchange including a second try. `connections` bounds
    the connections used at once; calls that wait for a feed have that many of their own.
    """

    url: str = field(repr=False)
    endpoint: str
    connect_s: float = 2.0
    reply_s: float = 5.0
    connections: int = 64

    @classmethod
    def from_url(cls, url: str) -> StoreSettings:
        """Read a URL. Raises `BadStoreUrl`."""
        try:
            place = urlsplit(url)
            if place.scheme not in ("redis", "rediss", "unix") or "://" not in url:
                raise ValueError("it does not begin with redis://, rediss:// or unix://")
            # redis-py would silently take database 0.
            if place.scheme != "unix" and not re.fullmatch(r"/?|/\d+", place.path):
                raise ValueError("after the host comes the number of a database")
            parts = parse_url(url)
            path = parts.get("path")
            endpoint = path or f"{parts.get('host', 'localhost')}:{parts.get('port', 6379)}"
            settings = cls(url=url, endpoint=endpoint)
            settings.connection()
        except ValueError as error:
            reason = str(error)
        except TypeError:
            reason = "it has an unknown option after the question mark"
        else:
            return settings
        raise BadStoreUrl(_hide_password(url), reason)

    def connection(self) -> Connection:
        """A new connection, not yet open; it never tries anything twice by itself."""
        options: dict[str, Any] = dict(parse_url(self.url))
        kind = options.pop("connection_class", Connection)
        options.update(
            protocol=2,  # replies are plain lists, whatever the server would like best
            socket_connect_timeout=self.connect_s,
            socket_timeout=None,  # one deadline for a whole exchange, not one per reply
            driver_info=None,  # saves a round trip per connection
        )
        connection: Connection = kind(**options)
        return connection


def _hide_password(url: str) -> str:
    return re.sub(r"(?<=:)[^:/@]*(?=@)|(?<=password=)[^&]*", "***", url)
