"""The table of rights names every method that is served, and no other."""

from __future__ import annotations

from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from contree.server.rpc.rights import RIGHTS, Kind
from contree.server.rpc.servers import _SERVICES, METHODS, UNARY_METHODS

SERVED = (
    *_SERVICES,
    health_pb2.DESCRIPTOR.services_by_name["Health"],
    reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"],
)


def test_it_covers_every_method() -> None:
    methods = {f"/{one.full_name}/{method.name}" for one in SERVED for method in one.methods}
    assert set(RIGHTS) == methods


def test_what_stays_open_is_said_to() -> None:
    for service in SERVED:
        for method in service.methods:
            right = RIGHTS[f"/{service.full_name}/{method.name}"]
            assert right.streams == (method.client_streaming or method.server_streaming)


def test_only_probes_and_reflection_are_for_everybody() -> None:
    open_to_all = {method for method, right in RIGHTS.items() if right.roles is None}
    assert not open_to_all & METHODS
    assert all(RIGHTS[method].kind is Kind.QUERY for method in UNARY_METHODS)
