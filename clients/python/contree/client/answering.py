"""Decisions that a bot owes: asked once, answered once for each time that the server asks."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from typing import Final

from contree.client.bot import Turn
from contree.client.seats import Counts, HeldSeat
from contree.client.thinking import Answers, Mind, Question
from contree.engine import Action, View
from contree.v1 import play_service_pb2
from contree.wire import Decision, act_to_bytes, decision_from_pb

_WARN_AT: Final = 0.75
"""The share of its time after which a bot is warned in its own log."""
_WATCH_S: Final = 0.1
_NOT_TAKEN: Final = {
    play_service_pb2.ACT_STATUS_CONFLICT: "another one was taken before",
    play_service_pb2.ACT_STATUS_STALE: "the decision is not owed any more",
    play_service_pb2.ACT_STATUS_LATE: "it came too late",
    play_service_pb2.ACT_STATUS_UNKNOWN_SEAT: "the seat is not this bot's",
}
_TAKEN: Final = (play_service_pb2.ACT_STATUS_ACCEPTED, play_service_pb2.ACT_STATUS_DUPLICATE)

log: Final = logging.getLogger("contree.client")


class Answering:
    """Asks the bot and says its answers.

    An answer is kept until the decision is settled, so that a turn which is sent again, after a
    resume, is answered the same.
    """

    def __init__(
        self,
        say: Callable[[bytes], None],
        seats: Collection[HeldSeat],
        counts: Counts,
    ) -> None:
        """``seats`` is a live view of the seats that are held."""
        self._say = say
        self._seats = seats
        self._counts = counts
        self._questions: list[Question] = []
        self._watcher = asyncio.get_running_loop().call_later(_WATCH_S, self._watch)

    def stop(self) -> None:
        """Warn no more."""
        self._watcher.cancel()

    def ask(self, mind: Mind) -> None:
        """Ask all that has come in, as one batch."""
        if self._questions:
            questions, self._questions = self._questions, []
            mind.take(questions)

    # -- asking ---------------------------------------------------------------------------------

    def turn(self, held: HeldSeat, turn: play_service_pb2.Turn) -> None:
        """A decision is owed, or owed again."""
        decision_id = turn.decision.id
        if held.question is not None and held.question.decision_id == decision_id:
            self._say_answer(held)  # if the bot has answered; else it is at it
            return
        if held.settled is not None and held.settled[0] == decision_id:
            self._act(held, *held.settled)
            return
        decision = decision_from_pb(turn.decision, "turn.decision")
        view = held.views.read(turn.view, decision, "turn.view")
        self._ask(held, view, decision)

    def withdraw(self, held: HeldSeat) -> None:
        """The decision is not owed any more."""
        if held.question is not None:
            held.question.withdraw()
            held.question = None
        held.answer = None

    def _ask(self, held: HeldSeat, view: View, decision: Decision) -> None:
        self.withdraw(held)
        now = time.monotonic()
        clock = decision.clock
        turn = Turn(
            view,
            held.info,
            now + clock.remaining / 1000,
            clock.bank / 1000,
            clock.allowance / 1000,
            clock.charged / 1000,
            None if clock.round_trip is None else clock.round_trip / 1000,
        )
        held.question = Question(held, turn, decision.id, now)
        self._questions.append(held.question)

    # -- answering ------------------------------------------------------------------------------

    def answered(self, answers: Answers) -> None:
        """The bot has decided."""
        now = time.monotonic()
        for question, action in answers:
            held = question.asker
            if not isinstance(held, HeldSeat) or held.question is not question:
                continue
            held.answer = action
            self._counts.decisions += 1
            used, budget = now - question.received, question.turn.deadline - question.received
            held.pace.took(used, budget)
            log.debug("%s: %s after %.3f s of %.2f s", held, action, used, budget)
            if used > budget:
                allowance = question.turn.allowance
                log.warning(
                    "%s: answered after %.2f s, but it had %.2f s; the allowance is %.2f s",
                    held,
                    used,
                    budget,
                    allowance,
                )
            else:
                self._warn_if_slow(question, now)
            self._say_answer(held)

    def result(self, held: HeldSeat, result: play_service_pb2.ActResult) -> None:
        """What became of an answer."""
        question, answer, status = held.question, held.answer, result.status
        if question is not None and question.decision_id != result.decision_id:
            question = None
        if status in _TAKEN:
            if question is not None and answer is not None:
                held.settled = (question.decision_id, answer)
                self.withdraw(held)
        elif status == play_service_pb2.ACT_STATUS_ILLEGAL:
            self._counts.illegal += 1
            named = str(answer) in result.reason
            why = result.reason if named else f"{answer} is not allowed: {result.reason}"
            log.error("%s%s: %s", held, _place(question), why)
            if question is not None and result.HasField("decision"):
                again = decision_from_pb(result.decision, "act_result.decision")
                view = question.turn.view._replace(kind=again.kind, legal=again.legal)
                self._ask(held, view, again)
            elif question is not None:
                self.withdraw(held)
        else:
            self._counts.late += status == play_service_pb2.ACT_STATUS_LATE
            why = _NOT_TAKEN.get(status, f"UNKNOWN ({status}), this server is newer")
            why = f"{why}: {result.reason}" if result.reason else why
            log.warning("%s: the answer was not taken, %s", held, why)
            if question is not None:
                self.withdraw(held)

    def _say_answer(self, held: HeldSeat) -> None:
        """Answer the open decision, if the bot has and the stream is up."""
        if held.question is not None and held.answer is not None:
            self._act(held, held.question.decision_id, held.answer)

    def _act(self, held: HeldSeat, decision_id: bytes, action: Action) -> None:
        if held.ref is not None:
            self._say(act_to_bytes(held.ref, decision_id, action))

    # -- the clock ------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Warn of bots that think for long, before the server acts for them."""
        now = time.monotonic()
        for held in self._seats:
            if held.question is not None and held.answer is None:
                self._warn_if_slow(held.question, now)
        self._watcher = asyncio.get_running_loop().call_later(_WATCH_S, self._watch)

    def _warn_if_slow(self, question: Question, now: float) -> None:
        budget = question.turn.deadline - question.received
        used = now - question.received
        if used > _WARN_AT * budget and not question.warned:
            question.warned = True
            log.warning(
                "%s: %.2f s of %.2f s are used; the server acts for the bot when the time is up",
                question.asker,
                used,
                budget,
            )


def _place(question: Question | None) -> str:
    """Where in the match a question was asked, as ``contree bot replay-turn`` finds it again."""
    if question is None:
        return ""
    view = question.turn.view
    # Cards dealt are a step, and the answer is the one after what has been said and played.
    step = 2 + len(view.calls) + view.cards_played.bit_count()
    return f", deal {view.number}, step {step}"
