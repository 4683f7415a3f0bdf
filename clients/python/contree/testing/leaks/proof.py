"""The proof over a whole match: at each of its moments, for each who looks on, in other worlds."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from contree.engine import SEATS, FixedDeal, Record, Seat
from contree.engine.record import actions
from contree.engine.shuffle import ListedDeals
from contree.server.match import (
    Acted,
    Created,
    Disclosure,
    Ended,
    EndReason,
    Entry,
    Faulted,
    Match,
    MatchSpec,
    Readied,
    Seated,
    SeatPlan,
    Stage,
    evolve,
    fold,
)
from contree.server.match.feed import in_window
from contree.testing.leaks.differences import first_difference
from contree.testing.leaks.sights import (
    Probe,
    Sight,
    log_sights,
    probes,
    seat_sights,
    spectator_sights,
)
from contree.testing.leaks.worlds import Happened, Moment, other_answers, other_cards

_SPARE: Final = FixedDeal(Seat.NORTH, (0xFF, 0xFF00, 0xFF0000, 0xFF000000))
_SECRET: Final = b"leak-test-secret"
_CARD: Final = re.compile(r"\b[789TJQKA][SHDC]\b")


class Difference(NamedTuple):
    """A leak: who could have noticed what when."""

    prefix: int
    """Entries of the journal up to that moment."""
    deal: int
    """Number of the deal, from 1; 0 before the first."""
    happened: str
    """The last entry."""
    viewer: str
    """A seat, or "spectator", or "log"."""
    sight: str
    """What it is sent there."""
    path: str
    """The field that differs, and both values."""

    def __str__(self) -> str:
        return (
            f"entry {self.prefix} of the journal (deal {self.deal}, {self.happened}), "
            f"{self.viewer}: {self.sight}: {self.path}"
        )


@dataclass(slots=True)
class LeakReport:
    """What was compared, and the first difference, if there is one."""

    moments: int = 0
    """Prefixes of the journal."""
    worlds: int = 0
    """Other worlds that were looked at: for a moment, a viewer, and an exchange of hidden cards."""
    windows: int = 0
    """Those in which the answers to an open contre window were others, too."""
    compared: Counter[str] = field(default_factory=Counter)
    """Pairs of frames that were compared, by what they are."""
    difference: Difference | None = None

    @property
    def frames(self) -> int:
        """How many pairs of frames were compared."""
        return self.compared.total()

    def add(self, other: LeakReport) -> None:
        """Count the comparisons of another match, too."""
        self.moments += other.moments
        self.worlds += other.worlds
        self.windows += other.windows
        self.compared += other.compared
        self.difference = self.difference or other.difference


def leak_test(record: Record, *, worlds: int = 3, tried: int = 4, seed: str = "") -> LeakReport:
    """Prove of a recorded match that nobody was shown what is hidden; stops at the first leak.

    At each moment ``worlds`` exchanges of the hidden cards are looked at for each seat and a
    spectator, all drawn from ``seed``, and ``tried`` actions of a seat that owes one. Raises as
    ``Record.replay`` does.
    """
    return leak_test_journal(journal_of(record), worlds=worlds, tried=tried, seed=seed)


def leak_test_journal(
    entries: Iterable[Entry], *, worlds: int = 3, tried: int = 4, seed: str = ""
) -> LeakReport:
    """The same of a match by its journal, with its faults and players of the house."""
    looking = _Looking(worlds, tried, random.Random(seed))
    for moment in _moments(list(entries)):
        looking.report.moments += 1
        for viewer in (*SEATS, None):
            looking.at(moment, viewer)
            if looking.report.difference is not None:
                return looking.report
    return looking.report


def journal_of(record: Record) -> list[Entry]:
    """A journal of the recorded match, with four bots that were never at fault."""
    north, east, south, west = (SeatPlan(bot=name or "nobody") for name in record.names)
    spec = MatchSpec(
        match_id="m-leak-test",
        rules=record.rules,
        mode=record.mode,
        deals=ListedDeals((_SPARE,)),
        seats=(north, east, south, west),
        secret=_SECRET,
        created_ms=1_790_000_000_000,
        board=record.number,
        labels=("leak-test",),
        group="leak-test",
        disclosure=Disclosure.WHEN_GROUP_RELEASED,
    )
    dealt = tuple(FixedDeal(deal.dealer, deal.hands) for deal in record.deals)
    spec = replace(spec, deals=ListedDeals((*dealt, _SPARE), record.number))
    entries: list[Entry] = [Created(spec)]
    entries += [Seated(seat, "1", f"instance-{seat}") for seat in SEATS]
    entries += [Readied(seat) for seat in SEATS]
    entries += [Acted(seat, action, 250, 0, False) for seat, action in actions(record)]
    outcome = fold(entries).game.outcome
    if outcome is not None:
        entries.append(Ended(EndReason(outcome.reason.value), 1_790_000_100_000))
    return entries


def _moments(entries: Sequence[Entry]) -> Iterator[Moment]:
    """The match after each entry of its journal, its deals written down."""
    first = entries[0]
    assert isinstance(first, Created)
    end = fold(entries).game
    deals = end.finished if end.deal is None else (*end.finished, end.deal)
    dealt = tuple(FixedDeal(deal.dealer, deal.dealt) for deal in deals)
    listed = ListedDeals((*dealt, _SPARE), end.number - len(deals) + 1)
    match = fold([Created(replace(first.spec, deals=listed))])
    happened: tuple[Happened, ...] = ()
    for entry in entries[1:]:
        after = evolve(match, entry)
        one = Happened(match, entry, after)
        happened = (*happened, one) if after.sealed is not None else (one,)
        match = after
        yield Moment(match, happened)


class _Looking:
    """Compares what viewers are sent in several worlds."""

    def __init__(self, worlds: int, tried: int, rng: random.Random) -> None:
        self._worlds = worlds
        self._tried = tried
        self._rng = rng
        self.report = LeakReport()

    def at(self, moment: Moment, viewer: Seat | None) -> None:
        """Look at one moment with one viewer's eyes; a difference is put into the report."""
        found = self._look(moment, viewer)
        if found is None:
            return
        sight, path = found
        match = moment.match
        seat = "spectator" if viewer is None else viewer.name.capitalize()
        self.report.difference = Difference(
            match.version,
            _deal_number(match),
            _text(moment.happened[-1].entry),
            "log" if sight == "log" else seat,
            sight,
            path,
        )

    def _look(self, moment: Moment, viewer: Seat | None) -> tuple[str, str] | None:
        match, rng, report = moment.match, self._rng, self.report
        asked: tuple[Probe, ...] = ()
        if viewer is not None and match.stage is Stage.PLAYING and not match.seats[viewer].house:
            asked = probes(match, viewer, self._tried, rng)
        seen = _sights(moment, viewer, asked)
        logged = list(log_sights(moment)) if viewer is None else []
        found = None if viewer is not None else _named(match)
        window = match.stage is Stage.PLAYING and in_window(match.game)
        for _ in range(self._worlds):
            elsewhere, changed = other_cards(moment, viewer, rng)
            if found is not None or not changed:
                break
            report.worlds += 1
            found = self._compare(seen, _sights(elsewhere, viewer, asked))
            if viewer is None:
                found = found or self._compare(logged, list(log_sights(elsewhere)))
            if found is None and window and _others_asked(match, viewer):
                report.windows += 1
                varied = other_answers(elsewhere, viewer, rng)
                found = self._compare(seen, _sights(varied, viewer, asked))
        return found

    def _compare(self, seen: Sequence[Sight], other: Sequence[Sight]) -> tuple[str, str] | None:
        """The first sight that differs, and where."""
        for one, two in zip(seen, other, strict=False):
            if one.name != two.name:
                return one.name, f"is sent, or {two.name} instead"
            self.report.compared[one.name] += 1
            if one.data != two.data:
                return one.name, _path(one, two)
        if len(seen) != len(other):
            longer = max(seen, other, key=len)
            return longer[min(len(seen), len(other))].name, "is sent, or not"
        return None


