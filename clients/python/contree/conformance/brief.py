"""Messages of the play protocol as short JSON, for a reader who looks for what went wrong."""

from __future__ import annotations

from typing import Any, Final

from contree.v1 import play_service_pb2, table_pb2
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage
from contree.wire import WireError, action_from_pb, decision_from_pb

_SHORT_ID: Final = 8


def brief(message: ClientMessage | ServerMessage) -> dict[str, Any]:
    """A message by its kind, with what tells it from others. Ids are cut short."""
    kind = message.WhichOneof("message")
    if kind is None:
        return {"nothing known": ""}
    content = getattr(message, kind)
    special = _SPECIAL.get(kind)
    return {kind: special(content) if special is not None else _plain(content)}


def short(decision_id: bytes) -> str:
    """A decision id, cut short."""
    return decision_id.hex()[:_SHORT_ID]


def action_text(action: Any) -> str:
    """An action as notation has it: ``80S``, ``pass``, ``TH``."""
    try:
        return str(action_from_pb(action, "action"))
    except WireError:
        return str(action).replace("\n", " ").strip() or "none"


def _hello(hello: play_service_pb2.Hello) -> dict[str, Any]:
    return {
        "protocol_version": hello.protocol_version,
        "bot": hello.bot,
        "instance_id": hello.instance_id,
        "capacity": hello.capacity,
    }


def _turn(turn: play_service_pb2.Turn) -> dict[str, Any]:
    told = {"seat_ref": turn.seat_ref, **_decision(turn.decision)}
    return {**told, "again": True} if turn.again else told


def _decision(decision: Any) -> dict[str, Any]:
    try:
        read = decision_from_pb(decision, "decision")
    except WireError:
        return {"decision": short(decision.id)}
    return {
        "decision": short(decision.id),
        "kind": read.kind.value,
        "legal": " ".join(str(action) for action in read.legal),
    }


def _act(act: play_service_pb2.Act) -> dict[str, Any]:
    return {
        "seat_ref": act.seat_ref,
        "decision": short(act.decision_id),
        "action": action_text(act.action),
    }


def _act_result(result: play_service_pb2.ActResult) -> dict[str, Any]:
    told: dict[str, Any] = {
        "seat_ref": result.seat_ref,
        "decision": short(result.decision_id),
        "status": _enum(play_service_pb2.ActStatus, result.status, "ACT_STATUS_"),
    }
    return {**told, "reason": result.reason} if result.reason else told


def _assigned(assigned: play_service_pb2.SeatAssigned) -> dict[str, Any]:
    return {
        "seat_ref": assigned.seat_ref,
        "match": assigned.match_id,
        "seat": _enum(table_pb2.Seat, assigned.seat, "SEAT_"),
        "rules": assigned.rules.name,
        "ready_owed": assigned.ready_owed,
        "resumed": assigned.resumed,
    }


def _ended(ended: play_service_pb2.SeatMatchEnded) -> dict[str, Any]:
    return {"seat_ref": ended.seat_ref, "match": ended.match_id}


def _deal_ended(ended: play_service_pb2.SeatDealEnded) -> dict[str, Any]:
    return {"seat_ref": ended.seat_ref}


def _welcome(welcome: play_service_pb2.Welcome) -> dict[str, Any]:
    return {
        "instance_id": welcome.instance_id,
        "capacity": welcome.capacity,
        "seats_owed": welcome.seats_owed,
    }


def _fault(fault: play_service_pb2.SeatFault) -> dict[str, Any]:
    return {"seat_ref": fault.seat_ref, "detail": fault.detail}


def _heartbeat(heartbeat: play_service_pb2.Heartbeat) -> dict[str, Any]:
    return {"nonce": heartbeat.nonce}


def _plain(content: Any) -> dict[str, Any]:
    return {field.name: _value(value) for field, value in content.ListFields()}


def _value(value: Any) -> Any:
    if isinstance(value, bytes):
        return short(value)
    return value if isinstance(value, bool | int | float | str) else str(value).replace("\n", " ")


def _enum(enum: Any, number: int, prefix: str) -> str:
    return str(enum.Name(number)).removeprefix(prefix) if number in enum.values() else str(number)


_SPECIAL: Final[dict[str, Any]] = {
    "hello": _hello,
    "welcome": _welcome,
    "turn": _turn,
    "act": _act,
    "act_result": _act_result,
    "seat_assigned": _assigned,
    "deal_ended": _deal_ended,
    "match_ended": _ended,
    "fault": _fault,
    "heartbeat": _heartbeat,
}
