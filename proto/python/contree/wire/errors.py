"""The error of the codec."""

from __future__ import annotations


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
