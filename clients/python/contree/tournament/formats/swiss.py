"""Swiss: a few rounds, in each of which bots meet that did about as well so far.

A round is a match of some boards; all pairings of a round play the same ones. Who has won more of
it than lost gets 2, both get 1 when it is even, and a bot without opponent gets 2 (a bye).

Pairings follow from the results of the rounds before and from the order of the bots in the file:

- nobody meets the same opponent twice, nobody has two byes;
- what is kept small first is the sum of squared differences in score; the bye counts as an opponent
  that has scored less than anybody, so one of the last has it;
- within a score, the upper half meets the lower half, as first round pairings do.

A first choice from the top down is repaired where it comes to nothing, and improved by exchanges as
long as one helps; that takes few steps and always gives the same. With n bots there may be n / 2
rounds: up to there a pairing without rematch can always be found (a graph in which everybody has at
least half of the others left has a perfect matching, and an exchange of three edges always leads
towards it).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from contree.tournament.formats.base import Opened, Report, Results, tables_on, total
from contree.tournament.schedule import Pairing, Table

WIN: Final = 2
DRAW: Final = 1
_BYE: Final = ""


def most_rounds(bots: int) -> int:
    """Rounds that can always be paired without a rematch."""
    return (bots + 1) // 2


def usual_rounds(bots: int) -> int:
    """As many as it takes for one bot alone to have won all, if that many can be."""
    return min(most_rounds(bots), (bots - 1).bit_length())


@dataclass(frozen=True, slots=True)
class _Round:
    pairings: tuple[Pairing, ...]
    bye: str | None
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Swiss:
    """A Swiss event of rounds of ``boards`` boards each."""

    bots: tuple[str, ...]
    boards: int
    rounds: int

    @property
    def asks_every(self) -> int | None:
        """A round is paired when the one before has been played."""
        return None

    def opened(self, results: Results) -> Opened:
        """The rounds so far; the next one when they have been played."""
        rounds, _ = self._rounds(results)
        tables = tuple(table for one in rounds for table in one.tables)
        a_round = 2 * self.boards * (len(self.bots) // 2)
        return Opened(tables, a_round * self.rounds, complete=len(rounds) == self.rounds)

    def report(self, results: Results) -> Report:
        """Match points decide, then those of one's opponents, then the boards."""
        rounds, finished = self._rounds(results)
        played = rounds[:finished]
        points, met = _scores(self.bots, played, results)
        buchholz = {bot: sum(points.get(other, 0) for other in met[bot]) for bot in self.bots}
        boards = dict.fromkeys(self.bots, 0.0)
        for one in played:
            for pairing in one.pairings:
                worth = _worth(one, pairing, results)
                boards[pairing.first] += worth
                boards[pairing.second] -= worth
        keys = {bot: (points[bot], buchholz[bot], boards[bot]) for bot in self.bots}
        places = {bot: 1 + sum(other > key for other in keys.values()) for bot, key in keys.items()}
        lines = [f"Swiss, {finished} of {self.rounds} rounds: 2 for a round won, 1 for a tie."]
        for number, one in enumerate(played, start=1):
            parts = [_told(one, pairing, results) for pairing in one.pairings]
            parts += [f"{one.bye} bye"] if one.bye else []
            lines.append(f"Round {number}: {'; '.join(parts)}.")
        ranked = sorted(self.bots, key=lambda bot: (places[bot], self.bots.index(bot)))
        scores = ", ".join(f"{bot} {points[bot]} ({buchholz[bot]})" for bot in ranked)
        lines.append(f"Match points (and those of the opponents met): {scores}.")
        data = {
            "rounds": [
                {"pairings": [list(pairing) for pairing in one.pairings], "bye": one.bye}
                for one in rounds
            ],
            "match_points": points,
            "buchholz": buchholz,
        }
        return Report(places if finished else {}, tuple(lines), data)

    def _rounds(self, results: Results) -> tuple[list[_Round], int]:
        """The rounds that have been paired, and how many of them have been played."""
        rounds: list[_Round] = []
        while len(rounds) < self.rounds:
            points, met = _scores(self.bots, rounds, results)
            one = self._round(len(rounds), points, met)
            rounds.append(one)
            if any(table.id not in results for table in one.tables):
                return rounds, len(rounds) - 1
        return rounds, len(rounds)

    def _round(self, before: int, points: Mapping[str, int], met: Mapping[str, set[str]]) -> _Round:
        pairs = pair(self.bots, points, met)
        pairings = tuple(Pairing(*two) for two in pairs if _BYE not in two)
        bye = next((first for first, second in pairs if second == _BYE), None)
        first = before * self.boards + 1
        return _Round(pairings, bye, tables_on(range(first, first + self.boards), pairings))


