"""What is done for every call before it is answered, one duty each: a request id, metrics, who
calls, and how much that one may ask.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import Any, Final

import grpc
import structlog

from contree.server.access import (
    Admission,
    Caller,
    Guard,
    PermissionDenied,
    Quotas,
    RateLimited,
    Unauthenticated,
    counted_as,
    current_caller,
    set_caller,
)
from contree.server.host.reading import reading_for
from contree.server.rpc.interceptors import REQUEST_ID, Call, Context, Duty, ending_of_stream
from contree.server.rpc.rights import RIGHTS, Kind
from contree.server.telemetry import Metrics

AUTHORIZATION: Final = "authorization"
"""Metadata: ``Bearer TOKEN``."""


async def request_ids(call: Call) -> None:
    """Give the call a request id and put it into its log lines."""
    given = dict(call.context.invocation_metadata() or ()).get(REQUEST_ID, "")
    fits = isinstance(given, str) and 0 < len(given) <= 64
    call.request_id = str(given) if fits else secrets.token_hex(8)
    structlog.contextvars.bind_contextvars(request_id=call.request_id, method=call.method)
    call.context.set_trailing_metadata(((REQUEST_ID, call.request_id),))


def identified(guard: Guard, quotas: Quotas, admission: Admission) -> Duty:
    """Learn who calls, before anything else is done; end a stream when its key is good no more.

    ``current_caller`` tells it to the servicer. Whoever is not known waits to hear so, in turn with
    others, and from one address only so many are looked up.
    """

    async def duty(call: Call) -> None:
        right = RIGHTS.get(call.method)
        if right is None:
            raise PermissionDenied("This method is open to nobody.")
        peer = counted_as(call.context.peer())
        if right.roles is None:
            set_caller(Caller(roles=frozenset(), peer=peer))
            return
        try:
            shown = _authorization(call.context)
            met = guard.has_met(shown)
            with contextlib.nullcontext() if met else quotas.introduction(peer):
                caller = await guard.caller(shown, peer)
        except (Unauthenticated, RateLimited):
            await admission.turn(f"stranger {peer}")
            raise
        if not caller.has(*right.roles):
            wanted = " or ".join(role.value for role in right.roles)
            raise PermissionDenied(f"This takes a key with the role {wanted}, and yours has not.")
        set_caller(caller)
        if right.streams and caller.key_id:
            call.hold(guard.open(caller, ending_of_stream()))

    return duty


def limited(quotas: Quotas, admission: Admission) -> Duty:
    """Let a caller have and ask for no more than it may, and begin when it is its turn. Health is
    for everybody, at all times.
    """

    async def duty(call: Call) -> None:
        right, caller = RIGHTS[call.method], current_caller()
        if right.roles is not None:
            await admission.turn(caller.counted_as)
            if right.kind is not Kind.PLAY:
                reading_for.set(caller.counted_as)
        if right.kind is Kind.PLAY:
            call.hold(quotas.opening(caller, ending_of_stream()))
        elif right.kind is Kind.WATCH:
            call.hold(quotas.watch(caller))
        elif right.roles is not None:
            quotas.ask(caller)

    return duty


def _authorization(context: Context) -> str | None:
    """The token that is shown, if any. Two would leave open who calls."""
    shown = [value for name, value in context.invocation_metadata() or () if name == AUTHORIZATION]
    if len(shown) > 1 or any(isinstance(value, bytes) for value in shown):
        raise Unauthenticated("There is more than one token: show one.")
    return str(shown[0]) if shown else None


def counted(metrics: Metrics, methods: frozenset[str], unary: frozenset[str]) -> Duty:
    """Count calls by method and status, and time the ``unary`` ones of them.

    ``methods`` are the only values of the label.
    """
    in_flight = {name: metrics.rpcs_in_flight.labels(name) for name in sorted({*methods, "other"})}

    def count(call: Call) -> None:
        name = call.method if call.method in methods else "other"
        code = _code(call.context)
        if not call.finished and not call.failed:
            code = grpc.StatusCode.CANCELLED
        elif code is None:
            code = grpc.StatusCode.OK if call.finished else grpc.StatusCode.UNKNOWN
        metrics.rpcs.labels(name, code.name).inc()
        in_flight[name].dec()
        if call.refusal:
            metrics.refused(call.refusal)
        if call.method in unary:
            metrics.rpc_seconds.labels(name).observe(time.monotonic() - call.began)

    async def duty(call: Call) -> None:
        in_flight[call.method if call.method in methods else "other"].inc()
        call.at_last(count)

    return duty


def _code(context: Context) -> grpc.StatusCode | None:
    code: Any = context.code()
    if isinstance(code, int):
        return next((one for one in grpc.StatusCode if one.value[0] == code and code), None)
    return code if isinstance(code, grpc.StatusCode) else None
