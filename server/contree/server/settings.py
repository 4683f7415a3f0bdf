"""The settings of a server, as one frozen value; every default is written here, once.

A setting has a field, an environment variable, a key in a file and, where people need one, an
option of `contree serve`; `setting_sources` says which wins. `docs/operations.md` has a row
for each, held to this module by a test.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Final, Literal

from contree.server.setting_kinds import (
    Setting,
    SettingsError,
    address,
    check,
    file_path,
    folder_path,
    one_of,
    parse_address,
    plain_name,
    seconds,
    settings_of,
    store_url,
    whole,
)
from contree.server.setting_sources import Found, Origin, SettingsFile, Sources, key_of
from contree.server.url_passwords import hide_passwords

LOG_LEVELS: Final = ("debug", "info", "warning", "error")


class TokensExposed(SettingsError):
    """Tokens would come in clear text over a network."""

    def __init__(self, listen: str) -> None:
        super().__init__("CONTREE_LISTEN", listen, "a loopback address")
        self.args = (
            f"Tokens would come in clear text over the network to {listen}: give --tls-cert and "
            "--tls-key, or set CONTREE_PLAINTEXT=on where a proxy does TLS, or "
            "CONTREE_ANONYMOUS=on where everybody who can connect may play and host.",
        )


def _data_dir() -> Path:
    return Path.home() / ".local" / "share" / "contree"


def _server_id() -> str:
    host = "".join(char for char in socket.gethostname().split(".")[0] if char.isalnum())
    return f"{host[:40] or 'server'}-{secrets.token_hex(4)}"


_DAY: Final = 86_400.0
DRAWN: Final = frozenset(["server_id"])
"""Settings whose default is another one at each start."""
_OPTIONS: Final = {"redis_url": "--redis", "data_dir": "--data", "drain_s": "--drain"}
"""Options that are not called like their field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControlSettings:
    """The clock of a match whose host names none; all in seconds."""

    per_move_s: Annotated[
        float, Setting("CONTREE_PER_MOVE_S", seconds(0.01, _DAY), "for each decision")
    ] = 10.0
    bank_s: Annotated[
        float,
        Setting("CONTREE_BANK_S", seconds(0, _DAY), "kept for the match, used beyond per_move"),
    ] = 0.0
    increment_s: Annotated[
        float,
        Setting("CONTREE_INCREMENT_S", seconds(0, _DAY), "added to the bank after each decision"),
    ] = 0.0
    allowance_s: Annotated[
        float,
        Setting(
            "CONTREE_ALLOWANCE_S", seconds(0, 60), "tolerance before a decision counts as late"
        ),
    ] = 0.25
    ready_s: Annotated[
        float,
        Setting("CONTREE_READY_S", seconds(0.1, _DAY), "for saying Ready once all seats are taken"),
    ] = 30.0
    seat_timeout_s: Annotated[
        float,
        Setting("CONTREE_SEAT_TIMEOUT_S", seconds(0.1, 7 * _DAY), "for all seats to be taken"),
    ] = 120.0
    disconnect_grace_s: Annotated[
        float,
        Setting(
            "CONTREE_DISCONNECT_GRACE_S",
            seconds(0, _DAY),
            "total time a seat may be away before it counts as a fault",
        ),
    ] = 30.0

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """All that a server is told at its start. Raises `SettingsError` for a value that cannot be."""

    listen: Annotated[
        str,
        Setting(
            "CONTREE_LISTEN",
            address("127.0.0.1:50051"),
            "where bots and hosts dial in; port 0 picks a free one",
        ),
    ] = "127.0.0.1:50051"
    anonymous: Annotated[
        Literal["auto", "on", "off"],
        Setting(
            "CONTREE_ANONYMOUS",
            one_of("auto", "on", "off"),
            "whether callers without an API key are served; auto is on a loopback address only",
        ),
    ] = "auto"
    tls_cert: Annotated[
        Path | None,
        Setting(
            "CONTREE_TLS_CERT", file_path(), "the server's certificate chain; with it comes TLS"
        ),
    ] = None
    tls_key: Annotated[
        Path | None, Setting("CONTREE_TLS_KEY", file_path(), "the private key of the certificate")
    ] = None
    tls_client_ca: Annotated[
        Path | None,
        Setting(
            "CONTREE_TLS_CLIENT_CA",
            file_path(),
            "who signs the certificates of clients; with it they need one",
        ),
    ] = None
    plaintext: Annotated[
        Literal["on", "off"],
        Setting(
            "CONTREE_PLAINTEXT",
            one_of("on", "off"),
            "whether tokens may come in clear text over a network: behind a proxy that does TLS",
        ),
    ] = "off"
    redis_url: Annotated[
        str | None,
        Setting(
            "CONTREE_REDIS_URL",
            store_url(),
            "the match store; without it an embedded one is started",
        ),
    ] = None
    store_replicas: Annotated[
        int,
        Setting(
            "CONTREE_STORE_REPLICAS",
            whole(0, 10),
            "replicas of the match store that must have a move before anybody is told of it",
        ),
    ] = 0
    data_dir: Annotated[
        Path, Setting("CONTREE_DATA_DIR", folder_path(), "where the embedded store keeps its files")
    ] = field(default_factory=_data_dir)
    fsync: Annotated[
        Literal["always", "everysec"],
        Setting(
            "CONTREE_FSYNC",
            one_of("always", "everysec"),
            "when the embedded store writes to the disk: before a move counts, or each second",
        ),
    ] = "always"
    metrics: Annotated[
        str | None,
        Setting(
            "CONTREE_METRICS",
            address("127.0.0.1:9464", optional=True),
            "where /metrics, /healthz and /readyz are served",
        ),
    ] = "127.0.0.1:9464"
    log: Annotated[
        Literal["json", "console", "auto"],
        Setting(
            "CONTREE_LOG",
            one_of("json", "console", "auto"),
            "how the log is written; auto is console on a terminal, else json",
        ),
    ] = "auto"
    log_level: Annotated[
        str, Setting("CONTREE_LOG_LEVEL", one_of(*LOG_LEVELS), "the least level that is logged")
    ] = "info"
    ready_file: Annotated[
        Path | None,
        Setting(
            "CONTREE_READY_FILE", file_path(), "written with the addresses once the server serves"
        ),
    ] = None
    server_id: Annotated[
        str,
        Setting("CONTREE_SERVER_ID", plain_name(), "names this server in leases and logs; unique"),
    ] = field(default_factory=_server_id)
    workers: Annotated[
        int,
        Setting(
            "CONTREE_WORKERS",
            whole(1, 256),
            "server processes on this machine that share the address and the store",
        ),
    ] = 1
    heartbeat_s: Annotated[
        float,
        Setting("CONTREE_HEARTBEAT_S", seconds(0.05, 600), "between heartbeats on a play stream"),
    ] = 5.0
    lease_ms: Annotated[
        int,
        Setting(
            "CONTREE_LEASE_MS",
            whole(100, 600000),
            "how long a match stays with a server that does not renew its lease",
        ),
    ] = 3000
    return_s: Annotated[
        float,
        Setting(
            "CONTREE_RETURN_S",
            seconds(0, 3600),
            "for bots to come back to a match that was taken over, before its clocks run again",
        ),
    ] = 15.0
    drain_s: Annotated[
        float,
        Setting("CONTREE_DRAIN_S", seconds(0, 3600), "for bots to finish at a stop, at most"),
    ] = 5.0
    retain_s: Annotated[
        int,
        Setting(
            "CONTREE_RETAIN_S",
            whole(0, 100 * 365 * 86_400),
            "how long an ended match and its record are kept; 0 for ever",
        ),
    ] = 30 * 86_400
    max_message_bytes: Annotated[
        int,
        Setting("CONTREE_MAX_MESSAGE_BYTES", whole(4096, 64 << 20), "the largest message accepted"),
    ] = 4 << 20
    max_metadata_bytes: Annotated[
        int,
        Setting(
            "CONTREE_MAX_METADATA_BYTES",
            whole(1024, 1 << 20),
            "the largest metadata of a call accepted, all of it together",
        ),
    ] = 16 << 10
    max_connections: Annotated[
        int,
        Setting(
            "CONTREE_MAX_CONNECTIONS", whole(1, 1000000), "connections at once, of all callers"
        ),
    ] = 10_000
    max_connection_streams: Annotated[
        int,
        Setting(
            "CONTREE_MAX_CONNECTION_STREAMS",
            whole(1, 1000000),
            "calls at once on one connection; more wait in the client",
        ),
    ] = 4096
    max_streams: Annotated[
        int,
        Setting(
            "CONTREE_MAX_STREAMS",
            whole(1, 1000000),
            "bots connected at once with one key, or without from one address",
        ),
    ] = 2000
    hellos_per_minute: Annotated[
        int,
        Setting(
            "CONTREE_HELLOS_PER_MINUTE",
            whole(1, 1000000),
            "play streams opened a minute by one caller, as many at once after a quiet minute",
        ),
    ] = 2000
    queries_per_minute: Annotated[
        int,
        Setting(
            "CONTREE_QUERIES_PER_MINUTE",
            whole(1, 10000000),
            "other calls a minute by one caller, as many at once after a quiet minute",
        ),
    ] = 60_000
    max_watches: Annotated[
        int,
        Setting("CONTREE_MAX_WATCHES", whole(1, 100000), "watches open at once for one caller"),
    ] = 256
    max_matches: Annotated[
        int,
        Setting(
            "CONTREE_MAX_MATCHES",
            whole(1, 1000000),
            "live matches on this server made with one key, or by all callers without",
        ),
    ] = 5000
    reflection: Annotated[
        Literal["auto", "on", "off"],
        Setting(
            "CONTREE_REFLECTION",
            one_of("auto", "on", "off"),
            "whether gRPC reflection is served; auto is where callers need no key",
        ),
    ] = "auto"
    max_outbox: Annotated[
        int,
        Setting(
            "CONTREE_MAX_OUTBOX",
            whole(16, 1000000),
            "messages that wait for a slow reader before its stream is cut, besides four for each "
            "seat that it may hold",
        ),
    ] = 4096
    time_control: TimeControlSettings = field(default_factory=TimeControlSettings)

    def __post_init__(self) -> None:
        check(self)
        if (self.tls_cert is None) != (self.tls_key is None):
            name, value = ("tls_key", self.tls_key) if self.tls_cert else ("tls_cert", None)
            raise SettingsError(name, value, "the paths of both, certificate and key, or of none")
        if self.tls_client_ca is not None and self.tls_cert is None:
            raise SettingsError("tls_cert", None, "the path of a certificate: clients have theirs")
        if self.workers > 1 and self.metrics is not None:
            port = parse_address(self.metrics)[1]
            if port + self.workers > 65535:
                expected = f"a port up to {65535 - self.workers}: each worker has one after it"
                raise SettingsError("metrics", self.metrics, expected)
        if self.store_replicas and self.redis_url is None:
            expected = "0, or give the address of a store that has some"
            raise SettingsError("CONTREE_STORE_REPLICAS", self.store_replicas, expected)
        exposed = not self.anonymous_allowed and not self.on_loopback and self.tls_cert is None
        if exposed and self.plaintext != "on":
            raise TokensExposed(self.listen)

    @property
    def on_loopback(self) -> bool:
        """Whether only programs of this machine reach it."""
        host, _ = parse_address(self.listen)
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def anonymous_allowed(self) -> bool:
        """Whether callers without an API key are served."""
        return self.anonymous == "on" or (self.anonymous == "auto" and self.on_loopback)

    @property
    def reflection_allowed(self) -> bool:
        """Whether reflection is served."""
        return self.reflection == "on" or (self.reflection == "auto" and self.anonymous_allowed)

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str], options: Mapping[str, str | None] | None = None
    ) -> Settings:
        """Read the CONTREE_* variables; `options` (field name to text) win over them.

        Raises `SettingsError`, which names `--redis` or `CONTREE_REDIS_URL`, whichever was given.
        """
        return cls.gather(environment, options or {})[0]

    @classmethod
    def gather(
        cls,
        environment: Mapping[str, str],
        options: Mapping[str, str | None],
        file: SettingsFile | None = None,
    ) -> tuple[Settings, dict[str, Found]]:
        """The settings, and those that were given, by field name; a file comes last.

        The embedded store's folder follows XDG_DATA_HOME. Raises `SettingsError`.
        """
        owners = (cls, TimeControlSettings)
        if file is not None:
            file.refuse_unknown([key_of(one) for o in owners for one in settings_of(o).values()])
        given = {name: text for name, text in options.items() if text is not None}
        sources = Sources(environment, given, _OPTIONS, file)
        found, clock = map(sources.find, owners)
        data_home = environment.get("XDG_DATA_HOME")
        if "data_dir" not in found and data_home:
            folder = Path(data_home) / "contree"
            found["data_dir"] = Found(folder, Origin.ENVIRONMENT, "XDG_DATA_HOME")
        settings = cls(
            **{name: one.value for name, one in found.items()},
            time_control=TimeControlSettings(**{name: one.value for name, one in clock.items()}),
        )
        return settings, found | clock

    @property
    def redis_url_shown(self) -> str | None:
        """The address of the store with its password hidden."""
        return None if self.redis_url is None else hide_passwords(self.redis_url)

    def __repr__(self) -> str:
        parts = (
            f"{item.name}={self.redis_url_shown!r}"
            if item.name == "redis_url"
            else f"{item.name}={getattr(self, item.name)!r}"
            for item in fields(self)
        )
        return f"Settings({', '.join(parts)})"
