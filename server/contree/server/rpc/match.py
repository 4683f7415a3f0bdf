"""MatchService."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any, Final

from google.protobuf import duration_pb2
from grpc import aio

from contree.server.host import Host
from contree.server.host.resources import match_to_pb
from contree.server.match import Match
from contree.server.rpc.errors import InvalidArgument, InvalidToken
from contree.server.rpc.requests import match_spec
from contree.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc

_PAGE: Final = 100
_MAX_ID: Final = 128
_FEED_ID: Final = re.compile(r"\d{1,19}(-\d{1,19})?", re.ASCII)
Context = aio.ServicerContext[Any, Any]


class MatchServicer(match_service_pb2_grpc.MatchServiceServicer):
    """Matches, for hosts."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def CreateMatch(
        self, request: match_service_pb2.CreateMatchRequest, context: Context
    ) -> match_service_pb2.CreateMatchResponse:
        """Create a match, once for each request id."""
        spec = match_spec(request, self._host.settings.time_control)
        match = await self._host.create_match(spec)
        return match_service_pb2.CreateMatchResponse(match=await self._resource(match))

    async def GetMatch(
        self, request: match_service_pb2.GetMatchRequest, context: Context
    ) -> match_service_pb2.GetMatchResponse:
        """Read a match."""
        match = await self._host.match(_id(request.match_id))
        return match_service_pb2.GetMatchResponse(match=await self._resource(match))

    async def ListMatches(
        self, request: match_service_pb2.ListMatchesRequest, context: Context
    ) -> match_service_pb2.ListMatchesResponse:
        """List matches by label, in the order created."""
        if not request.label:
            raise InvalidArgument("label", "is empty")
        size = request.page_size or _PAGE
        if not 1 <= size <= 1000:
            raise InvalidArgument("page_size", f"{size} is not between 1 and 1000")
        ids, matches = await self._host.matches(request.label, request.page_token, size)
        return match_service_pb2.ListMatchesResponse(
            matches=[await self._resource(match) for match in matches],
            next_page_token=ids[-1] if len(ids) == size else "",
        )

    async def CancelMatch(
        self, request: match_service_pb2.CancelMatchRequest, context: Context
    ) -> match_service_pb2.CancelMatchResponse:
        """End a match without a result."""
        match = await self._host.cancel(_id(request.match_id), request.reason[:200])
        return match_service_pb2.CancelMatchResponse(match=await self._resource(match))

    async def GetRecord(
        self, request: match_service_pb2.GetRecordRequest, context: Context
    ) -> match_service_pb2.GetRecordResponse:
        """The record of an ended, disclosed match."""
        record = await self._host.record(_id(request.match_id))
        return match_service_pb2.GetRecordResponse(record=record)

    async def WatchMatches(
        self, request: match_service_pb2.WatchMatchesRequest, context: Context
    ) -> AsyncIterator[match_service_pb2.WatchMatchesResponse]:
        """Follow all matches of a label."""
        if not request.label:
            raise InvalidArgument("label", "is empty")
        after = request.resume_token or "0"
        if not _FEED_ID.fullmatch(after):
            raise InvalidToken("resume_token")
        async for token, payload in self._host.watching.label(request.label, after):
            response = match_service_pb2.WatchMatchesResponse(resume_token=token)
            if payload:
                response.match.MergeFromString(payload)
            yield response

    async def ReleaseGroup(
        self, request: match_service_pb2.ReleaseGroupRequest, context: Context
    ) -> match_service_pb2.ReleaseGroupResponse:
        """Disclose all matches of a disclosure group."""
        if not request.disclosure_group:
            raise InvalidArgument("disclosure_group", "is empty")
        if len(request.disclosure_group) > _MAX_ID:
            raise InvalidArgument("disclosure_group", f"has more than {_MAX_ID} characters")
        await self._host.release_group(request.disclosure_group)
        return match_service_pb2.ReleaseGroupResponse()

    async def ListBots(
        self, request: match_service_pb2.ListBotsRequest, context: Context
    ) -> match_service_pb2.ListBotsResponse:
        """The bots that are connected."""
        now = self._host.now()
        return match_service_pb2.ListBotsResponse(
            bots=[
                match_service_pb2.ConnectedBot(
                    bot=session.identity.bot,
                    bot_version=session.identity.bot_version,
                    capacity=session.identity.capacity,
                    seats=len(session.seats),
                    connected=duration_pb2.Duration(seconds=int(now - session.connected_at)),
                )
                for session in self._host.sessions()
            ]
        )

    async def _resource(self, match: Match) -> match_pb2.Match:
        connected = self._host.connected(match.id)
        return match_to_pb(match, connected, disclosed=await self._host.disclosed(match))


def _id(match_id: str) -> str:
    if not match_id:
        raise InvalidArgument("match_id", "is empty")
    if len(match_id) > _MAX_ID:
        raise InvalidArgument("match_id", f"has more than {_MAX_ID} characters")
    return match_id
