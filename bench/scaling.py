"""What more tables and more servers cost: `make bench-scaling` (`FULL=1` for the figures).

The same load (races of whole deals, two groups of four bots on the bare stubs, one store) is played
by one server process; by two, each with a group of its own; and by two that have each other's bots,
so that all seats are remote. It is played as fast as it goes, and with bots that take a second for
each answer, as in a real event, where moves do not come in crowds. Costs are seconds of a core that
the processes had, by move. Besides: memory and CPU for each idle bot, and what a board leaves in
the store. From these comes what ten thousand tables need. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from redis import Redis
from served import HERE, Served, cpu_s, process, server
from sizes import measure
from tables import in_play

from contree.engine import SEATS, Mode
from contree.server.store import EmbeddedStore, embedded_store

FULL: Final = bool(os.environ.get("FULL"))
TABLES: Final = 10_000
"""What is reckoned for."""
_ROUNDS: Final = 3 if FULL else 1
_SECONDS: Final = 10.0 if FULL else 2.0
_AT_SPEED: Final = 48
"""Tables that are played as fast as it goes."""
_PACED: Final = 1000 if FULL else 128
"""Tables whose bots take their time."""
_THINK_S: Final = 1.0
_GROUPS: Final = 2
_IDLE: Final = 1000 if FULL else 200


class Load(NamedTuple):
    """What is played, and where."""

    servers: int
    crossed: bool
    """Each server's bots play at the tables of the other."""
    tables: int
    think_s: float

    def __str__(self) -> str:
        where = {1: "one server", 2: "two servers"}[self.servers]
        seats = "crossed" if self.crossed else "not crossed"
        pace = f"{self.think_s:g} s an answer" if self.think_s else "at full speed"
        return f"{self.tables} tables, {pace}, {where}, {seats}"


class Cost(NamedTuple):
    """What a load took; microseconds of a core for each move."""

    moves_per_s: float
    server_us: float
    store_us: float
    bots_us: float


async def played(load: Load, seconds: float) -> Cost:
    """Play a load for so long."""
    async with contextlib.AsyncExitStack() as stack:
        store = await stack.enter_async_context(embedded_store(None, "everysec"))
        servers = [
            stack.enter_context(server("everysec", redis=store.url)) for _ in range(load.servers)
        ]
        bots = []
        loads = []
        for group in range(_GROUPS):
            names = {f"quick-{group}-{seat}": 1 for seat in SEATS}
            at = servers[group % len(servers)]
            for name in names:
                arguments = (at.address, name, *([str(load.think_s)] if load.think_s else ()))
                running = stack.enter_context(process(str(HERE / "raw_bot.py"), *arguments))
                bots.append(running.pid)
            host = servers[(group + load.crossed) % len(servers)]
            loads.append(
                in_play(
                    host.address,
                    load.tables // _GROUPS,
                    boards=False,
                    bots=names,
                    label=f"bench-{group}",
                    gently=load.servers > 1,
                )
            )
        await asyncio.gather(*(stack.enter_async_context(one) for one in loads))
        await asyncio.sleep(max(2.0, 2 * load.think_s))
        before = await asyncio.to_thread(_spent, servers, store, bots)
        began = time.perf_counter()
        await asyncio.sleep(seconds)
        after = await asyncio.to_thread(_spent, servers, store, bots)
        elsewhere = await asyncio.to_thread(_elsewhere, servers)
        took = time.perf_counter() - began
        moves, at_servers, in_store, by_bots = (b - a for a, b in zip(before, after, strict=True))
        cost = Cost(
            moves / took, *(1e6 * spent / moves for spent in (at_servers, in_store, by_bots))
        )
    print(
        f"  {load}: {cost.moves_per_s:.0f} moves/s; µs of a core a move: servers "
        f"{cost.server_us:.0f}, store {cost.store_us:.0f}, bots {cost.bots_us:.0f}; "
        f"{elsewhere / (4 * load.tables):.0%} of the seats remote",
        flush=True,
    )
    return cost


