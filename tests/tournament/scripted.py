"""A MatchService that plays nothing: matches end as a script says. A real gRPC server on port 0."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from contree.engine import preset
from contree.v1 import deal_pb2, match_pb2, match_service_pb2, match_service_pb2_grpc, table_pb2
from contree.wire import rules_to_pb

Request = match_service_pb2.CreateMatchRequest
Match = match_pb2.Match
Context = grpc.aio.ServicerContext[Any, Any]
Script = Callable[[Request, Match], None]
"""Changes a match that is about to end: its scores, end reason, faults."""

STRENGTH = {"x": 100, "y": 60, "z": 0}
"""What a bot marks at every table, when nothing else is said."""


def plays_to_strength(request: Request, match: Match) -> None:
    """Every bot marks its strength, whatever its cards."""
    names = {spec.seat: spec.bot for spec in request.seats}
    match.end_reason = match_pb2.END_REASON_BOARD_DONE
    match.scores.north_south = STRENGTH[names[table_pb2.SEAT_NORTH]]
    match.scores.east_west = STRENGTH[names[table_pb2.SEAT_EAST]]
    match.results.append(deal_pb2.DealResult())


class ScriptedService(match_service_pb2_grpc.MatchServiceServicer):
    """Ends each match soon after it was created, later ones first; keeps count of all."""

    def __init__(self, script: Script = plays_to_strength) -> None:
        self.script = script
        self.matches: dict[str, Match] = {}
        self.requests: dict[str, Request] = {}
        self.created: list[str] = []
        """Request ids in the order in which they came, repeated ones included."""
        self.cancelled: list[str] = []
        self.released: list[str] = []
        self.most_playing = 0
        self.ends_matches = True
        self.tells_ends = True
        self.bots = dict.fromkeys(STRENGTH, 64)
        self.instances: dict[str, list[str]] = {}
        """Where instances are told: one name may be that of several."""
        self.on_create: Callable[[Request], None] = lambda request: None
        self._feed: list[Match] = []
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    # -- what tests look at ---------------------------------------------------------------------

    def playing(self) -> list[Request]:
        return [
            self.requests[match.id]
            for match in self.matches.values()
            if match.state != match_pb2.MATCH_STATE_ENDED
        ]

    def ended_in_group(self, group: str) -> list[bool]:
        return [
            match.state == match_pb2.MATCH_STATE_ENDED
            for match in self.matches.values()
            if match.disclosure_group == group
        ]

    async def end(self, match_id: str) -> None:
        match = self.matches[match_id]
        if match.state == match_pb2.MATCH_STATE_ENDED:
            return
        match.state = match_pb2.MATCH_STATE_ENDED
        self.script(self.requests[match_id], match)
        await self._tell(match, told=self.tells_ends)

    # -- MatchService ---------------------------------------------------------------------------

    async def CreateMatch(
        self, request: Request, context: Context
    ) -> match_service_pb2.CreateMatchResponse:
        self.on_create(request)
        self.created.append(request.request_id)
        match = self.matches.get(request.request_id)
        if match is None:
            match = self._make(request)
            self.most_playing = max(self.most_playing, len(self.playing()))
            await self._tell(match)
            if self.ends_matches:
                task = asyncio.create_task(self._end_soon(match.id))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        return match_service_pb2.CreateMatchResponse(match=match)

    def _make(self, request: Request) -> Match:
        match = Match(
            id=request.request_id,
            state=match_pb2.MATCH_STATE_WAITING,
            rules=rules_to_pb(preset(request.preset)),
            board=request.board,
            labels=request.labels,
            seats=[
                match_pb2.SeatStatus(
                    seat=spec.seat, bot=spec.bot, taken=spec.bot in self.bots, decisions=10
                )
                for spec in request.seats
            ],
            disclosure_group=request.disclosure_group,
            disclosure_policy=request.disclosure_policy,
        )
        self.matches[match.id] = match
        self.requests[match.id] = request
        return match

    async def _end_soon(self, match_id: str) -> None:
        # Long enough for others to be created, and not the same for all.
        await asyncio.sleep(0.004 + 0.004 * (len(self.matches) * 5 % 7))
        await self.end(match_id)

    async def GetMatch(
        self, request: match_service_pb2.GetMatchRequest, context: Context
    ) -> match_service_pb2.GetMatchResponse:
        return match_service_pb2.GetMatchResponse(match=self.matches[request.match_id])

    async def ListMatches(
        self, request: match_service_pb2.ListMatchesRequest, context: Context
    ) -> match_service_pb2.ListMatchesResponse:
        found = [match for match in self.matches.values() if request.label in match.labels]
        return match_service_pb2.ListMatchesResponse(matches=found)

    async def CancelMatch(
        self, request: match_service_pb2.CancelMatchRequest, context: Context
    ) -> match_service_pb2.CancelMatchResponse:
        match = self.matches[request.match_id]
        if match.state == match_pb2.MATCH_STATE_ENDED:
            await _refuse(context, "MATCH_ENDED", grpc.StatusCode.FAILED_PRECONDITION)
        self.cancelled.append(match.id)
        match.state = match_pb2.MATCH_STATE_ENDED
        match.end_reason = match_pb2.END_REASON_CANCELLED
        await self._tell(match)
        return match_service_pb2.CancelMatchResponse(match=match)

    async def GetRecord(
        self, request: match_service_pb2.GetRecordRequest, context: Context
    ) -> match_service_pb2.GetRecordResponse:
        match = self.matches.get(request.match_id)
        if match is None:
            await _refuse(context, "MATCH_NOT_FOUND", grpc.StatusCode.NOT_FOUND)
        elif match.disclosure_group not in self.released:
            await _refuse(context, "NOT_DISCLOSED", grpc.StatusCode.FAILED_PRECONDITION)
        return match_service_pb2.GetRecordResponse(record=f"[BGN 1] {request.match_id}\n")

    async def ReleaseGroup(
        self, request: match_service_pb2.ReleaseGroupRequest, context: Context
    ) -> match_service_pb2.ReleaseGroupResponse:
        assert all(self.ended_in_group(request.disclosure_group))
        self.released.append(request.disclosure_group)
        return match_service_pb2.ReleaseGroupResponse()

    async def ListBots(
        self, request: match_service_pb2.ListBotsRequest, context: Context
    ) -> match_service_pb2.ListBotsResponse:
        return match_service_pb2.ListBotsResponse(
            bots=[
                match_service_pb2.ConnectedBot(bot=name, instance_id=instance, capacity=capacity)
                for name, capacity in self.bots.items()
                for instance in self.instances.get(name, [""])
            ]
        )

    async def WatchMatches(
        self, request: match_service_pb2.WatchMatchesRequest, context: Context
    ) -> AsyncIterator[match_service_pb2.WatchMatchesResponse]:
        place = int(request.resume_token or 0)
        while True:
            async with self._news:
                while place >= len(self._feed):
                    await self._news.wait()
            match = self._feed[place]
            place += 1
            if request.label in match.labels:
                yield match_service_pb2.WatchMatchesResponse(resume_token=str(place), match=match)

    async def _tell(self, match: Match, *, told: bool = True) -> None:
        if told:
            snapshot = Match()
            snapshot.CopyFrom(match)
            self._feed.append(snapshot)
            async with self._news:
                self._news.notify_all()


async def _refuse(context: Context, reason: str, status: grpc.StatusCode) -> None:
    info = error_details_pb2.ErrorInfo(reason=f"ERROR_REASON_{reason}", domain="contree")
    details = status_pb2.Status(code=status.value[0], message=reason)
    details.details.add().Pack(info)
    await context.abort(status, reason, (("grpc-status-details-bin", details.SerializeToString()),))


@asynccontextmanager
async def serving(service: ScriptedService) -> AsyncIterator[str]:
    """Serve it; its address."""
    server = grpc.aio.server()
    match_service_pb2_grpc.add_MatchServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


def by_group(requests: list[Request]) -> dict[str, list[Request]]:
    """Requests by board."""
    groups: dict[str, list[Request]] = defaultdict(list)
    for request in requests:
        groups[request.disclosure_group].append(request)
    return groups
