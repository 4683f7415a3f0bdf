"""The words of a BGN record: hands, calls and cards, written and read. See ``notation``."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from contree.engine.actions import Action, Announced, Bid, Call, Say, Slam
from contree.engine.cards import Card, Strain, Suit
from contree.engine.errors import NotationError

VERSION: Final = 1
"""The version of the format that is written, and the only one that is read."""


class RecordError(NotationError):
    """A record that cannot be read; ``place`` says where it is wrong, ``text`` is what stands there
    and ``problem`` what is wrong with it. ``line`` is the number of the faulty line, from 1; in the
    JSON form it is 0 and ``place`` is a path such as ``deals[2].calls[0]``.
    """

    def __init__(self, line: int, text: str, problem: str, place: str = "") -> None:
        super().__init__("BGN record", text, problem)
        self.line = line
        self.problem = problem
        self.place = place or f"line {line}"
        shown = text if len(text) <= 200 else f"{text[:197]}..."
        self.args = (f"{self.place}: {problem}: {shown!r}",)


def format_hand(mask: int) -> str:
    """A hand as suits S.H.D.C with ranks in the order A T K Q J 9 8 7, e.g. ``AT9.KQ.J87.``."""
    return ".".join([_HELD[mask >> first & 255] for first in (0, 8, 16, 24)])


def parse_hand(text: str) -> int:
    """Read a hand as ``format_hand`` writes it; NotationError when it is none."""
    found = _HAND.fullmatch(text)
    if found is None:
        raise NotationError(
            "hand", text, "suits S.H.D.C, ranks in the order A T K Q J 9 8 7, e.g. AT9.KQ.J87."
        )
    mask = 0
    for suit, ranks in zip(Suit, found.groups(), strict=True):
        for rank in ranks:
            mask |= Card.parse(f"{rank}{suit}").bit
    return mask


def format_call(call: Call) -> str:
    """A call: ``P``, ``X``, ``XX`` or a bid such as ``80S``, ``CAPH``, ``100N``, ``100A``."""
    if not isinstance(call, Bid):
        return str(call)
    level = _SLAMS[call.level] if isinstance(call.level, Slam) else str(call.level)
    return level + _STRAINS[call.strain]


def parse_call(text: str) -> Call:
    """Read a call as ``format_call`` writes it; NotationError when it is none."""
    if text in _SAYS:
        return _SAYS[text]
    found = _BID.fullmatch(text)
    if found is None:
        raise NotationError(
            "call", text, "P, X, XX or points, CAP or GEN, then S H D C N or A, e.g. 80S CAPH"
        )
    level, strain = found.groups()
    named = {word: slam for slam, word in _SLAMS.items()}
    return Bid(named.get(level) or int(level), Strain(_STRAINS.index(strain)))


def format_card(action: Action) -> str:
    """A card played: ``KH``, or ``KH+b`` with belote said."""
    return f"{action.card}+b" if isinstance(action, Announced) else str(action)


def parse_card(text: str) -> Card | Announced:
    """Read a card as ``format_card`` writes it; NotationError when it is none."""
    if text.endswith("+b"):
        return Announced(Card.parse(text[:-2]))
    return Card.parse(text)


def digest(text: str) -> str:
    """The SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def digest_in(text: str) -> str:
    """The digest that stands in the last line of a record."""
    return text.rstrip("\n").rsplit("\n", 1)[-1].removeprefix("[Sha256 ").removesuffix("]")


_RANKS: Final = "ATKQJ987"
_HELD: Final = tuple(
    "".join(rank for rank in _RANKS if held & Card.parse(f"{rank}S").bit) for held in range(256)
)
"""The ranks of each of the 256 sets of cards of a suit."""
_STRAINS: Final = "SHDCNA"
_SLAMS: Final = {Slam.CAPOT: "CAP", Slam.GENERALE: "GEN"}
_SAYS: Final = {say.value: say for say in (Say.PASS, Say.CONTRE, Say.SURCONTRE)}
_BID: Final = re.compile(r"([1-9]\d{1,2}|CAP|GEN)([SHDCNA])")
_HAND: Final = re.compile(r"\.".join(["(" + "".join(f"{rank}?" for rank in _RANKS) + ")"] * 4))
