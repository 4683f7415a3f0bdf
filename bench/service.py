"""The whole service against a raw gRPC echo: `make bench-service`.

Service: `contree serve` with its journal on the embedded store, four bot processes on the bare
stubs, races of whole deals with their auctions; moves committed per second. Echo: one grpc.aio
server, one client, 128 streams, one message per turn; round trips per second. Both sides run in
turn, several times; ratios are medians of neighbours. Bots of the Python SDK, single boards (a
match for each deal), one table by itself and the memory of a thousand idle bots are measured
besides. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import subprocess
import sys

from served import HERE, process, server
from tables import clock, in_play

from contree.engine import SEATS

_STREAMS = 128
_IDLE_BOTS = 1000


def echo(seconds: float) -> float:
    """Round trips per second."""
    with process(str(HERE / "echo.py"), "serve", stdout=subprocess.PIPE) as served:
        assert served.stdout is not None
        port = served.stdout.readline().strip()
        return float(_output("echo.py", "dial", port, str(_STREAMS), str(seconds)))


def service(
    tables: int,
    seconds: float,
    fsync: str,
    *,
    journal: bool = True,
    boards: bool = False,
    bot: str = "raw_bot.py",
) -> float:
    """Moves per second with so many tables in play."""
    with contextlib.ExitStack() as stack:
        served = stack.enter_context(server(fsync, journal=journal))
        for seat in SEATS:
            stack.enter_context(process(str(HERE / bot), served.address, f"quick-{seat}"))

        async def measure() -> float:
            async with in_play(served.address, tables, boards=boards):
                await asyncio.sleep(max(1.0, seconds / 4))
                before = await asyncio.to_thread(served.moves)
                took = await clock(seconds)
                return (await asyncio.to_thread(served.moves) - before) / took

        return asyncio.run(measure())


def one_table(seconds: float, fsync: str) -> dict[str, float]:
    """Moves a second and their way through the server, in milliseconds."""
    with server(fsync) as served:
        result: dict[str, float] = json.loads(_output("one_table.py", served.address, str(seconds)))
    return result


def idle_bots_mb(count: int) -> float:
    """Megabytes of the server's memory for a thousand bots that are connected and wait."""
    with server("everysec") as served:
        # The first ones pay for what a server loads once.
        warm = served.resident_mb()
        sizes = []
        for number in (50, count):
            with subprocess.Popen(
                [sys.executable, str(HERE / "idle_bots.py"), served.address, str(number)],
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            ) as bots:
                assert bots.stdin is not None
                assert bots.stdout is not None
                if not bots.stdout.readline():
                    raise SystemExit("the idle bots did not connect")
                sizes.append(served.resident_mb())
                bots.stdin.close()
        print(f"  memory: {warm:.0f} MB at the start, {sizes[1]:.0f} MB with {count} bots")
    return (sizes[1] - sizes[0]) / (count - 50) * 1000


def _output(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(HERE / script), *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fsync", default="everysec", choices=("always", "everysec"))
    options = parser.parse_args()
    seconds, fsync = options.seconds, options.fsync
    ratios: dict[str, list[float]] = {}
    print(f"fsync {fsync}", flush=True)
    for index in range(options.rounds):
        base = echo(seconds)
        print(f"round {index + 1}: echo {base:.0f} round trips/s", flush=True)
        on = 0.0
        for tables in (64, 256):
            on = service(tables, seconds, fsync)
            ratios.setdefault(f"service_vs_echo_{tables}", []).append(on / base)
            print(f"  {tables} tables, races: {on:.0f} moves/s", flush=True)
        off = service(256, seconds, fsync, journal=False)
        ratios.setdefault("journal_on_vs_off", []).append(on / off)
        print(f"  256 tables without a journal: {off:.0f} moves/s", flush=True)
        sdk = service(64, seconds, fsync, bot="sdk_bot.py")
        ratios.setdefault("sdk_vs_echo_64", []).append(sdk / base)
        print(f"  64 tables, bots of the Python SDK: {sdk:.0f} moves/s", flush=True)
        single = service(64, seconds, fsync, boards=True)
        ratios.setdefault("boards_vs_echo_64", []).append(single / base)
        print(f"  64 tables, single boards: {single:.0f} moves/s", flush=True)
    print(f"  one table: {one_table(seconds, fsync)}", flush=True)
    figures = {name: round(statistics.median(all_), 2) for name, all_ in ratios.items()}
    figures["mb_per_1000_bots"] = round(idle_bots_mb(_IDLE_BOTS), 1)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
