"""openskill ratings (Weng-Lin, Plackett-Luce) from the results of boards, mu and two sigma.

Every closed board of a pairing is a game between two, won, tied or lost by its sign. Ratings are
recomputed from all of them each time, so a changed rule changes all of the past with it.

The model goes from game to game, so the order matters a little. It is taken from the boards and the
names alone, never from when results came in or who stands first in a file: games go by board, then
by name, once from the first to the last and once back, and the mean of the two is shown. So neither
the first boards nor the last weigh more.

``tau``, by which openskill lets players drift between games, is 0: a bot does not change during an
event. So sigma only falls, and says how well a rating is known, given the model; it does not know
that one bot may suit another's style. For who won an event look at the points; ratings are for
comparing bots that did not all meet.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from openskill.models import PlackettLuce

MOST_POINTS: Final = 25
"""Points of a rating curve, at most."""
_MOST_RATED: Final = 30_000
"""Games that a rating curve rates both ways round, about."""
MODEL: Final = "openskill PlackettLuce, mu 25, sigma 25/3, beta 25/6, tau 0"


class Rating(NamedTuple):
    """How strong a bot seems: mu, and how far that may be off (two sigma)."""

    mu: float
    sigma: float

    @property
    def low(self) -> float:
        """Two sigma below."""
        return self.mu - 2 * self.sigma

    @property
    def high(self) -> float:
        """Two sigma above."""
        return self.mu + 2 * self.sigma


class Played(NamedTuple):
    """A board of a pairing: what it was worth to the first bot."""

    board: int
    first: str
    second: str
    points: float

    @property
    def by_name(self) -> Played:
        """The same seen from the bot whose name comes first."""
        if self.first <= self.second:
            return self
        return Played(self.board, self.second, self.first, -self.points)


def ratings(bots: Sequence[str], games: Iterable[Played]) -> dict[str, Rating]:
    """The rating of each bot that has played."""
    ordered = sorted(game.by_name for game in games)
    there, back = _rated(ordered), _rated(ordered[::-1])
    return {
        bot: Rating(
            (there[bot].mu + back[bot].mu) / 2,
            (there[bot].sigma + back[bot].sigma) / 2,
        )
        for bot in bots
        if bot in there
    }


def rating_curve(
    bots: Sequence[str], games: Iterable[Played], points: int = MOST_POINTS
) -> list[tuple[int, dict[str, Rating]]]:
    """How the ratings came about: those after the first n boards, for some n up to all of them.

    Each is what ``ratings`` makes of these boards, so the last is the one that is shown elsewhere.
    """
    ordered = sorted(game.by_name for game in games)
    boards = sorted({game.board for game in ordered})
    if not boards:
        return []
    # Every point rates all games before it afresh, so long events have fewer points.
    points = max(2, min(points, len(boards), _MOST_RATED // max(1, len(ordered))))
    ends = sorted({boards[len(boards) * point // points - 1] for point in range(1, points + 1)})
    return [
        (1 + bisect_left(boards, end), ratings(bots, (g for g in ordered if g.board <= end)))
        for end in ends
    ]


def _rated(games: Iterable[Played]) -> dict[str, Rating]:
    model = PlackettLuce(tau=0.0)
    rated: dict[str, Any] = {}
    for game in games:
        one, other = (rated.setdefault(bot, model.rating()) for bot in (game.first, game.second))
        ranks = [1.0, 1.0] if not game.points else [1.0, 2.0] if game.points > 0 else [2.0, 1.0]
        (one,), (other,) = model.rate([[one], [other]], ranks=ranks)
        rated[game.first], rated[game.second] = one, other
    return {bot: Rating(one.mu, one.sigma) for bot, one in rated.items()}
