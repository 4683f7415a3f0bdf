"""The published vectors: what the engine deals, what the page shows, and what the prose says."""

import hashlib
import hmac
import json
import re
from typing import Any

import pytest
from tests.engine.vectors import DATA, PAGE, text, vectors, with_vectors

from contree.engine.notation import parse_hand

FOUND = vectors()
HINT = "python -m tests.engine.vectors writes them, but published vectors must not change"


def test_published_vectors_are_those_of_the_engine() -> None:
    assert DATA.read_text("utf-8") == text(FOUND), HINT


def test_page_shows_the_vectors() -> None:
    page = PAGE.read_text("utf-8")
    assert with_vectors(page, FOUND) == page, HINT


def test_vectors_reach_every_step() -> None:
    boards = FOUND["boards"]
    assert {board["direction"] for board in boards} == {"cw", "ccw"}
    assert {board["packets"] for board in boards} == {"323", "332"}
    assert {board["cut"] is None for board in boards} == {True, False}
    assert any(not board["label"].isascii() for board in boards)
    assert any(board["board"] > 255 for board in boards)
    assert any(bytes_of_deck(board) > 32 for board in boards), "no deck needs a second block"
    assert {worn["rotation"] for worn in FOUND["disguises"]} > {0}
    (gathered,) = FOUND["gathered"]
    assert {trick["winner"] for trick in gathered["tricks"]} == {"NS", "EW"}


# The prose of docs/fairness.md, written a second time in the plainest way.


def field(value: str | int) -> bytes:
    if isinstance(value, int):
        return value.to_bytes(8, "big")
    return len(value.encode()).to_bytes(2, "big") + value.encode()


class Stream:
    def __init__(self, seed: str, *fields: str | int) -> None:
        self.seed, self.message = bytes.fromhex(seed), b"".join(map(field, fields))
        self.place = 0

    def below(self, n: int) -> int:
        while True:
            block, place = divmod(self.place, 32)
            self.place += 1
            key = hmac.new(self.seed, self.message + field(block), hashlib.sha256)
            byte = key.digest()[place]
            if byte < 256 - 256 % n:
                return byte % n


def exchanged(places: list[int], stream: Stream) -> list[int]:
    for k in range(len(places) - 1, 0, -1):
        j = stream.below(k + 1)
        places[k], places[j] = places[j], places[k]
    return places


def deck_stream(board: dict[str, Any]) -> Stream:
    return Stream(board["seed"], "deck", board["label"], board["board"])


def bytes_of_deck(board: dict[str, Any]) -> int:
    stream = deck_stream(board)
    exchanged(list(range(32)), stream)
    return stream.place


NAMES = [rank + suit for suit in "SHDC" for rank in "789JQKTA"]


def dealt(pack: list[int], vector: dict[str, Any]) -> dict[str, int]:
    if vector["cut_minimum"] is not None:
        pack = pack[vector["cut"] :] + pack[: vector["cut"]]
    step = 1 if vector["direction"] == "cw" else -1
    hands = dict.fromkeys("NESW", 0)
    for size in map(int, vector["packets"]):
        for turn in (1, 2, 3, 4):
            seat = "NESW"[("NESW".index(vector["dealer"]) + step * turn) % 4]
            for card in pack[:size]:
                hands[seat] |= 1 << card
            pack = pack[size:]
    return hands


@pytest.mark.parametrize("board", FOUND["boards"], ids=lambda board: str(board["board"]))
def test_prose_gives_the_boards(board: dict[str, Any]) -> None:
    deck = exchanged(list(range(32)), deck_stream(board))
    assert " ".join(NAMES[card] for card in deck) == board["deck"]
    minimum = board["cut_minimum"]
    if minimum is not None:
        drawn = Stream(board["seed"], "cut", board["label"], board["board"])
        assert board["cut"] == minimum + drawn.below(33 - 2 * minimum)
    step = 1 if board["direction"] == "cw" else -1
    assert board["dealer"] == "NESW"[step * (board["board"] - 1) % 4]
    hands = {seat: parse_hand(hand) for seat, hand in board["hands"].items()}
    assert dealt(deck, board) == hands
    assert hashlib.sha256(bytes.fromhex(board["seed"])).hexdigest() == board["commitment"]


@pytest.mark.parametrize("worn", FOUND["disguises"], ids=lambda worn: str(worn["board"]))
def test_prose_gives_the_disguises(worn: dict[str, Any]) -> None:
    stream = Stream(worn["seed"], "disguise", "", worn["board"], worn["table"])
    suits = exchanged([0, 1, 2, 3], stream)
    rotation = stream.below(4)
    assert (suits, rotation) != ([0, 1, 2, 3], 0)
    assert ("".join("SHDC"[suit] for suit in suits), rotation) == (worn["suits"], worn["rotation"])
    for index, seat in enumerate("NESW"):
        before = worn["from"]["hands"][seat].split(".")
        after = worn["hands"]["NESW"[(index + rotation) % 4]].split(".")
        assert [after[suits[suit]] for suit in range(4)] == before


def test_prose_gives_the_rest() -> None:
    for drawn in FOUND["first_dealers"]:
        assert drawn["dealer"] == "NESW"[Stream(drawn["seed"], "dealer", drawn["label"]).below(4)]
    (mixed,) = FOUND["entropy"]
    message = field("entropy") + mixed["entropy"].encode()
    digest = hmac.new(bytes.fromhex(mixed["seed"]), message, hashlib.sha256).hexdigest()
    assert digest == mixed["mixed"]
    (gathered,) = FOUND["gathered"]

    def of(ours: bool) -> list[str]:
        won = [t for t in gathered["tricks"] if (t["winner"] == gathered["takers"]) is ours]
        return [card for trick in won for card in trick["cards"].split()]

    assert " ".join([*of(True), *of(False)]) == gathered["pack"]
    pack = [NAMES.index(card) for card in gathered["pack"].split()]
    hands = {seat: parse_hand(hand) for seat, hand in gathered["hands"].items()}
    assert dealt(pack, gathered) == hands


def test_page_says_what_it_needs_to() -> None:
    page = PAGE.read_text("utf-8")
    for heading in ("The derivation", "What is proven, and what is not", "Vectors"):
        assert f"\n## {heading}\n" in page
    for word in ("commitment", "entropy", "disguise", "Gathered"):
        assert word in page
    for path in re.findall(r"`((?:tests|bots)/[\w/.]+)`", page):
        assert (PAGE.parent.parent / path).exists(), path
    assert json.loads(DATA.read_text("utf-8")) == FOUND
