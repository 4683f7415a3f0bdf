"""Turns, answers and frames straight to bytes, for servers and bots with many tables.

``turn_to_bytes`` gives exactly what ``ServerMessage(turn=turn_to_pb(...)).SerializeToString()``
gives (a test compares them), a dozen times faster: most of a turn is the same as in the turn
before, so its parts are kept as bytes and joined. ``frame_to_bytes`` joins such messages to a
``PlayResponse``, others among them. With ``frame_serializer`` as its ``response_serializer`` a
method handler may yield frames as bytes or as messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Generic, TypeVar

from contree.engine.actions import Action, Announced, Call
from contree.engine.auction import DecisionKind, PlacedCall
from contree.engine.cards import Card
from contree.engine.contract import Contract
from contree.engine.table import Seat
from contree.engine.trick import Trick
from contree.engine.view import View
from contree.v1 import auction_pb2, deal_pb2, observation_pb2, play_service_pb2
from contree.wire.auction import call_to_pb, contract_to_pb
from contree.wire.cards import SEAT_TO_PB, team_score_to_pb
from contree.wire.decision import KIND_TO_PB, Clock, action_to_pb, clock_to_pb, decision_to_pb
from contree.wire.view import seat_view_to_pb

_PlayResponse = play_service_pb2.PlayResponse
_ServerMessage = play_service_pb2.ServerMessage
_Turn = play_service_pb2.Turn
_SeatView = observation_pb2.SeatView
_TableView = observation_pb2.TableView
_Decision = observation_pb2.Decision


def turn_to_pb(
    seat_ref: int, seq: int, view: View, decision_id: bytes, clock: Clock, *, again: bool = False
) -> play_service_pb2.Turn:
    """The turn of a seat that owes ``view.kind``. ValueError when it owes nothing."""
    return _Turn(
        seat_ref=seat_ref,
        seq=seq,
        view=seat_view_to_pb(view),
        decision=decision_to_pb(_owed(view), view.legal, decision_id, clock),
        again=again,
    )


def turn_to_bytes(
    seat_ref: int, seq: int, view: View, decision_id: bytes, clock: Clock, *, again: bool = False
) -> bytes:
    """A serialized ``ServerMessage`` with this turn. ValueError when the seat owes nothing."""
    number, dealer, playing = view.number, view.dealer, view.auction_over
    table = (
        _head(number, dealer)
        + _calls(view.calls, view.contract)
        + (_PLAYING if playing else b"")
        + _tricks(view.tricks, view.winners)
        + (b"" if view.trick is None else _current_trick(view.trick))
        + _scores(view.scores)
        + (_belotes(view.belotes) if view.belotes else b"")
    )
    hand = view.hand
    seen = (
        _SEAT[view.seat]
        + _TABLE
        + _length(len(table))
        + table
        + (_HAND + _BYTE[len(hand)] + _numbers(hand) if hand else b"")
    )
    decision = (
        (_ID + _length(len(decision_id)) + decision_id if decision_id else b"")
        + _legal(_owed(view), view.legal)
        + _clock(clock)
    )
    turn = (
        _position(seat_ref)
        + (_SEQ + _varint(seq) if seq else b"")
        + _VIEW
        + _length(len(seen))
        + seen
        + _DECISION
        + _length(len(decision))
        + decision
        + (_AGAIN if again else b"")
    )
    return _MESSAGE_TURN + _length(len(turn)) + turn


def act_result_to_bytes(
    seat_ref: int, decision_id: bytes, status: play_service_pb2.ActStatus.ValueType
) -> bytes:
    """A serialized ``ServerMessage`` with an ``ActResult`` that needs no explanation."""
    result = (
        _position(seat_ref)
        + (_RESULT_ID + _length(len(decision_id)) + decision_id if decision_id else b"")
        + _RESULT_STATUS[status]
    )
    return _MESSAGE_ACT_RESULT + _length(len(result)) + result


def act_to_bytes(seat_ref: int, decision_id: bytes, action: Action) -> bytes:
    """A serialized ``ClientMessage`` that answers a decision."""
    act = (
        _position(seat_ref)
        + (_ACT_ID + _length(len(decision_id)) + decision_id if decision_id else b"")
        + _action(action)
    )
    return _MESSAGE_ACT + _length(len(act)) + act


def heartbeat_to_bytes(nonce: int, seats: Iterable[tuple[int, int]]) -> bytes:
    """A serialized ``ServerMessage`` with a ``Heartbeat``; ``seats`` are (seat_ref, seq)."""
    parts = [_NONCE + _varint(nonce)] if nonce else []
    for ref, seq in seats:
        seat = _BEAT_REF + _length(ref) + (_BEAT_SEQ + _length(seq) if seq else b"")
        parts.append(_BEAT_SEAT_OF[len(seat)] + seat)
    beat = b"".join(parts)
    return _MESSAGE_HEARTBEAT + _length(len(beat)) + beat


def frame_to_bytes(
    messages: Iterable[bytes | play_service_pb2.ServerMessage | play_service_pb2.ClientMessage],
) -> bytes:
    """A serialized ``PlayResponse`` (or ``PlayRequest``, for they have the same shape) with these
    messages, each serialized already or not.
    """
    parts: list[bytes] = []
    for message in messages:
        data = message if isinstance(message, bytes) else message.SerializeToString()
        parts += (_FRAME_MESSAGE, _length(len(data)), data)
    return b"".join(parts)


def frame_serializer(frame: bytes | play_service_pb2.PlayResponse) -> bytes:
    """The ``response_serializer`` of a servicer that yields frames as bytes or as messages."""
    return frame if isinstance(frame, bytes) else frame.SerializeToString()


# --- the pieces of the wire format: a field is its tag (number and kind) and its value


def _varint(number: int) -> bytes:
    if number < 0x80:
        return _BYTE[number]
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*parts, number))


def _number_tag(field: int) -> bytes:
    return _varint(field << 3)


def _bytes_tag(field: int) -> bytes:
    return _varint(field << 3 | 2)


_BYTE: Final = tuple(bytes((number,)) for number in range(256))
_LENGTHS: Final = tuple(_varint(number) for number in range(4096))
_PLUS_ONE: Final = bytes((*range(1, 256), 0))


def _length(length: int) -> bytes:
    return _LENGTHS[length] if length < 4096 else _varint(length)


def _numbers(cards: Sequence[Card]) -> bytes:
    """The cards as packed enum numbers: each the card's index plus one."""
    return bytes(cards).translate(_PLUS_ONE)


