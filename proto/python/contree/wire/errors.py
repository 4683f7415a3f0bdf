"""The error of the codec, and the check that comes before a list is read."""

from __future__ import annotations

from collections.abc import Sized


class WireError(ValueError):
    """A message that says nothing the game knows; ``field`` is the path to the faulty field.

    The path is written as in the proto: ``view.table.tricks[2].cards[0]``.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem

    def within(self, parent: str) -> WireError:
        """The same error seen from a message that holds this one in its field ``parent``."""
        return WireError(f"{parent}.{self.field}", self.problem)


def at_most(field: str, elements: Sized, most: int) -> None:
    """Refuse a repeated field with more than ``most`` elements, before any of them is read.

    A message of the greatest length has room for a million: looking at each takes long enough to
    be felt at all tables, whatever is found wrong in the end.
    """
    if len(elements) > most:
        raise WireError(field, f"{len(elements)} are given, at most {most} are taken")
