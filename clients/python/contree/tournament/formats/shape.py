"""Which format a file asks for, as a value: to build, to print, to tell events apart by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from contree.tournament.errors import ConfigError
from contree.tournament.formats.base import Format
from contree.tournament.formats.fixed import Gauntlet, RoundRobin
from contree.tournament.formats.knockout import Knockout
from contree.tournament.formats.sequential import Sequential
from contree.tournament.formats.swiss import Swiss, most_rounds, usual_rounds
from contree.tournament.statistics.sprt import Design


class Kind(Enum):
    """The formats by the names that files use."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    SPRT = "sprt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A format with its numbers, before it is known who takes part."""

    kind: Kind = Kind.ROUND_ROBIN
    bot: str = ""
    """Of a gauntlet: who meets all others."""
    rounds: int | None = None
    """Of a Swiss event; None for as many as are usual."""
    tiebreak_boards: int = 4
    tiebreaks: int = 3
    design: Design = field(default_factory=Design)
    races: bool = False

    def build(self, bots: Sequence[str], boards: int) -> Format:
        """The format for these bots. Raises ConfigError when it is none for them."""
        names = tuple(bots)
        match self.kind:
            case Kind.ROUND_ROBIN:
                return RoundRobin(names, boards)
            case Kind.GAUNTLET:
                if self.bot not in names:
                    raise ConfigError(
                        "gauntlet.bot", f"{self.bot!r} does not take part", f"one of {_all(names)}"
                    )
                return Gauntlet(names, boards, self.bot)
            case Kind.SWISS:
                most = most_rounds(len(names))
                rounds = usual_rounds(len(names)) if self.rounds is None else self.rounds
                if not 1 <= rounds <= most:
                    raise ConfigError(
                        "swiss.rounds",
                        f"{rounds} rounds of {len(names)} bots cannot be paired without a rematch",
                        f"1 to {most}",
                    )
                return Swiss(names, boards, rounds)
            case Kind.KNOCKOUT:
                return Knockout(names, boards, self.tiebreak_boards, self.tiebreaks)
            case Kind.SPRT:
                if len(names) != 2:
                    raise ConfigError(
                        "format", f'"sprt" is for two bots, not {len(names)}', "two [[bots]]"
                    )
                if boards < self.design.least:
                    raise ConfigError(
                        "boards",
                        f"{boards} end before the first look of the test, after "
                        f"{self.design.least}",
                        "more boards, or a smaller sprt.least",
                    )
                return Sequential(names, boards, self.design, self.races)

    def to_dict(self) -> dict[str, Any]:
        """What is printed in the header, and read again by ``from_dict``."""
        own: dict[str, Any] = {}
        match self.kind:
            case Kind.GAUNTLET:
                own = {"bot": self.bot}
            case Kind.SWISS:
                own = {"rounds": self.rounds}
            case Kind.KNOCKOUT:
                own = {"tiebreak_boards": self.tiebreak_boards, "tiebreaks": self.tiebreaks}
            case Kind.SPRT:
                own = {"design": self.design._asdict(), "races": self.races}
        return {"kind": self.kind.value, **own}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Shape:
        """The shape of a header. KeyError, TypeError or ValueError for anything else."""
        given = dict(values)
        kind = Kind(given.pop("kind"))
        if "design" in given:
            given["design"] = Design(**given["design"])
        return cls(kind=kind, **given)


def _all(names: Sequence[str]) -> str:
    return ", ".join(names)
