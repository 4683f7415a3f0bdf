"""`contree healthcheck`: the gRPC health check, for containers and scripts."""

from __future__ import annotations

from typing import Annotated

import typer

from contree.cli.errors import Failure
from contree.cli.options import DEFAULT_SERVER, ServerOption


def healthcheck(
    *,
    server: ServerOption = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to wait for the answer.")
    ] = 3.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Exit 0 when the server answers and does not drain, else 1.

    While its match store is away it answers, too, and waits: whether it takes new matches is told
    at /readyz.
    """
    import grpc
    from grpc_health.v1 import health_pb2

    from contree.client.credentials import place_of, tls_of

    address = server or DEFAULT_SERVER
    place, tls = place_of(address), tls_of(address, None)
    with (
        grpc.insecure_channel(place)
        if tls is None
        else grpc.secure_channel(place, tls.credentials())
    ) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            response = check(health_pb2.HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError as error:
            raise Failure(_why(address, error)) from None
    status = health_pb2.HealthCheckResponse.ServingStatus.Name(response.status)
    if as_json:
        from contree.cli.output import print_json

        print_json({"server": address, "status": status})
    else:
        typer.echo(f"{address} {status}")
    if response.status != health_pb2.HealthCheckResponse.SERVING:
        raise typer.Exit(1)


def _why(address: str, error: Exception) -> str:
    import grpc

    code = error.code() if isinstance(error, grpc.Call) else None
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"The server at {address} did not answer in time: see its log."
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return f"What listens at {address} has no health check: is it a contree server?"
    return f"No server answers at {address}: start one with contree serve, or give --server."
