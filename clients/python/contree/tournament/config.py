"""The file of an event, read into one frozen value. What it may hold is in
docs/run-a-tournament.md; anything else is refused with a sentence that names key and value.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from contree.client import FaultPolicy, Race, TimeControl, WatchPolicy
from contree.engine import DEFAULT_PRESET, RulesError, RuleSet, read_rules
from contree.engine import preset as preset_rules
from contree.engine.options import Shuffle
from contree.tournament.bots import BotConfig, read_bot, read_sandbox
from contree.tournament.errors import ConfigError
from contree.tournament.formats.shape import Shape
from contree.tournament.isolation import Isolation
from contree.tournament.limits import Limits
from contree.tournament.reading import Section, all_different
from contree.tournament.shaping import read_shape

DEFAULT_TABLES: Final = 16
MOST_TABLES: Final = 2000
NO_TARGET: Final = 1_000_000
"""What the service makes of the target 0."""
_TIMES: Final = {
    "per_move": 5.0,
    "bank": 0.0,
    "increment": 0.0,
    "allowance": 0.25,
    "ready": 20.0,
    "seat_timeout": 60.0,
}
"""The clock of an event whose file says nothing, in seconds."""
_PROTOCOL_STRIKES: Final = 10
_POSITIVE: Final = ("per_move", "ready", "seat_timeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenPolicy:
    """What becomes of the tables of a bot that does not start, or ends again and again."""

    stops: bool = False
    """The event stops; else they are forfeited, and it goes on."""
    marks: int = 250
    """What the opponent marks at a table that is forfeited; the other marks nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventConfig:
    """An event as its file describes it."""

    name: str
    rules: RuleSet
    preset: str
    """The name of the rules' preset; empty when they come from a file."""
    boards: int
    tables: int
    """Tables that are played at once, at most."""
    time: TimeControl
    faults: FaultPolicy
    seed: bytes | None = field(repr=False)
    """32 bytes; None when the runner is to draw them."""
    bots: tuple[BotConfig, ...]
    watch: WatchPolicy = WatchPolicy.AS_DISCLOSED
    """Whether tables may be watched before their board is disclosed."""
    shape: Shape = field(default_factory=Shape)
    """The format."""
    race: Race | None = None
    """What is played instead of boards."""
    broken: BrokenPolicy = BrokenPolicy()
    isolation: Isolation = Isolation.NONE
    """Which seats of a bot that is started here share a process."""
    metrics_port: int | None = None
    """Where the runner serves its metrics on this machine; 0 picks a free port."""

    @property
    def played_rules(self) -> RuleSet:
        """The rules with the end of races that the file asks for, as records have them."""
        rules, race = self.rules, self.race
        if race is not None and race.target is not None:
            rules = replace(rules, target=race.target or NO_TARGET)
        if race is not None and race.deals is not None:
            rules = replace(rules, deals_limit=race.deals or None)
        return rules

    def settings(self, bots: tuple[BotConfig, ...]) -> dict[str, object]:
        """All that bears on the results when these bots take part: what the event's id is made of.

        Where a command runs, how it is set up and how many tables are played at once do not.
        """
        strikes = self.faults.protocol_strikes
        settings: dict[str, object] = {
            "name": self.name,
            "rules": self.rules.to_dict(),
            "boards": self.boards,
            "seed": None if self.seed is None else hashlib.sha256(self.seed).hexdigest(),
            "time": {name: getattr(self.time, name) for name in _TIMES},
            "faults": [
                self.faults.illegal_strikes,
                self.faults.timeout_strikes,
                # Left out where it is as it always was: an event begun before goes on.
                *([] if strikes == _PROTOCOL_STRIKES else [strikes]),
            ],
            "bots": [bot.settings() for bot in bots],
        }
        # Likewise: only what is not as it is by default.
        if self.shape != Shape():
            settings["format"] = self.shape.to_dict()
        if self.race is not None:
            settings["race"] = [self.race.target, self.race.deals]
        if self.isolation is not Isolation.NONE:
            settings["isolation"] = self.isolation.value
        if self.broken != BrokenPolicy():
            settings["broken"] = [self.broken.stops, self.broken.marks]
        if self.watch is not WatchPolicy.AS_DISCLOSED:
            # Who can look at another table of the board may play better.
            settings["watch"] = self.watch.value
        return settings