def _spent(
    servers: Sequence[Served], store: EmbeddedStore, bots: Sequence[int]
) -> tuple[float, float, float, float]:
    """Moves, and seconds of a core of the servers, of the store and of the bots, so far."""
    assert store.pid is not None
    return (
        sum(one.moves() for one in servers),
        sum(one.cpu_s() for one in servers),
        cpu_s(store.pid),
        sum(cpu_s(pid) for pid in bots),
    )


def _elsewhere(servers: Sequence[Served]) -> float:
    """Seats in play whose bots are at another server than their table."""
    return sum(one.counted("contree_seats_of_guests") for one in servers)


async def at_rest(seconds: float) -> float:
    """Microseconds of a core that each of two servers takes a second when nobody is there."""
    async with contextlib.AsyncExitStack() as stack:
        store = await stack.enter_async_context(embedded_store(None, "everysec"))
        servers = [stack.enter_context(server("everysec", redis=store.url)) for _ in range(2)]
        await asyncio.sleep(2)
        before, began = sum(one.cpu_s() for one in servers), time.perf_counter()
        await asyncio.sleep(seconds)
        spent, took = sum(one.cpu_s() for one in servers) - before, time.perf_counter() - began
    rest = 1e6 * spent / took / len(servers)
    print(f"  a server at rest: {rest:,.0f} µs of a core each second", flush=True)
    return rest


class Idle(NamedTuple):
    """What a bot costs that is connected and waits."""

    kb: float
    us_per_s: float


def idle_bots(count: int, seconds: float) -> Idle:
    """The server's memory and CPU for each of so many bots."""
    with server("everysec") as served:
        with _connected(served, 50):
            small, before = served.resident_mb(), served.cpu_s()
            time.sleep(seconds)
            spent_small = served.cpu_s() - before
        with _connected(served, count):
            large, before = served.resident_mb(), served.cpu_s()
            time.sleep(seconds)
            spent_large = served.cpu_s() - before
    more = count - 50
    idle = Idle((large - small) / more * 1024, 1e6 * (spent_large - spent_small) / more / seconds)
    print(f"  an idle bot: {idle.kb:.0f} KiB, {idle.us_per_s:.0f} µs of a core each second")
    return idle


