"""The address that all workers share, kept while none of them listens there."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

from contree.server.setting_kinds import parse_address
from contree.server.telemetry import AddressUnavailable


@contextlib.contextmanager
def shared_address(listen: str) -> Iterator[str]:
    """HOST:PORT for the workers, with a port that is free or the one that was asked for.

    It stays theirs for the time of the block. Raises AddressUnavailable when somebody else listens
    there.
    """
    host, wanted = parse_address(listen)
    with contextlib.ExitStack() as stack:
        try:
            family, kind, _, _, place = socket.getaddrinfo(host, wanted, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as probe:
                # Sharing would succeed also beside the workers of another supervisor.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
            # Bound and never listening: no connection comes here, and nobody else gets the port.
            holder = stack.enter_context(socket.socket(family, kind))
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            holder.bind(place)
        except OSError as error:
            raise AddressUnavailable.from_os(listen, error, "--listen") from None
        port = holder.getsockname()[1]
        yield f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
