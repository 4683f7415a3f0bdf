"""The log: one line per event, as JSON or for a terminal, with secrets taken out.

structlog and the standard library (grpc, asyncio, redis) come out of the same end. Lines go to
standard error, so that what a command prints stays alone on standard output.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from types import MappingProxyType
from typing import Any, Final, TextIO, cast

import structlog

from contree.server.settings import Settings
from contree.server.token_form import hide_tokens
from contree.server.url_passwords import hide_passwords_in

_HIDDEN: Final = "***"
_SECRET_NAMES: Final = frozenset(
    ["api_key", "authorization", "match_secret", "password", "secret", "seed", "token"]
)
_SECRET_ENDINGS: Final = ("_token", "_secret", "_password")
_BEARER: Final = re.compile(r"(?i)\b(bearer\s+)[^\s'\",)]+")
_CARD: Final = re.compile(r"\b[789TJQKA][SHDC]\b")
"""A card as the notation writes it. In the text of an error it may be one of a hidden hand."""


def configure_logging(
    settings: Settings,
    stream: TextIO | None = None,
    *,
    always: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Send all log lines of this process to `stream` (standard error) as the settings say.

    `always` are fields that every line gets, such as the number of a worker.

    To be called once, by whoever owns the process; calling it again replaces what was set up.
    """
    out = _Sink(sys.stderr if stream is None else stream)
    console = settings.log == "console" or (settings.log == "auto" and out.isatty())
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]

    def mark(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event.update(always)
        return event

    shared: list[structlog.typing.Processor] = [
        mark,
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact,
    ]
    render: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=out.isatty())
        if console
        else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[*shared, render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", out)),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries say at INFO what an operator cannot use.
    root.setLevel(max(level, logging.WARNING))


class _Sink(io.TextIOBase):
    """Where the lines go. A server outlives whoever reads them: what cannot be written is lost."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._out.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._out.flush()

    def isatty(self) -> bool:
        return self._out.isatty()


def redact(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """A structlog processor: hides values named like a secret, tokens and passwords of URLs
    wherever they are, and the cards that an error names.
    """
    for name, value in event.items():
        event[name] = _HIDDEN if _is_secret(name) else _clean(value)
    exception = event.get("exception")
    if isinstance(exception, str):
        event["exception"] = _CARD.sub("**", exception)
    return event


def _clean(value: object) -> object:
    if isinstance(value, str):
        # Most have neither, and a look for a part of it is much quicker than one for the pattern.
        if "bearer" in value.lower():
            value = _BEARER.sub(rf"\1{_HIDDEN}", value)
        return hide_tokens(hide_passwords_in(value))
    if isinstance(value, Mapping):
        return {
            key: _HIDDEN if _is_secret(str(key)) else _clean(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    # Anything else is written as its repr: that is left as it is when it hides nothing.
    text = repr(value)
    cleaned = _clean(text)
    return value if cleaned == text and not isinstance(value, BaseException) else cleaned


def _is_secret(name: str) -> bool:
    name = name.lower()
    return name in _SECRET_NAMES or name.endswith(_SECRET_ENDINGS)
