"""The address that somebody calls from, as gRPC writes it, and what is counted by it."""

from __future__ import annotations

import ipaddress
from urllib.parse import unquote


def counted_as(peer: str) -> str:
    """What a caller without a key is counted as: its address without the port; of IPv6 the network
    of 64 bits, for whoever has one address of it has them all.
    """
    kind, _, place = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind or "unknown"
    host = place.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
