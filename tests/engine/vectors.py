"""The published vectors of the derivation: ``python -m tests.engine.vectors`` writes them to
tests/data/deals.json and into docs/fairness.md.

Another implementation that reproduces them deals as this one does, as bots/node/verify_deals.js.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contree.engine import (
    SEATS,
    Deal,
    Direction,
    FixedDeal,
    SeededDeals,
    commitment,
    disguise,
    mix,
    preset,
)
from contree.engine.notation import format_hand
from contree.engine.shuffle import cut_size, drawing, gather, shuffled

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests" / "data" / "deals.json"
PAGE = ROOT / "docs" / "fairness.md"
START, END = "<!-- vectors: python -m tests.engine.vectors -->", "<!-- end of vectors -->"

COUNTED = bytes(range(32))
HASHED = hashlib.sha256(b"contree").digest()
BOARDS = (
    # seed, label, board, rules: packets, direction and cut are theirs
    (bytes(32), "", 1, "ffb-mixte"),
    (COUNTED, "cup", 2, "contree-simple"),
    (COUNTED, "Coupe d'été", 70_010, "coinche-annonce"),
    (HASHED, "cup", 3, "coinche-classique"),
)
FIRST_DEALERS = ((bytes(32), ""), (COUNTED, "race"), (HASHED, "race"))
DISGUISES = ((COUNTED, "cup", 2, "contree-simple", 2), (HASHED, "cup", 5, "ffb-mixte", 7))


def vectors() -> dict[str, Any]:
    """All of them, as plain values."""
    return {
        "boards": [_board(*board) for board in BOARDS],
        "disguises": [_disguise(*table) for table in DISGUISES],
        "first_dealers": [_first_dealer(*drawn) for drawn in FIRST_DEALERS],
        "entropy": [
            {
                "seed": COUNTED.hex(),
                "entropy": "draw of 1 May: 7 12 31",
                "mixed": mix(COUNTED, b"draw of 1 May: 7 12 31").hex(),
            }
        ],
        "gathered": [_gathered()],
    }


def _first_dealer(seed: bytes, label: str) -> dict[str, Any]:
    dealer = SEATS[drawing(seed, "dealer", label)(4)]
    return {"seed": seed.hex(), "label": label, "dealer": str(dealer)}


def _board(seed: bytes, label: str, board: int, name: str) -> dict[str, Any]:
    rules = preset(name)
    minimum = rules.cut_minimum
    return {
        "seed": seed.hex(),
        "commitment": commitment(seed),
        "label": label,
        "board": board,
        "deck": " ".join(map(str, shuffled(seed, label, board))),
        "cut_minimum": minimum,
        "cut": None if minimum is None else cut_size(seed, label, board, minimum),
        "direction": rules.turn_direction.value,
        "packets": "".join(map(str, rules.packets.sizes)),
        **_shown(SeededDeals(seed, label).board(board, rules)),
    }


def _disguise(seed: bytes, label: str, board: int, name: str, table: int) -> dict[str, Any]:
    worn = disguise(seed, board, table)
    dealt = SeededDeals(seed, label).board(board, preset(name))
    return {
        "seed": seed.hex(),
        "board": board,
        "table": table,
        "suits": "".join(str(suit) for suit in worn.suits),
        "rotation": worn.rotation,
        "from": _shown(dealt),
        **_shown(worn.deal(dealt)),
    }


def _gathered() -> dict[str, Any]:
    """The second deal of a race whose rules shuffle once."""
    rules, deals = preset("coinche-classique"), SeededDeals(COUNTED, "race")
    deal = Deal.start(rules, *deals.deal(1, rules))
    while deal.owed:
        legal = deal.legal_actions(deal.owed[0])
        bids = not deal.auction.calls
        turn = 32 - sum(hand.bit_count() for hand in deal.hands)
        deal = deal.apply(deal.owed[0], legal[1 if bids else turn % len(legal)])
    assert deal.play is not None
    takers = deal.play.contract.team
    return {
        "seed": COUNTED.hex(),
        "label": "race",
        "takers": str(takers),
        "tricks": [
            {"winner": str(winner.team), "cards": " ".join(map(str, trick.cards))}
            for winner, trick in zip(deal.play.winners, deal.play.tricks, strict=True)
        ],
        "pack": " ".join(map(str, gather(deal))),
        "deal": 2,
        "cut_minimum": rules.cut_minimum,
        "cut": cut_size(COUNTED, "race", 2, rules.cut_minimum or 0),
        "direction": Direction.CLOCKWISE.value,
        "packets": "332",
        **_shown(deals.deal(2, rules, deal)),
    }


def _shown(deal: FixedDeal) -> dict[str, Any]:
    return {
        "dealer": str(deal.dealer),
        "hands": {str(seat): format_hand(deal.hands[seat]) for seat in SEATS},
    }


def page(found: dict[str, Any]) -> str:
    """The vectors as the page shows them."""
    return "\n".join(["```", *_page_lines(found), "```"])


def _page_lines(found: dict[str, Any]) -> Iterator[str]:
    for board in found["boards"]:
        yield f"seed       {board['seed']}"
        yield f"commitment {board['commitment']}"
        packets = "-".join(board["packets"])
        yield f'label "{board["label"]}", board {board["board"]}, {board["direction"]}, {packets}'
        yield f"deck       {board['deck']}"
        if board["cut"] is not None:
            yield f"cut        {board['cut']} (cut_minimum {board['cut_minimum']})"
        yield from _deal_lines(board)
        yield ""
    for worn in found["disguises"]:
        yield f"seed       {worn['seed']}"
        yield f"disguise   of board {worn['board']} at table {worn['table']}"
        yield f"S H D C    become {' '.join(worn['suits'])}, rotation {worn['rotation']}"
        yield "from"
        yield from _deal_lines(worn["from"])
        yield "to"
        yield from _deal_lines(worn)
        yield ""
    for drawn in found["first_dealers"]:
        yield f"seed       {drawn['seed']}"
        yield f'label "{drawn["label"]}", first dealer of a race {drawn["dealer"]}'
        yield ""
    for mixed in found["entropy"]:
        yield f"seed       {mixed['seed']}"
        yield f'entropy    "{mixed["entropy"]}"'
        yield f"seed used  {mixed['mixed']}"


def _deal_lines(deal: dict[str, Any]) -> Iterator[str]:
    yield f"dealer     {deal['dealer']}"
    for seat, hand in deal["hands"].items():
        yield f"{seat}          {hand}"


def text(found: dict[str, Any]) -> str:
    """The vectors as the file holds them."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def with_vectors(before: str, found: dict[str, Any]) -> str:
    """The page with its vectors replaced."""
    head, rest = before.split(START)
    _, tail = rest.split(END)
    return f"{head}{START}\n{page(found)}\n{END}{tail}"


if __name__ == "__main__":
    FOUND = vectors()
    DATA.write_text(text(FOUND), encoding="utf-8")
    PAGE.write_text(with_vectors(PAGE.read_text("utf-8"), FOUND), encoding="utf-8")
