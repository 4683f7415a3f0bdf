"""Knockout: in each round the winners of the round before meet; who loses is out.

Bots are seeded in the order of the file: the first meets the last, and the two first can only meet
in the final. Where their number is no power of two, the best seeds have no opponent in round 1.

A match is some boards. When it is even, the two play a few boards more, a bounded number of times;
after that the better seed goes on, which is printed. All matches of a round play the same boards,
and so do all that are extended: every round has its own range of numbers, its extensions included,
whether they are played or not, so that ids never depend on results.
"""

from __future__ import annotations

from dataclasses import dataclass

from contree.tournament.formats.base import Opened, Report, Results, total
from contree.tournament.schedule import Pairing, Side, Table


@dataclass(frozen=True, slots=True)
class _Match:
    """Two seeds that meet; the second is None where there is no opponent."""

    pairing: Pairing | None
    bot: str
    tables: tuple[Table, ...]
    """Those opened so far, extensions included."""
    winner: str | None
    how: str
    extensions: int = 0


@dataclass(frozen=True, slots=True)
class Knockout:
    """A knockout with matches of ``boards`` boards."""

    bots: tuple[str, ...]
    boards: int
    tiebreak_boards: int = 4
    tiebreaks: int = 3

    @property
    def asks_every(self) -> int | None:
        """The next tables are known when all before have been played."""
        return None

    @property
    def size(self) -> int:
        """Places of the bracket: a power of two."""
        return 1 << (len(self.bots) - 1).bit_length()

    def opened(self, results: Results) -> Opened:
        """The rounds so far, extensions where a match is even, the next round when all is over."""
        rounds = self._rounds(results)
        tables = sorted(
            (table for matches in rounds for match in matches for table in match.tables),
            key=lambda table: (table.board, table.number),
        )
        complete = len(rounds[-1]) == 1 and rounds[-1][0].winner is not None
        begun = sum(match.pairing is not None for matches in rounds for match in matches)
        to_come = (len(self.bots) - 1 - begun) * 2 * self.boards
        return Opened(tuple(tables), len(tables) + to_come, complete)

    def report(self, results: Results) -> Report:
        """Who beat whom; places by the round that each got to."""
        rounds = self._rounds(results)
        lines, data, out = [], [], {}
        for number, matches in enumerate(rounds, start=1):
            told = []
            for match in matches:
                data.append(
                    {
                        "round": number,
                        "first": match.bot,
                        "second": match.pairing.second if match.pairing else None,
                        "winner": match.winner,
                        "how": match.how,
                        "extensions": match.extensions,
                    }
                )
                if match.pairing is None:
                    told.append(f"{match.bot} has no opponent")
                elif match.winner is None:
                    told.append(f"{match.pairing.first} v {match.pairing.second} in play")
                else:
                    loser = next(bot for bot in match.pairing if bot != match.winner)
                    out[loser] = number
                    told.append(f"{match.winner} beat {loser}{match.how}")
            lines.append(f"{self.round_name(number)}: {'; '.join(told)}.")
        last = len(rounds)
        reached = {bot: out.get(bot, last + 1) for bot in self.bots}
        places = {
            bot: 1 + sum(other > got for other in reached.values()) for bot, got in reached.items()
        }
        return Report(places if out else {}, tuple(lines), {"matches": data})

    def round_name(self, number: int) -> str:
        """What a round is called, counted from 1."""
        left = self.size >> (number - 1)
        return {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}.get(left, f"Round {number}")

    def _rounds(self, results: Results) -> list[tuple[_Match, ...]]:
        line: list[str | None] = [
            self.bots[seed] if seed < len(self.bots) else None for seed in bracket(self.size)
        ]
        rounds: list[tuple[_Match, ...]] = []
        while len(line) > 1:
            number = len(rounds)
            matches = tuple(
                self._match(number, place, (line[2 * place], line[2 * place + 1]), results)
                for place in range(len(line) // 2)
            )
            rounds.append(matches)
            if any(match.winner is None for match in matches):
                break
            line = [match.winner for match in matches]
        return rounds

    def _match(
        self, number: int, place: int, two: tuple[str | None, str | None], results: Results
    ) -> _Match:
        present = sorted((bot for bot in two if bot is not None), key=self.bots.index)
        if len(present) == 1:
            return _Match(None, present[0], (), present[0], " without opponent")
        pairing = Pairing(*present)
        start = number * (self.boards + self.tiebreaks * self.tiebreak_boards) + 1
        tables: tuple[Table, ...] = ()
        for extension in range(self.tiebreaks + 1):
            length = self.tiebreak_boards if extension else self.boards
            boards = range(start, start + length)
            start += length
            tables += tuple(
                Table(board, pairing, side, 1 + 2 * place + (side is Side.B))
                for board in boards
                for side in Side
            )
            worth = total(results, tables)
            if worth is None:
                return _Match(pairing, pairing.first, tables, None, "", extension)
            if worth:
                winner = pairing.first if worth > 0 else pairing.second
                how = f" after {extension * self.tiebreak_boards} more boards" if extension else ""
                return _Match(pairing, pairing.first, tables, winner, how, extension)
        how = " as the better seed: even after all boards"
        return _Match(pairing, pairing.first, tables, pairing.first, how, self.tiebreaks)


def bracket(size: int) -> list[int]:
    """The seeds, from 0, in the order of the lines of a bracket."""
    line = [0]
    while len(line) < size:
        line = [seed for one in line for seed in (one, 2 * len(line) - 1 - one)]
    return line
