"""One grpc.aio server with everything on it: services, health, reflection, interceptors."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from contree.server.access import Admission, Guard, Quota, Quotas
from contree.server.host import Host
from contree.server.rpc.duties import counted, identified, limited, request_ids
from contree.server.rpc.interceptors import Interceptor, Slowly
from contree.server.rpc.match import MatchServicer
from contree.server.rpc.play import PlayServicer, add_play_service
from contree.server.rpc.rules import RulesServicer
from contree.server.rpc.spectate import SpectateServicer
from contree.server.rpc.stalls import Farewells
from contree.server.rpc.tls import TlsFiles, server_credentials
from contree.v1 import (
    match_service_pb2,
    match_service_pb2_grpc,
    play_service_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)

_SERVICES: Final = (
    match_service_pb2.DESCRIPTOR.services_by_name["MatchService"],
    play_service_pb2.DESCRIPTOR.services_by_name["PlayService"],
    rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"],
    spectate_service_pb2.DESCRIPTOR.services_by_name["SpectateService"],
)
_FAREWELL_S: Final = 0.5
"""For the last words on streams that were cut, when all else has ended."""
_OPEN_S: Final = 86_400.0
"""How long open calls may go on behind a closed door: longer than any drain."""
_PENDING: Final = 1 << 14
"""Calls that wait to be taken, all callers together."""
SERVICE_NAMES: Final = tuple(service.full_name for service in _SERVICES)
METHODS: Final = frozenset(
    f"/{service.full_name}/{method.name}" for service in _SERVICES for method in service.methods
)
UNARY_METHODS: Final = frozenset(
    f"/{service.full_name}/{method.name}"
    for service in _SERVICES
    for method in service.methods
    if not method.client_streaming and not method.server_streaming
)


class RpcServer:
    """The gRPC side of a server."""

    def __init__(self, host: Host, guard: Guard, *, share_port: bool = False) -> None:
        """With ``share_port`` other servers may listen on the same address."""
        settings = host.settings
        quota = Quota(
            streams=settings.max_streams,
            hellos=settings.hellos_per_minute,
            queries=settings.queries_per_minute,
            watches=settings.max_watches,
            matches=settings.max_matches,
        )
        quotas = Quotas(quota, time.monotonic)
        admission = Admission(lambda: host.tables.in_play > 0)
        self._farewells = Farewells(host.metrics.refused)
        self._closing: asyncio.Task[None] | None = None
        self._health = health.aio.HealthServicer()
        self._server = aio.server(
            interceptors=(
                Interceptor(
                    request_ids,
                    counted(host.metrics, METHODS, UNARY_METHODS),
                    identified(guard, quotas, admission),
                    limited(quotas, admission),
                    slowly=Slowly(),
                    farewells=self._farewells,
                ),
            ),
            options=(
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                ("grpc.max_send_message_length", 64 << 20),
                # The soft limit, beyond which gRPC refuses by chance, is the hard one.
                ("grpc.max_metadata_size", settings.max_metadata_bytes),
                ("grpc.absolute_max_metadata_size", settings.max_metadata_bytes),
                ("grpc.max_concurrent_streams", settings.max_connection_streams),
                # Of streams that come faster than they are taken in gRPC would cancel some, by
                # chance and without a word. They wait, as many as may come back at once; but each
                # costs 15 kB, those that were given up at once, too.
                ("grpc.server.max_pending_requests", _PENDING),
                ("grpc.server.max_pending_requests_hard_limit", _PENDING),
                ("grpc.max_allowed_incoming_connections", settings.max_connections),
                # A connection that does not come to the point, TLS and HTTP/2, is closed.
                ("grpc.server_handshake_timeout_ms", 10_000),
                # Clients may ping an idle stream as often as ours does (see contree.client).
                ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.keepalive_time_ms", 30_000),
                ("grpc.keepalive_timeout_ms", 10_000),
                ("grpc.http2.ping_timeout_ms", 10_000),
                # Otherwise another server on the same port is an error.
                ("grpc.so_reuseport", int(share_port)),
            ),
        )
        match_service_pb2_grpc.add_MatchServiceServicer_to_server(
            MatchServicer(host, quotas, self._farewells), self._server
        )
        add_play_service(PlayServicer(host, quotas, admission, self._farewells), self._server)
        rules_service_pb2_grpc.add_RulesServiceServicer_to_server(RulesServicer(), self._server)
        spectate_service_pb2_grpc.add_SpectateServiceServicer_to_server(
            SpectateServicer(host, self._farewells), self._server
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if settings.reflection_allowed:
            reflection.enable_server_reflection(
                (*SERVICE_NAMES, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server
            )

    def bind(self, address: str, tls: TlsFiles | None = None) -> int:
        """Listen on HOST:PORT; the port bound. Raises RuntimeError when it cannot be, and
        BadCertificate.
        """
        if tls is None:
            return int(self._server.add_insecure_port(address))
        return int(self._server.add_secure_port(address, server_credentials(tls)))

    async def start(self) -> None:
        """Serve, and say so to whoever asks for health."""
        await self._server.start()
        await self._report(serving=True)

    async def refuse(self) -> None:
        """Say NOT_SERVING: no new work is to be sent here."""
        await self._report(serving=False)

    def close_door(self) -> None:
        """Take no more connections and calls; those that are open go on until ``stop``."""
        self._closing = asyncio.create_task(self._server.stop(_OPEN_S))

    async def stop(self, grace_s: float) -> None:
        """End what goes on after a grace."""
        await self._server.stop(grace_s)
        if self._closing is not None:
            await self._closing
        await self._farewells.over(_FAREWELL_S)

    async def _report(self, *, serving: bool) -> None:
        status = health_pb2.HealthCheckResponse.ServingStatus.Value(
            "SERVING" if serving else "NOT_SERVING"
        )
        for name in ("", *SERVICE_NAMES):
            await self._health.set(name, status)
