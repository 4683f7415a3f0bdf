"""What a check does with what passes between the bot and the server. By default: nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from contree.v1.play_service_pb2 import ClientMessage, ServerMessage

if TYPE_CHECKING:
    from contree.conformance.gateway import Line


class Refusal(NamedTuple):
    """How a stream ends with an error."""

    status: grpc.StatusCode
    text: str
    reason: str = ""
    """A name of ErrorReason."""

    @property
    def trailing(self) -> tuple[tuple[str, bytes], ...]:
        """The trailing metadata, with the reason in ``google.rpc.ErrorInfo``."""
        if not self.reason:
            return ()
        detail = any_pb2.Any()
        detail.Pack(error_details_pb2.ErrorInfo(reason=self.reason, domain="contree"))
        status = status_pb2.Status(code=self.status.value[0], message=self.text, details=[detail])
        return (("grpc-status-details-bin", status.SerializeToString()),)


LOST = Refusal(grpc.StatusCode.UNAVAILABLE, "the stream was dropped")


class Script:
    """A script of a check: override what it changes."""

    def greet(self, line: Line) -> Refusal | None:
        """A stream opens with its Hello: None lets it through to the server."""
        del line
        return None

    def up(self, line: Line, message: ClientMessage) -> Iterable[ClientMessage]:
        """What the server gets when the bot says this."""
        del line
        return (message,)

    def down(self, line: Line, message: ServerMessage) -> Iterable[ServerMessage | bytes]:
        """What the bot gets when the server says this; bytes are a message with words that this
        version of the protocol does not have.
        """
        del line
        return (message,)


NOTHING = Script()