_SEAT: Final = tuple(
    _number_tag(_SeatView.SEAT_FIELD_NUMBER) + _varint(number) for number in SEAT_TO_PB
)
_TABLE: Final = _bytes_tag(_SeatView.TABLE_FIELD_NUMBER)
_HAND: Final = _bytes_tag(_SeatView.HAND_FIELD_NUMBER)
_CALL: Final = _bytes_tag(_TableView.CALLS_FIELD_NUMBER)
_CONTRACT: Final = _bytes_tag(_TableView.CONTRACT_FIELD_NUMBER)
_PLAYING: Final = _number_tag(_TableView.PLAYING_FIELD_NUMBER) + b"\x01"
_TRICKS: Final = _bytes_tag(_TableView.TRICKS_FIELD_NUMBER)
_TRICK: Final = _bytes_tag(_TableView.TRICK_FIELD_NUMBER)
_BELOTES: Final = _bytes_tag(_TableView.BELOTES_FIELD_NUMBER)
_LEADER: Final = tuple(
    _number_tag(deal_pb2.Trick.LEADER_FIELD_NUMBER) + _varint(number) for number in SEAT_TO_PB
)
_CARDS: Final = _bytes_tag(deal_pb2.Trick.CARDS_FIELD_NUMBER)
_WINNER: Final = tuple(
    _number_tag(deal_pb2.Trick.WINNER_FIELD_NUMBER) + _varint(number) for number in SEAT_TO_PB
)
_ID: Final = _bytes_tag(_Decision.ID_FIELD_NUMBER)
_KIND: Final = {
    kind: _number_tag(_Decision.KIND_FIELD_NUMBER) + _varint(number)
    for kind, number in KIND_TO_PB.items()
}
_LEGAL_CALL: Final = _bytes_tag(_Decision.CALLS_FIELD_NUMBER)
_LEGAL_CARDS: Final = _KIND[DecisionKind.CARD] + _bytes_tag(_Decision.CARDS_FIELD_NUMBER)
_ANNOUNCEABLE: Final = _bytes_tag(_Decision.ANNOUNCEABLE_FIELD_NUMBER)
_SEQ: Final = _number_tag(_Turn.SEQ_FIELD_NUMBER)
_VIEW: Final = _bytes_tag(_Turn.VIEW_FIELD_NUMBER)
_DECISION: Final = _bytes_tag(_Turn.DECISION_FIELD_NUMBER)
_AGAIN: Final = _number_tag(_Turn.AGAIN_FIELD_NUMBER) + b"\x01"
_MESSAGE_TURN: Final = _bytes_tag(_ServerMessage.TURN_FIELD_NUMBER)
_MESSAGE_ACT_RESULT: Final = _bytes_tag(_ServerMessage.ACT_RESULT_FIELD_NUMBER)
_MESSAGE_HEARTBEAT: Final = _bytes_tag(_ServerMessage.HEARTBEAT_FIELD_NUMBER)
_NONCE: Final = _number_tag(play_service_pb2.Heartbeat.NONCE_FIELD_NUMBER)
_BEAT_SEAT_OF: Final = tuple(
    _bytes_tag(play_service_pb2.Heartbeat.SEATS_FIELD_NUMBER) + _varint(size) for size in range(32)
)
_BEAT_REF: Final = _number_tag(play_service_pb2.SeatSeq.SEAT_REF_FIELD_NUMBER)
_BEAT_SEQ: Final = _number_tag(play_service_pb2.SeatSeq.SEQ_FIELD_NUMBER)
_RESULT_ID: Final = _bytes_tag(play_service_pb2.ActResult.DECISION_ID_FIELD_NUMBER)
_RESULT_STATUS: Final = tuple(
    _number_tag(play_service_pb2.ActResult.STATUS_FIELD_NUMBER) + _varint(number)
    for number in sorted(play_service_pb2.ActStatus.values())
)
_ACT_ID: Final = _bytes_tag(play_service_pb2.Act.DECISION_ID_FIELD_NUMBER)
_MESSAGE_ACT: Final = _bytes_tag(play_service_pb2.ClientMessage.ACT_FIELD_NUMBER)
_FRAME_MESSAGE: Final = _bytes_tag(_PlayResponse.MESSAGES_FIELD_NUMBER)


