"""Work shared out over processes, in order, and ended cleanly whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeVar

__all__ = ["WorkerLost", "in_processes"]

T = TypeVar("T")
R = TypeVar("R")

_AHEAD: Final = 4
"""Pieces that wait for each process, so that none has to wait."""


class WorkerLost(Exception):
    """A process of the pool ended: it was killed, or ran out of memory."""


def in_processes(work: Callable[[T], R], pieces: Iterable[T], workers: int) -> Iterator[R]:
    """The work on each piece, in their order.

    With one worker it is done in this process, else in so many others, which end with the iterator.
    ``work`` is to be called there: a function of a module, or a ``partial`` of one. Raises what it
    raises, and WorkerLost.
    """
    if workers == 1:
        yield from map(work, pieces)
        return
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_be_a_worker
    )
    before = set(multiprocessing.active_children())
    waiting: deque[Future[R]] = deque()
    try:
        for piece in pieces:
            waiting.append(pool.submit(work, piece))
            if len(waiting) == workers * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise WorkerLost(
            "A process that worked for this ended: it was killed, or ran out of memory."
        ) from None
    finally:
        pool.shutdown(wait=not waiting, cancel_futures=True)
        if waiting:
            # What they are at is of no use any more, however long it would take.
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
                child.join()


def _be_a_worker() -> None:
    """Ctrl-C comes to all processes of a terminal, and the first one ends the others; where it is
    killed, they end by themselves.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_first, daemon=True).start()


def _end_with_the_first() -> None:
    first = multiprocessing.parent_process()
    if first is not None:
        first.join()
        os._exit(1)
