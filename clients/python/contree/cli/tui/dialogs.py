"""Dialogs over the table: help, leaving, a deal that ended, a match that ended."""

from __future__ import annotations

from typing import Final

from rich.console import RenderableType
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

HELP: Final = """\
Nothing is done by one key alone: choose, then press Enter.

 A card    type it, such as AS, 10h or ♥K, or use the arrows, or click it
 A bid     type it, such as 90h, 100sa or capot s; the arrows change
           level (left, right) and suit (up, down)
 p         pass
 x         contre, or surcontre where that may be said
 d         decline, when contre or surcontre is asked out of turn
 b         a card with or without belote said
 h         a hint: what the rules player would do; Enter does it
 Esc       forget what is chosen
 q         leave the table
 ?         this help

Cards that may be played stand higher and have whole edges.
"""


class Dialog(ModalScreen[str]):
    """A box with text; ends with the key that was pressed, or "click"."""

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > Vertical {
        width: 52; max-width: 100%; height: auto; max-height: 100%;
        border: round $primary; padding: 1 2; background: $surface;
    }
    Dialog Static { width: 100%; height: auto; }
    Dialog.broad > Vertical { width: 74; }
    Dialog .keys { color: $text-muted; margin-top: 1; }
    """

    def __init__(self, title: str, body: RenderableType, keys: str, ends: frozenset[str]) -> None:
        """``ends`` are the keys that end it, by name or by what they type; empty for all."""
        super().__init__()
        self._title = title
        self._body = body
        self._keys = keys
        self._ends = ends
        self._over = False

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        box = Vertical(Static(self._body, markup=False), Static(self._keys, classes="keys"))
        box.border_title = self._title
        yield box

    def on_key(self, event: events.Key) -> None:
        """End with the key, if it is one that ends the dialog."""
        event.stop()
        if self._over:
            if not self.is_current:  # typed on quickly: it is for what was below
                self.app.post_message(events.Key(event.key, event.character))
            return
        typed = event.character if event.is_printable and event.character else event.key
        if not self._ends or typed in self._ends or event.key in self._ends:
            self.end(typed)

    def on_click(self, event: events.Click) -> None:
        """A click ends what any key ends."""
        event.stop()
        if not self._ends or "enter" in self._ends:
            self.end("click")

    def end(self, how: str) -> None:
        """End, once; it is taken away a moment later."""
        if not self._over:
            self._over = True
            self.dismiss(how)


def help_dialog() -> Dialog:
    """The keys."""
    dialog = Dialog("Keys", HELP.rstrip(), "any key goes back", frozenset())
    dialog.add_class("broad")
    return dialog


def leave_dialog(suits: str) -> Dialog:
    """Whether to leave. A letter of a suit says that q was the beginning of a queen."""
    text = "Leave the table? The house plays on for you."
    ends = frozenset({"y", "o", "n", "escape", *suits.lower(), *suits.upper()})
    return Dialog("Leave", text, "y leaves, Esc stays", ends)
