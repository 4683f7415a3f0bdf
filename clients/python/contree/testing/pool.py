"""Work shared out over processes, in order, and ended cleanly whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
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


def in_processes(
    work: Callable[[T], R], pieces: Iterable[T], workers: int
) -> Generator[R, None, None]:
    """The work on each piece, in their order.

    With one worker it is done in this process, else in so many others, which end with the iterator.
    ``work`` is to be called there: a function of a module, or a ``partial`` of one. Raises what it
    raises, and WorkerLost. Whoever may leave it before its end closes it: until then the others
    go on.
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
                yield _first_of(waiting)
        while waiting:
            yield _first_of(waiting)
    except BrokenProcessPool:
        raise WorkerLost(
            "A process that worked for this ended: it was killed, or ran out of memory."
        ) from None
    finally:
        if waiting:
            # What they are at is of no use any more, however long it would take.
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
        # The pool's own thread is waited for here: were it still closing its pipes when the
        # interpreter ends, that would stumble over them.
        pool.shutdown(wait=True, cancel_futures=True)


def _first_of(waiting: deque[Future[R]]) -> R:
    """What the first one came to. Until then it is still waited for, so that whatever breaks off
    the wait ends the processes.
    """
    result = waiting[0].result()
    waiting.popleft()
    return result


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