# --- parts that come again

_Whole = TypeVar("_Whole")


class _Kept(Generic[_Whole]):
    """Bytes by the identity of the tuple they were made from.

    The engine hands on the same tuple as long as nothing is added to it, and comparing identities
    is cheaper than hashing fifty bids. The tuple is kept with its bytes, so an identity cannot come
    to name another one.
    """

    __slots__ = ("entries", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.entries: dict[int, tuple[_Whole, object, bytes]] = {}

    def put(self, whole: _Whole, besides: object, data: bytes) -> bytes:
        """Keep ``data``; the oldest entry goes when there are too many."""
        entries = self.entries
        if len(entries) >= self.size:
            del entries[next(iter(entries))]
        entries[id(whole)] = (whole, besides, data)
        return data


_KEPT_CALLS: Final[_Kept[tuple[PlacedCall, ...]]] = _Kept(4096)
_KEPT_TRICKS: Final[_Kept[tuple[Trick, ...]]] = _Kept(4096)
_KEPT_LEGAL: Final[_Kept[tuple[Action, ...]]] = _Kept(1024)


@lru_cache(maxsize=1024)
def _head(number: int, dealer: Seat) -> bytes:
    return _TableView(deal_number=number, dealer=SEAT_TO_PB[dealer]).SerializeToString()


@lru_cache(maxsize=4096)
def _placed_call(seat: Seat, call: Call) -> bytes:
    message = auction_pb2.PlacedCall(seat=SEAT_TO_PB[seat], call=call_to_pb(call))
    data = message.SerializeToString()
    return _CALL + _length(len(data)) + data


@lru_cache(maxsize=4096)
def _contract(contract: Contract) -> bytes:
    data = contract_to_pb(contract).SerializeToString()
    return _CONTRACT + _length(len(data)) + data


def _calls(calls: tuple[PlacedCall, ...], contract: Contract | None) -> bytes:
    """The calls and the contract that stands after them."""
    kept = _KEPT_CALLS.entries.get(id(calls))
    if kept is not None and kept[0] is calls and kept[1] == contract:
        return kept[2]
    data = b"".join([_placed_call(seat, call) for seat, call in calls])
    if contract is not None:
        data += _contract(contract)
    return _KEPT_CALLS.put(calls, contract, data)


def _tricks(tricks: tuple[Trick, ...], winners: tuple[Seat, ...]) -> bytes:
    if not tricks:
        return b""
    kept = _KEPT_TRICKS.entries.get(id(tricks))
    if kept is not None and kept[0] is tricks and kept[1] is winners:
        return kept[2]
    parts = []
    for trick, winner in zip(tricks, winners, strict=True):
        data = _trick(trick) + _WINNER[winner]
        parts.append(_TRICKS + _BYTE[len(data)] + data)
    return _KEPT_TRICKS.put(tricks, winners, b"".join(parts))


def _trick(trick: Trick) -> bytes:
    cards = trick.cards
    if not cards:
        return _LEADER[trick.leader]
    return _LEADER[trick.leader] + _CARDS + _BYTE[len(cards)] + _numbers(cards)


def _current_trick(trick: Trick) -> bytes:
    data = _trick(trick)
    return _TRICK + _BYTE[len(data)] + data


@lru_cache(maxsize=4096)
def _scores(scores: tuple[int, int]) -> bytes:
    return _TableView(scores=team_score_to_pb(scores)).SerializeToString()


def _belotes(seats: tuple[Seat, ...]) -> bytes:
    return _BELOTES + _BYTE[len(seats)] + bytes([SEAT_TO_PB[seat] for seat in seats])


def _owed(view: View) -> DecisionKind:
    if view.kind is None:
        raise ValueError(f"{view.seat} owes no decision")
    return view.kind


def _legal(kind: DecisionKind, legal: tuple[Action, ...]) -> bytes:
    if kind is not DecisionKind.CARD:
        kept = _KEPT_LEGAL.entries.get(id(legal))
        if kept is not None and kept[0] is legal and kept[1] is kind:
            return kept[2]
        message = decision_to_pb(kind, legal, b"", Clock(0))
        message.ClearField("clock")
        return _KEPT_LEGAL.put(legal, kind, message.SerializeToString())
    if type(legal[-1]) is not Announced:
        return _LEGAL_CARDS + _BYTE[len(legal)] + bytes(legal).translate(_PLUS_ONE)  # type: ignore[arg-type]
    message = decision_to_pb(kind, legal, b"", Clock(0))
    message.ClearField("clock")
    return message.SerializeToString()


@lru_cache(maxsize=8192)
def _clock(clock: Clock) -> bytes:
    return _Decision(clock=clock_to_pb(clock)).SerializeToString()


@lru_cache(maxsize=1024)
def _position(seat_ref: int) -> bytes:
    return _Turn(seat_ref=seat_ref).SerializeToString()


@lru_cache(maxsize=1024)
def _action(action: Action) -> bytes:
    return play_service_pb2.Act(action=action_to_pb(action)).SerializeToString()