@contextlib.contextmanager
def _connected(served: Served, count: int) -> Iterator[None]:
    """So many idle bots."""
    with subprocess.Popen(
        [sys.executable, str(HERE / "idle_bots.py"), served.address, str(count)],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as bots:
        assert bots.stdin is not None
        assert bots.stdout is not None
        if not bots.stdout.readline():
            raise SystemExit("the idle bots did not connect")
        yield
        bots.stdin.close()


class Growth(NamedTuple):
    """What boards leave in the store, bytes each."""

    live: float
    archived: float
    log: float
    """Of the append-only file, before it is rewritten."""


async def growth(seconds: float) -> Growth:
    """Measured on matches whose entries are written to an embedded store, and on a server."""
    _, live, archived, _ = await measure(Mode.BOARD)
    async with contextlib.AsyncExitStack() as stack:
        store = await stack.enter_async_context(embedded_store(None, "everysec"))
        served = stack.enter_context(server("everysec", redis=store.url))
        for seat in SEATS:
            stack.enter_context(process(str(HERE / "raw_bot.py"), served.address, f"quick-{seat}"))
        with Redis.from_url(store.url) as raw:
            # A log that is rewritten meanwhile would not show its growth.
            await asyncio.to_thread(raw.config_set, "auto-aof-rewrite-percentage", "0")
            async with in_play(served.address, 32, boards=True):
                await asyncio.sleep(1)
                ended, size = await asyncio.to_thread(_logged, served, raw)
                await asyncio.sleep(seconds)
                ended_after, size_after = await asyncio.to_thread(_logged, served, raw)
    log = (size_after - size) / (ended_after - ended)
    print(
        f"  a board: {live:.0f} bytes live, {archived:.0f} archived, {log:.0f} written to the log"
    )
    return Growth(live, archived, log)


def _logged(served: Served, raw: Redis) -> tuple[float, float]:
    """Boards ended, and bytes of the log."""
    info = raw.info("persistence")
    assert isinstance(info, dict)
    return served.counted("contree_matches_ended_total"), float(info["aof_current_size"])


def reckoned(
    local: Cost, remote: Cost, rest: float, idle: Idle, growth: Growth
) -> tuple[list[str], dict[str, float]]:
    """What so many tables need, of costs with bots that take their time: lines, and cores."""
    rate = TABLES / _THINK_S
    bots = 4 * TABLES
    lines = [f"{TABLES:,} tables whose bots take {_THINK_S:g} s an answer: {rate:,.0f} moves/s"]
    cores = {}
    for name, cost, servers in (("local", local, 1), ("remote", remote, 2)):
        # What a server takes for itself it takes once, however many tables it has.
        of_moves = cost.server_us - servers * rest / cost.moves_per_s
        cores[name] = (of_moves * rate + idle.us_per_s * bots) / 1e6
        lines.append(
            f"  all seats {name}: {cores[name]:.1f} cores for servers, of which "
            f"{idle.us_per_s * bots / 1e6:.1f} for connections; {rest / 1e6:.3f} more for each "
            f"server; {cost.store_us * rate / 1e6:.1f} for the store"
        )
    lines.append(
        f"  memory: {idle.kb * bots / 2**20:.1f} GiB for {bots:,} connections of their own (a "
        f"connection may hold many seats), {growth.live * TABLES / 2**20:.0f} MiB for live "
        f"matches in the store, {growth.archived * TABLES / 2**20:.0f} MiB for as many archived"
    )
    return lines, cores


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    options = parser.parse_args()
    one, two, crossed = "one", "two", "two, crossed"
    shapes = {one: (1, False), two: (2, False), crossed: (2, True)}
    paces = {"at speed": (_AT_SPEED, 0.0), "paced": (_PACED, _THINK_S)}
    found: dict[tuple[str, str], list[Cost]] = {}
    for index in range(options.rounds):
        print(f"round {index + 1}", flush=True)
        for pace, (tables, think_s) in paces.items():
            for shape, (servers, cross) in shapes.items():
                load = Load(servers, cross, tables, think_s)
                found.setdefault((pace, shape), []).append(await played(load, options.seconds))

    def ratio(pace: str, of: str, to: str, what: str) -> float:
        """Of neighbours in one round; the median."""
        pairs = zip(found[pace, of], found[pace, to], strict=True)
        ratios = [float(getattr(a, what)) / float(getattr(b, what)) for a, b in pairs]
        return round(statistics.median(ratios), 2)

    def middle(pace: str, shape: str) -> Cost:
        costs: list[Cost] = sorted(found[pace, shape], key=lambda cost: cost.server_us)
        return costs[len(costs) // 2]

    rest = await at_rest(max(4.0, options.seconds))
    idle = await asyncio.to_thread(idle_bots, _IDLE, max(4.0, options.seconds))
    grown = await growth(options.seconds)
    lines, cores = reckoned(middle("paced", one), middle("paced", crossed), rest, idle, grown)
    print("\n".join(lines))
    print(
        json.dumps(
            {
                "two_vs_one_moves": ratio("at speed", two, one, "moves_per_s"),
                "two_vs_one_server_cpu": ratio("at speed", two, one, "server_us"),
                "remote_vs_local_server_cpu": ratio("at speed", crossed, two, "server_us"),
                "remote_vs_local_store_cpu": ratio("at speed", crossed, two, "store_us"),
                "remote_vs_local_server_cpu_paced": ratio("paced", crossed, two, "server_us"),
                "paced_server_us": round(middle("paced", one).server_us),
                "server_at_rest_us_per_s": round(rest),
                "cores_for_10000_tables_local": round(cores["local"], 1),
                "cores_for_10000_tables_remote": round(cores["remote"], 1),
                "idle_bot_kb": round(idle.kb),
                "idle_bot_us_per_s": round(idle.us_per_s),
                "archived_bytes_per_board": round(grown.archived),
                "log_bytes_per_board": round(grown.log),
            }
        )
    )


if __name__ == "__main__":
    asyncio.run(main())
