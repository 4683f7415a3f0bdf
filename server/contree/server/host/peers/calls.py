"""Questions to peers that somebody waits for, each for a bounded time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from contree.peers.v1.peers_pb2 import Answer, Ask, Item
from contree.server.host.peers.guest import Say

PATIENCE_S: Final = 0.25
"""How long somebody waits where an answer is only good to have."""


class Calls:
    """Asks, and gathers what is answered."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._loop = asyncio.get_running_loop()
        self._open: dict[int, asyncio.Queue[tuple[str, Answer]]] = {}
        self._number = 0

    async def ask(
        self,
        peers: Sequence[str],
        question: Ask,
        *,
        within_s: float = PATIENCE_S,
        enough: Callable[[Answer], bool] = lambda answer: False,
    ) -> list[Answer]:
        """What these peers answer in time; no more is waited for once one is ``enough``."""
        if not peers:
            return []
        self._number += 1
        question.id = number = self._number
        answers: asyncio.Queue[tuple[str, Answer]] = asyncio.Queue()
        self._open[number] = answers
        for peer in peers:
            self._say(peer, Item(ask=question))
        found: list[Answer] = []
        try:
            async with asyncio.timeout(within_s):
                while len(found) < len(peers):
                    _, answer = await answers.get()
                    found.append(answer)
                    if enough(answer):
                        break
        except TimeoutError:
            pass
        finally:
            del self._open[number]
        return found

    def answered(self, peer: str, answer: Answer) -> None:
        """A peer has answered."""
        queue = self._open.get(answer.id)
        if queue is not None:
            queue.put_nowait((peer, answer))
