"""The store on a cluster: commands go to the masters that hold their keys, each group in one go.

redis-py finds the masters (`topology`). Its own pipeline for clusters is not used, because it
refuses scripts. What a master answers for one command of a group (MOVED, ASK, TRYAGAIN, an unknown
script) concerns that command, and those after it for the same hash slot: they go where the answer
says, in the same order. What is about the master itself (it is gone, it is a replica, the cluster
is down) is answered by a look at the slots, and one more try where they have another master.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from redis import exceptions as redis_errors

from contree.server.store.batch import Address, Batch
from contree.server.store.commands import PING, Command, mark
from contree.server.store.connections import Connections
from contree.server.store.nodes import Nodes
from contree.server.store.replies import TooFewReplicas, typed
from contree.server.store.settings import StoreSettings
from contree.server.store.topology import Topology

_ROUNDS: Final = 16
"""So often commands are sent on, at most; a slot that changes hands takes two or three."""
_PAUSE_S: Final = 0.03
"""Before the same is asked again of a slot whose keys are on their way."""
_REPLY_S: Final = 2.0
"""A master that takes longer is given up, sooner than a single server: others wait for it."""
_PING_S: Final = 1.0
"""A master that takes longer for a sign of life is away."""
_SPARED_S: Final = 1.0
"""So long after it gave no answer a master is asked for signs of life only: nobody is to wait for
one that hangs who need not.
"""
_FAIR_S: Final = 0.3
"""Less than that is no time to answer in."""

# After these the slot may have another master by now.
_LOST: Final = (
    redis_errors.ClusterDownError,
    redis_errors.ConnectionError,
    redis_errors.ReadOnlyError,
    redis_errors.SlotNotCoveredError,
    redis_errors.TimeoutError,
)


class Cluster(Nodes):
    """The masters of a cluster, each with connections of its own."""

    parts = True

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self.replicas = settings.replicas
        self._loop = asyncio.get_running_loop()
        self._topology = Topology(settings)
        self._servers: dict[Address, Connections] = {}
        self._spared: dict[Address, float] = {}
        """Masters that gave no answer, and until when they are asked nothing."""

    async def run_all(
        self, commands: Sequence[Command], *, wait_s: float = 0.0, lasting: bool = False
    ) -> list[Any]:
        """See `Nodes.run_all`."""
        batch = Batch(commands)
        until = self._loop.time() + min(self._settings.reply_s, _REPLY_S) + wait_s
        failure = await self._find()
        if failure is not None:
            return [typed(failure, self._settings.endpoint)] * len(commands)
        looked = False
        for _ in range(_ROUNDS):
            await self._round(batch, until - self._loop.time(), wait_s > 0, lasting)
            failed = batch.failed()
            if not failed:
                break
            again = [i for i in failed if await self._redirected(batch, i)]
            if not looked:
                lost = [i for i in failed if isinstance(batch.replies[i], _LOST)]
                looked = bool(lost)
                again += await self._found_elsewhere(batch, lost)
            if not again or self._loop.time() >= until:
                break
            if any(isinstance(batch.replies[i], redis_errors.TryAgainError) for i in again):
                await asyncio.sleep(_PAUSE_S)
            batch.send_again(again)
        return [
            typed(reply, self._name(place)) if isinstance(reply, Exception) else reply
            for reply, place in zip(batch.replies, batch.sent, strict=True)
        ]

    async def run_in_turn(
        self, first: Sequence[Command], then: Sequence[Command], *, lasting: bool = False
    ) -> list[Any]:
        """See `Nodes.run_in_turn`."""
        replies = await self.run_each(first, lasting=lasting)
        return replies + await self.run_each(then, lasting=lasting)

    async def attended(self, command: Command) -> Any:
        """See `Nodes.attended`."""
        reply = await self.run(command)
        await self.ping()
        return reply

    async def ping(self) -> None:
        """See `Nodes.ping`."""
        await self._everywhere(lambda _: PING, lasting=False)

    async def probe(self) -> None:
        """See `Nodes.probe`."""
        await self._everywhere(self._mark, lasting=True)

    async def close(self) -> None:
        """See `Nodes.close`."""
        for server in self._servers.values():
            await server.close()
        await self._topology.close()

    # -- asking ---------------------------------------------------------------------------------

    async def _round(self, batch: Batch, within_s: float, waiting: bool, lasting: bool) -> None:
        """Send what is to be sent, and take the replies."""

        async def send(place: Address, group: list[int]) -> None:
            commands, counting = batch.packed(place, group)
            replies = await self._exchange(place, commands, within_s, waiting, lasting)
            batch.take(group, [replies[i] for i in counting] if counting else replies)

        exchanges = []
        for place, group in batch.groups(self._topology.master).items():
            if self._spared and self._spared.get(place, 0) > self._loop.time():
                silence = redis_errors.TimeoutError("it gives no answer")
                batch.take(group, [silence] * len(group))
            else:
                exchanges.append(send(place, group))
        if len(exchanges) == 1:
            await exchanges[0]
        elif exchanges:
            await asyncio.gather(*exchanges)

    async def _exchange(
        self,
        place: Address,
        commands: Sequence[Command],
        within_s: float,
        waiting: bool,
        lasting: bool,
    ) -> list[Any]:
        server = self._servers.get(place)
        if server is None:
            dial = partial(self._settings.dial, *place)
            server = self._servers[place] = Connections(self._settings, dial)
        replies = await server.exchange(
            commands,
            within_s,
            waiting=waiting,
            mark=self._mark(place) if lasting and self._settings.replicas else None,
        )
        if isinstance(replies[-1], redis_errors.TimeoutError):
            if within_s >= _FAIR_S:
                self._spared[place] = self._loop.time() + _SPARED_S
        elif self._spared:
            self._spared.pop(place, None)
        return replies

    async def _everywhere(self, make: Callable[[Address], Command], *, lasting: bool) -> None:
        """Run a command on each master; once more where they turn out to be others."""
        failure = await self._find()
        if failure is not None:
            raise typed(failure, self._settings.endpoint)
        masters = set(self._topology.masters())
        failures = await self._ask_each(masters, make, lasting)
        if failures:
            await self._look(next(iter(failures)))
            before, masters = masters, set(self._topology.masters())
            if masters != before or [f for f in failures.values() if self._marked_badly(f)]:
                failures = await self._ask_each(masters, make, lasting)
        for place, failure in failures.items():
            raise typed(failure, self._name(place))

    async def _ask_each(
        self, masters: Iterable[Address], make: Callable[[Address], Command], lasting: bool
    ) -> dict[Address | None, Exception]:
        """Run a command on each of these masters; what fails, by master."""
        replies = await asyncio.gather(
            *(self._exchange(one, [make(one)], _PING_S, False, lasting) for one in masters)
        )
        if not replies:
            return {None: redis_errors.SlotNotCoveredError("no master holds a hash slot")}
        return {
            place: reply
            for place, (reply,) in zip(masters, replies, strict=True)
            if isinstance(reply, Exception)
        }

    # -- where things are -----------------------------------------------------------------------

    async def _find(self) -> Exception | None:
        """Learn where the slots are, unless that is known; what keeps it from being known."""
        if not self._topology.known:
            try:
                await self._topology.refresh()
            except (redis_errors.RedisError, redis_errors.RedisClusterException) as error:
                cause = error.__cause__
                return cause if isinstance(cause, redis_errors.RedisError) else error
        return None

    async def _look(self, failed: Address | None) -> None:
        """Look again where the slots are, after a master failed."""
        try:
            await self._topology.refresh(failed)
        except (redis_errors.RedisError, redis_errors.RedisClusterException):
            return  # what was known is all there is
        known = set(self._topology.masters())
        # Others may dial a master that is new meanwhile.
        for place, server in tuple(self._servers.items()):
            if place not in known:
                await server.drop_idle()

    async def _redirected(self, batch: Batch, i: int) -> bool:
        """Whether a command is to be sent again, by what its master answered; then batch and
        topology know where to.
        """
        reply, place = batch.replies[i], batch.sent[i]
        if isinstance(reply, redis_errors.MovedError):
            batch.detour(i, None)
            # No host: the one that answered, at another port.
            reply.host = reply.host or (place or ("",))[0]
            await self._topology.moved(reply)
            return True
        if isinstance(reply, redis_errors.AskError):
            batch.detour(i, (reply.host or (place or ("",))[0], reply.port))
            return True
        if isinstance(reply, redis_errors.TryAgainError):
            batch.detour(i, None)
            return True
        if isinstance(reply, redis_errors.NoScriptError):
            return batch.lacks_scripts(i)
        return isinstance(reply, TooFewReplicas) and self._marked_badly(reply)

    async def _found_elsewhere(self, batch: Batch, lost: Sequence[int]) -> list[int]:
        """Those whose master failed and that have another one."""
        if not lost:
            return []
        await self._look(batch.sent[lost[0]])
        elsewhere = []
        for i in lost:
            batch.detour(i, None)
            try:
                master = self._topology.master(batch.key(i))
            except redis_errors.SlotNotCoveredError:
                continue
            if master != batch.sent[i]:
                elsewhere.append(i)
        return elsewhere

    def _mark(self, place: Address) -> Command:
        """A write; on a server that holds no key to write to, at least a sign of life."""
        key = self._topology.mark(place)
        return PING if key is None else mark(key)

    def _marked_badly(self, error: Exception) -> bool:
        """Whether a mark was sent where its slot is on its way from; others are used then."""
        why = error.why if isinstance(error, TooFewReplicas) else error
        if not isinstance(why, redis_errors.AskError):
            return False
        self._topology.avoid(why.slot_id)
        return True

    def _name(self, place: Address | None) -> str:
        return self._settings.endpoint if place is None else f"{place[0]}:{place[1]}"
