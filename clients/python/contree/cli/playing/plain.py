"""A seat in lines of words: for screen readers, and for programs that read and write a pipe."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TextIO

from contree.cli.playing.desk import Desk, forced, trump_of
from contree.cli.playing.hearing import CUT, LATE, heard
from contree.cli.playing.hints import hint
from contree.cli.playing.person import (
    Asked,
    Closed,
    Cut,
    Fault,
    Happened,
    Joined,
    Linked,
    News,
    Over,
    Person,
    Seated,
    Withdrawn,
)
from contree.cli.playing.reading import allowed, read, refused
from contree.cli.playing.telling import ending, fault_line, last_trick_words, name_of, told, who
from contree.cli.render.words import action_words, contract_words, hand_words, one_of
from contree.client import MatchStarted
from contree.engine import Announced, Card, DecisionKind, Seat, View

if TYPE_CHECKING:
    from contree.cli.render.faces import Face
    from contree.client import Turn
    from contree.engine import Action

_HOUR_S: Final = 3600.0
_ASKS: Final = {
    DecisionKind.CALL: "Your call.",
    DecisionKind.CONTRE: "Do you say contre?",
    DecisionKind.SURCONTRE: "Do you say surcontre?",
    DecisionKind.CARD: "Your card.",
}
HELP: Final = (
    "Type a card such as AS or 10H, with + for belote; or a call such as 90H, capot S, p for pass, "
    "x for contre, d for decline.",
    "An empty line does the only thing that may be done, or what the last hint said.",
    "hint: what the rules player would do. hand: your cards. table: the cards on the table. "
    "scores: contract, tricks and scores. quit: leave, and the house plays on.",
)


class Left(Exception):
    """The person has left the table."""


class Lines:
    """Lines of standard input as they come; None at its end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self.queue: asyncio.Queue[str | None] = asyncio.Queue()
        # It does not keep the process alive: nobody can wake a thread that reads.
        threading.Thread(target=self._read, name="contree-stdin", daemon=True).start()

    def _read(self) -> None:
        # A loop that is closed has nobody who listens any more.
        with contextlib.suppress(RuntimeError):
            # An input that cannot be read has ended.
            with contextlib.suppress(OSError, ValueError):
                for line in self._stream:
                    self._loop.call_soon_threadsafe(self.queue.put_nowait, line.strip())
            self._loop.call_soon_threadsafe(self.queue.put_nowait, None)


