"""Telling those concerned what came of a committed step: the seats, and the readers of events."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import structlog

from contree.engine import SEATS, Seat
from contree.server.host import frames, lines
from contree.server.host.deadlines import Deadlines
from contree.server.host.notices import Notices
from contree.server.host.table import Table
from contree.server.host.tally import Tally
from contree.server.match import Faulted, Match, Seated, Stage, Step, fault_shown

_log = structlog.get_logger(__name__)


class Telling:
    """Tells, and counts what it tells of."""

    def __init__(self, deadlines: Deadlines, tally: Tally, notices: Notices) -> None:
        self._deadlines = deadlines
        self._tally = tally
        self._notices = notices

    def tell(self, table: Table, before: Match, step: Step, now: float) -> None:
        """Tell seats and readers what came of a committed step, and start the clocks."""
        previous = before
        for entry, after in zip(step.entries, step.states, strict=True):
            self._tally.count(table, previous, entry, after)
            for reader in table.readers:
                reader.read(previous, entry, after)
            if len(after.game.finished) > len(previous.game.finished):
                self._to_seats(table, partial(_deal_ended, after))
            if isinstance(entry, Faulted):
                self._tell_fault(table, entry, after)
            elif isinstance(entry, Seated):
                _log.debug("seat_taken", **lines.seat_taken(entry, after))
            previous = after
        self._ask(table, before, step.after, now)
        if step.after.stage is not before.stage:
            table.stage_started = now
            if step.after.stage is Stage.PLAYING:
                _log.info("match_started", match_id=step.after.id)
                table.begin_play(now)
            self._tally.restaged(before.stage, step.after.stage)
            if step.after.stage is Stage.ENDED:
                self._tell_end(table, step.after)
            else:
                self._notices.changed(table)

    def _ask(self, table: Table, before: Match, after: Match, now: float) -> None:
        """Start the clocks of the decisions that are owed now, and send them to their seats."""
        for seat in SEATS:
            since = after.owed_since[seat]
            if since == before.owed_since[seat]:
                continue
            attached = table.attached[seat]
            if not since:
                table.stop_clock(seat)
                if attached is not None:
                    attached.session.withdraw_turn(attached.ref)
                continue
            table.start_clock(seat, now)
            if attached is None:
                continue
            if after.seats[seat].house or self._deadlines.clock.stopped:
                # In a server that stops: whoever holds the match next asks.
                attached.session.withdraw_turn(attached.ref)
            else:
                trip = attached.session.round_trip_ms
                turn = frames.turn(
                    after, seat, attached.ref, elapsed=0, round_trip=trip, again=False
                )
                attached.session.send_turn(attached.ref, turn)

    def turn(self, table: Table, seat: Seat, *, again: bool) -> frames.Outgoing:
        """The turn of a seat that owes a decision and has its bot here."""
        attached = table.attached[seat]
        if attached is None:
            raise ValueError(f"nobody is attached to {seat}")
        elapsed = self._deadlines.elapsed_ms(table, seat)
        return frames.turn(
            table.match,
            seat,
            attached.ref,
            elapsed=elapsed,
            round_trip=attached.session.round_trip_ms,
            again=again,
        )

    def _tell_fault(self, table: Table, entry: Faulted, after: Match) -> None:
        _log.warning("fault", **lines.fault(entry, after))
        attached = table.attached[entry.seat]
        if attached is not None:
            attached.session.send(frames.fault(fault_shown(after), attached.ref))

    def _tell_end(self, table: Table, match: Match) -> None:
        for attached in table.attached:
            if attached is not None:
                attached.session.send_last(attached.ref, frames.match_ended(match, attached.ref))

    def _to_seats(self, table: Table, message: Callable[[int], frames.ServerMessage]) -> None:
        for attached in table.attached:
            if attached is not None:
                attached.session.send(message(attached.ref))


def _deal_ended(match: Match, ref: int) -> frames.ServerMessage:
    return frames.deal_ended(match, len(match.game.finished), ref)
