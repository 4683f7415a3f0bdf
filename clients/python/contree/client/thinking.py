"""Where a bot thinks: in a thread of its own, or on the event loop.

A mind takes jobs in order: questions to answer, and things that the bot is told. What came of them
it reports through two callbacks, which are called on the event loop.
"""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, NamedTuple, Protocol, cast

from contree.client.bot import Turn
from contree.engine import DECLINE, Action, Announced, Bid, Card, DecisionKind, Say, View

_ACTIONS: Final = frozenset({Bid, Say, Card, Announced})
_FLUSH_S: Final = 0.002
"""The answers of a slow bot are handed over as they come, this often."""


class Question:
    """A turn that a mind is asked to answer."""

    __slots__ = ("asker", "decision_id", "received", "task", "turn", "warned", "withdrawn")

    def __init__(self, asker: object, turn: Turn, decision_id: bytes, received: float) -> None:
        self.asker = asker
        self.turn = turn
        self.decision_id = decision_id
        self.received = received
        self.warned = False
        self.withdrawn = False
        """It is not owed any more: no answer is wanted."""
        self.task: asyncio.Task[None] | None = None

    def withdraw(self) -> None:
        """Want no answer any more."""
        self.withdrawn = True
        if self.task is not None:
            self.task.cancel()


class NoAction(TypeError):
    """The bot answered with something that is no action."""

    def __init__(self, answer: object) -> None:
        super().__init__(
            f"{answer!r} is no action: return one of view.legal (a Card, a Bid, PASS, CONTRE ...)"
        )


class WrongCount(TypeError):
    """A batch was answered with another number of actions."""

    def __init__(self, answers: object, wanted: int) -> None:
        got = f"{len(answers)} answers" if isinstance(answers, Sequence) else repr(answers)
        super().__init__(f"{got} for {wanted} views: return one action for each, in their order")


Answers = list[tuple[Question, Action]]


class Report(NamedTuple):
    """Whom a mind tells what came of a job."""

    answered: Callable[[Answers], None]
    failed: Callable[[BaseException, Question | None], None]


class Told(NamedTuple):
    """Something that the bot is told; afterwards ``then`` is called on the event loop."""

    hook: Callable[[], object]
    then: Callable[[], None] | None = None


Job = Sequence[Question] | Told


class Mind(Protocol):
    """Where a bot thinks."""

    def take(self, job: Job) -> None:
        """Answer these questions, or hear what happened."""
        ...

    def stop(self) -> None:
        """Take nothing more, report nothing more."""
        ...


def mind_of(bot: Any, report: Report) -> Mind:
    """The place for this bot to think in."""
    methods = ("act", "decide", "call", "play", "contre", "surcontre")
    on_loop = any(inspect.iscoroutinefunction(getattr(bot, name, None)) for name in methods)
    if on_loop or not getattr(bot, "threaded", True):
        return LoopMind(bot, report)
    return ThreadMind(bot, report)


class LoopMind:
    """Thinks on the event loop: what is not ``async`` in place, what is, side by side."""

    def __init__(self, bot: Any, report: Report) -> None:
        self._report = report
        self._act = getattr(bot, "act", None)
        self._decide = None if self._act is not None else _decider(bot)
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Job] = deque()
        self._hearing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False

    def take(self, job: Job) -> None:
        """Answer these questions, or hear what happened; after an ``async`` hook still at work."""
        if self._stopped:
            return
        if self._hearing is not None:
            self._waiting.append(job)
        elif isinstance(job, Told):
            self._hear(job)
        elif self._act is not None:
            self._answer_batch(job)
        else:
            self._answer_each(job)

    def stop(self) -> None:
        """Cancel what is at work; what does not let itself be cancelled is not listened to."""
        self._stopped = True
        self._report = Report(answered=lambda _: None, failed=lambda *_: None)
        self._waiting.clear()
        for task in self._tasks:
            task.cancel()

    def _hear(self, told: Told) -> None:
        try:
            result = told.hook()
        except Exception as error:
            self._report.failed(error, None)
            return
        if inspect.isawaitable(result):
            self._hearing = self._start(self._finish_hearing(result, told.then))
        elif told.then is not None and not self._stopped:
            told.then()

    async def _finish_hearing(
        self, result: Awaitable[object], then: Callable[[], None] | None
    ) -> None:
        try:
            await result
        except Exception as error:
            self._report.failed(error, None)
            return
        if self._stopped:
            return
        if then is not None:
            then()
        self._hearing = None
        while self._waiting and self._hearing is None:
            self.take(self._waiting.popleft())

    def _answer_each(self, questions: Sequence[Question]) -> None:
        assert self._decide is not None
        answers: Answers = []
        for question in questions:
            if question.withdrawn:
                continue
            try:
                answer = self._decide(question.turn)
                if inspect.isawaitable(answer):
                    question.task = self._start(self._finish(question, answer))
                else:
                    answers.append((question, _checked(answer)))
            except Exception as error:
                self._report.failed(error, question)
                return
        if answers:
            self._report.answered(answers)

    async def _finish(self, question: Question, answer: Awaitable[object]) -> None:
        try:
            action = _checked(await answer)
        except Exception as error:
            self._report.failed(error, question)
        else:
            self._report.answered([(question, action)])

    def _answer_batch(self, questions: Sequence[Question]) -> None:
        assert self._act is not None
        wanted = [question for question in questions if not question.withdrawn]
        if not wanted:
            return
        try:
            answers = self._act([question.turn.view for question in wanted])
            if inspect.isawaitable(answers):
                self._start(self._finish_batch(wanted, answers))
            else:
                self._report.answered(_paired(wanted, answers))
        except Exception as error:
            self._report.failed(error, None)

    async def _finish_batch(
        self, questions: Sequence[Question], answers: Awaitable[object]
    ) -> None:
        try:
            pairs = _paired(questions, await answers)
        except Exception as error:
            self._report.failed(error, None)
        else:
            self._report.answered(pairs)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


