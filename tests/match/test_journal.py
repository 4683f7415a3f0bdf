"""The journal's bytes: round trip, unknown schemas and kinds, and a journal of schema 1 as kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.match.matches import spec

from contree.engine import Announced, Card, FixedDeal, Seat
from contree.server.match import (
    Acted,
    Created,
    Ended,
    EndReason,
    Faulted,
    FaultKind,
    JournalError,
    Readied,
    Seated,
    decode_entry,
    encode_entry,
)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(Created(spec("coinche-annonce")), id="created"),
        pytest.param(Created(replace(spec(), owner="abc123abc123")), id="owned"),
        pytest.param(Seated(Seat.WEST, "0.1 β", "i-1"), id="seated"),
        pytest.param(Seated(Seat.WEST, "1", "i-1", "abc123abc123"), id="seated-with-a-key"),
        pytest.param(Readied(Seat.EAST), id="readied"),
        pytest.param(Acted(Seat.NORTH, Card.parse("TH"), 12, 500, False), id="card"),
        pytest.param(Acted(Seat.NORTH, Announced(Card.parse("KH")), 12, 0, True), id="announced"),
        pytest.param(Faulted(Seat.SOUTH, FaultKind.TIMEOUT, True, "no answer"), id="faulted"),
        pytest.param(Ended(EndReason.BOARD_DONE, 1_790_000_000_000), id="ended"),
    ],
)
def test_round_trip(entry: object) -> None:
    assert decode_entry(encode_entry(entry)) == entry  # type: ignore[arg-type]


def test_a_given_deal_is_kept() -> None:
    given = replace(spec(), deals=FixedDeal(Seat.EAST, (0xFF, 0xFF00, 0xFF0000, 0xFF000000)))
    assert decode_entry(encode_entry(Created(given))) == Created(given)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\xff\xfe", "not a journal entry"),
        (b'{"a":1}', "not a journal entry"),
        (b"[]", "not a journal entry"),
        (b'[99,"act",0,"AS",0,0,0]', "schema 99 is newer than this server.s"),
        (b'[1,"dance"]', "kind 'dance' are not known"),
        (b'[1,"act",0,"XY",0,0,0]', "broken 'act' entry"),
        (b'[1,"act",7,"AS",0,0,0]', "broken 'act' entry"),
        (b'[1,"ready"]', "broken 'ready' entry"),
    ],
)
def test_what_is_no_entry_is_said_to_be_none(data: bytes, problem: str) -> None:
    with pytest.raises(JournalError, match=problem):
        decode_entry(data)


def test_entries_from_before_there_were_keys_are_read() -> None:
    assert decode_entry(b'[1,"seat",3,"0.1","i-1"]') == Seated(Seat.WEST, "0.1", "i-1")
    created = json.loads(encode_entry(Created(spec())))
    del created[2]["owner"]
    assert decode_entry(json.dumps(created).encode()) == Created(spec())
