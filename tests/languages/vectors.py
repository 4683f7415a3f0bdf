"""Turns and what the sample bot answers: ``bots/vectors.jsonl``, and as many more as a test wants.

    python -m tests.languages.vectors      writes bots/vectors.jsonl

The answers are those of the bot in Python, from the definition in bots/README.md.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from google.protobuf.json_format import MessageToDict
from tests.bots.processes import ROOT
from tests.engine.numbered import ANNONCE, under

from contree.bots.starter import decide
from contree.engine import (
    PRESET_NAMES,
    Action,
    Announced,
    Deal,
    Policy,
    RuleSet,
    SeededDeals,
    View,
    preset,
    project,
)
from contree.policy import random_player, rules_player
from contree.v1.observation_pb2 import Action as ActionMessage
from contree.v1.play_service_pb2 import Turn
from contree.wire import Clock, action_to_pb, turn_to_pb

FILE: Final = ROOT / "bots" / "vectors.jsonl"
ALL_RULES: Final = (
    *(preset(name) for name in PRESET_NAMES),
    under(ANNONCE, name="said", belote_mode="announced"),
)
_SEED: Final = "vectors of the sample bot"
_DEALS: Final = 12
_CALLS_OF_A_KIND: Final = 1
_CARDS_OF_A_KIND: Final = 2
"""Turns of one kind that the file has for each rule set."""


class Vector(NamedTuple):
    """A turn and its answer."""

    turn: Turn
    action: ActionMessage


def positions(rules: RuleSet, deals: int, seed: str) -> Iterator[View]:
    """Every view of these deals that owes something; bold and sober players sit together."""
    source = SeededDeals(hashlib.sha256(seed.encode()).digest(), rules.name)
    for number in range(1, deals + 1):
        board = source.board(number, rules)
        deal = Deal.start(rules, board.dealer, board.hands)
        bold = random_player(number)
        tables: tuple[tuple[Policy, ...], ...] = (
            (decide, rules_player, decide, rules_player),
            (bold, decide, rules_player, decide),
            (decide, decide, bold, bold),
        )
        players = tables[number % len(tables)]
        while deal.owed:
            seat = deal.owed[0]
            view = project(deal, seat)
            yield view
            deal = deal.apply(seat, players[seat](view))


def vectors(views: Iterable[View]) -> list[Vector]:
    """The turns of these views, told apart by their decision ids."""
    return [
        Vector(
            _without_clock(turn_to_pb(1, number, view, b"%06d" % number, Clock(0))),
            action_to_pb(decide(view)),
        )
        for number, view in enumerate(views, start=1)
    ]


def varied() -> Iterator[View]:
    """The views of the file: a few of each kind of decision, for all rules."""
    for rules in ALL_RULES:
        seen: Counter[object] = Counter()
        for view in positions(rules, _DEALS, _SEED):
            kind = _kind_of(view, decide(view))
            seen[kind] += 1
            if seen[kind] <= (_CALLS_OF_A_KIND if view.trick is None else _CARDS_OF_A_KIND):
                yield view


def lines(of: Iterable[Vector]) -> str:
    """The vectors as text, one JSON object a line."""
    return "".join(
        json.dumps({"turn": MessageToDict(turn), "action": MessageToDict(action)}) + "\n"
        for turn, action in of
    )


def _kind_of(view: View, action: Action) -> object:
    """Views of one kind want the same of a bot."""
    if view.trick is None:
        return view.kind, type(action), view.contract is None, action is view.legal[0]
    assert view.contract is not None
    ours = view.contract.team is view.team
    plain = view.contract.strain.suit is None
    return len(view.trick.cards), plain and view.contract.strain, ours, type(action) is Announced


def _without_clock(turn: Turn) -> Turn:
    turn.decision.ClearField("clock")
    return turn


if __name__ == "__main__":
    FILE.write_text(lines(vectors(varied())), encoding="utf-8")
