"""A match for a person: made, its bots started, and played to its end."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from contree.cli.playing.codes import shown_name, table_name
from contree.cli.playing.person import Closed, Joined, Person
from contree.client import (
    BotSeat,
    Connection,
    ContreeError,
    Delivery,
    FaultPolicy,
    HostClient,
    HouseSeat,
    Match,
    MatchSpec,
    MatchState,
    PermissionDenied,
    Practice,
    Race,
    TimeControl,
    play_bot,
)
from contree.engine import PRESET_NAMES, RuleSet, Seat, preset

HOUSE: Final = ("rules", "random")
"""Players that the service itself has."""
DAY_S: Final = 86_400.0
_AWAY_S: Final = 900.0
"""How long somebody may be away from a table of several people, all told."""
_POLL_S: Final = 1.0
_SEATING_S: Final = 0.05
_FAREWELL_S: Final = 3.0


class Player(NamedTuple):
    """Who sits in a seat besides the person."""

    name: str
    """Of a player of the house, or of a bot that is connected, or will be."""
    make: Callable[[], Any] | None = None
    """Makes a bot that is run here, where it is neither."""


class Wish(NamedTuple):
    """The match that a person wants."""

    rules: RuleSet
    seat: Seat
    players: Mapping[Seat, Player]
    """The other three; of a table with a code, who fills the seats that stay free."""
    deals: int = 0
    target: int | None = None
    per_move: float = DAY_S
    bank: float = 0.0


class Sitting:
    """A person's match, from making it to its end."""

    def __init__(
        self, person: Person, server: str, token: str | None, connection: Connection
    ) -> None:
        self._person = person
        self._server = server
        self._token = token
        self._connection = connection
        self._instance = secrets.token_hex(8)
        self._filled: Callable[[], None] = lambda: None
        self._mine: set[Seat] = set()
        """The seats of this process."""

    def fill(self) -> None:
        """Give the seats of a hosted table that are free to its bots: play begins."""
        self._filled()

    async def play(self, wish: Wish) -> None:
        """Play a match against bots; news of its end comes to the person."""
        async with self._reporting(), self._host() as host:
            try:
                match, bots = await self._make(host, wish)
            except PermissionDenied:
                # A key of a bot may not make a match, but it may practise.
                await self._play(practice=_practice(wish))
                return
            # Nobody else is there: it is cancelled when it is left, and nothing need be resigned.
            async with self._cancelled_with(host, match), self._bots(bots, resigns=False):
                await self._play(resigns=False)

    async def host(self, wish: Wish, code: str) -> None:
        """Play at a table of one's own that others join by its code."""
        name = table_name(code)
        self._mine = {wish.seat}
        async with self._reporting(), self._host() as host:
            # The one who makes it has a name apart, or would be given any of the free seats.
            seats = dict.fromkeys(wish.players, BotSeat(name)) | {
                wish.seat: BotSeat(self._person.name, instance_id=self._instance)
            }
            match = await host.create_match(_spec(wish, seats, (name,), _AWAY_S))
            async with self._cancelled_with(host, match), asyncio.TaskGroup() as group:
                filling = group.create_task(self._fill_when_told(host, match, wish, name))
                await self._play()
                filling.cancel()

    async def join(self, code: str) -> None:
        """Play at somebody's table."""
        name = table_name(code)
        async with self._reporting():
            async with self._host() as host:
                # A key of a bot may not look; it may try.
                with contextlib.suppress(PermissionDenied):
                    if not any([_has_room(match, name) async for match in host.list_matches(name)]):
                        raise NoTable(code)
            await self._play()

    async def names(self, match_id: str) -> dict[Seat, str]:
        """Who sits where, as they are called; nobody where that cannot be read."""
        async with self._host() as host:
            return names_of(await host.get_match(match_id))

    # -- the parts ------------------------------------------------------------------------------

    def _host(self) -> HostClient:
        return HostClient(self._server, self._token, connection=self._connection)

    @contextlib.asynccontextmanager
    async def _reporting(self) -> AsyncIterator[None]:
        """Tell the person that nothing more comes, and why."""
        error: BaseException | None = None
        try:
            yield
        except Exception as failure:
            error = failure
        finally:
            self._person.news.put_nowait(Closed(error))

    async def _play(self, practice: Practice | None = None, *, resigns: bool = True) -> None:
        await play_bot(
            self._person,
            server=self._server,
            token=self._token,
            name=self._person.name,
            instance_id=None if practice else self._instance,
            capacity=1,
            practice=practice,
            matches=1,
            delivery=Delivery.EVENTS,
            connection=self._connection,
            resigns=resigns,
        )

    async def _make(
        self, host: HostClient, wish: Wish
    ) -> tuple[Match, Sequence[tuple[Any, str, str]]]:
        """The match, and the bots to run for it: with their names and instance ids."""
        seats: dict[Seat, BotSeat | HouseSeat] = {
            wish.seat: BotSeat(self._person.name, instance_id=self._instance)
        }
        bots: list[tuple[Any, str, str]] = []
        self._mine = {wish.seat}
        for seat, player in wish.players.items():
            if player.make is not None:
                instance = secrets.token_hex(8)
                bots.append((player.make(), player.name, instance))
                seats[seat] = BotSeat(player.name, instance_id=instance)
                self._mine.add(seat)
            elif player.name in HOUSE:
                seats[seat] = HouseSeat(player.name)
            else:
                seats[seat] = BotSeat(player.name)
        return await host.create_match(_spec(wish, seats, ("play",), DAY_S)), bots

    @contextlib.asynccontextmanager
    async def _bots(
        self, bots: Sequence[tuple[Any, str, str]], *, resigns: bool = True
    ) -> AsyncIterator[None]:
        """Bots at work meanwhile. One that fails leaves its seat to the house."""
        tasks = [
            asyncio.create_task(self._run(bot, name, instance, resigns))
            for bot, name, instance in bots
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, bot: Any, name: str, instance: str, resigns: bool) -> None:
        await play_bot(
            bot,
            server=self._server,
            token=self._token,
            name=name,
            instance_id=instance,
            capacity=1,
            matches=1,
            connection=self._connection,
            resigns=resigns,
        )

    @contextlib.asynccontextmanager
    async def _cancelled_with(self, host: HostClient, match: Match) -> AsyncIterator[None]:
        """A match that is left by whoever made it is cancelled, unless others play on there."""
        try:
            yield
        except BaseException:
            with contextlib.suppress(ContreeError, TimeoutError):
                async with asyncio.timeout(_FAREWELL_S):
                    now = await host.get_match(match.id)
                    others = [seat for seat in now.seats if seat.seat not in self._mine]
                    if now.state is MatchState.WAITING or all(seat.house for seat in others):
                        await host.cancel_match(match.id, "left by the person who made it")
            raise

    async def _fill_when_told(self, host: HostClient, match: Match, wish: Wish, name: str) -> None:
        """Say who has come, until told to begin or the table is full; then fill it with bots."""
        told = asyncio.Event()
        self._filled = told.set
        before: tuple[str, ...] = ()
        now = match
        while not told.is_set():
            now = await host.get_match(match.id)
            if all(seat.taken for seat in now.seats):
                return
            here = tuple(
                f"{seat.seat.name.capitalize()} {shown_name(seat.bot, seat.bot_version)}"
                for seat in now.seats
                if seat.taken
            )
            if here != before:
                self._person.news.put_nowait(Joined(here))
                before = here
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL_S):
                    await told.wait()
        now = await host.get_match(match.id)
        free = [seat.seat for seat in now.seats if not seat.taken]
        async with contextlib.AsyncExitStack() as bots:
            # All have the table's name, and who comes first has the first free seat: so one after
            # the other, for each was wished at its place.
            for left, seat in zip(range(len(free), 0, -1), free, strict=True):
                player = wish.players[seat]
                bot = _filler(player)
                bot.version = player.name
                self._mine.add(seat)
                bot_at_table = self._bots([(bot, name, secrets.token_hex(8))])
                await bots.enter_async_context(bot_at_table)
                await _fewer_free(host, match.id, left)
            await asyncio.Event().wait()


