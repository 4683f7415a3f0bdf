"""SpectateService."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from grpc import aio

from contree.server.host import Host
from contree.server.host.resources import match_to_pb
from contree.server.match import Match
from contree.server.rpc.errors import InvalidArgument
from contree.server.rpc.stalls import Ending
from contree.v1 import match_pb2, spectate_service_pb2, spectate_service_pb2_grpc

Context = aio.ServicerContext[Any, Any]
_STALLED_S = 60.0
"""A spectator that does not read for so long is sent away."""


class SpectateServicer(spectate_service_pb2_grpc.SpectateServiceServicer):
    """Watching, for people."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def Watch(
        self, request: spectate_service_pb2.WatchRequest, context: Context
    ) -> AsyncIterator[spectate_service_pb2.WatchResponse]:
        """Follow one match: public events, with all hands once they are disclosed."""
        if not request.match_id:
            raise InvalidArgument("match_id", "is empty")
        match = await self._host.match(request.match_id)
        disclosed = await self._host.disclosed(match)
        yield spectate_service_pb2.WatchResponse(match=await self._resource(match))
        stage = match.stage
        ending = Ending(context)
        try:
            async for sight in self._host.watching.match(
                match.id, request.after_seq, disclosed=disclosed
            ):
                response = spectate_service_pb2.WatchResponse(events=sight.events)
                if sight.match.stage is not stage:
                    stage = sight.match.stage
                    response.match.CopyFrom(await self._resource(sight.match))
                with ending.at_most(_STALLED_S):
                    yield response
        finally:
            ending.over()

    async def _resource(self, match: Match) -> match_pb2.Match:
        connected = self._host.connected(match.id)
        return match_to_pb(match, connected, disclosed=await self._host.disclosed(match))
