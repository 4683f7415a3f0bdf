"""A bot's seats over all the streams it takes to play them.

A session takes the messages of whichever stream is up and says what the bot says. It knows its
seats by match and seat, for their short names change with each stream.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

from contree.client.answering import Answering
from contree.client.bot import Delivery, SeatInfo
from contree.client.errors import BotFailed, Superseded
from contree.client.events import MatchEnded
from contree.client.matches import FaultKind
from contree.client.messages import (
    deal_ended_from_pb,
    event_from_pb,
    fault_charged_from_pb,
    fault_policy_from_pb,
    match_ended_from_pb,
    seat_mode_from_pb,
    time_control_from_pb,
)
from contree.client.seats import Counts, HeldSeat, Identity
from contree.client.thinking import Mind, Question, Report, Told, mind_of
from contree.engine import Seat
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage
from contree.wire import (
    WireError,
    duration_from_pb,
    rules_from_pb,
    seat_from_pb,
    seat_to_pb,
)

PROTOCOL_VERSION: Final = 1
log: Final = logging.getLogger("contree.client")


class Line(Protocol):
    """The stream that is up, as a session sees it."""

    def say(self, message: ClientMessage | bytes) -> None:
        """Say something, serialized already or not."""
        ...

    def welcomed(self, heartbeat: float) -> None:
        """The stream is open; seconds between heartbeats."""
        ...

    def sent_away(self, drain: float) -> None:
        """The server will end the stream; seconds until then."""
        ...

    def fell_behind(self) -> None:
        """Something was lost on the stream."""
        ...

    def search(self, match_ids: list[str]) -> None:
        """Find out about matches of which the server did not give a seat back."""
        ...

    def renew(self) -> None:
        """End the stream in good order and open another, to say Hello again."""
        ...


class Session:
    """What a bot instance holds and owes."""

    def __init__(self, bot: Any, identity: Identity, matches: int | None, counts: Counts) -> None:
        """``matches`` is after how many ended ones it is over; None: never."""
        self.identity = identity
        self.counts = counts
        self._closed = False
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when all is played; fails when the bot does or another process took over."""
        self._bot = bot
        self._wanted = matches
        self._seats: dict[tuple[str, Seat], HeldSeat] = {}
        self._refs: dict[int, HeldSeat] = {}
        self._practice_id = "" if identity.practice is None else secrets.token_hex(8)
        """Of the practice match that is to be asked for; empty when it was given."""
        self._line: Line | None = None
        self._answering = Answering(self._say, self._seats.values(), counts)
        self._mind: Mind = mind_of(bot, Report(self._answering.answered, self._failed))
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

    # -- streams --------------------------------------------------------------------------------

    def attach(self, line: Line) -> None:
        """Speak through a new stream, beginning with Hello."""
        self._line = line
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
            ],
        )
        if who.practice is not None and self._practice_id:
            hello.practice.CopyFrom(
                play_service_pb2.Practice(
                    preset=who.practice.preset,
                    opponents=who.practice.opponents,
                    partner=who.practice.partner,
                    deals=who.practice.deals,
                    request_id=self._practice_id,
                )
            )
        line.say(ClientMessage(hello=hello))

    def detach(self) -> None:
        """The stream is gone; seats and answers are kept for the next one."""
        self._line = None
        self._refs.clear()
        for held in self._seats.values():
            held.ref = None
            held.behind = 0

    def cut_off(self, reason: str) -> None:
        """There is no stream; another one is dialled."""
        self._tell("disconnected", reason)

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
        self._answering.ask(self._mind)

    @property
    def closed(self) -> bool:
        """Whether the bot has ended; no further stream is needed."""
        return self._closed

    @property
    def owes(self) -> bool:
        """Whether a decision is open."""
        return any(held.question is not None for held in self._seats.values())

    def close(self, *, resign: bool) -> None:
        """The bot ends: take no new seats and, when nobody will come back to them, give up those
        that are held.
        """
        self._closed = True
        self._answering.stop()
        self._mind.stop()
        self._say(ClientMessage(leave=play_service_pb2.Leave()))
        if resign:
            for held in self._seats.values():
                if held.ref is not None:
                    log.warning("giving up %s", held)
                    self._say(ClientMessage(resign=play_service_pb2.Resign(seat_ref=held.ref)))

    def _say(self, message: ClientMessage | bytes) -> None:
        if self._line is not None:
            self._line.say(message)

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
        if self._line is not None:
            self._line.welcomed(duration_from_pb(welcome.heartbeat) / 1000)
        self._tell("connected")
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
        self._practice_id = ""
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
        self._answering.withdraw(held)
        match_id = held.info.match_id
        if held.pace.decisions:
            log.info("%s: %s", held, held.pace)
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
        if self._wanted is None:
            return
        if self.counts.matches < self._wanted:
            self._practise_again()
            return
        if self._seats:
            self._say(ClientMessage(leave=play_service_pb2.Leave()))
        elif not self.over.done():
            self.over.set_result(None)

    def _practise_again(self) -> None:
        """Ask for the next practice match, when the one before is over."""
        practises = self.identity.practice is not None and not self._practice_id
        if practises and not self._seats and self._line is not None and not self.over.done():
            self._practice_id = secrets.token_hex(8)
            self._line.renew()

    # -- what else the server says --------------------------------------------------------------

    def _turn(self, turn: play_service_pb2.Turn) -> None:
        held = self._refs.get(turn.seat_ref)
        if held is not None:
            self._answering.turn(held, turn)

    def _act_result(self, result: play_service_pb2.ActResult) -> None:
        held = self._refs.get(result.seat_ref)
        if held is not None:
            self._answering.result(held, result)

    def _heartbeat(self, heartbeat: play_service_pb2.Heartbeat) -> None:
        ack = play_service_pb2.HeartbeatAck(nonce=heartbeat.nonce)
        self._say(ClientMessage(heartbeat_ack=ack))
        orphans = {match for (match, _), held in self._seats.items() if held.ref is None}
        if orphans and self._line is not None:
            self._line.search(sorted(orphans))
        if self.identity.delivery is not Delivery.EVENTS:
            return
        for position in heartbeat.seats:
            held = self._refs.get(position.seat_ref)
            if held is None:
                continue
            held.behind = held.behind + 1 if position.seq > held.seen else 0
            if held.behind > 1:
                log.warning("%s: events up to %d are missing", held, position.seq)
                if self._line is not None:
                    self._line.fell_behind()

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
        # An illegal answer has been told of by its result, with the reason.
        told = fault.kind is FaultKind.ILLEGAL_ACTION and not fault.replaced
        log.log(
            logging.DEBUG if told else logging.WARNING,
            "%s: a fault was charged (%s): %s%s",
            held,
            fault.kind.value.replace("_", " "),
            message.detail,
            "; the house plays on" if fault.replaced else "",
        )
        if fault.replaced:
            self.counts.replaced += fault.kind is not FaultKind.RESIGNED
            self._answering.withdraw(held)
        self._tell("fault", held.info, fault, message.detail)

    def _go_away(self, message: play_service_pb2.GoAway) -> None:
        log.info("the server is stopping; dialling again")
        if self._line is not None:
            self._line.sent_away(duration_from_pb(message.drain) / 1000)

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

    def _failed(self, error: BaseException, question: Question | None) -> None:
        if self.over.done():
            return
        problem = f"failed with {type(error).__name__}: {error}".rstrip(".")
        seat, match_id = None, ""
        if question is not None:
            seat, match_id = question.turn.table.seat, question.turn.table.match_id
        failure = BotFailed(self.identity.name, problem, seat, match_id)
        failure.__cause__ = error
        self.over.set_exception(failure)
