"""`contree watch`: a match that was played, drawn, as lines and as JSON."""

import asyncio
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from tests.cli.conftest import Contree
from tests.cli.running import finish, start
from tests.cli.test_bot_run import FIRST
from tests.cli.test_render import EMPTY
from tests.cli.test_serve import serving

from contree.cli.spectate import after, as_json, lines
from contree.client import (
    Board,
    CardPlayed,
    Dealt,
    Disclosure,
    FaultCharged,
    FaultKind,
    HostClient,
    HouseSeat,
    MatchSpec,
    MatchStarted,
    TrickTaken,
    WatchPolicy,
)
from contree.engine import Card, Seat, Trick, parse_cards


class Played(NamedTuple):
    """A finished match of two deals, and where it is."""

    server: str
    match_id: str
    scores: list[int]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("watched")
    (folder / "my_bot.py").write_text(FIRST, encoding="utf-8")
    with serving(folder) as server:
        options = ["--practice", "--deals", "2", "--json", "--server", server.address]
        ran = finish(start("bot", "run", "my_bot:MyBot", *options, cwd=folder))
        assert ran.code == 0, ran.err
        told = json.loads(ran.out)
        yield Played(server.address, told["match_id"], told["scores"])


def test_lines(played: Played, contree: Contree) -> None:
    ran = contree("watch", played.match_id, "--server", played.server)
    assert ran.code == 0, ran.err
    first, *_, last = ran.out.splitlines()
    assert first == (f"match {played.match_id}, ffb-mixte: N MyBot  E rules  S MyBot  W rules")
    north_south, east_west = played.scores
    assert last == f"All deals are played: NS {north_south}, EW {east_west}"
    assert ran.out.count("\ndeal 1") == ran.out.count("\ndeal 2") == 2


def test_by_label(played: Played, contree: Contree) -> None:
    ran = contree("watch", "--label", "practice", "--server", played.server)
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"match {played.match_id}, ")
    ran = contree("watch", "--label", "nobody", "--server", played.server)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "contree: There is no match with the label 'nobody': check the label.\n"


def test_a_table_of_an_event_is_closed_until_its_board_is_disclosed(
    played: Played, contree: Contree
) -> None:
    hidden = MatchSpec(
        request_id="hidden",
        seats=dict.fromkeys(Seat, HouseSeat()),
        mode=Board(3),
        labels=("event",),
        disclosure_group="event-board-3",
        disclosure=Disclosure.WHEN_GROUP_RELEASED,
    )
    options = ["--server", played.server]

    async def made(*specs: MatchSpec) -> list[str]:
        async with HostClient(played.server) as host:
            return [(await host.create_match(spec)).id for spec in specs]

    (match_id,) = asyncio.run(made(hidden))
    for arguments in ([match_id], ["--label", "event"], [match_id, "--json"]):
        ran = contree("watch", *arguments, *options)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"contree: Match {match_id} may not be watched before its host ")
        assert 'watch = "live"' in ran.err
    live = replace(hidden, request_id="live", watch=WatchPolicy.LIVE)
    live_id, _ = asyncio.run(made(live, replace(hidden, request_id="another")))
    ran = contree("watch", "--label", "event", *options)
    assert ran.code == 0
    assert f"match {live_id}, " in ran.out, "of an event's tables, one that is open"

    async def release() -> None:
        async with HostClient(played.server) as host:
            # Of a board that is disclosed, what is over may be watched.
            async with asyncio.timeout(60):
                async for update in host.watch_matches("event"):
                    if update.match.id == match_id and update.match.ended:
                        break
            await host.release_group("event-board-3")

    asyncio.run(release())
    assert contree("watch", match_id, *options).code == 0


def test_an_id_or_a_label(contree: Contree) -> None:
    for arguments in ([], ["m1", "--label", "practice"]):
        ran = contree("watch", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("contree: Say which match: ")


def test_json(played: Played, contree: Contree) -> None:
    ran = contree("watch", played.match_id, "--server", played.server, "--json")
    assert ran.code == 0, ran.err
    events: list[dict[str, Any]] = [json.loads(line) for line in ran.out.splitlines()]
    assert events[0]["event"] == "match"
    assert events[-1]["event"] == "match_ended"
    assert events[-1]["scores"] == played.scores
    cards = [event["card"] for event in events if event["event"] == "card_played"]
    tricks = [event for event in events if event["event"] == "trick_taken"]
    assert len(cards) == 4 * len(tricks)
    assert [card for trick in tricks for card in trick["cards"]] == cards
    seqs = [event["seq"] for event in events if "seq" in event]
    assert seqs == sorted(seqs)


def test_drawn_on_a_terminal(played: Played) -> None:
    ours, theirs = os.openpty()
    options = ["--server", played.server, "--pace", "0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "contree.cli", "watch", played.match_id, *options],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "40", "PYTHONUTF8": "1"},
        start_new_session=True,
    )
    os.close(theirs)
    drawn = b""
    try:
        with io.FileIO(ours) as screen:
            while True:
                try:
                    part = screen.read(65536)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                drawn += part
                if "All deals are played." in drawn.decode(errors="replace"):
                    os.write(ours, b"q")  # it stays until one leaves
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    text = drawn.decode()
    assert "╭─" in text
    assert "All deals are played." in text


def test_no_such_match(played: Played, contree: Contree) -> None:
    for form in (["--json"], ["--lines"], []):
        ran = contree("watch", "nowhere", "--server", played.server, *form)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("contree: There is no match 'nowhere'")
        assert ran.err.count("\n") == 1


def test_hidden_hands_are_not_drawn() -> None:
    screen = after(EMPTY, Dealt(1, Seat.NORTH, ()))
    screen = after(screen, CardPlayed(Seat.EAST, Card.parse("AS"), False))
    assert screen.hands == {}
    assert screen.trick == Trick(Seat.EAST, parse_cards("AS"))


def test_a_card_leaves_the_hand_and_the_trick_is_counted() -> None:
    hands = ((Seat.EAST, parse_cards("AS 7S")), (Seat.NORTH, parse_cards("KS")))
    screen = after(after(EMPTY, MatchStarted()), Dealt(1, Seat.NORTH, hands))
    screen = after(screen, CardPlayed(Seat.EAST, Card.parse("AS"), False))
    assert screen.hands[Seat.EAST] == parse_cards("7S")
    trick = Trick(Seat.EAST, parse_cards("AS KS 8S 9S"))
    screen = after(screen, TrickTaken(trick, Seat.EAST))
    assert screen.tricks == (0, 1)
    assert screen.trick == trick
    screen = after(screen, CardPlayed(Seat.EAST, Card.parse("7S"), False))
    assert screen.trick == Trick(Seat.EAST, parse_cards("7S"))


def test_a_fault_is_told() -> None:
    fault = FaultCharged(Seat.WEST, FaultKind.ILLEGAL_ACTION, 3, True)
    told = "fault of W: illegal action, the house plays on"
    assert [line.plain for line in lines(EMPTY, fault)] == [told]
    assert after(EMPTY, fault).note == told
    assert as_json(fault) == {
        "event": "fault",
        "seat": "W",
        "kind": "illegal_action",
        "strikes": 3,
        "replaced": True,
    }


def test_no_server(contree: Contree) -> None:
    ran = contree("watch", "m1", "--server", "127.0.0.1:1")
    assert ran.code == 1
    assert ran.err.startswith("contree: No contree server answers at 127.0.0.1:1")
    assert ran.err.count("\n") == 1