class NoTable(ContreeError):
    """There is no such table, or no seat is free there."""

    def __init__(self, code: str) -> None:
        super().__init__(
            f"there is no table {code} with a free seat at this server; check the code with "
            "whoever made the table"
        )
        self.code = code


def _has_room(match: Match, name: str) -> bool:
    return not match.ended and any(seat.bot == name and not seat.taken for seat in match.seats)


async def _fewer_free(host: HostClient, match_id: str, before: int) -> None:
    """Wait until fewer seats are free than before."""
    while True:
        now = await host.get_match(match_id)
        if now.ended or sum(not seat.taken for seat in now.seats) < before:
            return
        await asyncio.sleep(_SEATING_S)


def names_of(match: Match) -> dict[Seat, str]:
    """Who sits where, as they are called."""
    return {seat.seat: shown_name(seat.bot, seat.bot_version) for seat in match.seats}


def _filler(player: Player) -> Any:
    from contree.bots import BOTS

    return player.make() if player.make is not None else BOTS[player.name]()


def _spec(
    wish: Wish,
    seats: Mapping[Seat, BotSeat | HouseSeat],
    labels: tuple[str, ...],
    grace: float,
) -> MatchSpec:
    if wish.deals:
        mode = Race(target=wish.target or 0, deals=wish.deals)
    else:
        mode = Race(target=wish.target)
    return MatchSpec(
        request_id=f"play-{secrets.token_hex(8)}",
        seats=seats,
        mode=mode,
        rules=wish.rules,
        time_control=TimeControl(
            per_move=wish.per_move,
            bank=wish.bank,
            allowance=1.0,
            ready=_AWAY_S,
            seat_timeout=DAY_S,
            disconnect_grace=grace,
        ),
        # Whoever is late has the house act once, and plays on.
        fault_policy=FaultPolicy(illegal_strikes=100, timeout_strikes=1000),
        labels=labels,
    )


def _practice(wish: Wish) -> Practice:
    """What a key that may not make matches can have: house players and a preset."""
    if wish.rules.name not in PRESET_NAMES or wish.rules != preset(wish.rules.name):
        raise PermissionDenied("rules of your own need a key with the role host")
    opponent = wish.players[wish.rules.turn_direction.next(wish.seat)].name
    partner = wish.players[wish.seat.partner].name
    return Practice(
        wish.rules.name,
        opponent if opponent in HOUSE else "rules",
        partner if partner in HOUSE else "rules",
        wish.deals,
    )
