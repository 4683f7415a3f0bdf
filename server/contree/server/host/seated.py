"""Whoever sits in a seat, as its table sees it: a session here, or a guest at another server."""

from __future__ import annotations

from typing import Protocol

from contree.server.host.session import Identity
from contree.v1.play_service_pb2 import ServerMessage


class Seated(Protocol):
    """What a table says to the bot of a seat; see `Session` for what each means.

    A seat is called by a short name, its ``ref``, of whoever sits there.
    """

    identity: Identity
    offences: int
    """Messages against the protocol so far."""
    round_trip_ms: int | None

    @property
    def here(self) -> bool:
        """Whether it is connected to this server, so that all its time is known here."""
        ...

    def new_ref(self) -> int:
        """A short name for a seat, never given before."""
        ...

    def send(self, message: ServerMessage | bytes, *, past: bool = False) -> None:
        """Say something."""
        ...

    def send_assigned(self, ref: int, message: ServerMessage) -> None:
        """Say that a seat is the bot's."""
        ...

    def send_turn(self, ref: int, message: ServerMessage | bytes) -> None:
        """Say what a seat owes."""
        ...

    def withdraw_turn(self, ref: int) -> None:
        """A seat owes nothing any more."""
        ...

    def send_last(self, ref: int, message: ServerMessage) -> None:
        """Say the last word about a seat."""
        ...

    def lose(self, ref: int) -> None:
        """The table of a seat cannot go on here: whoever holds the match next gives it back."""
        ...
