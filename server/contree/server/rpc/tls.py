"""TLS: the certificate of the server, and that of its clients where they need one.

The files are looked at again when somebody connects, a second later at the earliest: a renewed
certificate is served without a restart. Files that make no certificate leave the old one in use.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import grpc
import structlog

_LOOK_AGAIN_S: Final = 1.0
_log = structlog.get_logger(__name__)


class BadCertificate(Exception):
    """The files of TLS are none that a server can use; one sentence and the next step."""

    def __init__(self, setting: str, path: Path, problem: str) -> None:
        super().__init__(f"{setting} {path} cannot be used ({problem}): give a file in PEM form.")
        self.setting = setting
        self.path = path
        self.problem = problem


class TlsFiles(NamedTuple):
    """Where the certificate chain, its private key and the authority of clients' certificates are;
    without the last, clients need none.
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None


class _Files:
    """The files as they were last read."""

    def __init__(self, paths: TlsFiles, now: Callable[[], float]) -> None:
        self._paths = paths
        self._now = now
        self._stamp = self._stamps()
        self._looked = now()
        self.current: Any = self._read()

    def fetch(self) -> Any:
        """The configuration when it is another than before, else None; called by gRPC's core for
        each connection, in a thread of its own.
        """
        if self._now() - self._looked < _LOOK_AGAIN_S:
            return None
        self._looked = self._now()
        try:
            stamp = self._stamps()
            if stamp == self._stamp:
                return None
            self.current = self._read()
        except (BadCertificate, OSError) as error:
            _log.warning("certificate_not_renewed", error=str(error))
            return None
        self._stamp = stamp
        _log.info("certificate_renewed", path=str(self._paths.certificate))
        return self.current

    def _stamps(self) -> list[tuple[int, int]]:
        found = [path.stat() for path in self._paths if path is not None if path.exists()]
        return [(one.st_mtime_ns, one.st_ino) for one in found]

    def _read(self) -> Any:
        certificate, key, client_ca = self._paths
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        chain = _bytes("--tls-cert", certificate)
        private = _bytes("--tls-key", key)
        try:
            # An encrypted key must not ask for its passphrase here.
            context.load_cert_chain(certificate, key, password="")
        except ssl.SSLError as error:
            problem = "it is not the key of the certificate, or one of the two is damaged"
            if "KEY_VALUES_MISMATCH" in str(error):
                problem = "it is the key of another certificate"
            raise BadCertificate("--tls-key", key, problem) from None
        roots = None
        if client_ca is not None:
            roots = _bytes("--tls-client-ca", client_ca)
            try:
                context.load_verify_locations(client_ca)
            except ssl.SSLError:
                problem = "it has no certificate"
                raise BadCertificate("--tls-client-ca", client_ca, problem) from None
        return grpc.ssl_server_certificate_configuration([(private, chain)], roots)


def server_credentials(
    paths: TlsFiles, now: Callable[[], float] = time.monotonic
) -> grpc.ServerCredentials:
    """The credentials of a server. Raises BadCertificate."""
    files = _Files(paths, now)
    return grpc.dynamic_ssl_server_credentials(
        files.current, files.fetch, require_client_authentication=paths.client_ca is not None
    )


def _bytes(setting: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadCertificate(setting, path, (error.strerror or "unreadable").lower()) from None
