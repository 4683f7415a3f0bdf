"""The host's side: creating, watching and reading matches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from grpc import aio

from contree.client.channel import DEFAULT_CONNECTION, Connection, Route, Target, open_channel
from contree.client.errors import ContreeError, Garbled, TryLater, error_from_rpc
from contree.client.events import MatchEnded, TableUpdate
from contree.client.matches import ConnectedBot, Match, MatchSpec, MatchUpdate
from contree.client.messages import (
    connected_bot_from_pb,
    match_from_pb,
    spec_to_pb,
    table_update_from_pb,
)
from contree.client.patience import Patience
from contree.engine import RuleSet
from contree.v1 import (
    match_service_pb2,
    match_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)
from contree.wire import WireError, rules_from_pb

_SILENCE_S: Final = 30.0
"""A feed of matches says something every few seconds, if only that it is there."""

_Message = TypeVar("_Message")
_Value = TypeVar("_Value")


class HostClient:
    """A connection of a host. Use it in ``async with``, or ``close`` it.

    Every call is tried again while the server is away, for ``connection.patience`` seconds; all of
    them may be repeated without harm. Raises ``Unreachable`` after that, and the ``ServiceError``
    that says why when the service says no.
    """

    def __init__(
        self,
        server: str | Sequence[str] | None = None,
        token: str | None = None,
        *,
        connection: Connection = DEFAULT_CONNECTION,
    ) -> None:
        """``server`` is HOST:PORT or tls://HOST:PORT, by default that of CONTREE_SERVER, else
        127.0.0.1:50051; ``token`` by default that of CONTREE_TOKEN or in the file
        CONTREE_TOKEN_FILE. Of several servers (a sequence, or one text with commas) the next is
        asked when one fails. Raises ``Misconfigured``.
        """
        self._target = Target.of(server, token)
        self._target.warn(connection)
        self._route = Route(self._target)
        self._connection = connection
        self._channels: dict[str, aio.Channel] = {}

    @property
    def server(self) -> str:
        """HOST:PORT of the server; of several, with commas."""
        return self._target.address

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connection and all that goes on over it."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            await channel.close()

    # -- matches --------------------------------------------------------------------------------

    async def create_match(self, spec: MatchSpec) -> Match:
        """Create a match; the one that exists when the request id was used for the same."""
        response = await self._call(lambda: self._matches().CreateMatch, spec_to_pb(spec))
        return _read(match_from_pb, response.match)

    async def get_match(self, match_id: str) -> Match:
        """Read a match."""
        request = match_service_pb2.GetMatchRequest(match_id=match_id)
        response = await self._call(lambda: self._matches().GetMatch, request)
        return _read(match_from_pb, response.match)

    async def list_matches(
        self,
        label: str = "",
        *,
        unfinished: bool = False,
        unreadable: Callable[[str], object] | None = None,
    ) -> AsyncIterator[Match]:
        """The matches with a label, in the order created.

        Or those that are not over and are this host's, all of them for an operator: with a label
        or, where that is left out, of all labels, in the order of their ids. How they stand comes
        with them.

        ``unreadable`` is told the ids of those of which nothing else can be read: their journal
        is damaged, or of a newer server.
        """
        token = ""
        while True:
            request = match_service_pb2.ListMatchesRequest(
                label=label, page_token=token, unfinished=unfinished
            )
            response = await self._call(lambda: self._matches().ListMatches, request)
            for match in response.matches:
                yield _read(match_from_pb, match)
            if unreadable is not None:
                for match_id in response.unreadable:
                    unreadable(match_id)
            token = response.next_page_token
            if not token:
                return

    async def cancel_match(self, match_id: str, reason: str = "") -> Match:
        """End a match without a result."""
        request = match_service_pb2.CancelMatchRequest(match_id=match_id, reason=reason)
        response = await self._call(lambda: self._matches().CancelMatch, request)
        return _read(match_from_pb, response.match)

    async def get_record(self, match_id: str) -> str:
        """The text record of a match that has ended and is disclosed."""
        request = match_service_pb2.GetRecordRequest(match_id=match_id)
        return str((await self._call(lambda: self._matches().GetRecord, request)).record)

    async def release_group(self, disclosure_group: str) -> None:
        """Disclose all matches of a disclosure group."""
        request = match_service_pb2.ReleaseGroupRequest(disclosure_group=disclosure_group)
        await self._call(lambda: self._matches().ReleaseGroup, request)

    async def list_bots(self) -> tuple[ConnectedBot, ...]:
        """The bots that are connected; those at other servers than the one that is asked, as of up
        to two seconds ago.
        """
        response = await self._call(
            lambda: self._matches().ListBots, match_service_pb2.ListBotsRequest()
        )
        return tuple(_read(connected_bot_from_pb, bot) for bot in response.bots)

    async def watch_matches(self, label: str, resume_token: str = "") -> AsyncIterator[MatchUpdate]:
        """First every match with a label as it stands, then each that changes state, without end.

        Redials by itself and goes on after what it has seen. An update may come twice; the last one
        of a match counts.
        """
        token = resume_token

        def start() -> Any:
            request = match_service_pb2.WatchMatchesRequest(label=label, resume_token=token)
            return self._matches().WatchMatches(request, metadata=self._target.metadata)

        async with aclosing(self._follow(start, silence=_SILENCE_S)) as responses:
            async for response in responses:
                token = response.resume_token or token
                if response.HasField("match"):
                    yield MatchUpdate(_read(match_from_pb, response.match), token)

    # -- watching -------------------------------------------------------------------------------

    async def watch_match(self, match_id: str, after_seq: int = 0) -> AsyncIterator[TableUpdate]:
        """The public events of a match after a seq, until it ends; redials by itself."""
        seen = after_seq
        over = False

        def start() -> Any:
            request = spectate_service_pb2.WatchRequest(match_id=match_id, after_seq=seen)
            stub = spectate_service_pb2_grpc.SpectateServiceStub(self._open())
            return stub.Watch(request, metadata=self._target.metadata)

        async with aclosing(self._follow(start, over=lambda: over)) as responses:
            async for response in responses:
                update = _read(table_update_from_pb, response)
                seen = max([seen, *(event.seq for event in response.events)])
                over = over or (update.match is not None and update.match.ended)
                yield update
                if any(isinstance(event.what, MatchEnded) for event in update.events):
                    return

    # -- rules ----------------------------------------------------------------------------------

    async def list_presets(self) -> tuple[RuleSet, ...]:
        """The rule sets that the server offers by name."""
        request = rules_service_pb2.ListPresetsRequest()
        response = await self._call(lambda: self._rules().ListPresets, request)
        return tuple(_read(rules_from_pb, preset) for preset in response.presets)

    # -- calling --------------------------------------------------------------------------------

    def _open(self) -> aio.Channel:
        address = self._route.address
        if address not in self._channels:
            self._channels[address] = open_channel(address, self._connection)
        return self._channels[address]

    def _matches(self) -> Any:
        return match_service_pb2_grpc.MatchServiceStub(self._open())

    def _rules(self) -> Any:
        return rules_service_pb2_grpc.RulesServiceStub(self._open())

    def _patience(self) -> Patience:
        connection = self._connection
        return Patience(self._target.address, connection.patience, connection.backoff)

    async def _call(self, method: Callable[[], Any], request: object) -> Any:
        """Call a method of the server that is to be asked, until one answers."""
        patience = self._patience()
        while True:
            address = self._route.address
            try:
                return await method()(
                    request, timeout=self._connection.timeout, metadata=self._target.metadata
                )
            except aio.AioRpcError as failure:
                error = error_from_rpc(failure)
                if not isinstance(error, TryLater):
                    raise error from None
            self._route.turn_from(address)
            await patience.failed(error)

    async def _follow(
        self,
        start: Callable[[], Any],
        *,
        silence: float | None = None,
        over: Callable[[], bool] = lambda: False,
    ) -> AsyncGenerator[Any, None]:
        """The responses of a server's stream, over as many connections as it takes.

        ``silence`` is how many seconds without a response mean that the connection is dead. Only
        when ``over`` says so is the end of the stream the end.
        """
        patience = self._patience()
        while True:
            address = self._route.address
            call = start()
            try:
                while True:
                    async with asyncio.timeout(silence):
                        response = await call.read()
                    if response is aio.EOF:
                        break
                    patience.succeeded()
                    yield response
                if over():
                    return
                error: ContreeError = TryLater("the server ended the stream")
            except aio.AioRpcError as failure:
                error = error_from_rpc(failure)
            except TimeoutError:
                error = TryLater("the server fell silent")
            finally:
                call.cancel()
            if not isinstance(error, TryLater):
                raise error from None
            self._route.turn_from(address)
            await patience.failed(error)


def _read(convert: Callable[[_Message], _Value], message: _Message) -> _Value:
    """What a message says; Garbled when it cannot be read."""
    try:
        return convert(message)
    except WireError as error:
        raise Garbled(error.field, error.problem) from error
