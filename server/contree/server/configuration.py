"""The settings of a server with where each came from, for the server and for who asks why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from contree.server.setting_kinds import Setting, settings_of
from contree.server.setting_sources import CONFIG, PREFIX, Found, Origin, SettingsFile, nearest
from contree.server.settings import DRAWN, Settings, TimeControlSettings


class Shown(NamedTuple):
    """A setting as it may be shown: secrets hidden."""

    setting: Setting
    value: Any
    """A text, a number, or None."""
    origin: Origin
    where: str
    """What gave it, as an operator would look for it."""


class Configuration(NamedTuple):
    """The settings, and where they came from."""

    settings: Settings
    found: Mapping[str, Found]
    """What was given, by field name; everything else has its default."""
    file: Path | None
    doubtful: Mapping[str, str]
    """Variables that are no settings but look like one, with the one they look like."""

    @classmethod
    def read(
        cls,
        environment: Mapping[str, str],
        options: Mapping[str, str | None] | None = None,
        config: str | Path | None = None,
    ) -> Configuration:
        """Options win over variables, these over the file `config`, that over defaults.

        Without `config` the file is the one that CONTREE_CONFIG names, if it does. Raises
        `SettingsError`.
        """
        named = config or environment.get(CONFIG)
        file = SettingsFile.read(Path(named)) if named else None
        settings, found = Settings.gather(environment, options or {}, file)
        return cls(settings, found, None if file is None else file.path, _doubtful(environment))

    def shown(self) -> Iterator[Shown]:
        """All settings, in the order of the page that describes them."""
        for owner in (self.settings, self.settings.time_control):
            for name, setting in settings_of(type(owner)).items():
                value = getattr(owner, name)
                if isinstance(value, Path | str):
                    value = setting.kind.shown(str(value))
                found = self.found.get(name)
                if found is not None:
                    yield Shown(setting, value, found.origin, found.where)
                elif name in DRAWN:
                    yield Shown(setting, value, Origin.DEFAULT, "default, another at each start")
                else:
                    yield Shown(setting, value, Origin.DEFAULT, "default")


def _doubtful(environment: Mapping[str, str]) -> dict[str, str]:
    """Nobody else's variables are refused: Kubernetes makes some for a service called contree."""
    known = {
        setting.variable
        for owner in (Settings, TimeControlSettings)
        for setting in settings_of(owner).values()
    } | {CONFIG}
    of_clients = {
        f"{PREFIX}{name}"
        for name in ("SERVER", "BOT", "TOKEN", "TOKEN_FILE", "INSTANCE", "CAPACITY", "CA", "CERT")
    } | {f"{PREFIX}CERT_KEY"}
    strange = sorted(n for n in environment if n.startswith(PREFIX) and n not in known | of_clients)
    return {name: near for name in strange if (near := nearest(name, known)) is not None}
