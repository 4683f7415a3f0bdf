"""What a key means, and a click: pure functions from a desk to a desk and, maybe, an intent.

Nothing is done by one key: letters, arrows and clicks choose, Enter does it. Whatever cannot be
done is answered with the reason and with what can.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from contree.cli.playing.desk import (
    Desk,
    Tone,
    action_of,
    cards_allowed,
    says,
    trump_of,
    waiting_for,
)
from contree.cli.playing.reading import allowed, begins, read, refused
from contree.cli.playing.telling import name_of
from contree.cli.render.words import in_order
from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    SURCONTRE,
    Action,
    Announced,
    Bid,
    Card,
    Strain,
    View,
)


class Command(Enum):
    """Something that a person wants besides playing."""

    HELP = "help"
    HINT = "hint"
    LEAVE = "leave"
    BEGIN = "begin"


class Do(NamedTuple):
    """The person's answer to the turn that is owed."""

    action: Action


Intent = Do | Command
Pressed = tuple[Desk, Intent | None]

_ARROWS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def press(desk: Desk, key: str, character: str | None) -> Pressed:
    """A key, by its name and by what it types if anything."""
    if not desk.typed and (character == "?" or key == "f1"):
        return desk, Command.HELP
    if not desk.typed and character == "h":
        return desk, Command.HINT
    if not desk.typed and character == "q":
        return desk, Command.LEAVE
    view = desk.owed
    if view is None:
        return (desk, None) if key in _SILENT else (says(desk, _not_yet(desk), Tone.REFUSED), None)
    if key == "enter":
        return confirm(desk)
    if key == "escape":
        return says(desk._replace(pick=None, typed=""), ""), None
    if key == "backspace":
        return says(desk._replace(typed=desk.typed[:-1], pick=None), ""), None
    if key in _ARROWS:
        return _moved(desk, view, *_ARROWS[key]), None
    if character == "b" and view.auction_over:
        return _belote(desk, view), None
    if character is not None and character.isprintable():
        return _typed(desk, view, character), None
    return desk, None


_SILENT: Final = frozenset({"enter", "escape", "left", "right", "up", "down", "tab", "backspace"})


def choose(desk: Desk, action: Action) -> Desk:
    """Choose an action, or say why it cannot be."""
    view = desk.owed
    if view is None:
        return says(desk, _not_yet(desk), Tone.REFUSED)
    if isinstance(action, Announced) and action in view.legal:
        return says(desk._replace(pick=action.card, silent=False), "")
    if action in view.legal:
        return says(desk._replace(pick=action), "")
    return says(desk._replace(pick=None, typed=""), refused(action, view, desk.face), Tone.REFUSED)


def click(desk: Desk, action: Action) -> Pressed:
    """A click on a card or a call chooses it; a second one does it."""
    if desk.owed is not None and desk.pick == action:
        return confirm(desk)
    return choose(desk._replace(typed=""), action), None


def click_part(desk: Desk, part: int | str | Strain) -> Desk:
    """A click on a level or a strain chooses the bid with the other half as it is."""
    view = desk.owed
    if view is None:
        return says(desk, _not_yet(desk), Tone.REFUSED)
    pick = desk.pick if isinstance(desk.pick, Bid) else None
    bids = [call for call in view.legal if isinstance(call, Bid)]
    for bid in bids:
        if isinstance(part, Strain):
            fits = bid.strain is part and (pick is None or bid.level == pick.level)
        else:
            fits = str(bid.level) == str(part) and (pick is None or bid.strain is pick.strain)
        if fits:
            return says(desk._replace(pick=bid, typed=""), "")
    return says(desk, allowed(view, desk.face), Tone.REFUSED)


def confirm(desk: Desk) -> Pressed:
    """Do what is chosen, or say what could be."""
    action, view = action_of(desk), desk.owed
    if view is None:
        return says(desk, _not_yet(desk), Tone.REFUSED), None
    if action is not None:
        return desk, Do(action)
    if desk.typed:
        text = f"{desk.typed!r} is not complete. {allowed(view, desk.face)}"
        return says(desk._replace(typed=""), text, Tone.REFUSED), None
    if desk.said and desk.tone is Tone.REFUSED:  # why what was just asked for may not be
        return desk, None
    return says(desk, f"Nothing is chosen. {allowed(view, desk.face)}", Tone.REFUSED), None


def _typed(desk: Desk, view: View, character: str) -> Desk:
    for text in dict.fromkeys((desk.typed + character, character)):
        action = read(text, view, desk.face)
        if action is not None:
            return choose(desk._replace(typed=text), action)
        if begins(text, view, desk.face):
            return says(desk._replace(typed=text, pick=None), "")
    what = "a card: type a rank and a suit" if view.auction_over else "a call"
    example = f", such as {desk.face.typed(view.hand[0])}" if view.auction_over else ""
    text = f"{desk.typed + character!r} is not {what}{example}. {allowed(view, desk.face)}"
    return says(desk._replace(typed="", pick=None), text, Tone.REFUSED)


def _moved(desk: Desk, view: View, right: int, down: int) -> Desk:
    desk = desk._replace(typed="", said="")
    if view.auction_over:
        allowed_now = set(cards_allowed(view))
        cards = [card for card in in_order(view.hand, trump_of(view)) if card in allowed_now]
        step = right or down
        if desk.pick not in cards:
            return desk._replace(pick=cards[0 if step > 0 else -1])
        return desk._replace(pick=cards[(cards.index(desk.pick) + step) % len(cards)])
    bids = [call for call in view.legal if isinstance(call, Bid)]
    others = [call for call in (PASS, CONTRE, SURCONTRE, DECLINE) if call in view.legal]
    if not isinstance(desk.pick, Bid):
        if bids and (right > 0 or down):
            return desk._replace(pick=bids[0])
        at = others.index(desk.pick) if desk.pick in others else -1
        return desk._replace(pick=others[(at + (right or down)) % len(others)])
    return desk._replace(pick=_neighbour(bids, desk.pick, right, down))


def _neighbour(bids: list[Bid], pick: Bid, right: int, down: int) -> Bid:
    levels = list(dict.fromkeys(bid.level for bid in bids))
    strains = sorted({bid.strain for bid in bids})
    level = max(0, min(len(levels) - 1, levels.index(pick.level) + right))
    strain = strains[(strains.index(pick.strain) + down) % len(strains)]
    found = Bid(levels[level], strain)
    return found if found in bids else pick


def _belote(desk: Desk, view: View) -> Desk:
    if isinstance(desk.pick, Card) and Announced(desk.pick) in view.legal:
        return desk._replace(silent=not desk.silent)
    return says(desk, "There is no belote to say with this card.", Tone.REFUSED)


def _not_yet(desk: Desk) -> str:
    if desk.ended is not None:
        return "The match is over."
    seat = waiting_for(desk)
    if seat is None or seat is desk.me:
        return "Nothing is asked of you now."
    return f"It is not your turn: {name_of(seat)} is to go."