def load_event(path: Path) -> EventConfig:
    """The event of this file. Raises ConfigError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            str(path), "there is no such file", "the path of an event's file"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), f"cannot be read ({error})", "a TOML file") from None
    except (ValueError, RecursionError) as error:  # also numbers too long, brackets too deep
        raise ConfigError(
            str(path), f"is not TOML ({error})", "lines such as boards = 100"
        ) from None
    return parse_event(values, path.resolve().parent)


def parse_event(values: dict[str, Any], folder: Path) -> EventConfig:
    """The event of these values; paths in them start from ``folder``. Raises ConfigError."""
    top = Section("", values)
    name = top.text(
        "name",
        r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}",
        "a name of up to 64 letters, digits, blanks, dots and dashes",
    )
    shape, race = read_shape(top)
    preset, rules = _rules(top, folder, races=race is not None)
    faults = top.section("faults")
    broken = _broken(faults)
    limits, sandbox = Limits.read(top.section("limits")), read_sandbox(top, "none")
    config = EventConfig(
        name=name,
        rules=rules,
        preset=preset,
        boards=top.whole("boards", 1, 1_000_000),
        tables=top.whole("tables", 1, MOST_TABLES, DEFAULT_TABLES),
        time=_time(top.section("time")),
        faults=_faults(faults),
        broken=broken,
        shape=shape,
        race=race,
        seed=_seed(top),
        watch=_watch(top),
        isolation=_isolation(top),
        metrics_port=top.optional_whole("metrics_port", 0, 65535),
        bots=tuple(read_bot(section, folder, limits, sandbox) for section in top.sections("bots")),
    )
    top.finish()
    if len(config.bots) < 2:
        raise ConfigError("bots", f"there are {len(config.bots)}", "at least two [[bots]] entries")
    names = [bot.name for bot in config.bots]
    all_different("bots", names)
    shape.build(names, config.boards)  # says what is wrong with them, if anything is
    return config


def _rules(top: Section, folder: Path, *, races: bool) -> tuple[str, RuleSet]:
    preset = top.optional_text("preset")
    file = top.optional_text("rules")
    if preset is not None and file is not None:
        raise ConfigError("rules", "preset is given too", "one of the two")
    try:
        if file is not None:
            rules = read_rules(folder / file)
        else:
            preset = DEFAULT_PRESET if preset is None else preset
            rules = preset_rules(preset)
    except RulesError as error:
        if file is None:
            raise ConfigError("preset", f"{preset!r}: {error.problem}", error.expected) from None
        option = "" if error.option == "file" else f"rule option {error.option!r}: "
        raise ConfigError("rules", f"{file!r}: {option}{error.problem}", error.expected) from None
    each = top.optional_text("board_shuffle")
    if each not in {None, "each"}:
        raise ConfigError("board_shuffle", f"{each!r} is not known", '"each", or nothing')
    if rules.shuffle is not Shuffle.EACH_DEAL and each is None and not races:
        raise ConfigError(
            "board_shuffle",
            f"missing, and the rules {rules.name} shuffle once and then only cut, which boards "
            "that each stand alone cannot do",
            'board_shuffle = "each" to shuffle every board',
        )
    return preset or "", rules


def _time(section: Section) -> TimeControl:
    times = {
        name: section.duration(name, default, positive=name in _POSITIVE)
        for name, default in _TIMES.items()
    }
    section.finish()
    return TimeControl(**times)


def _broken(section: Section) -> BrokenPolicy:
    return BrokenPolicy(
        stops=section.choice("broken", ["forfeit", "stop"], "forfeit") == "stop",
        marks=section.whole("forfeit_marks", 0, 100_000, 250),
    )


def _faults(section: Section) -> FaultPolicy:
    policy = FaultPolicy(
        illegal_strikes=section.whole("illegal_strikes", 0, 1000, 2),
        timeout_strikes=section.whole("timeout_strikes", 0, 1000, 2),
        protocol_strikes=section.whole("protocol_strikes", 0, 1000, _PROTOCOL_STRIKES),
    )
    section.finish()
    return policy


def _watch(top: Section) -> WatchPolicy:
    policies = {policy.value.replace("_", "-"): policy for policy in WatchPolicy}
    text = top.optional_text("watch")
    policy = policies.get("as-disclosed" if text is None else text)
    if policy is None:
        raise ConfigError("watch", f"{text!r} is not known", '"live" or "as-disclosed"')
    return policy


def _isolation(top: Section) -> Isolation:
    levels = [level.value for level in Isolation]
    return Isolation(top.choice("isolation", levels, Isolation.SEAT.value))


def _seed(top: Section) -> bytes | None:
    """The seed that the file gives, if it does."""
    text = top.optional_text("seed")
    if text is None:
        return None
    if not text:
        raise ConfigError("seed", "is empty", "64 hex digits, or a text, or no such line")
    return seed_of(text)


def seed_of(text: str) -> bytes:
    """The seed that a text stands for: 64 hex digits are the seed itself, others are hashed."""
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    return seed if len(seed) == 32 and len(text) == 64 else hashlib.sha256(text.encode()).digest()
