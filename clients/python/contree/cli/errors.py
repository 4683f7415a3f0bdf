"""How a command ends when it cannot go on: one sentence, the next step, an exit code.

Errors that people cause are raised all over the project as typed exceptions whose text is already
that sentence. Here they are known by name, so that no command imports a package only to name its
errors.
"""

from __future__ import annotations

import errno
from typing import Final

FAILED: Final = 1
"""The exit code when something did not work out."""
BAD_INPUT: Final = 2
"""The exit code when what was asked for cannot be."""
INTERRUPTED: Final = 130
"""The exit code after Ctrl-C."""


class Failure(Exception):
    """Ends the command: `sentence` goes to standard error, `code` to the shell."""

    def __init__(self, sentence: str, code: int = FAILED) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


class BadInput(Failure):
    """Ends the command because of what it was given."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, BAD_INPUT)


_CODES: Final = {
    "contree.engine.errors.EngineError": BAD_INPUT,
    "contree.server.rpc.tls.BadCertificate": BAD_INPUT,
    "contree.server.setting_kinds.SettingsError": BAD_INPUT,
    "contree.server.store.errors.BadStoreUrl": BAD_INPUT,
    "contree.server.store.errors.StoreError": FAILED,
    "contree.server.telemetry.probes.AddressUnavailable": FAILED,
    "contree.client.errors.InvalidArgument": BAD_INPUT,
    "contree.client.errors.InvalidRules": BAD_INPUT,
    "contree.client.errors.MatchNotFound": BAD_INPUT,
    "contree.client.errors.Misconfigured": BAD_INPUT,
    "contree.client.errors.ContreeError": FAILED,
}

# Which extra brings a module that a command may find missing.
_EXTRAS: Final = {
    "contree.server": "server",
    "grpc_health": "server",
    "grpc_reflection": "server",
    "jinja2": "tournament",
    "markupsafe": "tournament",
    "matplotlib": "tournament",
    "numba": "search",
    "numpy": "tournament",
    "openskill": "tournament",
    "prometheus_client": "server",
    "redis": "server",
    "rich": "cli",
    "scipy": "tournament",
    "structlog": "server",
    "textual": "cli",
    "typer": "cli",
}


def explain(error: BaseException) -> Failure | None:
    """The failure that an error stands for; None when it is a bug and deserves its traceback."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        return explain(error.exceptions[0])
    for kind in type(error).__mro__:
        code = _CODES.get(f"{kind.__module__}.{kind.__qualname__}")
        if code is not None:
            return Failure(sentence(str(error)), code)
    if isinstance(error, ModuleNotFoundError):
        return _missing(error)
    if isinstance(error, OSError) and error.filename is not None:
        code = BAD_INPUT if error.errno in {errno.ENOENT, errno.EISDIR, errno.EACCES} else FAILED
        return Failure(f"{error.filename}: {error.strerror or error}; check the path.", code)
    return None


def sentence(text: str) -> str:
    """The text with a capital at its start and a full stop at its end."""
    text = text.strip()
    if text[:1].islower() and text.split(" ", 1)[0].isalpha():
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _missing(error: ModuleNotFoundError) -> Failure | None:
    name = error.name or ""
    if name not in _EXTRAS:
        name = name.partition(".")[0]
    extra = _EXTRAS.get(name)
    if extra is None:
        return None
    return Failure(f"This needs {name}, which is not installed: pip install 'contree[{extra}]'.")
