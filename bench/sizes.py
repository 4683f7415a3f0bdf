"""What a match takes in the store, live and archived: `make bench-sizes`.

Boards of `ffb-mixte` and races of ten deals, bid and played by the rules player as four bots, are
written to an embedded store, measured there (MEMORY USAGE of their keys), archived and measured
again. The last line is one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
from dataclasses import replace

from redis.asyncio import Redis

from contree.engine import SEATS, Mode, SeededDeals, preset, project
from contree.policy import rules_player
from contree.server.host.record import record_of
from contree.server.host.summary import pack, summary_of
from contree.server.match import (
    Act,
    Created,
    Match,
    MatchSpec,
    SayReady,
    SeatPlan,
    TakeSeat,
    create,
    decide,
    encode_entry,
)
from contree.server.store import Append, Archived, Finish, connect, embedded_store, keys

_NOW = 1_790_000_000_000
_MATCHES = 60


def play(match_id: str, mode: Mode, rng: random.Random) -> tuple[Match, list[bytes]]:
    """A whole match of four bots that take their time, and its journal."""
    rules = preset("ffb-mixte")
    if mode is Mode.RACE:
        rules = replace(rules, deals_limit=10, target=1_000_000)
    north, east, south, west = (SeatPlan(bot=f"bot-{number}") for number in range(4))
    spec = MatchSpec(
        match_id=match_id,
        rules=rules,
        mode=mode,
        board=1 + rng.randrange(100),
        deals=SeededDeals(rng.randbytes(32)),
        seats=(north, east, south, west),
        secret=rng.randbytes(16),
        created_ms=_NOW,
        request_id=f"spring-cup/{match_id}",
        labels=("spring-cup",),
    )
    step = create(Created(spec), _NOW)
    match, journal = step.after, list(step.entries)
    for seat in SEATS:
        for command in (TakeSeat(seat, "1.0", rng.randbytes(8).hex()), SayReady(seat)):
            step = decide(match, command, _NOW)
            match, journal = step.after, journal + list(step.entries)
    while match.end is None:
        seat = next(seat for seat in SEATS if match.owed_since[seat])
        action = rules_player(project(match.game, seat))
        step = decide(match, Act(seat, match.decision_id(seat), action, rng.randrange(200)), _NOW)
        match, journal = step.after, journal + list(step.entries)
    return match, [encode_entry(entry) for entry in journal]


async def measure(mode: Mode) -> tuple[float, float, float, float]:
    """Entries, bytes live, bytes archived and bytes of an item of a feed, each a mean."""
    rng = random.Random(1)
    entries, live, archived, told = [], [], [], []
    async with embedded_store() as embedded, Redis.from_url(embedded.url) as raw:
        store = await connect(embedded.url)

        async def bytes_of(*names: bytes) -> int:
            return sum([await raw.memory_usage(name, samples=0) or 0 for name in names])

        for number in range(_MATCHES):
            match, journal = play(f"m{number:021x}", mode, rng)
            fence = (
                await store.create(
                    match.id, labels=["l"], entries=journal[:1], owner="bench", lease_ms=60_000
                )
            ).fence
            await store.append([Append(match.id, 1, fence, tuple(journal[1:]))])
            entries.append(len(journal))
            live.append(await bytes_of(keys.journal(match.id), keys.lease(match.id)))
            summary = pack(summary_of(match))
            finish = Finish(match.id, fence, journal, summary, record_of(match).encode())
            assert await store.finish([finish], retain_s=None) == [Archived()]
            archived.append(await bytes_of(keys.archive(match.id)))
            before = await bytes_of(keys.feed("l"))
            await store.feeds.announce([("l", summary)])
            told.append(await bytes_of(keys.feed("l")) - before)
        await store.close()
    return (
        statistics.fmean(entries),
        statistics.fmean(live),
        statistics.fmean(archived),
        statistics.fmean(told),
    )


async def main() -> None:
    """Print a table, then the ratios."""
    print("                entries   live bytes   archived bytes   an update in a feed")
    ratios = {}
    for mode, name in ((Mode.BOARD, "board"), (Mode.RACE, "race of 10")):
        count, live, archived, told = await measure(mode)
        print(f"{name:<14}{count:>9.0f}{live:>13.0f}{archived:>17.0f}{told:>22.0f}")
        ratios[f"archived_vs_live_{mode.value}"] = round(archived / live, 2)
    print(json.dumps(ratios))


if __name__ == "__main__":
    asyncio.run(main())
