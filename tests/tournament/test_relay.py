"""The relay as the program that it is: bytes pass, ends are told, and it ends with its command."""

from __future__ import annotations

import asyncio
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.tournament.waiting import WAIT_S

from contree.tournament import relay

PROGRAM = str(Path(relay.__file__))
PAUSES = ("-c", "import signal; print('up', flush=True); signal.pause()")
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def relayed(
    tmp_path: Path, target: str, *command: str
) -> AsyncIterator[tuple[Process, Path]]:
    """A relay from a socket to the target; the socket."""
    place = tmp_path / "r"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", PROGRAM, f"unix:{place}", target, "--"),
        *(sys.executable, *(command or PAUSES)),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        if not command:  # it is started when the relay listens
            assert process.stdout is not None
            assert await asyncio.wait_for(process.stdout.readline(), WAIT_S) == b"up\n"
        yield process, place
    finally:
        if process.returncode is None:
            process.terminate()
        await asyncio.wait_for(process.communicate(), WAIT_S)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        host, port = server.sockets[0].getsockname()
        yield f"{host}:{port}"
    finally:
        server.close()


async def echoes_all_at_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    data = await reader.read(-1)
    writer.write(data)
    await writer.drain()


async def test_much_passes_both_ways_and_an_end_is_told(tmp_path: Path) -> None:
    data = bytes(range(256)) * (1 << 15)  # 8 MiB
    async with (
        serving(echoes_all_at_the_end) as target,
        relayed(tmp_path, target) as (_, place),
    ):
        reader, writer = await asyncio.open_unix_connection(str(place))
        writer.write(data)
        writer.write_eof()  # the answer comes after it
        assert await asyncio.wait_for(reader.read(-1), WAIT_S) == data
        writer.close()


async def test_one_that_does_not_read_is_waited_for(tmp_path: Path) -> None:
    sent = 0
    all_sent = asyncio.Event()

    async def pours(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        while sent < 1 << 28:
            writer.write(b"x" * 65536)
            await writer.drain()
            sent += 65536
        all_sent.set()

    async with serving(pours) as target, relayed(tmp_path, target) as (_, place):
        reader, writer = await asyncio.open_unix_connection(str(place), limit=1024)
        await asyncio.wait_for(reader.readexactly(100), WAIT_S)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(all_sent.wait(), 1.0)
        assert sent < 1 << 25, "more is under way than buffers hold"
        writer.transport.abort()


async def test_a_connection_that_breaks_is_broken_at_the_other_end(tmp_path: Path) -> None:
    broken = asyncio.Event()

    async def waits(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.read(-1) == b"hello"
        broken.set()

    async with serving(waits) as target, relayed(tmp_path, target) as (_, place):
        _, writer = await asyncio.open_unix_connection(str(place))
        writer.write(b"hello")
        await writer.drain()
        writer.close()
        await asyncio.wait_for(broken.wait(), WAIT_S)


async def test_there_is_an_end_to_connections(tmp_path: Path) -> None:
    async def echoes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)

    async with serving(echoes) as target, relayed(tmp_path, target) as (_, place):
        kept = []
        for _ in range(relay.MOST):
            reader, writer = await asyncio.open_unix_connection(str(place))
            writer.write(b"x")
            assert await asyncio.wait_for(reader.readexactly(1), WAIT_S) == b"x"
            kept.append(writer)
        reader, writer = await asyncio.open_unix_connection(str(place))
        assert await asyncio.wait_for(reader.read(1), WAIT_S) == b""
        writer.close()
        kept.pop().close()

        async def there_is_room() -> bool:
            reader, writer = await asyncio.open_unix_connection(str(place))
            try:
                writer.write(b"x")
                return await asyncio.wait_for(reader.read(1), WAIT_S) == b"x"
            except OSError:
                return False
            finally:
                writer.close()

        async with asyncio.timeout(WAIT_S):
            while not await there_is_room():
                pass
        for one in kept:
            one.close()


async def test_the_first_that_answers_is_taken(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        dead = f"127.0.0.1:{nobody.getsockname()[1]}"
        async with (
            serving(echoes_all_at_the_end) as target,
            relayed(tmp_path, f"{dead},{target}") as (_, place),
        ):
            reader, writer = await asyncio.open_unix_connection(str(place))
            writer.write(b"hello")
            writer.write_eof()
            assert await asyncio.wait_for(reader.read(-1), WAIT_S) == b"hello"
            writer.close()


async def test_without_a_service_connections_are_closed_and_it_says_so(tmp_path: Path) -> None:
    async with relayed(tmp_path, f"unix:{tmp_path}/nobody") as (process, place):
        reader, writer = await asyncio.open_unix_connection(str(place))
        assert await asyncio.wait_for(reader.read(1), WAIT_S) == b""
        writer.close()
        process.terminate()
        _, said = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert b"The service cannot be reached: No such file" in said


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("", 0),
        ("raise SystemExit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", 137),
    ],
    ids=["ends", "fails", "killed"],
)
async def test_it_ends_with_its_command(tmp_path: Path, program: str, code: int) -> None:
    async with relayed(tmp_path, "127.0.0.1:9", "-c", program) as (process, place):
        assert await asyncio.wait_for(process.wait(), WAIT_S) == code
        assert not place.exists()


async def test_whoever_ends_it_ends_its_command(tmp_path: Path) -> None:
    program = "import signal, sys; signal.signal(15, lambda *_: sys.exit(5)); print(1, flush=True)"
    async with relayed(tmp_path, "127.0.0.1:9", "-c", f"{program}\nsignal.pause()") as (one, _):
        assert one.stdout is not None
        await asyncio.wait_for(one.stdout.readline(), WAIT_S)
        one.terminate()
        assert await asyncio.wait_for(one.wait(), WAIT_S) == 5
