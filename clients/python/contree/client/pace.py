"""How fast a bot decides in one seat, held against its clock."""

from __future__ import annotations


class Pace:
    """The times of the decisions of a seat. Seconds throughout."""

    __slots__ = ("decisions", "longest", "of", "total")

    def __init__(self) -> None:
        self.decisions = 0
        self.total = 0.0
        self.longest = 0.0
        """Of the decision that used the greatest share of its time."""
        self.of = 0.0
        """What that one had."""

    def took(self, used: float, budget: float) -> None:
        """A decision was made."""
        self.decisions += 1
        self.total += used
        if self.decisions == 1 or used * self.of > self.longest * budget:
            self.longest, self.of = used, budget

    def __str__(self) -> str:
        noun = "decision" if self.decisions == 1 else "decisions"
        if not self.decisions:
            return f"0 {noun}"
        mean = self.total / self.decisions
        return (
            f"{self.decisions} {noun}, {mean:.3f} s each, "
            f"at most {self.longest:.2f} s of {self.of:.2f} s"
        )
