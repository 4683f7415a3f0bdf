"""MatchService."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any, Final

import structlog
from google.protobuf import duration_pb2
from grpc import aio

from contree.server.access import Quotas, Role, current_caller
from contree.server.host import Host
from contree.server.host.errors import MatchUnreadable
from contree.server.host.peers import identity_from_pb
from contree.server.host.session import Identity
from contree.server.host.showing import Audience, shown_to
from contree.server.host.summary import Summary, summary_of, unpack
from contree.server.rpc.audiences import audience_of
from contree.server.rpc.errors import InvalidArgument, InvalidToken
from contree.server.rpc.requests import id_of, match_spec, text_of
from contree.server.rpc.stalls import STALLED_S, Ending, Farewells
from contree.server.store import MatchNotFound, is_feed_id
from contree.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc

_PAGE: Final = 100
_PAGE_TOKEN: Final = re.compile(r"[!-~]{0,128}")
"""The id of a match."""
_LONGEST_REASON: Final = 200
Context = aio.ServicerContext[Any, Any]
_log = structlog.get_logger(__name__)


class MatchServicer(match_service_pb2_grpc.MatchServiceServicer):
    """Matches, for hosts."""

    def __init__(self, host: Host, quotas: Quotas, farewells: Farewells) -> None:
        self._host = host
        self._quotas = quotas
        self._farewells = farewells

    async def CreateMatch(
        self, request: match_service_pb2.CreateMatchRequest, context: Context
    ) -> match_service_pb2.CreateMatchResponse:
        """Create a match, once for each request id."""
        caller = current_caller()
        spec = match_spec(request, self._host.settings.time_control, caller.key_id)
        match = await self._host.matches.create(spec, partial(self._quotas.create, caller))
        return match_service_pb2.CreateMatchResponse(match=await self._resource(match))

    async def GetMatch(
        self, request: match_service_pb2.GetMatchRequest, context: Context
    ) -> match_service_pb2.GetMatchResponse:
        """Read a match."""
        match = await self._host.queries.one(id_of(request.match_id))
        await self._host.standings.fill_in([match])
        return match_service_pb2.GetMatchResponse(match=await self._resource(match))

    async def ListMatches(
        self, request: match_service_pb2.ListMatchesRequest, context: Context
    ) -> match_service_pb2.ListMatchesResponse:
        """List matches by label, in the order created, or those that are not over."""
        label = text_of("label", request.label, 0 if request.unfinished else 1)
        if not _PAGE_TOKEN.fullmatch(request.page_token):
            raise InvalidToken("page_token")
        size = request.page_size or _PAGE
        if not 1 <= size <= 1000:
            raise InvalidArgument("page_size", f"{size} is not between 1 and 1000")
        caller, queries = current_caller(), self._host.queries
        weigh = partial(self._quotas.weigh, caller)
        if request.unfinished:
            listed = await queries.unfinished(label, request.page_token, size, weigh)
            matches = [match for match in listed.matches if caller.owns(match.owner)]
        else:
            listed = await queries.of_label(label, request.page_token, size, weigh)
            matches = listed.matches
        await self._host.standings.fill_in(matches)
        shown = [await self._resource(match) for match in matches]
        response = match_service_pb2.ListMatchesResponse(
            next_page_token=listed.ids[-1] if len(listed.ids) == size else "",
            unreadable=[one for one in listed.unreadable if await self._may_know(one)],
        )
        async with self._host.reading.slice() as mine:
            for match in shown:
                response.matches.append(match)
                await mine.breathe()
        return response

    async def CancelMatch(
        self, request: match_service_pb2.CancelMatchRequest, context: Context
    ) -> match_service_pb2.CancelMatchResponse:
        """End a match without a result."""
        match_id = id_of(request.match_id)
        await self._must_own(match_id)
        match = await self._host.matches.cancel(match_id, _one_line(request.reason))
        if match is None:
            return match_service_pb2.CancelMatchResponse(match=_put_away(match_id))
        return match_service_pb2.CancelMatchResponse(match=await self._resource(summary_of(match)))

    async def GetRecord(
        self, request: match_service_pb2.GetRecordRequest, context: Context
    ) -> match_service_pb2.GetRecordResponse:
        """The record of an ended, disclosed match."""
        match_id = id_of(request.match_id)
        await self._must_own(match_id)
        record = await self._host.queries.record(match_id)
        return match_service_pb2.GetRecordResponse(record=record)

    async def WatchMatches(
        self, request: match_service_pb2.WatchMatchesRequest, context: Context
    ) -> AsyncIterator[match_service_pb2.WatchMatchesResponse]:
        """Follow all matches of a label."""
        label = text_of("label", request.label, 1)
        after = request.resume_token or "0"
        if not is_feed_id(after):
            raise InvalidToken("resume_token")
        ending = Ending(context, self._farewells)
        try:
            async with aclosing(self._host.updates.watch(label, after)) as updates:
                async for token, payload in updates:
                    response = match_service_pb2.WatchMatchesResponse(resume_token=token)
                    if payload:
                        response.match.CopyFrom(await self._shown(unpack(payload)))
                    with ending.at_most(STALLED_S):
                        yield response
        finally:
            ending.over()

    async def ReleaseGroup(
        self, request: match_service_pb2.ReleaseGroupRequest, context: Context
    ) -> match_service_pb2.ReleaseGroupResponse:
        """Disclose all matches of a disclosure group that are the caller's; an operator all."""
        group = text_of("disclosure_group", request.disclosure_group, 1)
        caller = current_caller()
        operator = Role.OPERATOR in caller.roles
        await self._host.releases.release(group, None if operator else caller.key_id)
        _log.info("group_released", group=group, key_id=caller.key_id, every_owner=operator)
        return match_service_pb2.ReleaseGroupResponse()

    async def ListBots(
        self, request: match_service_pb2.ListBotsRequest, context: Context
    ) -> match_service_pb2.ListBotsResponse:
        """The bots that are connected, to whichever server. Who knows an instance id and has the
        key of the instance can take its seats, so it is told to that key only.
        """
        caller, questions = current_caller(), self._host.peers.questions
        response = match_service_pb2.ListBotsResponse()

        def add(who: Identity, seats: int, seconds: int) -> None:
            mine = bool(caller.key_id) and caller.key_id == who.key_id
            response.bots.add(
                bot=who.bot,
                bot_version=who.bot_version,
                instance_id=who.instance_id if mine else "",
                capacity=who.capacity,
                seats=seats,
                connected=duration_pb2.Duration(seconds=seconds),
            )

        with self._host.reading.read():
            elsewhere = await questions.bots()
            here, now = self._host.sessions(), self._host.now()
            self._quotas.weigh(caller, len(here) + len(elsewhere))
            listed = {session.identity.key for session in here}
            async with self._host.reading.slice() as turn:
                for session in here:
                    seconds = int(now - session.connected_at)
                    add(session.identity, questions.seats(session), seconds)
                    await turn.breathe()
                for one in elsewhere:
                    who = identity_from_pb(one.bot)
                    # One that went from there to here is told of once; so in between others.
                    if who.key not in listed:
                        listed.add(who.key)
                        add(who, one.seats, one.connected_s)
                    await turn.breathe()
        return response

    async def _resource(self, match: Summary) -> match_pb2.Match:
        match.message.disclosed = await self._host.releases.disclosed(match)
        return await self._shown(match)

    async def _shown(self, match: Summary) -> match_pb2.Match:
        """What the caller may read of a match."""
        audience = audience_of(current_caller(), match.owner, match.keys)
        if audience is Audience.HOST:
            return match.message
        released = await self._host.releases.released(match.owner, match.group)
        async with self._host.reading.slice():
            return shown_to(audience, match.message, released=released)

    async def _must_own(self, match_id: str) -> None:
        try:
            owner = (await self._host.queries.one(match_id)).owner
        except MatchUnreadable:
            known = await self._host.salvage.owner(match_id)
            if known is None and Role.OPERATOR not in current_caller().roles:
                raise
            owner = known or ""
        current_caller().must_own(owner, match_id)

    async def _may_know(self, match_id: str) -> bool:
        """Whether a match that cannot be read is the caller's. One of which even that cannot be
        read is everybody's who has no key; more than its id is told to nobody.
        """
        caller = current_caller()
        if Role.OPERATOR in caller.roles:
            return True
        with contextlib.suppress(MatchNotFound):
            return caller.owns(await self._host.salvage.owner(match_id) or "")
        return False


def _one_line(reason: str) -> str:
    """A reason as others are shown it, in terminals too: one line of what can be printed."""
    words = reason[:_LONGEST_REASON].split()
    return "".join(char for char in " ".join(words) if char.isprintable())


def _put_away(match_id: str) -> match_pb2.Match:
    """All that can be told of a match of which nothing can be read."""
    return match_pb2.Match(
        id=match_id,
        state=match_pb2.MATCH_STATE_ENDED,
        end_reason=match_pb2.END_REASON_INFRASTRUCTURE,
    )
