"""Where the store is, as a frozen value read from one URL."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from redis.asyncio.connection import Connection, SSLConnection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from contree.server.store.errors import BadStoreUrl
from contree.server.url_passwords import hide_passwords

_CLUSTER: Final = "cluster"
_SENTINEL: Final = "sentinel"
_SENTINEL_S: Final = 0.5
"""How long one Sentinel has for its answer before the next is asked."""
_SEVERAL: Final = re.compile(
    r"(?P<scheme>rediss?)\+(?P<kind>cluster|sentinel)://"
    r"(?:(?P<user>[^/?]*)@)?(?P<hosts>[^/?@]*)(?P<path>/[^?]*)?(?P<query>\?.*)?"
)
_NO_PORT: Final = "after the host comes the number of a port"
_IN_A_PASSWORD: Final = "; in a password / ? # @ are written %2F %3F %23 %40"
_HOST: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]\s]+)(?::(?P<port>\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The address of the store and the times after which it counts as away.

    `url` may hold a password and is not shown by `repr`; see `from_url` for its forms. `endpoint`
    is its HOST:PORT, several of them, or its socket path, safe to show. `replicas` is how many must
    have what is confirmed, besides the master.

    Times are in seconds: `connect_s` for making a connection, `reply_s` for one exchange including
    a second try, `acknowledge_s` for the replicas. `connections` bounds the connections used at
    once to each server; calls that wait for a feed have that many of their own.
    """

    url: str = field(repr=False)
    endpoint: str
    replicas: int = 0
    hosts: tuple[tuple[str, int], ...] = ()
    """Of a cluster, or of Sentinels: some to begin with."""
    master: str = ""
    """What Sentinels call the store."""
    connect_s: float = 2.0
    reply_s: float = 5.0
    acknowledge_s: float = 1.0
    connections: int = 64

    @classmethod
    def from_url(cls, url: str, replicas: int = 0) -> StoreSettings:
        """Read a URL. Raises `BadStoreUrl`.

        One server is redis://, rediss:// (TLS) or unix://, as redis-py has them. A cluster is
        redis+cluster://HOST:PORT,HOST:PORT, Sentinels are redis+sentinel://HOST:PORT/NAME/DATABASE,
        either with rediss for TLS; user and password go before the first host, and are those of the
        servers; those of Sentinels are `sentinel_username` and `sentinel_password` in the query.
        """
        try:
            several = _SEVERAL.fullmatch(url)
            if several is None:
                settings = cls(url=url, endpoint=_endpoint_of_one(url), replicas=replicas)
            else:
                hosts = _hosts(several["hosts"], 6379 if several["kind"] == _CLUSTER else 26379)
                settings = cls(
                    url=url,
                    endpoint=several["hosts"],
                    replicas=replicas,
                    hosts=hosts,
                    master=_master(several),
                )
            settings.connection()
        except ValueError as error:
            # What urllib takes for a port may be a part of a password.
            reason = _NO_PORT if str(error).startswith("Port ") else str(error)
            if "@" in url:
                reason += _IN_A_PASSWORD
        except TypeError:
            reason = "it has an unknown option after the question mark"
        else:
            return settings
        raise BadStoreUrl(hide_passwords(url), reason)

    @property
    def cluster(self) -> bool:
        """Whether the store is a cluster."""
        return bool(self.hosts) and not self.master

    @property
    def sentinels(self) -> bool:
        """Whether the store is the master that Sentinels name."""
        return bool(self.master)

    def connection(self, host: str = "", port: int = 0) -> Connection:
        """A new connection, not yet open; it never tries anything twice by itself.

        To the server of the URL, or to one that was found by it.
        """
        options = self._options()
        kind = options.pop("connection_class", Connection)
        if host:
            options.update(host=host, port=port)
        options.update(
            protocol=2,  # replies are plain lists, whatever the server would like best
            socket_connect_timeout=self.connect_s,
            socket_timeout=None,  # one deadline for a whole exchange, not one per reply
            driver_info=None,  # saves a round trip per connection
        )
        connection: Connection = kind(**options)
        return connection

    async def dial(self, host: str = "", port: int = 0) -> Connection:
        """A new connection, as `Connections` ask for it."""
        return self.connection(host, port)

    def sentinel_options(self) -> dict[str, Any]:
        """How redis-py is to connect to Sentinels."""
        options = self._finding_options(_SENTINEL_S)
        options.pop("db", None)
        for name in ("username", "password"):
            options.pop(name, None)
            given = parse_url(_as_of_one(self.url)).get(f"sentinel_{name}")
            if given is not None:
                options[name] = given
        return options

    def cluster_options(self) -> dict[str, Any]:
        """How redis-py is to connect to a cluster, to learn its slots."""
        options = self._finding_options(self.connect_s / 2)
        options.pop("db", None)
        return options

    def _finding_options(self, within_s: float) -> dict[str, Any]:
        options = self._options()
        for name in ("host", "port"):
            options.pop(name, None)
        if options.pop("connection_class", Connection) is SSLConnection:
            options["ssl"] = True
        return options | {
            "protocol": 2,
            "socket_connect_timeout": within_s,
            "socket_timeout": within_s,
            "retry": Retry(NoBackoff(), 0),
            "driver_info": None,
        }

    def _options(self) -> dict[str, Any]:
        """What the URL says of a connection to one server."""
        options: dict[str, Any] = dict(parse_url(_as_of_one(self.url)))
        if self.sentinels:
            for name in ("sentinel_username", "sentinel_password"):
                options.pop(name, None)
        return options


def _as_of_one(url: str) -> str:
    """The URL of one server of several, for what it says besides where they are."""
    several = _SEVERAL.fullmatch(url)
    if several is None:
        return url
    user = "" if several["user"] is None else f"{several['user']}@"
    database = ""
    if several["kind"] == _SENTINEL:
        database = (several["path"] or "").removeprefix("/").partition("/")[2]
    return f"{several['scheme']}://{user}one:1/{database}{several['query'] or ''}"


def _endpoint_of_one(url: str) -> str:
    place = urlsplit(url)
    if place.scheme not in ("redis", "rediss", "unix") or "://" not in url:
        raise ValueError("it does not begin with redis://, rediss:// or unix://, or one of several")
    # redis-py would silently take database 0.
    if place.scheme != "unix" and not re.fullmatch(r"/?|/\d+", place.path):
        raise ValueError("after the host comes the number of a database")
    parts = parse_url(url)
    return parts.get("path") or f"{parts.get('host', 'localhost')}:{parts.get('port', 6379)}"


def _hosts(text: str, port: int) -> tuple[tuple[str, int], ...]:
    hosts = []
    for part in text.split(","):
        found = _HOST.fullmatch(part)
        if not found or int(found["port"] or port) > 65535:
            raise ValueError(f"{part!r} is no HOST:PORT")
        hosts.append((found["host"].strip("[]"), int(found["port"] or port)))
    return tuple(hosts)


def _master(several: re.Match[str]) -> str:
    """What the path says: for Sentinels the name of a master and a database, else nothing."""
    path = several["path"] or ""
    if several["kind"] == _CLUSTER:
        if path not in ("", "/", "/0"):
            raise ValueError("a cluster has no databases")
        return ""
    name, _, database = path.removeprefix("/").partition("/")
    if not name:
        raise ValueError("after the Sentinels comes the name of a master, as in /NAME/0")
    if not re.fullmatch(r"\d*", database):
        raise ValueError("after the name of the master comes the number of a database")
    return unquote(name)
