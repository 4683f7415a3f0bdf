"""What a person types, read: a card, a call, or the beginning of one. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from contree.cli.render.faces import ENGLISH
from contree.cli.render.words import card_words, one_of, rewritten, spoken_bids
from contree.engine import (
    CARDS,
    CONTRE,
    DECLINE,
    PASS,
    SURCONTRE,
    Action,
    Announced,
    Bid,
    Card,
    DecisionKind,
    Slam,
    View,
    refusal_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contree.cli.render.faces import Face
    from contree.engine import Level

_LEVELS: Final = re.compile(r"(\d{2,3}|capot|generale|générale)\s*(\S{1,2})", re.I)
_WORDS: Final = {
    "p": PASS,
    "pass": PASS,
    "passe": PASS,
    "x": CONTRE,
    "contre": CONTRE,
    "coinche": CONTRE,
    "xx": SURCONTRE,
    "surcontre": SURCONTRE,
    "surcoinche": SURCONTRE,
}
_YES: Final = frozenset({"y", "yes", "o", "oui", "x", "xx", "contre", "surcontre"})
_NO: Final = frozenset({"n", "no", "non", "d", "decline", "-", "p", "pass"})


def read(text: str, view: View, face: Face) -> Action | None:
    """The action that a text means where this view is owed; None when it means none."""
    text = text.strip().lower()
    if view.auction_over:
        return _read_card(text, face)
    if view.kind in (DecisionKind.CONTRE, DecisionKind.SURCONTRE):
        yes = CONTRE if view.kind is DecisionKind.CONTRE else SURCONTRE
        return yes if text in _YES else DECLINE if text in _NO else _read_call(text, view, face)
    return _read_call(text, view, face)


def _read_card(text: str, face: Face) -> Action | None:
    said = text.endswith("+")
    card = face.read_card(text.rstrip("+ ").replace(" ", ""))
    if card is None:
        return None
    return Announced(card) if said else card


def _read_call(text: str, view: View, face: Face) -> Action | None:
    if text in _WORDS:
        call = _WORDS[text]
        # One letter is enough for whichever of the two may be said.
        return SURCONTRE if call is CONTRE and SURCONTRE in view.legal else call
    found = _LEVELS.fullmatch(text)
    if found is None:
        return None
    strain = face.read_strain(found[2])
    return None if strain is None else Bid(_level(found[1]), strain)


def _level(text: str) -> Level:
    if text.isdigit():
        return int(text)
    return Slam.CAPOT if text.lower() == "capot" else Slam.GENERALE


def begins(text: str, view: View, face: Face) -> bool:
    """Whether more letters could make an action of a text that is none yet."""
    return any(whole.startswith(text.lower()) for whole in _typeable(view, face))


def _typeable(view: View, face: Face) -> Iterator[str]:
    """All that could be typed, whether it is allowed or not, in small letters."""
    if view.auction_over:
        for drawn in (face, ENGLISH):
            yield from (f"{drawn.typed(card)}+".lower() for card in CARDS)
        yield from (f"t{letter}+".lower() for letter in (*face.letters, *ENGLISH.letters))
        return
    yield from _WORDS
    if view.kind is not DecisionKind.CALL:
        yield from (*_YES, *_NO)
    strains = (*face.letters, *ENGLISH.letters, "SA", "TA")
    for level in (*view.rules.ladder, "générale"):
        yield from (f"{level}{space}{end}".lower() for end in strains for space in ("", " "))


def refused(action: Action, view: View, write: Face | None) -> str:
    """Why this may not be done, and what may be; cards as a face draws them, or in words."""
    reason = rewritten(refusal_of(view, action).reason, _writer(write))
    me = view.seat.name.capitalize()
    reason = reason.replace(f"{me} does not hold", "you do not hold").replace(
        f"{me} has already", "you have already"
    )
    return f"{reason[:1].upper()}{reason[1:]}. {allowed(view, write)}"


def allowed(view: View, write: Face | None) -> str:
    """What may be done, as a sentence; cards as a face draws them, or in words."""
    if view.auction_over:
        cards = [_writer(write)(action) for action in view.legal if isinstance(action, Card)]
        if len(cards) == 1:
            return f"Only one card may be played: {cards[0]}."
        if len(cards) == len(view.hand):
            return "You may play any card."
        return f"You may play {' '.join(cards) if write else one_of(cards)}."
    if view.kind is DecisionKind.CONTRE:
        return "You may say contre (x) or decline (d)."
    if view.kind is DecisionKind.SURCONTRE:
        return "You may say surcontre (x) or decline (d)."
    words = [
        word
        for call, word in ((PASS, "pass (p)"), (CONTRE, "contre (x)"), (SURCONTRE, "surcontre (x)"))
        if call in view.legal
    ]
    bids = [call for call in view.legal if isinstance(call, Bid)]
    if bids:
        words.append(f"bid {spoken_bids(bids)}")
    return f"You may {_spoken(words)}."


def _spoken(words: list[str]) -> str:
    """Passes and bids are verbs, the rest is said."""
    return one_of([word if word.startswith(("pass", "bid")) else f"say {word}" for word in words])


def _writer(face: Face | None) -> Callable[[Card], str]:
    return card_words if face is None else face.card
