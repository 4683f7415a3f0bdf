"""Kinds of settings: what each takes, how it is read from text, what is said where it cannot be.

The settings themselves are in `settings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, get_type_hints

from contree.server.url_passwords import hide_passwords

OFF: Final = "off"
"""How an address that may be absent is written."""


class SettingsError(ValueError):
    """A setting that cannot be; `name` is the option or the variable it came from."""

    def __init__(self, name: str, value: object, expected: str) -> None:
        super().__init__(f"{name} is {value!r}: write {expected}.")
        self.name = name
        self.value = value
        self.expected = expected


class Kind(NamedTuple):
    """What a setting takes: how to read it from text, and whether a value will do."""

    expected: str
    read: Callable[[str], Any]
    """Text to value; `ValueError` when the text is none."""
    accepts: Callable[[Any], bool]
    shown: Callable[[str], str] = str
    """The text as it may be told in an error."""
    absent: str = "none"
    """How its absence is told."""


class Setting(NamedTuple):
    """One setting: its environment variable, what it takes and what it is for."""

    variable: str
    kind: Kind
    meaning: str


def parse_address(text: str) -> tuple[str, int]:
    """The host and port of `127.0.0.1:50051` or `[::1]:50051`; `ValueError` when it is none."""
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise ValueError(text)
    if (":" in host and not bracketed) or any(char.isspace() for char in host):
        raise ValueError(text)
    return host[1:-1] if bracketed else host, int(port)


def _is_address(value: Any) -> bool:
    try:
        parse_address(value)
    except (ValueError, AttributeError):
        return False
    return True


def address(example: str, *, optional: bool = False) -> Kind:
    """The address of something that listens; an ``optional`` one is None where it is off."""
    expected = f"HOST:PORT, such as {example}"
    return Kind(
        f"{expected}, or {OFF}" if optional else expected,
        lambda text: None if optional and text == OFF else text,
        lambda value: (optional and value is None) or _is_address(value),
        absent=OFF,
    )


def one_of(*words: str) -> Kind:
    """One of a few words."""
    return Kind(f"one of {' '.join(words)}", str, lambda value: value in words)


def seconds(low: float, high: float) -> Kind:
    """A time."""
    return Kind(
        f"a number of seconds from {low:g} to {high:g}",
        float,
        lambda value: isinstance(value, int | float) and low <= value <= high,
    )


def whole(low: int, high: int) -> Kind:
    """A whole number."""
    return Kind(
        f"a whole number from {low} to {high}",
        int,
        lambda value: isinstance(value, int) and low <= value <= high,
    )


def store_url() -> Kind:
    """The URL of a match store, None where there is none; it is shown without its password."""
    return Kind(
        "redis://HOST:PORT/0, rediss://HOST:PORT/0, unix:///PATH/TO/SOCKET, "
        "redis+cluster://HOST:PORT,HOST:PORT or redis+sentinel://HOST:PORT,HOST:PORT/NAME/0",
        lambda text: text or None,
        lambda value: value is None or "://" in value,
        hide_passwords,
    )


def folder_path() -> Kind:
    """A folder."""
    return Kind("the path of a folder", Path, lambda value: isinstance(value, Path))


def file_path() -> Kind:
    """A file, None where there is none."""
    return Kind(
        "the path of a file",
        lambda text: Path(text) if text else None,
        lambda value: value is None or isinstance(value, Path),
    )


def plain_name() -> Kind:
    """A name that can stand in a key, a label and a log line."""
    return Kind(
        "1 to 64 letters, digits, dots and dashes",
        str,
        lambda value: (
            isinstance(value, str)
            and 0 < len(value) <= 64
            and value.isascii()
            and value.replace(".", "").replace("-", "").replace("_", "").isalnum()
        ),
    )


def settings_of(kind: type) -> Mapping[str, Setting]:
    """The settings that a class annotates its fields with, by field name."""
    return {
        name: part
        for name, hint in get_type_hints(kind, include_extras=True).items()
        for part in getattr(hint, "__metadata__", ())
        if isinstance(part, Setting)
    }


def check(settings: object) -> None:
    """Raise `SettingsError` where a field has a value that its setting does not take."""
    for name, setting in settings_of(type(settings)).items():
        value = getattr(settings, name)
        if not setting.kind.accepts(value):
            raise SettingsError(name, value, setting.kind.expected)
