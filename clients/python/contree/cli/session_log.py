"""The log of a bot at work, for a person."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator


@contextlib.contextmanager
def logging_to_stderr(level: str, target: str) -> Iterator[None]:
    """The log of the SDK, and of the module of the bot, on standard error meanwhile.

    A logger whose author has said where it goes is left alone. ``target`` is MODULE:CLASS.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    names = dict.fromkeys(("contree", target.partition(":")[0].partition(".")[0]))
    ours = [(one, one.level) for one in map(logging.getLogger, names) if not one.hasHandlers()]
    for logger, _ in ours:
        logger.addHandler(handler)
        logger.setLevel(level)
    try:
        yield
    finally:
        for logger, before in ours:
            logger.removeHandler(handler)
            logger.setLevel(before)
