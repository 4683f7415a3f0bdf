"""Event files: what they come to, and what is said about those that are none."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from contree.client import FaultPolicy, Race, WatchPolicy
from contree.tournament.config import EventConfig, load_event
from contree.tournament.errors import ConfigError
from contree.tournament.formats import (
    Format,
    Gauntlet,
    Knockout,
    RoundRobin,
    Sequential,
    Shape,
    Swiss,
)
from contree.tournament.isolation import Isolation
from contree.tournament.limits import NO_LIMITS, Limits
from contree.tournament.schedule import event_id
from contree.tournament.statistics.sprt import Design

GOOD = """
name = "Spring Cup"
boards = 10

[[bots]]
name = "here"
command = ["contree", "bot", "run", "here:Bot"]

[[bots]]
name = "there"
"""


def load(folder: Path, text: str) -> EventConfig:
    path = folder / "event.toml"
    path.write_text(text, encoding="utf-8")
    return load_event(path)


def test_defaults(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    assert (config.name, config.boards, config.tables) == ("Spring Cup", 10, 16)
    assert config.preset == config.rules.name == "ffb-mixte"
    assert config.seed is None
    assert (config.time.per_move, config.time.allowance, config.time.seat_timeout) == (5, 0.25, 60)
    here, there = config.bots
    assert here.command == ("contree", "bot", "run", "here:Bot")
    assert not here.dials_in
    assert here.cwd == tmp_path
    assert there.dials_in


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "house.toml").write_text('base = "ffb-mixte"\nname = "house"\ntarget = 500\n')
    config = load(
        tmp_path,
        """
        name = "All"
        rules = "house.toml"
        boards = 2
        tables = 3
        seed = "open sesame"
        [time]
        per_move = "1.5s"
        bank = "2m"
        increment = "250ms"
        allowance = "0s"
        ready = "1h"
        seat_timeout = "30s"
        [faults]
        illegal_strikes = 0
        timeout_strikes = 7
        protocol_strikes = 3
        [[bots]]
        name = "a"
        command = ["node", "a.js"]
        cwd = "bots"
        env = { LEVEL = "3" }
        needs = "node"
        setup = ["npm", "ci"]
        setup_makes = "node_modules"
        setup_timeout = "90s"
        optional = true
        [[bots]]
        name = "b"
        """,
    )
    assert config.rules.name == "house"
    assert config.preset == ""
    assert config.seed == hashlib.sha256(b"open sesame").digest()
    time = config.time
    assert (time.per_move, time.bank, time.increment) == (1.5, 120, 0.25)
    assert (time.allowance, time.ready, time.seat_timeout) == (0, 3600, 30)
    assert config.faults == FaultPolicy(0, 7, 3)
    bot = config.bots[0]
    assert bot.cwd == tmp_path / "bots"
    assert bot.setup_makes == tmp_path / "bots" / "node_modules"
    assert (bot.env, bot.needs, bot.setup_timeout) == ((("LEVEL", "3"),), "node", 90)
    assert bot.optional


THREE = GOOD + "[[bots]]\nname = 'other'\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD, RoundRobin(("here", "there"), 10)),
        (
            'format = "gauntlet"' + THREE + "[gauntlet]\nbot = 'other'",
            Gauntlet(("here", "there", "other"), 10, "other"),
        ),
        ('format = "swiss"' + THREE, Swiss(("here", "there", "other"), 10, 2)),
        ('format = "knockout"' + GOOD, Knockout(("here", "there"), 10, 4, 3)),
        (
            'format = "sprt"' + GOOD + "[sprt]\nleast = 10\nevery = 5\nt1 = 1\nalpha = 0.01",
            Sequential(("here", "there"), 10, Design(0.0, 1.0, 0.01, 0.05, 5, 10)),
        ),
        (
            'format = "sprt"' + GOOD + "[sprt]\nleast = 10\n[race]\ntarget = 500",
            Sequential(("here", "there"), 10, Design(least=10), races=True),
        ),
    ],
    ids=["none", "gauntlet", "swiss", "knockout", "sprt", "races"],
)
def test_formats(tmp_path: Path, text: str, expected: Format) -> None:
    config = load(tmp_path, text)
    built = config.shape.build([bot.name for bot in config.bots], config.boards)
    assert built == expected
    again = Shape.from_dict(json.loads(json.dumps(config.shape.to_dict())))
    assert again.build(built.bots, config.boards) == expected


def test_races_go_to_their_own_target(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD + "[race]\ntarget = 500\ndeals = 9")
    assert config.race == Race(500, 9)
    assert (config.played_rules.target, config.played_rules.deals_limit) == (500, 9)
    assert load(tmp_path, GOOD + "[race]").race == Race(None, None)
    once = 'preset = "coinche-classique"' + GOOD + "[race]"
    assert load(tmp_path, once).played_rules.name == "coinche-classique"


def test_64_hex_digits_are_the_seed_itself(tmp_path: Path) -> None:
    assert load(tmp_path, f'seed = "{"0f" * 32}"' + GOOD).seed == b"\x0f" * 32
    assert load(tmp_path, f'seed = "{"0f" * 31}"' + GOOD).seed != b"\x0f" * 31


def test_tables_are_watched_when_disclosed_unless_the_file_says_live(tmp_path: Path) -> None:
    closed, said = load(tmp_path, GOOD), load(tmp_path, 'watch = "as-disclosed"' + GOOD)
    live = load(tmp_path, 'watch = "live"' + GOOD)
    assert closed.watch is said.watch is WatchPolicy.AS_DISCLOSED
    assert live.watch is WatchPolicy.LIVE
    assert closed.settings(closed.bots) == said.settings(said.bots)
    assert closed.settings(closed.bots) != live.settings(live.bots), "another event"


def test_bots_share_no_memory_unless_the_file_says_so(tmp_path: Path) -> None:
    said = {level: load(tmp_path, f'isolation = "{level.value}"' + GOOD) for level in Isolation}
    assert load(tmp_path, GOOD).isolation is Isolation.SEAT
    assert [config.isolation for config in said.values()] == list(Isolation)
    ids = {event_id("x", config.settings(config.bots)) for config in said.values()}
    assert len(ids) == 3, "another event each"


LIMITED = """
name = "x"
boards = 1
sandbox = "bubblewrap"
[limits]
memory = "1.5GiB"
cpu_time = "10m"
files = 500
[[bots]]
name = "a"
command = ["x"]
[[bots]]
name = "b"
command = ["x"]
sandbox = "none"
limits = { memory = "512MiB", processes = 99, cpus = 2 }
[[bots]]
name = "c"
[[bots]]
name = "d"
command = ["x"]
cwd = "."
reads = ["event.toml"]
"""


def test_limits_and_sandbox_are_those_of_the_event_unless_a_bot_has_its_own(
    tmp_path: Path,
) -> None:
    a, b, c, d = load(tmp_path, LIMITED).bots
    assert a.limits == Limits(memory=1536 << 20, cpu_time=600.0, files=500)
    assert b.limits == Limits(memory=512 << 20, cpu_time=600.0, files=500, processes=99, cpus=2)
    assert c.limits == NO_LIMITS
    assert [bot.sandboxed for bot in (a, b, c, d)] == [True, False, False, True]
    assert [bot.own_folder for bot in (a, d)] == [False, True]
    assert d.reads == (tmp_path / "event.toml",)


def test_limits_and_sandbox_make_another_event_and_nothing_else_does(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    assert [len(bot.settings()) for bot in config.bots] == [3, 3], "as it always was"

    def settings(text: str) -> object:
        config = load(tmp_path, text)
        return config.settings(config.bots)

    assert settings(LIMITED.replace("500", "501")) != settings(LIMITED)
    assert settings(LIMITED.replace('sandbox = "none"\n', "")) != settings(LIMITED)
    assert settings(LIMITED.replace('reads = ["event.toml"]', "")) == settings(LIMITED)


def test_a_seed_is_not_shown(tmp_path: Path) -> None:
    config = load(tmp_path, f'seed = "{"0f" * 32}"' + GOOD)
    assert "0f" * 8 not in repr(config)
    assert r"\x0f" not in repr(config)
    assert "0f" * 8 not in str(config.settings(config.bots))


def test_28_the_id_follows_what_bears_on_the_results(tmp_path: Path) -> None:
    def settings(text: str) -> dict[str, object]:
        config = load(tmp_path, text)
        return config.settings(config.bots)

    assert settings("tables = 99" + GOOD) == settings(GOOD)
    for changed in (
        GOOD.replace("10", "11"),
        GOOD.replace('"there"', '"elsewhere"'),
        GOOD.replace("here:Bot", "here:Better"),
        'preset = "contree-simple"' + GOOD,
        'seed = "x"' + GOOD,
        GOOD + "[time]\nbank = '1s'",
        GOOD + "[faults]\ntimeout_strikes = 0",
        GOOD + "[faults]\nforfeit_marks = 7",
        GOOD + "[race]",
        'format = "knockout"' + GOOD,
    ):
        assert settings(changed) != settings(GOOD)


def without(line: str) -> str:
    assert line in GOOD
    return GOOD.replace(line, "")


BAD = {
    "isolation": ('isolation = "all"' + GOOD, ["isolation: 'all'", '"none" "seat" "match"']),
    "sandbox": ('sandbox = "docker"' + GOOD, ["sandbox: 'docker'", '"none" "bubblewrap"']),
    "memory": (GOOD + "[limits]\nmemory = '1 GB'", ["limits.memory: '1 GB'", "512MiB"]),
    "too little": (GOOD + "[limits]\nmemory = '1MiB'", ["limits.memory: '1MiB'", "16MiB or more"]),
    "memory as a number": (GOOD + "[limits]\nmemory = 512", ["limits.memory: 512"]),
    "cpu time": (GOOD + "[limits]\ncpu_time = '100ms'", ["limits.cpu_time: is too short", "1s"]),
    "no processor": (GOOD + "[limits]\ncpus = 0", ["limits.cpus: 0", "1 to 4096"]),
    "unknown limit": (GOOD + "[limits]\nram = 1", ["limits.ram: unknown", "memory", "cpu_time"]),
    "limits of a guest": (
        GOOD + "limits = { cpus = 1 }",
        ["bots[2].limits: there has no command", "the name alone"],
    ),
    "sandbox of a guest": (GOOD + "sandbox = 'none'", ["bots[2].sandbox: there has no command"]),
    "reads what is not there": (
        GOOD.replace(':Bot"]', ':Bot"]\nreads = ["gone"]'),
        ["bots[1].reads: there is no", "gone"],
    ),
    "reads outside a sandbox": (
        GOOD.replace(':Bot"]', ':Bot"]\nreads = ["/"]'),
        ["bots[1].reads: here runs in no sandbox", 'sandbox = "bubblewrap"'],
    ),
    "the whole machine": (
        'sandbox = "bubblewrap"' + GOOD.replace(':Bot"]', ':Bot"]\ncwd = "/"'),
        ["bots[1].cwd: this is the whole machine"],
    ),
    "no name": (without('name = "Spring Cup"'), ["name: missing"]),
    "name of another type": (GOOD.replace('"Spring Cup"', "7"), ["name: 7", "a name of up to 64"]),
    "name with a slash": (GOOD.replace("Spring Cup", "../x"), ["name: '../x'"]),
    "no boards": (without("boards = 10"), ["boards: missing", "a whole number from 1"]),
    "boards 0": (GOOD.replace("10", "0"), ["boards: 0", "a whole number from 1 to 1000000"]),
    "boards below 0": (GOOD.replace("10", "-3"), ["boards: -3"]),
    "boards as a text": (GOOD.replace("10", '"10"'), ["boards: '10'", "a whole number"]),
    "boards true": (GOOD.replace("10", "true"), ["boards: True", "a whole number"]),
    "boards 2.5": (GOOD.replace("10", "2.5"), ["boards: 2.5"]),
    "tables 0": ("tables = 0" + GOOD, ["tables: 0"]),
    "unknown key": ("board = 3" + GOOD, ["board: unknown", "its value is 3", "boards"]),
    "unknown preset": (
        'preset = "bridge"' + GOOD,
        ["preset: 'bridge'", "contree-simple", "ffb-mixte"],
    ),
    "empty preset": ('preset = ""' + GOOD, ["preset: ''", "ffb-mixte"]),
    "preset is a file": ('preset = "x.toml"' + GOOD, ["preset: 'x.toml'"]),
    "preset and rules": (
        'preset = "ffb-mixte"\nrules = "r.toml"' + GOOD,
        ["rules: preset is given"],
    ),
    "no rules file": ('rules = "gone.toml"' + GOOD, ["rules: 'gone.toml'", "cannot be read"]),
    "shuffle once": (
        'preset = "coinche-classique"' + GOOD,
        ["board_shuffle: missing", 'board_shuffle = "each"'],
    ),
    "board_shuffle": ('board_shuffle = "once"' + GOOD, ["board_shuffle: 'once'"]),
    "watch": ('watch = "always"' + GOOD, ["watch: 'always'", '"live" or "as-disclosed"']),
    "empty seed": ('seed = ""' + GOOD, ["seed: is empty"]),
    "seed as a number": ("seed = 7" + GOOD, ["seed: 7", "a text"]),
    "unknown time": (GOOD + "[time]\nper_card = '1s'", ["time.per_card: unknown", "per_move"]),
    "time as a number": (GOOD + "[time]\nper_move = 2", ["time.per_move: 2", '"250ms"']),
    "time without unit": (GOOD + "[time]\nper_move = '2'", ["time.per_move: '2'", '"2s"']),
    "time below 0": (GOOD + "[time]\nbank = '-2s'", ["time.bank: '-2s'"]),
    "no time at all": (GOOD + "[time]\nper_move = '0s'", ["time.per_move: '0s'", "too short"]),
    "too much time": (GOOD + "[time]\nready = '999h'", ["time.ready: '999h'", "too long"]),
    "time is no table": ("time = 3" + GOOD, ["time: 3", "[time]"]),
    "strikes": (GOOD + "[faults]\nillegal_strikes = -1", ["faults.illegal_strikes: -1"]),
    "no bots": ('name = "x"\nboards = 1', ["bots: there are 0", "at least two"]),
    "one bot": (GOOD[: GOOD.rindex("[[bots]]")], ["bots: there are 1", "at least two"]),
    "bots as a table": ('name = "x"\nboards = 1\n[bots]\na = 1', ["bots: {'a': 1}", "[[bots]]"]),
    "bots as numbers": ('name = "x"\nboards = 1\nbots = [1, 2]', ["bots: [1, 2]"]),
    "same bot twice": (GOOD.replace('"there"', '"here"'), ["bots: 'here' is there twice"]),
    "same but for capitals": (GOOD.replace('"there"', '"HERE"'), ["bots: 'HERE' is there twice"]),
    "bot without name": (without('name = "there"'), ["bots[2].name: missing"]),
    "bot name": (GOOD.replace('"there"', '"a~b"'), ["bots[2].name: 'a~b'", "up to 32 letters"]),
    "long bot name": (GOOD.replace("there", "x" * 33), ["bots[2].name"]),
    "command as a text": (
        GOOD.replace('["contree", "bot", "run", "here:Bot"]', '"run me"'),
        ["bots[1].command: 'run me'", "a list of words"],
    ),
    "empty command": (
        GOOD.replace('["contree", "bot", "run", "here:Bot"]', "[]"),
        ["bots[1].command: []"],
    ),
    "command with numbers": (GOOD.replace('"run"', "7"), ["bots[1].command"]),
    "unknown key of a bot": (GOOD + "comand = ['x']", ["bots[2].comand: unknown", "command"]),
    "dials in, with setup": (
        GOOD + "optional = true",
        ["bots[2].optional: there has no command", "the name alone"],
    ),
    "no such folder": (
        GOOD.replace('name = "here"', 'name = "here"\ncwd = "nowhere"'),
        ["bots[1].cwd", "nowhere"],
    ),
    "env with numbers": (
        GOOD.replace('name = "here"', 'name = "here"\nenv = { LEVEL = 3 }'),
        ["bots[1].env.LEVEL: 3 is no text"],
    ),
    "optional as a text": (
        GOOD.replace('name = "here"', 'name = "here"\noptional = "yes"'),
        ["bots[1].optional: 'yes'", "true or false"],
    ),
    "format": (
        'format = "ladder"' + GOOD,
        ["format: 'ladder'", '"round-robin" "gauntlet" "swiss" "knockout" "sprt"'],
    ),
    "table of another format": (
        GOOD + "[swiss]\nrounds = 2",
        ["swiss: there is a table [swiss]", 'format is "round-robin"', 'format = "swiss"'],
    ),
    "gauntlet of nobody": ('format = "gauntlet"' + GOOD, ["gauntlet.bot: missing"]),
    "gauntlet of a stranger": (
        'format = "gauntlet"' + GOOD + "[gauntlet]\nbot = 'else'",
        ["gauntlet.bot: 'else' does not take part", "one of here, there"],
    ),
    "unknown key of a gauntlet": (
        'format = "gauntlet"' + GOOD + "[gauntlet]\nbot = 'here'\nrounds = 3",
        ["gauntlet.rounds: unknown", "one of bot"],
    ),
    "too many rounds": (
        'format = "swiss"' + GOOD + "[swiss]\nrounds = 2",
        ["swiss.rounds: 2 rounds of 2 bots", "without a rematch", "1 to 1"],
    ),
    "no rounds": (
        'format = "swiss"' + GOOD + "[swiss]\nrounds = 0",
        ["swiss.rounds: 0", "a whole number from 1"],
    ),
    "tiebreaks": (
        'format = "knockout"' + GOOD + "[knockout]\ntiebreaks = -1",
        ["knockout.tiebreaks: -1", "from 0 to 100"],
    ),
    "sprt of too few boards": ('format = "sprt"' + GOOD, ["boards: 10 end before the first look"]),
    "sprt with t1 below t0": (
        'format = "sprt"' + GOOD + "[sprt]\nt0 = 0.2",
        ["sprt.t1: 0.15 is not above t0", "at least 0.21"],
    ),
    "sprt without errors": (
        'format = "sprt"' + GOOD + "[sprt]\nalpha = 0",
        ["sprt.alpha: 0 is out of bounds", "a number from 0.0001 to 0.4"],
    ),
    "sprt with a text": (
        'format = "sprt"' + GOOD + "[sprt]\nbeta = '5%'",
        ["sprt.beta: '5%'", "a number"],
    ),
    "race without end": (GOOD + "[race]\ntarget = 0", ["race.target: 0", "one of the two"]),
    "race with a text": (GOOD + "[race]\ntarget = '1000'", ["race.target: '1000'"]),
    "unknown key of a race": (GOOD + "[race]\nmarks = 7", ["race.marks: unknown", "target deals"]),
    "broken": (GOOD + "[faults]\nbroken = 'wait'", ["faults.broken: 'wait'", '"forfeit" "stop"']),
    "forfeit": (GOOD + "[faults]\nforfeit_marks = -1", ["faults.forfeit_marks: -1"]),
    "no TOML": ("name = ", ["is not TOML"]),
}


@pytest.mark.parametrize(("text", "said"), list(BAD.values()), ids=list(BAD))
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, text: str, said: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    sentence = str(caught.value)
    for part in said:
        assert part in sentence
    assert "\n" not in sentence
    assert "; expected " in sentence
    assert sentence.endswith(".")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: there is no such file"):
        load_event(tmp_path / "gone.toml")


def test_not_text(tmp_path: Path) -> None:
    (tmp_path / "event.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_event(tmp_path / "event.toml")


def test_shuffling_once_is_allowed_when_the_file_says_how(tmp_path: Path) -> None:
    config = load(tmp_path, 'preset = "coinche-classique"\nboard_shuffle = "each"' + GOOD)
    assert config.rules.name == "coinche-classique"


def test_a_bot_that_dials_in_may_need_a_key(tmp_path: Path) -> None:
    before = load(tmp_path, GOOD)
    after = load(tmp_path, GOOD + 'key = "abc123abc123"\n')
    assert [bot.key for bot in after.bots] == ["", "abc123abc123"]
    assert before.settings(before.bots) != after.settings(after.bots)
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, GOOD + 'key = "contree_abc123abc123_secret"\n')
    assert refused.value.key == "bots[2].key"
    assert "secret" not in str(refused.value)
