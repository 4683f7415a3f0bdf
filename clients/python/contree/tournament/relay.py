"""Run as a program: takes connections in one place, passes them on to another, beside a command.

    python relay.py LISTEN TO -- COMMAND...

LISTEN and TO are ``HOST:PORT`` or ``unix:PATH``; of TO there may be several, with commas, tried in
turn. The command is started once the relay listens, and the relay ends with it, with its exit code.
Two of these make a sandbox's only way out: one outside, from a socket in a folder to the service,
one inside, from a port of the sandbox's own to that socket.

Of each connection both directions are passed on for themselves: when one end has said all it has to
say, the other is told, and may go on talking. Whatever is sent waits for whoever reads slowly, so a
connection takes a bounded amount of memory; of connections there are at most ``MOST`` at once.
Imports nothing but the standard library.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress

MOST = 64
"""Connections at once; more are closed as they come."""
CHUNK = 1 << 16
BACKLOG = 64
_NOT_STARTED = 127


class Relay:
    """Passes connections on to the first of some addresses that takes them."""

    def __init__(self, targets: list[str]) -> None:
        self._targets = targets
        self._open = 0

    async def serve(self, place: str) -> asyncio.Server:
        """Take connections at a place from now on."""
        if place.startswith("unix:"):
            path = place.removeprefix("unix:")
            with suppress(FileNotFoundError):
                os.unlink(path)  # noqa: PTH108 - of a run that was killed; this starts in 40 ms
            return await asyncio.start_unix_server(self._accept, path, limit=CHUNK, backlog=BACKLOG)
        host, _, port = place.rpartition(":")
        return await asyncio.start_server(
            self._accept, host.strip("[]"), int(port), limit=CHUNK, backlog=BACKLOG
        )

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._open >= MOST:
            writer.transport.abort()
            return
        self._open += 1
        try:
            await self._pass_on(reader, writer)
        except asyncio.CancelledError:
            pass  # the command has ended; asyncio's streams would complain of it
        finally:
            self._open -= 1

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await self._dial()
        except OSError as error:
            print(f"The service cannot be reached: {error.strerror or error}", file=sys.stderr)
            writer.transport.abort()
            return
        ends = writer, far_writer
        ways = [
            asyncio.ensure_future(_copy(reader, far_writer)),
            asyncio.ensure_future(_copy(far_reader, writer)),
        ]
        try:
            # The first that breaks ends both; one that merely ends leaves the other to go on.
            await asyncio.gather(*ways)
            for end in ends:
                end.close()
                await end.wait_closed()
        except OSError:
            pass
        finally:
            for way in ways:
                way.cancel()
            for end in ends:
                end.transport.abort()

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        problem: OSError = ConnectionRefusedError("no address was given")
        for target in self._targets:
            try:
                if target.startswith("unix:"):
                    path = target.removeprefix("unix:")
                    return await asyncio.open_unix_connection(path, limit=CHUNK)
                host, _, port = target.rpartition(":")
                return await asyncio.open_connection(host.strip("[]"), int(port), limit=CHUNK)
            except OSError as error:
                problem = error
        raise problem


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def main(arguments: list[str]) -> int:
    """Relay while the command runs; its exit code, 128 and the number for a signal."""
    end = arguments.index("--")
    (place, targets), command = arguments[:end], arguments[end + 1 :]
    try:
        server = await Relay(targets.split(",")).serve(place)
        process = await asyncio.create_subprocess_exec(*command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror or error}", file=sys.stderr)
        return _NOT_STARTED
    loop = asyncio.get_running_loop()
    # Whoever ends the relay means the command.
    loop.add_signal_handler(signal.SIGTERM, _pass_signal, process)
    try:
        code = await process.wait()
    finally:
        server.close()
        if place.startswith("unix:"):
            with suppress(FileNotFoundError):
                os.unlink(place.removeprefix("unix:"))  # noqa: PTH108
    return code if code >= 0 else 128 - code


def _pass_signal(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            # Not terminate(): it looks first whether it has ended, and takes its exit code away.
            os.kill(process.pid, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
