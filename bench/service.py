"""The whole service against a raw gRPC echo: `make bench-service`.

Service: `contree serve` with its journal on the embedded store, four bot processes, whole boards
with auction; moves committed per second. Echo: one grpc.aio server, one client, 128 streams, one
message per turn; round trips per second. Both sides run in turn, several times; ratios are medians
of neighbours. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from contree.client import Board, BotSeat, HostClient, MatchSpec, MatchState
from contree.engine import SEATS

_HERE = Path(__file__).parent
_STREAMS = 128


@contextlib.contextmanager
def _process(*command: str, stdout: int | None = None) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, *command], text=True, stdout=stdout, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)
        if process.stdout:
            process.stdout.close()


def echo(seconds: float) -> float:
    """Round trips per second."""
    with _process(str(_HERE / "echo.py"), "serve", stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        dialled = subprocess.run(
            [sys.executable, str(_HERE / "echo.py"), "dial", port, str(_STREAMS), str(seconds)],
            check=True,
            capture_output=True,
            text=True,
        )
    return float(dialled.stdout)


@contextlib.contextmanager
def _service(fsync: str, *, journal: bool = True) -> Iterator[tuple[str, int]]:
    """A server's address and process id."""
    command = ["-m", "contree.cli", "serve"] if journal else [str(_HERE / "serve_unjournaled.py")]
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.json"
        with _process(
            *command,
            *("--listen", "127.0.0.1:0", "--metrics", "off", "--fsync", fsync),
            *("--data", f"{folder}/data", "--ready-file", str(ready), "--log-level", "warning"),
        ) as server:
            while not ready.exists():
                if server.poll() is not None:
                    raise SystemExit("the server did not start")
                time.sleep(0.02)
            facts = json.loads(ready.read_text())
            yield facts["address"], facts["pid"]


def service(tables: int, seconds: float, fsync: str, *, journal: bool = True) -> float:
    """Moves per second with so many tables in play."""
    with contextlib.ExitStack() as stack:
        address, _ = stack.enter_context(_service(fsync, journal=journal))
        for seat in SEATS:
            stack.enter_context(_process(str(_HERE / "service_bot.py"), address, f"quick-{seat}"))
        return asyncio.run(_moves(address, tables, seconds))


async def _moves(address: str, tables: int, seconds: float) -> float:
    """Keep so many tables in play and count the moves of those that end in the time measured."""
    async with HostClient(address) as host:
        while len(await host.list_bots()) < 4:  # noqa: ASYNC110 - another process connects
            await asyncio.sleep(0.05)
        number = 0

        async def create() -> None:
            nonlocal number
            number += 1
            await host.create_match(
                MatchSpec(
                    request_id=f"bench-{number}",
                    seats={seat: BotSeat(f"quick-{seat}") for seat in SEATS},
                    mode=Board(number),
                    labels=("bench",),
                )
            )

        for _ in range(tables):
            await create()
        moves, began = 0, 0.0
        start = time.perf_counter()
        async for update in host.watch_matches("bench"):
            if update.match.state is not MatchState.ENDED:
                continue
            await create()
            now = time.perf_counter()
            if not began:
                if now - start > seconds / 4:
                    began = now
                continue
            moves += sum(seat.decisions for seat in update.match.seats)
            if now - began >= seconds:
                return moves / (now - began)
    raise AssertionError("the feed has no end")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fsync", default="everysec", choices=("always", "everysec"))
    options = parser.parse_args()
    ratios: dict[str, list[float]] = {}
    for index in range(options.rounds):
        base = echo(options.seconds)
        print(f"round {index + 1}: echo {base:.0f} round trips/s", flush=True)
        on = 0.0
        for tables in (64, 256):
            on = service(tables, options.seconds, options.fsync)
            ratios.setdefault(f"service_vs_echo_{tables}", []).append(on / base)
            print(f"  {tables} tables: {on:.0f} moves/s, fsync {options.fsync}", flush=True)
        off = service(256, options.seconds, options.fsync, journal=False)
        ratios.setdefault("journal_on_vs_off", []).append(on / off)
        print(f"  256 tables without a journal: {off:.0f} moves/s", flush=True)
    print(json.dumps({name: round(statistics.median(all_), 2) for name, all_ in ratios.items()}))


if __name__ == "__main__":
    main()
