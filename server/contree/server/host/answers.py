"""What bots say of their seats, taken to the tables here, whichever server it came in at; and what
is said of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from contree.engine import Seat
from contree.server.host import frames
from contree.server.host.errors import MatchLost
from contree.server.host.seated import Seated
from contree.server.host.session import Said
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.match import (
    Act,
    Command,
    FaultKind,
    GiveUp,
    Rejected,
    SayReady,
    Stage,
    Step,
    Verdict,
)
from contree.v1 import play_service_pb2
from contree.wire import WireError, action_from_pb

OFFENDED: Final = "more messages against the protocol than are forgiven"
"""Why a seat is given up whose bot is not understood."""
Done = Callable[[Said | Exception], None]


class Answers:
    """Takes answers to the tables here."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._deadlines = tables.deadlines

    def take(
        self,
        place: tuple[Table, Seat],
        ref: int,
        message: play_service_pb2.ClientMessage,
        done: Done,
        *,
        who: Seated,
        elapsed: int | None = None,
        illegal: int | None = None,
    ) -> None:
        """Let a seat act, say that it is ready, or resign; ``done`` is told what is to be said of
        it to its bot, which is ``who``.

        It is told MatchLost where the match cannot go on here: then whoever holds it answers; any
        other error is the service's. The time of a decision is what the table's clock says, or
        ``elapsed`` where that is less. For ``illegal`` see `Act`.
        """
        table, seat = place
        if message.HasField("act"):
            self._act(
                table, seat, ref, message.act, done, who=who, elapsed=elapsed, illegal=illegal
            )
        elif message.HasField("ready"):
            self._submit(table, SayReady(seat), done)
        else:
            self._submit(table, GiveUp(seat, FaultKind.RESIGNED, "the bot resigned"), done)

    def give_up(self, place: tuple[Table, Seat], done: Done) -> None:
        """A bot says more against the protocol than is forgiven, which counts in play."""
        table, seat = place
        if table.match.stage is Stage.PLAYING:
            self._submit(table, GiveUp(seat, FaultKind.PROTOCOL_ERROR, OFFENDED), done)
        else:
            done(Said(None))

    def _submit(self, table: Table, command: Command, done: Done) -> None:
        def reply(outcome: Step | Rejected | MatchLost) -> None:
            if isinstance(outcome, MatchLost):
                done(outcome)
            else:
                done(Said(None, useless=isinstance(outcome, Rejected) or not outcome.entries))

        self._tables.submit(table, command, reply)

    def _act(
        self,
        table: Table,
        seat: Seat,
        ref: int,
        act: play_service_pb2.Act,
        done: Done,
        *,
        who: Seated,
        elapsed: int | None,
        illegal: int | None,
    ) -> None:
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
        command = Act(seat, decision, action, spent, illegal)

        def answered(outcome: Step | Rejected | MatchLost) -> None:
            said: Said | Exception
            if isinstance(outcome, MatchLost):
                said = outcome
            else:
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
        repeated = outcome.verdict is Verdict.ILLEGAL  # by another server, not by the bot
        return Said(message, useless=not outcome.entries and not repeated)

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
