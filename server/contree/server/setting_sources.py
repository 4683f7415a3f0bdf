"""Where settings come from: an option, else a variable, else a file, else the default.

The key of a setting in a file is its variable in lower case, without `CONTREE_`. Paths in a file
start from the file's folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

from contree.server.setting_kinds import Setting, SettingsError, settings_of

CONFIG: Final = "CONTREE_CONFIG"
"""The variable with the path of the file."""
PREFIX: Final = "CONTREE_"


class Origin(Enum):
    """What a setting was given by."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    OPTION = "option"


class BadSettingsFile(SettingsError):
    """A file that holds no settings, or one that there is not."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(str(path), problem, "settings")
        self.args = (f"The settings in {path} cannot be used: {problem}.",)


class Found(NamedTuple):
    """A setting that was given."""

    value: Any
    origin: Origin
    where: str
    """`--redis`, `CONTREE_REDIS_URL`, or `redis_url in contree.toml`."""


class SettingsFile(NamedTuple):
    """The settings that a file gives, by key."""

    path: Path
    values: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> SettingsFile:
        """Read a TOML file. Raises `BadSettingsFile`."""
        try:
            return cls(path, tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise BadSettingsFile(path, (error.strerror or str(error)).lower()) from None
        except (ValueError, RecursionError) as error:
            problem = f"it is no TOML ({error})".replace("\n", " ")
            raise BadSettingsFile(path, problem) from None

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Raise `BadSettingsFile` for a key that is none of these."""
        for key in self.values:
            if key not in known:
                near = nearest(key, known)
                meant = "contree config show has all" if near is None else f"{near} is"
                raise BadSettingsFile(self.path, f"{key} is no setting; {meant}")

    def only(self, keys: Collection[str]) -> SettingsFile:
        """The same with these keys alone."""
        return self._replace(values={k: v for k, v in self.values.items() if k in keys})


class Sources(NamedTuple):
    """All that settings may be given by."""

    environment: Mapping[str, str]
    options: Mapping[str, str]
    """By field name."""
    spelling: Mapping[str, str]
    """The options that are not called like their field."""
    file: SettingsFile | None = None

    def find(self, owner: type) -> dict[str, Found]:
        """What is given of the fields of a class, by field name. Raises `SettingsError`.

        An empty variable counts as absent.
        """
        found = {}
        for name, setting in settings_of(owner).items():
            key = key_of(setting)
            if name in self.options:
                where = self.spelling.get(name, f"--{name.replace('_', '-')}")
                found[name] = _read(setting, self.options[name], Origin.OPTION, where)
            elif text := self.environment.get(setting.variable):
                found[name] = _read(setting, text, Origin.ENVIRONMENT, setting.variable)
            elif self.file is not None and key in self.file.values:
                found[name] = _from_file(setting, self.file, key)
        return found


def key_of(setting: Setting) -> str:
    """What a setting is called in a file."""
    return setting.variable.removeprefix(PREFIX).lower()


def nearest(name: str, known: Collection[str]) -> str | None:
    """The name that was likely meant, if there is one."""
    return next(iter(get_close_matches(name, list(known), n=1)), None)


def _read(setting: Setting, text: str, origin: Origin, where: str) -> Found:
    kind = setting.kind
    try:
        value = kind.read(text)
    except ValueError:
        raise SettingsError(where, kind.shown(text), kind.expected) from None
    if not kind.accepts(value):
        raise SettingsError(where, kind.shown(text), kind.expected)
    return Found(value, origin, where)


def _from_file(setting: Setting, file: SettingsFile, key: str) -> Found:
    given = file.values[key]
    where = f"{key} in {file.path}"
    numeric = isinstance(given, int | float) and not isinstance(given, bool)
    if not (numeric or isinstance(given, str)):
        raise SettingsError(where, given, setting.kind.expected)
    found = _read(setting, str(given), Origin.FILE, where)
    # A number is written as a number, and everything else in quotes.
    if numeric != isinstance(found.value, int | float):
        raise SettingsError(where, given, setting.kind.expected)
    if isinstance(found.value, Path):
        return found._replace(value=file.path.absolute().parent / found.value)
    return found
