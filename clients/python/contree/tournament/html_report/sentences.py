"""What a page says in sentences: who is first and how sure that is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from contree.tournament.html_report.source import Source
from contree.tournament.html_report.words import signed_words
from contree.tournament.report import gain_lines, needed_lines
from contree.tournament.schedule import Pairing
from contree.tournament.standings import Meeting

_PAIRING: Final = (
    "Below 1 the pairing has helped: 0.25 stands for a quarter of the tables that an event with "
    "fresh cards at every table would take. It takes out the luck of the cards, which is what is "
    "left between bots that play alike, and not the luck of a bot that plays at random."
)
_MANY_NAMES: Final = 6


def lead(source: Source) -> str:
    """How much was played."""
    bots, races = len(source.schedule.bots), source.standings.races
    boards = len({board.board for board in source.closed})
    what = "races" if races else "boards"
    return (
        f"{bots} bots, {len(source.derived.results)} tables, {boards} different {what}, every one "
        "played both ways round."
    )


def verdict(source: Source) -> str:
    """Who is first, and whom it is ahead of beyond doubt."""
    standings = source.standings
    leaders = [row.bot for row in standings.rows if row.points and row.place == 1]
    if len(leaders) != 1:
        return f"First place is shared by {_listed(leaders)}." if leaders else ""
    first = leaders[0]
    clear: list[str] = []
    unclear: list[str] = []
    for row in standings.rows:
        met = standings.meetings.get(Pairing(first, row.bot))
        if met is not None and met.together is not None:
            (clear if met.together.low > 0 else unclear).append(row.bot)
    told = f"First place: {first}." if source.derived.complete else f"Ahead so far: {first}."
    if clear:
        told += f" It is better than {_listed(clear)}, with 95% for all meetings together."
    if unclear:
        told += f" That it is better than {_listed(unclear)} these results do not show."
    return told


def _listed(names: Sequence[str]) -> str:
    """Names as they stand in a sentence; not too many of them."""
    if len(names) > _MANY_NAMES:
        return f"{len(names)} others"
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def warnings(source: Source) -> list[str]:
    """What a reader must know before the numbers."""
    derived, found = source.derived, []
    if not derived.complete:
        found.append(
            f"Not over: {len(derived.results)} of {derived.opened.of_tables} tables have a result. "
            "All numbers are those so far."
        )
    surplus = len(derived.opened.surplus)
    if surplus:
        found.append(f"{surplus} tables were played beyond the end of the event and do not count.")
    return found


def caption(races: bool) -> str:
    """What the points of the standings are."""
    if races:
        return "Net races: races won less races lost, of each race, with a 95% interval."
    return (
        "Points per board: the bot's marks minus its opponents', mean of the two tables of a "
        "board, over all opponents, with a 95% interval."
    )


def meeting_lines(source: Source) -> Sequence[str]:
    """Tied boards, what pairing has gained, and how many boards are still needed."""
    standings = source.standings
    met = once(source)
    tied = sum(one.tally.tied for one in met.values())
    boards = sum(one.tally.boards for one in met.values())
    lines = [f"Tied boards: {tied} of {boards}."] if boards else []
    if standings.gain is not None:
        lines += [*gain_lines(standings), _PAIRING]
    lines += needed_lines(standings)
    return tuple(map(signed_words, lines))


def once(source: Source) -> Mapping[Pairing, Meeting]:
    """The meetings as boards have them, each once."""
    meetings = source.standings.meetings
    pairings = dict.fromkeys(board.pairing for board in source.closed)
    return {pairing: meetings[pairing] for pairing in pairings}