def pair(
    bots: Sequence[str], points: Mapping[str, int], met: Mapping[str, set[str]]
) -> list[tuple[str, str]]:
    """The pairings of a round, best bots first; the bye, if there is one, is the name ""."""
    names = sorted(bots, key=lambda bot: (-points[bot], bots.index(bot)))
    score = dict(points)
    if len(names) % 2:
        names.append(_BYE)
        score[_BYE] = min(points.values()) - 1
    group: dict[int, list[int]] = defaultdict(list)
    for place, bot in enumerate(names):
        group[score[bot]].append(place)

    def cost(one: int, other: int) -> int:
        apart = (score[names[one]] - score[names[other]]) ** 2
        half = max(1, len(group[score[names[min(one, other)]]]) // 2)
        return apart * len(names) ** 3 + abs(abs(one - other) - half)

    def may(one: int, other: int) -> bool:
        # Of the two, one is not the bye, and knows whether it has had it.
        first, second = names[one], names[other]
        return first not in met.get(second, ()) and second not in met.get(first, ())

    partner = _complete(len(names), cost, may)
    _improve(partner, cost, may)
    return [(names[one], names[other]) for one, other in sorted(partner.items()) if one < other]


def _complete(size, cost, may) -> dict[int, int]:  # type: ignore[no-untyped-def]
    """A pairing of all: from the top down, and by exchanges for those who are left over."""
    partner: dict[int, int] = {}
    for one in range(size):
        free = [other for other in range(one + 1, size) if other not in partner and may(one, other)]
        if one not in partner and free:
            other = min(free, key=lambda place: (cost(one, place), place))
            partner[one], partner[other] = other, one
    alone = [one for one in range(size) if one not in partner]
    while alone:
        one, other = alone[0], alone[1]
        for there, back in sorted(partner.items()):
            if may(one, there) and may(other, back):
                partner[one], partner[there] = there, one
                partner[other], partner[back] = back, other
                break
        else:
            raise AssertionError("with n / 2 rounds at most, an exchange can always be found")
        alone = alone[2:]
    return partner


def _improve(partner: dict[int, int], cost, may) -> None:  # type: ignore[no-untyped-def]
    """Exchange partners between two pairs as long as that costs less."""
    better = True
    while better:
        better = False
        for a in sorted(partner):
            for c in sorted(partner):
                b, d = partner[a], partner[c]
                if len({a, b, c, d}) < 4 or not (may(a, c) and may(b, d)):
                    continue
                if cost(a, c) + cost(b, d) < cost(a, b) + cost(c, d):
                    partner[a], partner[c], partner[b], partner[d] = c, a, d, b
                    better = True


def _worth(one: _Round, pairing: Pairing, results: Results) -> float:
    worth = total(results, (table for table in one.tables if table.pairing == pairing))
    assert worth is not None
    return worth


def _scores(
    bots: Sequence[str], rounds: Sequence[_Round], results: Results
) -> tuple[dict[str, int], dict[str, set[str]]]:
    """Match points, and whom each has met (the bye included), after these finished rounds."""
    points = dict.fromkeys(bots, 0)
    met: dict[str, set[str]] = {bot: set() for bot in bots}
    for one in rounds:
        for pairing in one.pairings:
            first, second = pairing
            met[first].add(second)
            met[second].add(first)
            worth = _worth(one, pairing, results)
            points[first] += DRAW if not worth else WIN if worth > 0 else 0
            points[second] += DRAW if not worth else WIN if worth < 0 else 0
        if one.bye is not None:
            met[one.bye].add(_BYE)
            points[one.bye] += WIN
    return points, met


def _told(one: _Round, pairing: Pairing, results: Results) -> str:
    worth = _worth(one, pairing, results)
    first, second = pairing
    if not worth:
        return f"{first} = {second}"
    return f"{first} beat {second}" if worth > 0 else f"{second} beat {first}"
