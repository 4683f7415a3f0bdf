"""Bots that come with contree: each is a class to start from, and a command.

    contree bot run contree.bots:Random
    python -m contree.bots.rules

``BOTS`` finds them by name; ``contree.bots.strength`` measures the players behind them.
``Sampler`` and ``Solver`` need the extra ``search`` and say so when they are asked for without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from contree.bots.quiet import Quiet
    from contree.bots.random import Random
    from contree.bots.rules import Rules
    from contree.bots.sampler import Sampler
    from contree.bots.solver import Solver
    from contree.bots.starter import Starter
    from contree.client import Bot

__all__ = ["BOTS", "Quiet", "Random", "Rules", "Sampler", "Solver", "Starter"]

_CLASSES: Final = {
    "Quiet": "contree.bots.quiet",
    "Random": "contree.bots.random",
    "Rules": "contree.bots.rules",
    "Sampler": "contree.bots.sampler",
    "Solver": "contree.bots.solver",
    "Starter": "contree.bots.starter",
}


def __getattr__(name: str) -> Any:
    """Import a bot when it is asked for, so that its module can also be run with ``python -m``."""
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_CLASSES[name]), name)


def _factory(name: str) -> Callable[[], Bot]:
    def make() -> Bot:
        kind = __getattr__(name)
        bot: Bot = getattr(kind, "from_environment", kind)()
        return bot

    return make


BOTS: Final[Mapping[str, Callable[[], Bot]]] = {name.lower(): _factory(name) for name in _CLASSES}
"""A new bot of each kind, by its name. ModuleNotFoundError, with the command that helps, where the
extra that it needs is not installed.
"""