def _named(match: Match) -> tuple[str, str] | None:
    """A card that the text of a fault names: what was tried may be in a hidden hand."""
    for index, fault in enumerate(match.faults):
        card = _CARD.search(fault.detail)
        if card is not None:
            return "match", f"faults[{index}].detail: names {card[0]}"
    return None


def _others_asked(match: Match, viewer: Seat | None) -> bool:
    """Whether somebody else was asked in the open window, and could have done something there."""
    deal = match.public.game.deal
    return deal is not None and any(seat != viewer for seat in deal.owed)


def _sights(moment: Moment, viewer: Seat | None, asked: Sequence[Probe]) -> list[Sight]:
    if viewer is None:
        return list(spectator_sights(moment))
    return list(seat_sights(moment, viewer, asked))


def _path(one: Sight, two: Sight) -> str:
    if one.kind is None:
        return f"{one.data.decode()} or {two.data.decode()}"
    left, right = one.kind.FromString(one.data), two.kind.FromString(two.data)  # type: ignore[union-attr]
    return first_difference(left, right) or "the same fields in other bytes"


def _deal_number(match: Match) -> int:
    if match.stage in (Stage.WAITING, Stage.READYING):
        return 0
    return len(match.game.finished) + (match.game.deal is not None)


def _text(entry: Entry) -> str:
    if isinstance(entry, Acted):
        return f"{entry.action} by {entry.seat.name.capitalize()}"
    if isinstance(entry, Faulted):
        return f"{entry.kind.value.replace('_', ' ')} of {entry.seat.name.capitalize()}"
    return type(entry).__name__.lower()
