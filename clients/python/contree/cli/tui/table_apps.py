"""`contree watch` and `contree replay` on a screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.console import RenderableType
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from contree.cli.render import step_screen, table_screen
from contree.cli.spectate import after, with_match
from contree.cli.stepping import Frame, Move, move_of, moved

if TYPE_CHECKING:
    from contree.cli.render import TableScreen
    from contree.client import TableUpdate

_CSS: Final = """
Screen { align: center middle; }
VerticalScroll { width: auto; max-width: 100%; height: auto; max-height: 1fr; }
#table { width: 78; height: auto; }
#keys { dock: bottom; height: 1; color: $text-muted; padding: 0 1; }
"""


class TableApp(App[None]):
    """A table in the middle of the screen, and the keys below."""

    TITLE = "contree"
    CSS = _CSS
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Any]] = [Binding("ctrl+c,ctrl+q", "quit", priority=True, show=False)]
    KEYS = "q leaves"

    def __init__(self, *, light: bool = False) -> None:
        super().__init__()
        self.theme = "textual-light" if light else "textual-dark"

    def compose(self) -> ComposeResult:
        """The table above the keys."""
        with VerticalScroll():
            yield Static(id="table")
        yield Static(self.KEYS, id="keys", markup=False)

    def show(self, screen: RenderableType) -> None:
        """Draw the table anew."""
        self.query_one("#table", Static).update(screen)

    def on_key(self, event: events.Key) -> None:
        """Leave with q."""
        if event.character == "q" or event.key == "escape":
            self.exit()


class WatchApp(TableApp):
    """A match as it happens."""

    KEYS = "q leaves, space stops and goes on"

    def __init__(
        self,
        updates: Callable[[], AsyncIterator[TableUpdate]],
        wait: float,
        *,
        light: bool = False,
    ) -> None:
        """``wait`` is the time between two events, in seconds."""
        super().__init__(light=light)
        self._updates = updates
        self._wait = wait
        self._going = asyncio.Event()
        self.shown: TableScreen | None = None
        """What is on the screen."""
        self.failure: Exception | None = None
        """Why it ended, when it could not go on."""

    def on_mount(self) -> None:
        """Follow the match."""
        self._going.set()
        self.run_worker(self._follow())

    def on_key(self, event: events.Key) -> None:
        """Stop and go on with space."""
        if event.key != "space":
            super().on_key(event)
        elif self._going.is_set():
            self._going.clear()
        else:
            self._going.set()

    async def _follow(self) -> None:
        try:
            async for update in self._updates():
                if update.match is not None:
                    self._become(with_match(self.shown, update.match))
                for event in update.events:
                    await self._going.wait()
                    assert self.shown is not None  # the first update brings the match
                    self._become(after(self.shown, event.what))
                    await asyncio.sleep(self._wait)
        except Exception as error:
            self.failure = error
            self.exit()

    def _become(self, screen: TableScreen) -> None:
        self.shown = screen
        self.show(table_screen(screen))


class ReplayApp(TableApp):
    """A record, step by step."""

    KEYS = "n p action   t T trick   d D deal   g G ends   arrows, page keys, wheel   q quits"

    def __init__(self, frames: Sequence[Frame], *, light: bool = False) -> None:
        super().__init__(light=light)
        self._frames = frames
        self.at = 0
        """Which frame is shown."""

    def on_mount(self) -> None:
        """Show the first frame."""
        self._step(Move.FIRST)

    def on_key(self, event: events.Key) -> None:
        """Go where the key says."""
        move = move_of(event.key, event.character)
        if move is Move.QUIT:
            self.exit()
        elif move is not None:
            event.prevent_default()
            self._step(move)

    def on_mouse_scroll_down(self) -> None:
        """The wheel goes on."""
        self._step(Move.NEXT)

    def on_mouse_scroll_up(self) -> None:
        """And back."""
        self._step(Move.PREVIOUS)

    def on_click(self) -> None:
        """A click goes on."""
        self._step(Move.NEXT)

    def _step(self, move: Move) -> None:
        self.at = moved(self._frames, self.at, move)
        self.show(step_screen(self._frames[self.at].screen, self.at, len(self._frames)))
