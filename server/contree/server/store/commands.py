"""Commands as they go over the wire, and the Lua scripts among them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple


class Command(NamedTuple):
    """A command as it goes over the wire, and the key that says for which node of a cluster.

    All keys of a command are in one hash slot.
    """

    key: bytes
    packed: bytes

    @classmethod
    def of(cls, key: bytes, *parts: bytes) -> Command:
        """Pack a command from its parts."""
        packed = [b"*%d\r\n" % len(parts)]
        packed += [b"$%d\r\n%b\r\n" % (len(part), part) for part in parts]
        return cls(key, b"".join(packed))


def command(name: bytes, key: bytes, *arguments: bytes) -> Command:
    """A command on one key that comes right after its name."""
    return Command.of(key, name, key, *arguments)


class Script:
    """A Lua script, called by its hash so that its text is sent only when the store lacks it."""

    __slots__ = ("_sha", "load")

    def __init__(self, name: str) -> None:
        text = (Path(__file__).parent / "scripts" / f"{name}.lua").read_bytes()
        self._sha = hashlib.sha1(text, usedforsecurity=False).hexdigest().encode()
        self.load = Command.of(b"", b"SCRIPT", b"LOAD", text)

    def call(self, keys: Sequence[bytes], *arguments: bytes) -> Command:
        """The command that runs the script on keys of one hash slot."""
        count = b"%d" % len(keys)
        return Command.of(keys[0], b"EVALSHA", self._sha, count, *keys, *arguments)


APPEND: Final = Script("append")
CREATE: Final = Script("create")
ACQUIRE: Final = Script("acquire")
RENEW: Final = Script("renew")
RELEASE: Final = Script("release")
FINISH: Final = Script("finish")
LEASED: Final = Script("leased")
EXPIRED: Final = Script("expired")
HOLD: Final = Script("hold")
PRESENT: Final = Script("present")
_SCRIPTS: Final = (APPEND, CREATE, ACQUIRE, RENEW, RELEASE, FINISH, LEASED, EXPIRED, HOLD, PRESENT)
LOAD_ALL: Final = tuple(script.load for script in _SCRIPTS)
PING: Final = Command.of(b"", b"PING")
ASKING: Final = Command.of(b"", b"ASKING")


def wait_for(replicas: int, within_ms: int) -> Command:
    """Answered with how many replicas have all that was written before on this connection."""
    return Command.of(b"", b"WAIT", b"%d" % replicas, b"%d" % within_ms)


def mark(key: bytes) -> Command:
    """Writes something: of itself a proof that the server writes."""
    return command(b"SET", key, b"1", b"EX", b"60")
