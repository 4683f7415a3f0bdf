"""What a client shows and asks for: the token, and the certificates of TLS."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc

from contree.client.errors import Misconfigured

TLS_PREFIX: Final = "tls://"
"""Before HOST:PORT it means TLS."""
_PRINTABLE: Final = re.compile(r"[\x21-\x7e]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS, with the system's certificate authorities or those of a PEM file."""

    authorities: Path | None = None
    server_name: str = ""
    """Expected in the server's certificate, when it is not the host of the address."""
    certificate: Path | None = None
    """One's own certificate chain (PEM), for a server that wants one of its clients."""
    key: Path | None = None
    """The private key of ``certificate``."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Tls:
        """What ``CONTREE_CA``, ``CONTREE_CERT`` and ``CONTREE_CERT_KEY`` say: optional paths."""

        def path(name: str) -> Path | None:
            return Path(environment[name]) if environment.get(name) else None

        return cls(
            path("CONTREE_CA"), certificate=path("CONTREE_CERT"), key=path("CONTREE_CERT_KEY")
        )

    def credentials(self) -> grpc.ChannelCredentials:
        """For a channel. Raises Misconfigured when a file is not there."""
        if (self.certificate is None) != (self.key is None):
            raise Misconfigured(
                "A certificate of one's own has two files: give both, CONTREE_CERT and "
                "CONTREE_CERT_KEY, or none."
            )
        return grpc.ssl_channel_credentials(
            root_certificates=_read(self.authorities),
            private_key=_read(self.key),
            certificate_chain=_read(self.certificate),
        )


def place_of(address: str) -> str:
    """HOST:PORT of an address, as gRPC takes it."""
    return address.removeprefix(TLS_PREFIX)


def tls_of(address: str, given: Tls | None) -> Tls | None:
    """How TLS is done at an address; None for none."""
    if given is None and address.startswith(TLS_PREFIX):
        return Tls.from_environment()
    return given


def is_local(address: str) -> bool:
    """Whether only this machine is between here and there."""
    place = place_of(address)
    if place.startswith("unix:"):
        return True
    host = place.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_token(token: str) -> None:
    """Raises Misconfigured when it can be none; gRPC's own error would show it whole."""
    if not _PRINTABLE.fullmatch(token):
        raise Misconfigured(
            "The token has a space, or a character that no token has: check that it was copied "
            "whole and alone."
        )


def token_of_environment() -> str:
    """``CONTREE_TOKEN``, else what is in the file ``CONTREE_TOKEN_FILE``, else nothing."""
    token, path = os.environ.get("CONTREE_TOKEN"), os.environ.get("CONTREE_TOKEN_FILE")
    if token or not path:
        return token or ""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise Misconfigured(
            f"The token cannot be read from {path} ({error.strerror}): check CONTREE_TOKEN_FILE."
        ) from None
    except UnicodeDecodeError:
        # Whose text would show what is in the file.
        raise Misconfigured(f"The file {path} holds no token: check CONTREE_TOKEN_FILE.") from None


def _read(path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as error:
        raise Misconfigured(
            f"The file {path} cannot be read ({error.strerror}): check CONTREE_CA, "
            "CONTREE_CERT and CONTREE_CERT_KEY."
        ) from None
