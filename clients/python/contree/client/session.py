"""A bot's seats over all the streams it takes to play them.

A session takes the messages of whichever stream is up and says what the bot says. It knows its
seats by match and seat, for their short names change with each stream. An answer is kept until the
next turn of its seat: a turn that is sent again, after a resume, is answered the same, and the bot
is asked once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from contree.client.bot import Delivery, Practice, SeatInfo, Turn
from contree.client.errors import BotFailed, Superseded
from contree.client.events import MatchEnded
from contree.client.messages import (
    deal_ended_from_pb,
    event_from_pb,
    fault_charged_from_pb,
    fault_policy_from_pb,
    match_ended_from_pb,
    seat_mode_from_pb,
    time_control_from_pb,
)
from contree.client.outbox import Outbox
from contree.client.thinking import Answers, Mind, Question, Report, Told, mind_of
from contree.engine import Action, Seat
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage
from contree.wire import (
    Decision,
    WireError,
    action_to_pb,
    decision_from_pb,
    rules_from_pb,
    seat_from_pb,
    seat_to_pb,
    seat_view_from_pb,
)

PROTOCOL_VERSION: Final = 1
_WARN_AT: Final = 0.75
"""The share of its time after which a bot is warned in its own log."""
_WATCH_S: Final = 0.1

log: Final = logging.getLogger("contree.client")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a bot says it is."""

    name: str
    version: str
    instance_id: str
    capacity: int
    """0 for the server's default."""
    delivery: Delivery
    practice: Practice | None


@dataclass(slots=True)
class Counts:
    """What became of a session so far."""

    matches: int = 0
    decisions: int = 0
    illegal: int = 0
    late: int = 0
    faults: int = 0
    connections: int = 0


class HeldSeat:
    """A seat of this session."""

    __slots__ = ("answer", "behind", "info", "prepared", "question", "ready_owed", "ref", "seen")

    def __init__(self, info: SeatInfo) -> None:
        self.info = info
        self.ref: int | None = None
        """Its short name on the stream that is up; None while it has none."""
        self.ready_owed = False
        self.prepared = False
        """The bot has been told of the seat and is ready."""
        self.question: Question | None = None
        """The decision that is owed."""
        self.answer: Action | None = None
        """What the bot said to it."""
        self.seen = 0
        """The highest event seq seen."""
        self.behind = 0
        """Heartbeats in a row that told of events never seen."""

    def __str__(self) -> str:
        return f"seat {self.info.seat} of match {self.info.match_id}"


