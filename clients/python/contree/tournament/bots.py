"""The ``[[bots]]`` of an event's file: who takes part, and how those that are started here run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from contree.tournament.errors import ConfigError
from contree.tournament.limits import NO_LIMITS, Limits
from contree.tournament.reading import Section

_SANDBOXES: Final = ("none", "bubblewrap")
_OF_COMMANDS: Final = (
    "cwd",
    "env",
    "needs",
    "setup",
    "setup_makes",
    "setup_timeout",
    "optional",
    "limits",
    "sandbox",
    "reads",
)
"""Keys that only mean something for a bot that is started here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotConfig:
    """A bot that takes part."""

    name: str
    command: tuple[str, ...] = ()
    """What starts it; empty when it dials in by its name."""
    cwd: Path = Path()
    """Where the command runs."""
    own_folder: bool = False
    """Whether the file names ``cwd``: then it is the bot's, and its sandbox shows it."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables added to the environment."""
    needs: str = ""
    """A program that must be installed."""
    setup: tuple[str, ...] = ()
    """What is run once before, such as ``npm ci``."""
    setup_makes: Path | None = None
    """What ``setup`` makes; it is not run when this is there."""
    setup_timeout: float = 120.0
    """Seconds that ``setup`` may take."""
    optional: bool = False
    """Left out, with a note, when ``needs`` is missing or ``setup`` fails."""
    key: str = ""
    """Id of the API key that it must dial in with; empty for any."""
    limits: Limits = NO_LIMITS
    """What each of its processes may use."""
    sandboxed: bool = False
    """Whether it runs in a sandbox."""
    reads: tuple[Path, ...] = ()
    """What else it may read in its sandbox."""

    @property
    def dials_in(self) -> bool:
        """Started by its author, not by the runner."""
        return not self.command

    def settings(self) -> list[object]:
        """All of it that bears on the results. What was not there at first is left out where it is
        not used, so that an event that was begun then goes on.
        """
        surroundings: dict[str, object] = {}
        if limits := self.limits.to_dict():
            surroundings["limits"] = limits
        if self.sandboxed:
            surroundings["sandbox"] = "bubblewrap"
        own = [self.key] if self.key or surroundings else []
        return [
            self.name,
            list(self.command),
            dict(self.env),
            *own,
            *([surroundings] if surroundings else []),
        ]

    def header(self) -> dict[str, Any]:
        """What is published of it."""
        about: dict[str, Any] = {
            "name": self.name,
            "command": list(self.command),
            "dials_in": self.dials_in,
        }
        if not self.dials_in:
            about["sandbox"] = "bubblewrap" if self.sandboxed else "none"
            about["limits"] = self.limits.to_dict()
        return about


def read_bot(section: Section, folder: Path, limits: Limits, sandbox: str) -> BotConfig:
    """A bot of an event's file; ``limits`` and ``sandbox`` are those of the event."""
    name = section.text(
        "name",
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}",
        "a name of up to 32 letters, digits, dots and dashes",
    )
    command = section.words("command")
    own = section.optional_text("cwd")
    cwd = folder / (own or "")
    makes = section.optional_text("setup_makes")
    bot = BotConfig(
        name=name,
        command=command,
        cwd=cwd,
        own_folder=own is not None,
        env=section.variables("env"),
        needs=section.optional_text("needs") or "",
        setup=section.words("setup"),
        setup_makes=None if makes is None else cwd / makes,
        setup_timeout=section.duration("setup_timeout", 120.0, positive=True),
        optional=section.flag("optional"),
        key=section.optional_text("key") or "",
        limits=Limits.read(section.section("limits"), limits) if command else _none(section),
        sandboxed=bool(command) and read_sandbox(section, sandbox) != "none",
        reads=tuple(folder / path for path in section.words("reads")),
    )
    given = section.given
    section.finish()
    if bot.key and not re.fullmatch(r"[0-9a-z]{12}", bot.key):
        raise ConfigError(
            section.key("key"),
            # It is not repeated: somebody may have written the token here.
            "this is no id of a key",
            "an id of 12 letters and digits, as contree keys list has it",
        )
    if bot.dials_in:
        for key in _OF_COMMANDS:
            if key in given:
                raise ConfigError(
                    section.key(key),
                    f"{name} has no command, so it is not started here",
                    "a command, or the name alone for a bot that dials in",
                )
    else:
        _check_paths(section, bot)
    return bot


def read_sandbox(section: Section, default: str) -> str:
    """Which sandbox bots run in: ``none`` or ``bubblewrap``."""
    return section.choice("sandbox", _SANDBOXES, default)


def _none(section: Section) -> Limits:
    """Those of a bot that is not started here; the keys are known all the same."""
    section.section("limits")
    read_sandbox(section, "none")
    return NO_LIMITS


def _check_paths(section: Section, bot: BotConfig) -> None:
    if not bot.cwd.is_dir():
        raise ConfigError(section.key("cwd"), f"there is no folder {bot.cwd}", "an existing folder")
    for path in bot.reads:
        if not path.exists():
            raise ConfigError(section.key("reads"), f"there is no {path}", "what exists")
    if not bot.sandboxed:
        if "reads" in section.given:
            raise ConfigError(
                section.key("reads"),
                f"{bot.name} runs in no sandbox, so it may read what you may",
                'sandbox = "bubblewrap", or no such line',
            )
        return
    if bot.own_folder and bot.cwd.resolve() == Path("/"):
        raise ConfigError(section.key("cwd"), "this is the whole machine", "a folder of its own")
