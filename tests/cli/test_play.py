"""`contree play --plain` through a pipe, and what the command refuses."""

import re

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import finish, start

HINTS = "hint\n\n" * 60


@pytest.mark.slow
def test_a_deal_through_a_pipe() -> None:
    stdin = "?\nzz\nhand\ntable\nscores\n" + HINTS
    options = ("--plain", "--deals", "1", "--with", "quiet,random", "--name", "Ann")
    ran = finish(start("play", *options), stdin=stdin, timeout=100)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "You are South, rules ffb-mixte. Type ? for help."
    assert "your partner north is quiet" in lines[1].lower()
    assert "West is random" in lines[1]
    assert any(line.startswith("'zz' is not understood. You may ") for line in lines)
    assert "Deal 1. East deals." in lines or re.search(r"Deal 1\. \w+ deal", ran.out)
    assert "The rules player would " in ran.out
    assert re.search(r"^(All deals are played|Passed out)", lines[-1])
    if "all four passed" not in ran.out:
        assert ran.out.count("You play the ") == 8
        assert sum(line.endswith(("take the trick.", "takes the trick.")) for line in lines) == 8
    # Words only: nothing commands a terminal, and every line is whole.
    assert "\x1b" not in ran.out
    assert not set("♠♥♦♣") & set(ran.out)


@pytest.mark.slow
def test_the_end_of_the_input_leaves_the_table() -> None:
    ran = finish(start("play", "--plain", "--letters", "fr"), stdin="hint\n", timeout=100)
    assert ran.code == 0, ran.err
    last = ran.out.splitlines()[-1]
    assert last == "The input has ended: you leave the table, and the house plays on."


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--with", "nobody"), "'nobody' is no player: write "),
        (("--with", "rules,rules,rules,rules"), "--with takes one, two or three players."),
        (("--seat", "X"), "'X' is no seat: write N, E, S or W."),
        (("--clock", "soon"), "'soon' is no clock: write SECONDS or SECONDS+BANK"),
        (("--clock", "0"), "'0' is no clock"),
        (("--letters", "de"), "--letters is en or fr, not 'de'."),
        (("--suits", "flags"), "--suits is symbols or letters, not 'flags'."),
        (("--join", "7KO4"), "'7KO4' is no code of a table"),
        (("--join", "7KQ4", "--host-table"), "Make a table with --host-table, or join one"),
        (("--preset", "poker"), "poker"),
        (("--deals", "3", "--target", "500"), "Give --deals or --target, not both."),
        (("--name", " "), "--name is empty"),
        (("--with", "missing:Bot"), "missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be(contree: Contree, arguments: tuple[str, ...], problem: str) -> None:
    ran = contree("play", *arguments)
    assert ran.code == 2
    assert problem in ran.err
    assert ran.out == ""


def test_no_server(contree: Contree) -> None:
    ran = contree("play", "--plain", "--join", "7KQ4", "--server", "127.0.0.1:1")
    assert ran.code == 1
    assert "127.0.0.1:1" in ran.err