class Session:
    """What a bot instance holds and owes."""

    def __init__(self, bot: Any, identity: Identity, matches: int | None) -> None:
        """``matches`` is after how many ended ones it is over; None: never."""
        self.identity = identity
        self.counts = Counts()
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when all is played; fails when the bot does or another process took over."""
        self.on_welcome: Callable[[float], None] = lambda heartbeat: None
        """Called with the seconds between heartbeats when a stream is open."""
        self.on_go_away: Callable[[float], None] = lambda drain: None
        """Called with the seconds that are left to this stream."""
        self.on_behind: Callable[[], None] = lambda: None
        """Called when the stream has lost something."""
        self._bot = bot
        self._wanted = matches
        self._seats: dict[tuple[str, Seat], HeldSeat] = {}
        self._refs: dict[int, HeldSeat] = {}
        self._seated_ever = False
        self._outbox: Outbox | None = None
        self._questions: list[Question] = []
        self._mind: Mind = mind_of(bot, Report(self._answered, self._failed))
        self._handlers: dict[str, Callable[[Any], None]] = {
            "welcome": self._welcome,
            "seat_assigned": self._seat_assigned,
            "turn": self._turn,
            "act_result": self._act_result,
            "event": self._event,
            "deal_ended": self._deal_ended,
            "match_ended": self._match_ended,
            "heartbeat": self._heartbeat,
            "go_away": self._go_away,
            "superseded": self._superseded,
            "refused": self._refused,
            "fault": self._fault,
        }
        self._watcher = asyncio.get_running_loop().call_later(_WATCH_S, self._watch)

    # -- streams --------------------------------------------------------------------------------

    def attach(self, outbox: Outbox) -> None:
        """Speak through a new stream, beginning with Hello."""
        self._outbox = outbox
        who = self.identity
        hello = play_service_pb2.Hello(
            protocol_version=PROTOCOL_VERSION,
            bot=who.name,
            bot_version=who.version,
            instance_id=who.instance_id,
            capacity=who.capacity,
            delivery=play_service_pb2.DELIVERY_EVENTS
            if who.delivery is Delivery.EVENTS
            else play_service_pb2.DELIVERY_STATE,
            seen=[
                play_service_pb2.SeenEvents(match_id=match_id, seat=seat_to_pb(seat), seq=held.seen)
                for (match_id, seat), held in self._seats.items()
                if held.seen
            ],
        )
        if who.practice is not None and not self._seated_ever:
            hello.practice.CopyFrom(
                play_service_pb2.Practice(
                    preset=who.practice.preset,
                    opponents=who.practice.opponents,
                    partner=who.practice.partner,
                    deals=who.practice.deals,
                )
            )
        outbox.put(ClientMessage(hello=hello))

    def detach(self) -> None:
        """The stream is gone; seats and answers are kept for the next one."""
        self._outbox = None
        self._refs.clear()
        for held in self._seats.values():
            held.ref = None
            held.behind = 0

    def take(self, messages: Iterable[play_service_pb2.ServerMessage]) -> None:
        """Take what the server says. What this version does not know is passed over."""
        for message in messages:
            which = message.WhichOneof("message")
            handler = self._handlers.get(which) if which is not None else None
            if handler is None or which is None:
                continue
            try:
                handler(getattr(message, which))
            except WireError as error:
                log.error("a %s of the server cannot be read: %s", which, error)
        if self._questions:
            questions, self._questions = self._questions, []
            self._mind.take(questions)

    @property
    def owes(self) -> bool:
        """Whether a decision is open."""
        return any(held.question is not None for held in self._seats.values())

    @property
    def orphans(self) -> list[str]:
        """The matches with a seat that the server did not give back on this stream."""
        return sorted({match_id for (match_id, _), held in self._seats.items() if held.ref is None})

    def close(self, *, resign: bool) -> None:
        """The bot ends: take no new seats and, when nobody will come back to them, give up those
        that are held."""
        self._watcher.cancel()
        self._mind.stop()
        self._say(ClientMessage(leave=play_service_pb2.Leave()))
        if resign:
            for held in self._seats.values():
                if held.ref is not None:
                    log.warning("giving up %s", held)
                    self._say(ClientMessage(resign=play_service_pb2.Resign(seat_ref=held.ref)))

    def _say(self, message: ClientMessage) -> None:
        if self._outbox is not None:
            self._outbox.put(message)

    # -- seats ----------------------------------------------------------------------------------

    def _welcome(self, welcome: play_service_pb2.Welcome) -> None:
        self.counts.connections += 1
        log.info(
            "connected to %s (contree %s) as %s, instance %s, for %d seats at once",
            welcome.server_id or "the server",
            welcome.server_version,
            self.identity.name,
            welcome.instance_id,
            welcome.capacity,
        )
        heartbeat = welcome.heartbeat
        self.on_welcome(heartbeat.seconds + heartbeat.nanos / 1e9)
        self._leave_when_enough()

    def _seat_assigned(self, assigned: play_service_pb2.SeatAssigned) -> None:
        info = SeatInfo(
            assigned.match_id,
            seat_from_pb(assigned.seat, "seat_assigned.seat"),
            rules_from_pb(assigned.rules),
            seat_mode_from_pb(assigned),
            time_control_from_pb(assigned.time_control),
            fault_policy_from_pb(assigned.fault_policy),
            assigned.resumed,
        )
        self._seated_ever = True
        key = (info.match_id, info.seat)
        held = self._seats.get(key)
        new = held is None
        if held is None:
            held = self._seats[key] = HeldSeat(info)
            log.info("took %s, rules %s", held, info.rules.name)
        held.ref = assigned.seat_ref
        held.ready_owed = assigned.ready_owed
        self._refs[assigned.seat_ref] = held
        if new:
            seated = held
            self._tell("seated", info, then=lambda: self._prepared(seated))
        elif held.prepared:
            self._say_ready(held)

    def _prepared(self, held: HeldSeat) -> None:
        held.prepared = True
        self._say_ready(held)

    def _say_ready(self, held: HeldSeat) -> None:
        if held.ready_owed and held.ref is not None:
            held.ready_owed = False
            self._say(ClientMessage(ready=play_service_pb2.Ready(seat_ref=held.ref)))

    def lost(self, match_id: str, ended: MatchEnded | None) -> None:
        """A match that the server did not give back is over, or unknown by now."""
        for key, held in list(self._seats.items()):
            if key[0] == match_id and held.ref is None:
                self._end(held, ended)

    def _match_ended(self, message: play_service_pb2.SeatMatchEnded) -> None:
        held = self._refs.pop(message.seat_ref, None)
        if held is not None:
            self._end(held, match_ended_from_pb(message.match_ended))

    def _end(self, held: HeldSeat, ended: MatchEnded | None) -> None:
        self._withdraw(held)
        match_id = held.info.match_id
        del self._seats[match_id, held.info.seat]
        last = all(other != match_id for other, _ in self._seats)
        if last:
            self.counts.matches += 1
            if ended is None:
                log.warning("match %s is gone", match_id)
            else:
                log.info(
                    "match %s ended, %s: NS %d, EW %d",
                    match_id,
                    ended.reason.value.replace("_", " "),
                    *ended.scores,
                )
        if ended is not None:
            self._tell("match_ended", held.info, ended, then=self._leave_when_enough)
        else:
            self._leave_when_enough()

    def _leave_when_enough(self) -> None:
        if self._wanted is None or self.counts.matches < self._wanted:
            return
        if self._seats:
            self._say(ClientMessage(leave=play_service_pb2.Leave()))
        elif not self.over.done():
            self.over.set_result(None)

    # -- turns ----------------------------------------------------------------------------------

    def _turn(self, turn: play_service_pb2.Turn) -> None:
        held = self._refs.get(turn.seat_ref)
        if held is None:
            log.debug("a turn for seat %d, which is not ours", turn.seat_ref)
            return
        question = held.question
        if question is not None and question.decision_id == turn.decision.id:
            self._say_answer(held)
            return
        decision = decision_from_pb(turn.decision, "turn.decision")
        view = seat_view_from_pb(turn.view, held.info.rules, decision, "turn.view")
        self._ask(held, view, decision)

    def _ask(self, held: HeldSeat, view: Any, decision: Decision) -> None:
        self._withdraw(held)
        now = time.monotonic()
        clock = decision.clock
        turn = Turn(
            view,
            held.info,
            now + clock.remaining / 1000,
            clock.bank / 1000,
            clock.allowance / 1000,
            clock.charged / 1000,
            None if clock.round_trip is None else clock.round_trip / 1000,
        )
        held.question = Question(held, turn, decision.id, now)
        self._questions.append(held.question)

    def _withdraw(self, held: HeldSeat) -> None:
        if held.question is not None:
            held.question.withdraw()
            held.question = None
        held.answer = None

    def _answered(self, answers: Answers) -> None:
        now = time.monotonic()
        for question, action in answers:
            held = question.asker
            if not isinstance(held, HeldSeat) or held.question is not question:
                continue
            held.answer = action
            self.counts.decisions += 1
            self._warn_if_slow(question, now)
            self._say_answer(held)

    def _say_answer(self, held: HeldSeat) -> None:
        """Answer the open decision, if the bot has and the stream is up."""
        if held.question is None or held.answer is None or held.ref is None:
            return
        act = play_service_pb2.Act(
            seat_ref=held.ref,
            decision_id=held.question.decision_id,
            action=action_to_pb(held.answer),
        )
        self._say(ClientMessage(act=act))

    def _act_result(self, result: play_service_pb2.ActResult) -> None:
        held = self._refs.get(result.seat_ref)
        status = result.status
        if held is None or status == play_service_pb2.ACT_STATUS_DUPLICATE:
            return
        question, answer = held.question, held.answer
        if question is None or question.decision_id != result.decision_id:
            question = answer = None
        if status == play_service_pb2.ACT_STATUS_ACCEPTED:
            if question is not None:
                held.question = held.answer = None
        elif status == play_service_pb2.ACT_STATUS_ILLEGAL:
            self.counts.illegal += 1
            log.error("%s: %s is not allowed: %s", held, answer, result.reason)
            if question is None:
                return
            if result.HasField("decision"):
                again = decision_from_pb(result.decision, "act_result.decision")
                view = question.turn.view._replace(kind=again.kind, legal=again.legal)
                self._ask(held, view, again)
            else:
                self._withdraw(held)
        else:
            if status == play_service_pb2.ACT_STATUS_LATE:
                self.counts.late += 1
            name = play_service_pb2.ActStatus.Name(status).removeprefix("ACT_STATUS_").lower()
            log.warning("%s: the answer was not taken (%s): %s", held, name, result.reason)
            if question is not None:
                self._withdraw(held)

    # -- the clock ------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Warn of bots that think for long, before the server acts for them."""
        now = time.monotonic()
        for held in self._seats.values():
            if held.question is not None and held.answer is None:
                self._warn_if_slow(held.question, now)
        self._watcher = asyncio.get_running_loop().call_later(_WATCH_S, self._watch)

    def _warn_if_slow(self, question: Question, now: float) -> None:
        budget = question.turn.deadline - question.received
        used = now - question.received
        if used > _WARN_AT * budget and not question.warned:
            question.warned = True
            log.warning(
                "%s: %.2f s of %.2f s are used; the server acts for the bot when the time is up",
                question.asker,
                used,
                budget,
            )

    # -- what else the server says --------------------------------------------------------------

    def _heartbeat(self, heartbeat: play_service_pb2.Heartbeat) -> None:
        ack = play_service_pb2.HeartbeatAck(nonce=heartbeat.nonce)
        self._say(ClientMessage(heartbeat_ack=ack))
        if self.identity.delivery is not Delivery.EVENTS:
            return
        for position in heartbeat.seats:
            held = self._refs.get(position.seat_ref)
            if held is None:
                continue
            held.behind = held.behind + 1 if position.seq > held.seen else 0
            if held.behind > 1:
                log.warning("%s: events up to %d are missing", held, position.seq)
                self.on_behind()

    def _event(self, message: play_service_pb2.SeatEvent) -> None:
        held = self._refs.get(message.seat_ref)
        if held is None or message.event.seq < held.seen:
            return
        held.behind = 0
        event = event_from_pb(message.event)
        if event is not None:
            self._tell("event", held.info, event)
        held.seen = message.event.seq

    def _deal_ended(self, message: play_service_pb2.SeatDealEnded) -> None:
        held = self._refs.get(message.seat_ref)
        if held is not None:
            self._tell("deal_ended", held.info, deal_ended_from_pb(message.deal_ended))

    def _fault(self, message: play_service_pb2.SeatFault) -> None:
        held = self._refs.get(message.seat_ref)
        if held is None:
            return
        fault = fault_charged_from_pb(message.fault)
        self.counts.faults += 1
        log.warning(
            "%s: a fault was charged (%s): %s%s",
            held,
            fault.kind.value.replace("_", " "),
            message.detail,
            "; the house plays on" if fault.replaced else "",
        )
        if fault.replaced:
            self._withdraw(held)
        self._tell("fault", held.info, fault, message.detail)

    def _go_away(self, message: play_service_pb2.GoAway) -> None:
        log.info("the server is stopping; dialling again")
        self.on_go_away(message.drain.seconds + message.drain.nanos / 1e9)

    def _superseded(self, _: play_service_pb2.Superseded) -> None:
        if not self.over.done():
            self.over.set_exception(Superseded(self.identity.instance_id))

    def _refused(self, message: play_service_pb2.Refused) -> None:
        log.error("the server did not understand: %s", message.reason)

    # -- the bot --------------------------------------------------------------------------------

    def _tell(self, name: str, *arguments: object, then: Callable[[], None] | None = None) -> None:
        hook = getattr(self._bot, name, None)
        if callable(hook):
            self._mind.take(Told(lambda: hook(*arguments), then))
        elif then is not None:
            then()

    def _failed(self, error: Exception, question: Question | None) -> None:
        if self.over.done():
            return
        problem = f"failed with {type(error).__name__}: {error}".rstrip(".")
        seat, match_id = None, ""
        if question is not None:
            seat, match_id = question.turn.table.seat, question.turn.table.match_id
        failure = BotFailed(self.identity.name, problem, seat, match_id)
        failure.__cause__ = error
        self.over.set_exception(failure)
