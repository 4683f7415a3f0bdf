"""`contree check-bot`: what it is asked for, what it prints, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.cli.conftest import Contree
from tests.cli.running import finish, start
from tests.ports import Port

from contree.conformance import CHECKS

PLAIN = "python -m contree.conformance.faulty.plain"
WAIT = ("--start", "60", "--limit", "60")


def test_the_checks_are_listed(contree: Contree) -> None:
    ran = contree("check-bot", "--list")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == [one.id for one in CHECKS]
    told = json.loads(contree("check-bot", "--list", "--json").out)
    assert [one["id"] for one in told] == [one.id for one in CHECKS]


def test_what_cannot_be(contree: Contree) -> None:
    for arguments, told in (
        ((), "Which bot? Give --command 'COMMAND', or --name NAME for one that runs."),
        (("--command", " "), "--command is empty"),
        (("--command", "'"), "--command cannot be read: No closing quotation."),
        (("--command", PLAIN, "--only", "manners"), "There is no check 'manners'"),
        (("--command", PLAIN, "--listen", "127.0.0.1:1"), "--listen is for a bot that dials in"),
        (("--command", "no-such-program"), "the command 'no-such-program' was not found"),
    ):
        ran = contree("check-bot", *arguments)
        assert (ran.code, ran.out) == (2, ""), ran
        assert told in ran.err


def test_a_good_bot_and_a_table() -> None:
    ran = finish(start("check-bot", "--command", PLAIN, "--only", "hello", *WAIT))
    assert ran.code == 0, ran
    assert "pass   hello   Connects and says Hello   protocol 1, capacity 16" in ran.out
    assert "1 passed." in ran.out
    assert ran.err == ""


def test_a_bad_bot_what_was_expected_and_what_was_seen() -> None:
    command = "python -m contree.conformance.faulty.newer"
    ran = finish(start("check-bot", "--command", command, "--only", "hello", *WAIT))
    assert ran.code == 1, ran
    assert "hello: protocol_version was 2" in ran.out
    assert 'see docs/protocol.md, "One stream"' in ran.out
    assert '<- {"hello": {"protocol_version": 2' in ran.out
    assert "1 failed: hello." in ran.out


def test_json_for_scripts() -> None:
    checks = ("--only", "ready", "--only", "answers")
    ran = finish(start("check-bot", "--json", "--command", PLAIN, *checks, *WAIT))
    report = json.loads(ran.out)
    assert (ran.code, report["passed"]) == (0, True), ran
    (ready, answers) = report["checks"]
    assert (ready["id"], ready["verdict"]) == ("ready", "pass")
    assert any("act" in frame for frame in answers["frames"])


def test_a_bot_that_dials_in() -> None:
    port = Port()
    checks = ("--only", "hello", "--only", "answers", "--only", "sigterm")
    judging = start("check-bot", "--name", "mine", "--listen", port.address, *checks, *WAIT)
    assert judging.stderr is not None
    told = judging.stderr.readline()
    assert f"CONTREE_SERVER={port.address} CONTREE_BOT=mine" in told
    environment = {"CONTREE_SERVER": port.address, "CONTREE_BOT": "mine"}
    bot = subprocess.Popen(
        [sys.executable, "-m", "contree.conformance.faulty.plain"], env=os.environ | environment
    )
    try:
        ran = finish(judging)
    finally:
        bot.kill()
        bot.wait()
    assert ran.code == 0, ran
    assert "2 passed, 1 skipped." in ran.out