class PlainTable:
    """One match, told and asked in lines."""

    def __init__(
        self,
        person: Person,
        face: Face,
        names: Callable[[str], Awaitable[dict[Seat, str]]],
        begin: Callable[[], None],
    ) -> None:
        """``names`` tells who sits where; ``begin`` fills a hosted table."""
        self._news = person.news
        self._face = face
        self._names = names
        self._begin = begin
        self._desk: Desk | None = None
        self._asked: Asked | None = None
        self._hinted: Action | None = None
        self._waiting_to_begin = False
        self._cut = False

    @property
    def seated(self) -> bool:
        """Whether the person has got a seat."""
        return self._desk is not None

    async def play(self, stream: TextIO) -> None:
        """Play to the end; raises Left when the person leaves or the input ends, and the error that
        ended it otherwise.
        """
        lines = Lines(stream)
        news = asyncio.ensure_future(self._news.get())
        line: asyncio.Future[str | None] | None = None
        try:
            while True:
                # Input is read only when something is asked, so that a pipe may be ahead of us.
                if line is None and (self._asked is not None or self._waiting_to_begin):
                    line = asyncio.ensure_future(lines.queue.get())
                waited: set[asyncio.Future[Any]] = {news} if line is None else {news, line}
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                if news.done():
                    heard_now = news.result()
                    if isinstance(heard_now, Closed):
                        if heard_now.error is not None:
                            raise heard_now.error
                        return
                    news = asyncio.ensure_future(self._news.get())
                    await self._hear(heard_now)
                elif line is not None and line.done():
                    text, line = line.result(), None
                    self._take(text)
        finally:
            news.cancel()
            if line is not None:
                line.cancel()

    # -- news -----------------------------------------------------------------------------------

    async def _hear(self, news: News) -> None:
        before = self._desk
        self._desk = desk = heard(before, news, self._face)
        match news:
            case Seated() if before is None and desk is not None:
                say(f"You are {name_of(desk.me)}, rules {desk.rules.name}. Type ? for help.")
            case Happened() if before is not None:
                self._waiting_to_begin = False
                if isinstance(news.what, MatchStarted):
                    await self._start(before)
                for text in told(before.told, news.what, before.me, before.rules):
                    say(text)
            case Asked():
                self._asked, self._hinted = news, None
                self._ask(news.turn)
            case Withdrawn() if self._asked is not None and self._asked.turn is news.turn:
                self._asked = None
                if desk is None or desk.ended is None:
                    say(LATE)
            case Fault() if desk is not None:
                say(f"{fault_line(news.fault, desk.me)} {news.detail}")
            case Cut() | Linked():
                self._connection(CUT if isinstance(news, Cut) else "")
            case Over() if before is not None and before.ended is None:
                say(ending(news.ended, before.me))
            case Joined():
                self._waiting_to_begin = True
                say(f"At the table: {', '.join(news.names)}. An empty line begins.")
            case _:
                pass

    async def _start(self, desk: Desk) -> None:
        """Who plays is known when all are there."""
        names = await self._names(desk.table.match_id)
        others = [
            f"{'your partner ' if seat is desk.me.partner else ''}{name_of(seat)} is {name}"
            for seat, name in names.items()
            if seat is not desk.me
        ]
        if others:
            told_all = one_of(others, "and")
            say(f"{told_all[:1].upper()}{told_all[1:]}.")

    def _ask(self, turn: Turn) -> None:
        view = turn.view
        assert view.kind is not None
        parts = [_ASKS[view.kind]]
        left = turn.time_left()
        if left < _HOUR_S:
            parts.append(f"You have {left:.0f} seconds.")
        parts.append(f"You hold {hand_words(view.hand, trump_of(view))}.")
        parts.append(allowed(view, None))
        only = forced(view)
        if only is not None:
            parts.append("An empty line does it.")
        say(" ".join(parts))

    def _connection(self, problem: str) -> None:
        if bool(problem) is not self._cut:
            say(problem or "Connected again.")
        self._cut = bool(problem)

    # -- lines ----------------------------------------------------------------------------------

    def _take(self, text: str | None) -> None:
        if text is None:
            say("The input has ended: you leave the table, and the house plays on.")
            raise Left
        word = text.lower()
        if word in ("q", "quit", "leave"):
            say("You leave the table, and the house plays on.")
            raise Left
        if word in ("?", "help"):
            for line in HELP:
                say(line)
            return
        if self._asked is None:
            if self._waiting_to_begin and not text:
                self._waiting_to_begin = False
                say("Play begins; bots take the seats that are free.")
                self._begin()
            return
        self._answer(self._asked, word)

    def _answer(self, owed: Asked, word: str) -> None:
        view = owed.turn.view
        if word in ("h", "hint"):
            self._hinted, told = hint(view)
            say(f"{told} An empty line does it.")
        elif word in ("hand", "cards"):
            say(f"You hold {hand_words(view.hand, trump_of(view))}.")
        elif word == "table":
            assert self._desk is not None
            say(last_trick_words(self._desk.table))
        elif word in ("scores", "score"):
            say(scores_line(view))
        else:
            self._act(owed, view, word, self._meant(view, word))

    def _meant(self, view: View, word: str) -> Action | None:
        if word:
            return read(word, view, self._face)
        return forced(view) if self._hinted is None else self._hinted

    def _act(self, owed: Asked, view: View, word: str, action: Action | None) -> None:
        if action is None:
            problem = f"{word!r} is not understood." if word else "Nothing was typed."
            say(f"{problem} {allowed(view, None)} Type ? for help.")
        elif action not in view.legal:
            say(refused(action, view, None))
        else:
            if isinstance(action, Card) and Announced(action) in view.legal and not word:
                action = Announced(action)
            self._asked = None
            if action_words(action) == "no":
                say("You decline.")
            if not owed.answer.done():
                owed.answer.set_result(action)


def scores_line(view: View) -> str:
    """Contract, tricks and scores in a line."""
    us, them = view.team, view.team.other
    won = [sum(seat.team is team for seat in view.winners) for team in (us, them)]
    contract = "No contract yet."
    if view.contract is not None:
        contract = (
            f"The contract is {contract_words(view.contract, who(view.contract.taker, view.seat))}."
        )
    return (
        f"{contract} Tricks: you {won[0]}, they {won[1]}. "
        f"In the match: you {view.scores[us]}, they {view.scores[them]}."
    )


def say(text: str) -> None:
    """One line of words."""
    print(text, file=sys.stdout, flush=True)
