"""SpectateService."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from grpc import aio

from contree.server.access import current_caller
from contree.server.host import Host
from contree.server.host.errors import WatchClosed
from contree.server.host.resources import STAGE_TO_PB
from contree.server.host.showing import Audience, may_watch, shown_to
from contree.server.host.summary import Summary, summary_of
from contree.server.rpc.audiences import audience_of
from contree.server.rpc.requests import id_of
from contree.server.rpc.stalls import STALLED_S, Ending, Farewells
from contree.v1 import match_pb2, spectate_service_pb2, spectate_service_pb2_grpc

Context = aio.ServicerContext[Any, Any]


class SpectateServicer(spectate_service_pb2_grpc.SpectateServiceServicer):
    """Watching, for people."""

    def __init__(self, host: Host, farewells: Farewells) -> None:
        self._host = host
        self._farewells = farewells

    async def Watch(
        self, request: spectate_service_pb2.WatchRequest, context: Context
    ) -> AsyncIterator[spectate_service_pb2.WatchResponse]:
        """Follow one match: public events, with all hands once they are disclosed."""
        match = await self._host.queries.one(id_of(request.match_id))
        caller, owner = current_caller(), match.owner
        # Only a key proves who the host is: without one everybody is a spectator here.
        audience = audience_of(caller, owner, ()) if caller.key_id else Audience.PUBLIC
        released = await self._host.releases.released(owner, match.group)
        if audience is not Audience.HOST and not may_watch(match.message, released=released):
            raise WatchClosed(match.id)
        disclosed = await self._host.releases.disclosed(match)
        yield spectate_service_pb2.WatchResponse(match=await self._resource(match, audience))
        if match.ended and match.seq is not None and request.after_seq >= match.seq:
            return  # nothing came after what was seen before: its journal need not be read
        state = match.message.state
        ending = Ending(context, self._farewells)
        try:
            watched = self._host.watching.match(match.id, request.after_seq, disclosed=disclosed)
            async with aclosing(watched) as sights:
                async for sight in sights:
                    response = spectate_service_pb2.WatchResponse(events=sight.events)
                    if STAGE_TO_PB[sight.match.stage] != state:
                        state = STAGE_TO_PB[sight.match.stage]
                        async with self._host.reading.slice():
                            now = summary_of(sight.match, self._host.tables.connected(match.id))
                        response.match.CopyFrom(await self._resource(now, audience))
                    with ending.at_most(STALLED_S):
                        yield response
        finally:
            ending.over()

    async def _resource(self, match: Summary, audience: Audience) -> match_pb2.Match:
        match.message.disclosed = await self._host.releases.disclosed(match)
        released = await self._host.releases.released(match.owner, match.group)
        async with self._host.reading.slice():
            return shown_to(audience, match.message, released=released)