_CRASHES = (Exception, SystemExit, KeyboardInterrupt)
"""How a bot in a thread can fail: an exit there ends the thread only, and nobody would know."""


class ThreadMind:
    """Thinks in a thread of its own, so that heartbeats are answered meanwhile.

    The thread does not keep the process alive: a bot that never returns can be interrupted.
    """

    def __init__(self, bot: Any, report: Report) -> None:
        self._report = report
        self._act = getattr(bot, "act", None)
        self._decide = None if self._act is not None else _decider(bot)
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._stopped = False
        threading.Thread(target=self._work, name="contree-bot", daemon=True).start()

    def take(self, job: Job) -> None:
        """Answer these questions, or hear what happened, after what was asked before."""
        self._jobs.put(job)

    def stop(self) -> None:
        """Let the thread end with what it is at."""
        self._stopped = True
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if not self._stopped:
                self._do(job)

    def _do(self, job: Job) -> None:
        try:
            if isinstance(job, Told):
                self._result(job.hook())
                if job.then is not None:
                    self._on_loop(job.then)
            elif self._act is not None:
                self._answer_batch(self._act, job)
            else:
                self._answer_each(job)
        except _CRASHES as error:
            self._on_loop(self._report.failed, error, None)

    def _answer_each(self, questions: Sequence[Question]) -> None:
        assert self._decide is not None
        answers: Answers = []
        flushed = time.monotonic()
        for question in questions:
            if question.withdrawn or self._stopped:
                continue
            try:
                answers.append((question, _checked(self._result(self._decide(question.turn)))))
            except _CRASHES as error:
                self._on_loop(self._report.failed, error, question)
                return
            now = time.monotonic()
            if now - flushed > _FLUSH_S:
                self._on_loop(self._report.answered, answers)
                answers, flushed = [], now
        if answers:
            self._on_loop(self._report.answered, answers)

    def _answer_batch(
        self, act: Callable[[list[View]], Any], questions: Sequence[Question]
    ) -> None:
        wanted = [question for question in questions if not question.withdrawn]
        if wanted:
            answers = self._result(act([question.turn.view for question in wanted]))
            self._on_loop(self._report.answered, _paired(wanted, answers))

    def _result(self, result: Any) -> Any:
        """The result, awaited on the event loop where it is to be awaited."""
        if not inspect.isawaitable(result):
            return result
        return asyncio.run_coroutine_threadsafe(_awaited(result), self._loop).result()

    def _on_loop(self, callback: Callable[..., None], *arguments: Any) -> None:
        def call() -> None:
            if not self._stopped:
                callback(*arguments)

        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:
            self._stopped = True  # the loop is closed: nobody waits any more


def _decider(bot: Any) -> Callable[[Turn], Any]:
    """What answers one turn; also for a bot that is no ``Bot`` but has its methods."""
    if hasattr(bot, "decide"):
        return cast("Callable[[Turn], Any]", bot.decide)
    call, play = bot.call, bot.play
    contre = getattr(bot, "contre", None)
    surcontre = getattr(bot, "surcontre", None)

    def decide(turn: Turn) -> Any:
        view = turn.view
        if view.kind is DecisionKind.CARD:
            return play(view)
        if view.kind is DecisionKind.CALL:
            return call(view)
        asked = contre if view.kind is DecisionKind.CONTRE else surcontre
        return DECLINE if asked is None else asked(view)

    return decide


def _checked(answer: object) -> Action:
    """The answer, if it is an action; whether it is legal, the server says."""
    if type(answer) in _ACTIONS:
        return cast("Action", answer)
    raise NoAction(answer)


def _paired(questions: Sequence[Question], answers: object) -> Answers:
    if not isinstance(answers, Sequence) or len(answers) != len(questions):
        raise WrongCount(answers, len(questions))
    return [
        (question, _checked(answer)) for question, answer in zip(questions, answers, strict=True)
    ]


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result
