"""Telling fails, which it never should: one table is given up, and the others are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.host.virtual import Place, owing, place, virtually
from tests.match.matches import spec

from contree.engine import SEATS, Seat
from contree.server.host import tables
from contree.server.host.committer import Commit
from contree.server.host.errors import MatchLost
from contree.server.host.readers import Reader
from contree.server.host.session import Session
from contree.server.host.table import Table
from contree.server.match import Act, Rejected, Stage, Step
from contree.server.store import Append


class Broken(Exception):
    """A fault of the service."""


def fails(*_: object) -> Any:
    raise Broken


class _Untold(Session):
    def send_turn(self, ref: int, message: object) -> None:
        raise Broken


def failures(at: Place) -> float:
    value = at.metrics.registry.get_sample_value("contree_telling_failures_total")
    assert value is not None
    return value


def two_tables(at: Place) -> tuple[Table, Table]:
    broken, whole = [replace(spec(), match_id=match_id) for match_id in ("broken", "whole")]
    return at.sit(broken), at.sit(whole)


def act(at: Place, table: Table, reply: Callable[[Step | Rejected | MatchLost], None]) -> None:
    """Answer what a seat owes; another answer waits behind it."""
    match = table.match
    seat = next(owing(table))
    action = match.game.legal_actions(seat)[0]
    at.tables.submit(table, Act(seat, match.decision_id(seat), action, 1), reply)


@virtually
async def test_a_reply_that_fails_ends_its_table_only() -> None:
    async with place() as at:
        broken, whole = two_tables(at)
        act(at, broken, fails)
        answer = at.act(whole, next(owing(whole)))
        await at.tables.committer.settled()
        assert answer.step.entries
        assert at.lost == ["telling failed"]
        assert at.tables.all() == (whole,)
        assert failures(at) == 1


@virtually
async def test_a_queued_reply_that_fails_twice_ends_its_table_only() -> None:
    """It is told of its step, and of its table that is given up for that."""
    async with place() as at:
        broken, whole = two_tables(at)
        told: list[object] = []
        for reply in (told.append, fails, fails, told.append):
            act(at, broken, reply)
        answer = at.act(whole, next(owing(whole)))
        await at.tables.committer.settled()
        assert answer.step.entries
        assert isinstance(told[-1], MatchLost)
        assert len(told) == 2
        assert at.tables.all() == (whole,)
        assert at.tables.in_play == (whole.match.stage is Stage.PLAYING)


@virtually
async def test_a_session_that_cannot_be_told_ends_its_table_only() -> None:
    async with place() as at:
        broken, whole = two_tables(at)
        for seat in SEATS:
            attached = broken.attached[seat]
            assert attached is not None
            identity = attached.session.identity
            broken.attached[seat] = attached._replace(
                session=_Untold(identity, max_outbox=16, now=0.0)
            )
        first = at.act(broken, next(owing(broken)))
        second = at.act(whole, next(owing(whole)))
        await at.tables.committer.settled()
        assert first.outcomes
        assert second.step.entries
        assert at.tables.all() == (whole,)
        answer = at.act(whole, next(owing(whole)))
        await at.tables.committer.settled()
        assert answer.step.entries


async def test_an_entry_that_cannot_be_written_leaves_its_table_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with place() as at:
        table = at.sit(spec())
        with monkeypatch.context() as patched:
            patched.setattr(tables, "encode_entry", fails)
            with pytest.raises(Broken):
                act(at, table, fails)
        answer = at.act(table, next(owing(table)))
        await at.tables.committer.settled()
        assert answer.step.entries


@virtually
async def test_losing_that_fails_drops_the_table_all_the_same() -> None:
    async with place() as at:
        broken, whole = two_tables(at)
        at.losing_fails = True
        act(at, broken, fails)
        answer = at.act(whole, next(owing(whole)))
        await at.tables.committer.settled()
        assert answer.step.entries
        assert at.tables.all() == (whole,)
        assert not any(broken.attached)


@virtually
async def test_an_append_that_is_refused_and_a_reply_that_fails() -> None:
    async with place() as at:
        broken, whole = two_tables(at)
        at.store.taken = {"broken"}
        act(at, broken, fails)
        answer = at.act(whole, next(owing(whole)))
        await at.tables.committer.settled()
        assert answer.step.entries
        assert at.lost == ["Fenced"]
        assert at.tables.all() == (whole,)


@virtually
async def test_dropping_gets_through_all_that_fails() -> None:
    async with place() as at:
        broken, _ = two_tables(at)
        at.store.down()
        told: list[object] = []
        for reply in (told.append, fails, told.append):
            act(at, broken, reply)
        broken.readers = [_reader(fails), _reader(lambda: told.append("closed"))]
        sessions = [attached.session for attached in broken.attached if attached is not None]
        at.tables.drop(broken)
        assert [type(one) for one in told] == [str, MatchLost]
        assert not any(at.tables.seats.of(session) for session in sessions)
        assert at.tables.get("broken") is None
        at.store.up()
        await at.tables.committer.settled()


@virtually
async def test_a_commit_that_cannot_be_told_keeps_no_other_from_its_answer() -> None:
    async with place() as at:
        told = asyncio.Event()
        committer = at.tables.committer
        committer.add(_commit("a", fails))
        committer.add(_commit("b", lambda _: told.set()))
        await committer.settled()
        assert told.is_set()


def _commit(match_id: str, done: Callable[[Any], None]) -> Commit:
    return Commit(Append(match_id, 0, 1, (b"entry",)), done)


def _reader(close: Callable[[], None]) -> Reader:
    return Reader(None, Seat.NORTH, 0, lambda *_: None, has_room=lambda: True, close=close)
