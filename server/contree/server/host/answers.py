"""Answers of bots, taken to their tables, whichever server they came in at, and what is said of
them.
"""

from __future__ import annotations

from collections.abc import Callable

from contree.engine import Seat
from contree.server.host import frames
from contree.server.host.errors import MatchLost
from contree.server.host.seated import Seated
from contree.server.host.session import Said
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.match import Act, Rejected, Step, Verdict
from contree.v1 import play_service_pb2
from contree.wire import WireError, action_from_pb


class Answers:
    """Takes answers to the tables here."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._deadlines = tables.deadlines

    def take(
        self,
        table: Table,
        seat: Seat,
        ref: int,
        act: play_service_pb2.Act,
        done: Callable[[Said | Exception], None],
        *,
        who: Seated,
        elapsed: int | None = None,
    ) -> None:
        """Let a seat answer; ``done`` is told what is to be said to its bot, which is ``who``.

        It is told MatchLost where the match cannot go on here: then whoever holds it answers; any
        other error is the service's. The time of the decision is what the table's clock says, or
        ``elapsed`` where that is less.
        """
        decision = act.decision_id
        try:
            action = action_from_pb(act.action)
        except WireError as error:
            message = self._unreadable(table, seat, ref, decision, problem=str(error), who=who)
            done(Said(message, offence=True))
            return
        spent = self._deadlines.elapsed_ms(table, seat)
        if elapsed is not None and elapsed < spent:
            spent = elapsed
        command = Act(seat, decision, action, spent)

        def answered(outcome: Step | Rejected | MatchLost) -> None:
            if isinstance(outcome, MatchLost):
                done(outcome)
                return
            said: Said | Exception
            try:
                said = self._said(table, ref, command, outcome, who)
            except Exception as error:
                said = error
            done(said)

        self._tables.submit(table, command, answered)

    def _said(
        self, table: Table, ref: int, command: Act, outcome: Step | Rejected, who: Seated
    ) -> Said:
        decision = command.decision
        if isinstance(outcome, Rejected):
            stale = play_service_pb2.ACT_STATUS_STALE
            return Said(frames.act_result(ref, decision, stale, outcome.reason), useless=True)
        if outcome.verdict is Verdict.ACCEPTED:
            return Said(frames.verdict(ref, decision, Verdict.ACCEPTED, ""), in_passing=True)
        message = frames.answered(
            table.match,
            command,
            ref,
            outcome,
            elapsed=self._deadlines.elapsed_ms(table, command.seat),
            round_trip=who.round_trip_ms,
        )
        return Said(message, useless=not outcome.entries)

    def _unreadable(
        self,
        table: Table,
        seat: Seat,
        ref: int,
        decision: bytes,
        *,
        problem: str,
        who: Seated,
    ) -> frames.Outgoing:
        """The answer to an Act without an action in it; the clock runs on."""
        match = table.match
        if not match.owed_since[seat] or decision != match.decision_id(seat):
            return frames.verdict(ref, decision, Verdict.STALE, problem)
        return frames.illegal(
            match,
            seat,
            ref,
            problem,
            elapsed=self._deadlines.elapsed_ms(table, seat),
            round_trip=who.round_trip_ms,
        )
