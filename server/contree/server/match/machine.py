"""The two functions of a match: ``decide`` turns a command into entries, ``evolve`` applies one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from contree.engine import Game, IllegalAction, Seat, Termination
from contree.server.match import clock, house
from contree.server.match.commands import (
    Abandon,
    Act,
    Command,
    GiveUp,
    GoOn,
    Rejected,
    RunOut,
    SayReady,
    Step,
    TakeSeat,
    Verdict,
)
from contree.server.match.entries import (
    Acted,
    Created,
    Ended,
    Entry,
    Faulted,
    Readied,
    Seated,
)
from contree.server.match.feed import in_window, is_visible, withheld
from contree.server.match.spec import EndReason, FaultKind
from contree.server.match.state import (
    Answer,
    Fault,
    Match,
    SeatState,
    Stage,
    decision_id,
)

__all__ = ["Rejected", "create", "decide", "evolve", "fold"]

_ENTRIES_A_STEP: Final = 64
"""Of a table that the house plays alone: other tables must have their turn, too."""

_END_OF: Final = {
    Termination.BOARD_DONE: EndReason.BOARD_DONE,
    Termination.PASSED_OUT: EndReason.PASSED_OUT,
    Termination.TARGET_REACHED: EndReason.TARGET_REACHED,
    Termination.DEALS_PLAYED: EndReason.DEALS_PLAYED,
}


def create(created: Created, now_ms: int) -> Step:
    """The first entries of a match, and the match; house players are seated and ready at once."""
    steps = _Steps(_from_spec(created), now_ms, created)
    steps.settle(alone=True)
    return steps.step()


def decide(match: Match, command: Command, now_ms: int) -> Step:
    """What a command comes to. ``now_ms`` (since the epoch) is kept for display only.

    Rejected when the command makes no sense in this stage. An Act is never rejected: its verdict
    says what became of it.
    """
    match_over = match.stage is Stage.ENDED
    steps = _Steps(match, now_ms)
    if isinstance(command, Act):
        return _act(steps, command)
    if isinstance(command, RunOut):
        if command.since and match.owed_since[command.seat] == command.since:
            steps.time_out(command.seat)
    elif isinstance(command, TakeSeat):
        if match.stage is not Stage.WAITING or match.seats[command.seat].taken:
            raise Rejected(f"seat {command.seat} of match {match.id} is not free")
        wanted = match.spec.seats[command.seat].key_id
        if wanted and wanted != command.key_id:
            raise Rejected(f"seat {command.seat} of match {match.id} is another key's")
        steps.add(Seated(command.seat, command.bot_version, command.instance_id, command.key_id))
    elif isinstance(command, SayReady):
        state = match.seats[command.seat]
        if match.stage in (Stage.WAITING, Stage.READYING) and state.taken and not state.ready:
            steps.add(Readied(command.seat))
    elif isinstance(command, GiveUp):
        if not match_over and not match.seats[command.seat].house:
            steps.add(Faulted(command.seat, command.kind, True, command.detail))
    elif isinstance(command, Abandon):
        if match_over:
            raise Rejected(f"match {match.id} is over")
        steps.add(Ended(command.reason, now_ms, command.detail))
    steps.settle(alone=isinstance(command, GoOn))
    return steps.step()


def evolve(match: Match, entry: Entry) -> Match:
    """The match after this entry. Raises IllegalAction when an Acted entry breaks the rules."""
    if isinstance(entry, Acted):
        return _acted(match, entry)
    if isinstance(entry, Seated):
        seat = match.seats[entry.seat]._replace(
            taken=True,
            instance_id=entry.instance_id,
            key_id=entry.key_id,
            bot_version=entry.version,
        )
        return _staged(_with_seat(match, entry.seat, seat))
    if isinstance(entry, Readied):
        return _staged(_with_seat(match, entry.seat, match.seats[entry.seat]._replace(ready=True)))
    if isinstance(entry, Faulted):
        return _faulted(match, entry)
    if isinstance(entry, Ended):
        return replace(
            match,
            version=match.version + 1,
            seq=match.seq + 1 + withheld(match),
            stage=Stage.ENDED,
            owed_since=(0, 0, 0, 0),
            end=entry.reason,
            ended_ms=entry.ended_ms,
            end_detail=entry.detail,
            sealed=None,
        )
    raise TypeError(f"{type(entry).__name__} can only be the first entry of a journal")


def fold(entries: Iterable[Entry]) -> Match:
    """The match that a journal tells of; ValueError when it does not begin with Created."""
    entries = iter(entries)
    first = next(entries, None)
    if not isinstance(first, Created):
        raise ValueError("a journal begins with the creation of its match")
    match = _from_spec(first)
    for entry in entries:
        match = evolve(match, entry)
    return match


class _Steps:
    """Entries in the making: each is applied as it is added."""

    def __init__(self, match: Match, now_ms: int, created: Created | None = None) -> None:
        self.match = match
        self._now_ms = now_ms
        self._entries: list[Entry] = [created] if created else []
        self._states: list[Match] = [match] if created else []

    def add(self, entry: Entry) -> None:
        self.took(entry, evolve(self.match, entry))

    def took(self, entry: Entry, after: Match) -> None:
        """Add an entry that was applied already."""
        self.match = after
        self._entries.append(entry)
        self._states.append(after)

    def act_for(self, seat: Seat, charged: int, bank: int) -> None:
        """The house acts in this seat."""
        self.add(Acted(seat, house.choose(self.match, seat), charged, bank, by_house=True))

    def time_out(self, seat: Seat) -> None:
        """The seat is too late: a strike, and the house acts this once, or from here on."""
        spec, state = self.match.spec, self.match.seats[seat]
        available = spec.time.per_move + state.bank
        replaced = state.timeouts >= spec.faults.timeout_strikes
        # How much of its bank a seat has used is told to nobody before the cards are disclosed.
        detail = f"no answer within {spec.time.per_move} ms and what was left of its bank"
        self.add(Faulted(seat, FaultKind.TIMEOUT, replaced, detail))
        self.act_for(seat, available, 0)

    def settle(self, *, alone: bool = False) -> None:
        """Let the house act where it owes a decision; write the end where it has come.

        After so many entries the rest is left to the next step: see ``Match.house_owes``. Where no
        bot is left that waits for the house, all of it is, unless the step is one ``alone``.
        """
        if self.match.deserted and not alone and self.match.game.outcome is None:
            return
        while self.match.stage is Stage.PLAYING:
            outcome = self.match.game.outcome
            if outcome is not None:
                self.add(Ended(_END_OF[outcome.reason], self._now_ms))
                return
            seat = self.match.house_owes
            if seat is None or len(self._entries) >= _ENTRIES_A_STEP:
                return
            self.act_for(seat, 0, self.match.seats[seat].bank)

    def step(self, verdict: Verdict = Verdict.ACCEPTED, reason: str = "") -> Step:
        return Step(tuple(self._entries), tuple(self._states), self.match, verdict, reason)


def _act(steps: _Steps, command: Act) -> Step:
    match, seat = steps.match, command.seat
    if not match.owed_since[seat] or command.decision != match.decision_id(seat):
        return steps.step(*_not_owed(match, command))
    state = match.seats[seat]
    charge = clock.charge(match.spec.time, state.bank, command.elapsed)
    if charge.late:
        steps.time_out(seat)
        steps.settle()
        return steps.step(Verdict.LATE, "the clock had run out")
    acted = Acted(seat, command.action, charge.charged, charge.bank, by_house=False)
    try:
        after = _acted(match, acted)
    except IllegalAction as error:
        if command.illegal is not None and state.illegal > command.illegal:
            return steps.step(Verdict.ILLEGAL, str(error))  # charged when it came before
        replaced = state.illegal >= match.spec.faults.illegal_strikes
        # The action itself stays out of the detail: it may name a card that others may not see.
        detail = "an action that the rules do not allow"
        steps.add(Faulted(seat, FaultKind.ILLEGAL_ACTION, replaced, detail))
        steps.settle()
        return steps.step(Verdict.ILLEGAL, str(error))
    if after.game.outcome is None and after.house_owes is None:
        return Step((acted,), (after,), after, Verdict.ACCEPTED, "")  # as nearly all are
    steps.took(acted, after)
    steps.settle()
    return steps.step()


def _not_owed(match: Match, command: Act) -> tuple[Verdict, str]:
    """The verdict on an answer to a decision that is not owed."""
    last = match.last_answer[command.seat]
    secret = match.spec.secret
    if last is None or command.decision != decision_id(secret, command.seat, last.since):
        return Verdict.STALE, "this decision is not owed, or not any more"
    if last.by_house:
        return Verdict.LATE, "the clock had run out"
    if last.action == command.action:
        return Verdict.DUPLICATE, "this answer was taken before"
    return Verdict.CONFLICT, f"another answer was taken: {last.action}"


def _from_spec(created: Created) -> Match:
    spec = created.spec
    seats = tuple(
        SeatState(
            taken=bool(plan.house),
            ready=bool(plan.house),
            bank=spec.time.bank,
            house=plan.house,
        )
        for plan in spec.seats
    )
    if len(seats) != 4:
        raise ValueError(f"a match has 4 seats, not {len(seats)}")
    game = Game.start(spec.rules, spec.deals, spec.mode, spec.board)
    return _staged(Match(spec, 0, Stage.WAITING, game, seats))


def _staged(match: Match, seen: int = 1) -> Match:
    """Count the entry that was applied, and move to the stage that the seats allow; the start of
    play adds ``seen`` to ``seq``.
    """
    stage = Stage.WAITING
    if all(seat.taken for seat in match.seats):
        ready = all(seat.ready or seat.house for seat in match.seats)
        stage = Stage.PLAYING if ready else Stage.READYING
    version = match.version + 1
    if stage is Stage.PLAYING and match.stage is not Stage.PLAYING:
        owed = _owed_since(match.game, version, (0, 0, 0, 0), None)
        return replace(match, version=version, stage=stage, seq=match.seq + seen, owed_since=owed)
    return replace(match, version=version, stage=stage)


def _acted(match: Match, entry: Acted) -> Match:
    seat, state = entry.seat, match.seats[entry.seat]
    game = match.game.apply(seat, entry.action)
    version = match.version + 1
    answers = match.last_answer
    answer = Answer(match.owed_since[seat], entry.action, entry.by_house)
    overran = not entry.by_house and entry.charged == match.spec.time.per_move + state.bank
    # Answers are there only as long as their window is open.
    still_open = game.deal is not None and game.deal.auction.answers
    seen = 0 if still_open else is_visible(match.game, game) + withheld(match)
    return Match(
        spec=match.spec,
        version=version,
        stage=match.stage,
        game=game,
        seats=_replaced(
            match.seats,
            seat,
            state.acted(
                entry.charged,
                entry.bank,
                overran=overran,
                timed=not entry.by_house or entry.charged > 0,
            ),
        ),
        owed_since=_owed_since(game, version, match.owed_since, seat),
        seq=match.seq + seen,
        last_answer=(*answers[:seat], answer, *answers[seat + 1 :]),  # type: ignore[arg-type]
        faults=match.faults,
        end=match.end,
        ended_ms=match.ended_ms,
        end_detail=match.end_detail,
        sealed=match.public if still_open else None,
    )


def _faulted(match: Match, entry: Faulted) -> Match:
    state = match.seats[entry.seat]
    if entry.kind is FaultKind.ILLEGAL_ACTION:
        state = state._replace(illegal=state.illegal + 1)
    elif entry.kind is FaultKind.TIMEOUT:
        state = state._replace(timeouts=state.timeouts + 1)
    if entry.replaced:
        state = state._replace(house=house.SUBSTITUTE)
    number = len(match.game.finished) + 1 if match.stage is Stage.PLAYING else 0
    fault = Fault(entry.seat, entry.kind, number, entry.replaced, entry.detail)
    after = replace(_with_seat(match, entry.seat, state), faults=(*match.faults, fault))
    if match.stage is Stage.PLAYING and in_window(match.game):
        return _counted(replace(after, sealed=match.public))
    after = replace(after, seq=match.seq + 1)
    # The fault is visible by itself: the start of play that may come of it is the same entry.
    return _staged(after, seen=0) if after.stage is not Stage.PLAYING else _counted(after)


def _counted(match: Match) -> Match:
    return replace(match, version=match.version + 1)


def _owed_since(
    game: Game, version: int, before: tuple[int, int, int, int], actor: Seat | None
) -> tuple[int, int, int, int]:
    """For each seat the version at which its decision arose.

    A seat that owed a decision and did not act keeps it: only where several are asked at once does
    another's action leave one open.
    """
    since = [0, 0, 0, 0]
    for seat in game.owed:
        since[seat] = version if seat == actor or not before[seat] else before[seat]
    return since[0], since[1], since[2], since[3]


def _with_seat(match: Match, seat: Seat, state: SeatState) -> Match:
    return replace(match, seats=_replaced(match.seats, seat, state))


def _replaced(
    seats: tuple[SeatState, SeatState, SeatState, SeatState], seat: Seat, state: SeatState
) -> tuple[SeatState, SeatState, SeatState, SeatState]:
    changed = list(seats)
    changed[seat] = state
    return changed[0], changed[1], changed[2], changed[3]
