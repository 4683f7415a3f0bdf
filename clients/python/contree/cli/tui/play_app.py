"""`contree play` on a screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.console import Group, RenderableType
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from contree.cli.playing.counting import deal_panel
from contree.cli.playing.desk import (
    Desk,
    Tone,
    action_of,
    answered,
    named,
    says,
    trump_of,
    waiting_for,
)
from contree.cli.playing.hearing import heard
from contree.cli.playing.hints import hint
from contree.cli.playing.person import (
    Asked,
    Closed,
    Happened,
    Joined,
    News,
    Over,
    Seated,
    Withdrawn,
)
from contree.cli.playing.plan import Plan, invitation
from contree.cli.playing.pressing import Command, Do, Intent, click, click_part, press
from contree.cli.playing.telling import ending, name_of
from contree.cli.render.board import HEIGHT, board_text
from contree.cli.render.desk import (
    PICK,
    Clock,
    auction_grid,
    clock_text,
    does_text,
    hand_text_big,
    head_text,
    pad_text,
    side_text,
)
from contree.cli.tui.dialogs import Dialog, help_dialog, leave_dialog
from contree.client import CardPlayed, DealEnded, MatchStarted, TrickTaken
from contree.engine import Announced, Card, DecisionKind, PlacedCall, Strain
from contree.engine.actions import Say

if TYPE_CHECKING:
    from contree.cli.playing.person import Person
    from contree.cli.playing.sitting import Sitting
    from contree.client import Turn

_WIDE: Final = 120
_SIDE: Final = {False: 30, True: 52}
"""The width of the side panel on a narrow and on a wide screen."""
_TICK_S: Final = 0.5
_TRICK: Final = 2.0
"""A complete trick lies there for so many paces."""
_HURRY_S: Final = 600.0
"""With less time for a move than that, the result of a deal goes away by itself."""
_RESULT_S: Final = 6.0
_ASKS: Final = {
    DecisionKind.CALL: "Your call",
    DecisionKind.CONTRE: "Contre, or decline?",
    DecisionKind.SURCONTRE: "Surcontre, or decline?",
    DecisionKind.CARD: "Your card",
}


class Board(Static):
    """The table, which is drawn for the size that it has."""

    def __init__(self, drawn: Callable[[], None], **options: Any) -> None:
        super().__init__(**options)
        self._drawn = drawn

    def on_resize(self) -> None:
        """Be drawn anew."""
        self._drawn()


class PlayApp(App[None]):
    """One match of a person."""

    TITLE = "contree"
    CSS = """
    Screen { layout: vertical; }
    #head { height: 1; background: $primary; color: $text; }
    #middle { height: 1fr; min-height: 9; }
    #board { width: 1fr; height: 1fr; content-align: left middle; padding: 0 1; }
    #side { width: 30; height: 1fr; padding: 0 1; border-left: solid $primary-darken-2; }
    #prompt { height: 1; padding: 0 1; }
    #pad { height: auto; padding: 0 1; }
    #hand { height: 4; padding: 0 1; }
    #said { height: 2; padding: 0 1; }
    #said.refused { color: $text-error; }
    #said.hint { color: $text-success; }
    #keys { height: 1; color: $text-muted; padding: 0 1; }
    #link { display: none; height: 1; background: $error; color: $text; padding: 0 1; }
    #link.cut { display: block; }
    Screen.-wide #side { width: 52; }
    Screen.-wide #bottom { padding: 0 0 0 12; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Any]] = [Binding("ctrl+c,ctrl+q", "leave", priority=True, show=False)]

    def __init__(self, person: Person, sitting: Sitting, plan: Plan) -> None:
        super().__init__()
        self._person = person
        self._sitting = sitting
        self._plan = plan
        self._desk: Desk | None = None
        self._asked: Asked | None = None
        self._here: tuple[str, ...] = ()
        self._begun = False
        self.failure: BaseException | None = None
        """Why it ended, when it could not go on."""
        self.again = False
        """The person wants another match."""
        self.theme = "textual-light" if plan.light else "textual-dark"

    def compose(self) -> ComposeResult:
        """Table and side above, what is asked and the hand below."""
        yield Static(id="head")
        yield Static(id="link")
        with Horizontal(id="middle"):
            yield Board(self._draw, id="board")
            yield Static(id="side")
        with Vertical(id="bottom"):
            yield Static(id="prompt")
            yield Static(id="pad")
            yield Static(id="hand")
            yield Static(id="said")
        yield Static(
            "Enter does it   arrows or letters choose   h hint   ? help   q leave", id="keys"
        )

    def on_mount(self) -> None:
        """Follow the news, and the clock."""
        self.query_one("#bottom").styles.height = "auto"
        self.set_interval(_TICK_S, self._tick)
        self.run_worker(self._follow(), exit_on_error=True)
        self._draw()

    @property
    def desk(self) -> Desk | None:
        """What is shown; None before there is a seat."""
        return self._desk

    # -- news -----------------------------------------------------------------------------------

    async def _follow(self) -> None:
        news = self._person.news
        while True:
            one = await news.get()
            if isinstance(one, Closed):
                self._close(one)
                return
            await self._hear(one)

    async def _hear(self, news: News) -> None:
        before = self._desk
        self._desk = heard(before, news, self._plan.face)
        match news:
            case Seated() if before is None:
                self._draw()
                await self._learn_names(news.info.match_id)
            case Asked():
                self._asked = news
                if self._plan.pace:
                    self.bell()
            case Withdrawn() if self._asked is not None and self._asked.turn is news.turn:
                self._asked = None
            case Joined():
                self._here = news.names
            case Happened(MatchStarted()) if self._desk is not None:
                await self._learn_names(self._desk.table.match_id)
            case _:
                pass
        self._draw()
        if isinstance(news, Happened):
            await self._pause(news)
        elif isinstance(news, Over) and self._desk is not None:
            await self._match_over(self._desk, news)

    async def _learn_names(self, match_id: str) -> None:
        names = await self._sitting.names(match_id)
        if self._desk is not None:
            self._desk = named(self._desk, names)

    async def _pause(self, happened: Happened) -> None:
        """So that a person can follow what bots do in no time."""
        what, pace = happened.what, self._plan.pace
        if isinstance(what, DealEnded) and self._desk is not None:
            await self._deal_over(self._desk, what)
        elif isinstance(what, TrickTaken):
            await asyncio.sleep(_TRICK * pace)
        elif isinstance(what, CardPlayed | PlacedCall) and (
            self._desk is None or what.seat is not self._desk.me
        ):
            await asyncio.sleep(pace)

    async def _deal_over(self, desk: Desk, ended: DealEnded) -> None:
        panel = deal_panel(ended, desk.me, desk.rules, desk.face)
        dialog = Dialog(f"Deal {ended.number}", panel, "any key goes on", frozenset())
        await self._shown(dialog)

    async def _shown(self, dialog: Dialog) -> str | None:
        """What ended the dialog; where one plays by a clock, time does so, too."""
        wish = self._plan.wish
        hurry = wish is not None and wish.per_move + wish.bank < _HURRY_S
        if hurry:
            self.set_timer(_RESULT_S, lambda: self._expire(dialog))
        return await self.push_screen_wait(dialog)

    def _expire(self, dialog: Dialog) -> None:
        if dialog.is_current:
            dialog.end("time")

    async def _match_over(self, desk: Desk, over: Over) -> None:
        again = " a: another match," if not self._plan.code else ""
        dialog = Dialog(
            "The match is over",
            Text(ending(over.ended, desk.me)),
            f"{again} Enter or q: leave".strip(),
            frozenset({"enter", "q", "escape", *("a" if again else "")}),
        )
        self.again = await self.push_screen_wait(dialog) == "a"
        self.exit()

    def _close(self, closed: Closed) -> None:
        self.failure = closed.error
        if closed.error is not None or self._desk is None or self._desk.ended is None:
            self.exit()

    # -- keys -----------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """A key means what the desk says that it means."""
        event.stop()
        if self._desk is None:
            self._press_without_seat(event)
            return
        waits = bool(self._here) and not self._begun and self._desk.table.state != "playing"
        if event.key == "enter" and waits:
            self._begin()
            return
        desk, intent = press(self._desk, event.key, event.character if event.is_printable else None)
        self._become(desk, intent)

    def _press_without_seat(self, event: events.Key) -> None:
        if event.character == "q" or event.key in ("escape", "ctrl+c"):
            self.exit()
        elif event.key == "enter" and self._here and not self._begun:
            self._begin()

    def on_click(self, event: events.Click) -> None:
        """A click on a card or a call."""
        picked = event.style.meta.get(PICK) if event.style else None
        if picked is None or self._desk is None:
            return
        kind, _, value = str(picked).partition(" ")
        if kind == "card":
            self._become(*click(self._desk, Card(int(value))))
        elif kind == "say":
            self._become(*click(self._desk, Say(value)))
        else:
            part = Strain(int(value)) if kind == "strain" else value
            self._become(click_part(self._desk, part), None)

    def action_leave(self) -> None:
        """Ctrl-C asks, and leaves when it is pressed again."""
        if self._desk is None or len(self.screen_stack) > 1:
            self.exit()
        else:
            self._become(self._desk, Command.LEAVE)

    def _begin(self) -> None:
        self._begun = True
        self._sitting.fill()
        self._draw()

    def _become(self, desk: Desk, intent: Intent | None) -> None:
        self._desk = desk
        if isinstance(intent, Do):
            self._do(intent)
        elif intent is Command.HELP:
            self.push_screen(help_dialog())
        elif intent is Command.LEAVE:
            self.push_screen(leave_dialog(desk.face.letters), self._left)
        elif intent is Command.HINT:
            self._hint(desk)
        self._draw()

    def _do(self, intent: Do) -> None:
        owed, self._asked = self._asked, None
        if owed is not None and not owed.answer.done():
            owed.answer.set_result(intent.action)
        if self._desk is not None:
            self._desk = answered(self._desk)

    def _hint(self, desk: Desk) -> None:
        if desk.owed is None:
            self._desk = says(desk, "There is a hint when it is your turn.", Tone.REFUSED)
            return
        action, text = hint(desk.owed)
        silent = not isinstance(action, Announced)
        pick = action.card if isinstance(action, Announced) else action
        desk = desk._replace(pick=pick, typed="", silent=silent)
        self._desk = says(desk, f"{text} Enter does it.", Tone.HINT)

    def _left(self, key: str | None) -> None:
        if key in ("y", "o"):
            self.exit()
        elif key is not None and self._desk is not None and key.upper() in self._desk.face.letters:
            desk, _ = press(self._desk, "Q", "Q")
            self._become(*press(desk, key, key))

    # -- drawing --------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self._asked is not None:
            self._put("prompt", self._prompt())

    def _draw(self) -> None:
        if not self.screen_stack or not self.screen_stack[0].is_mounted:
            return
        desk = self._desk
        self.screen_stack[0].query_one("#link").set_class(
            desk is not None and bool(desk.link), "cut"
        )
        if desk is None:
            self._put("board", self._lobby())
            return
        wide = self.size.width >= _WIDE
        table = desk.table._replace(turn=waiting_for(desk))
        self._put("head", head_text(table, desk.me, desk.rules, self.size.width))
        self._put("link", Text(desk.link))
        room = self._static("board").content_size
        space = room.height - HEIGHT
        board = board_text(table, room.width, gap=min(1 + wide, max(0, space // 4)))
        self._put("board", board if table.number else self._lobby())
        self._put("side", self._side(desk, wide))
        self._put("prompt", self._prompt())
        view = desk.owed
        pads = view is not None and not view.auction_over
        self._put("pad", pad_text(view, desk.pick, desk.face) if view and pads else Text())
        self._static("pad").display = pads
        hand = table.hands.get(desk.me, ())
        strain = None if table.contract is None else table.contract.strain
        if view is not None:
            strain = trump_of(view)
        self._put("hand", hand_text_big(hand, view, desk.pick, desk.face, strain))
        self._put("said", Text(desk.said))
        said = self._static("said")
        said.set_class(desk.tone is Tone.REFUSED, "refused")
        said.set_class(desk.tone is Tone.HINT, "hint")

    def _side(self, desk: Desk, wide: bool) -> RenderableType:
        limit = 8 if wide else 4
        parts: list[RenderableType] = [side_text(desk.table, desk.me)]
        if desk.table.dealer is not None:
            parts.append(auction_grid(desk.table, limit))
        if wide:
            lines = max(3, self.size.height - 30)
            parts += [Text(), Text("\n".join(desk.log[-lines:]), "dim")]
        return Group(*parts)

    def _prompt(self) -> Text:
        desk = self._desk
        if desk is None:
            return Text()
        if desk.owed is None or desk.owed.kind is None:
            seat = waiting_for(desk)
            if seat is None or seat is desk.me:
                return Text("", "dim")
            name = desk.table.names.get(seat, "")
            return Text(f"{name_of(seat)} ({name}) is thinking ...", "dim")
        text = Text(f"{_ASKS[desk.owed.kind]}  ", "bold")
        text.append(clock_text(self._clock(self._asked.turn if self._asked else None)))
        if desk.typed:
            text.append("   typed: ", "dim").append(desk.typed, "bold")
        action = action_of(desk)
        card = desk.pick
        announceable = isinstance(card, Card) and Announced(card) in desk.owed.legal
        return text.append("   ").append(does_text(action, announceable, desk.face))

    def _clock(self, turn: Turn | None) -> Clock | None:
        if turn is None:
            return None
        return Clock(max(0.0, turn.deadline - time.monotonic()), turn.bank)

    def _lobby(self) -> Text:
        plan = self._plan
        if not plan.code:
            return Text("The cards are being dealt ...", "dim")
        text = Text(invitation(plan, plan.server or ""), "bold")
        if self._here:
            text.append("\n\nAt the table: ", "not bold").append(", ".join(self._here))
            if self._begun:
                text.append("\n\nBots take the seats that are free ...", "dim")
            else:
                text.append("\n\nEnter begins; bots take the seats that are free.")
        return text

    def _put(self, name: str, what: RenderableType) -> None:
        self._static(name).update(what)

    def _static(self, name: str) -> Static:
        return self.screen_stack[0].query_one(f"#{name}", Static)
