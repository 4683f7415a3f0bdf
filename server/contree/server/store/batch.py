"""Commands on their way through a cluster: what was sent where, what came back, what goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from redis import exceptions as redis_errors
from redis.crc import key_slot

from contree.server.store.commands import ASKING, LOAD_ALL, Command

Address = tuple[str, int]


class Batch:
    """Some commands and their replies, errors among them as values."""

    __slots__ = ("_asked", "_commands", "_loaded", "_scripts", "_todo", "replies", "sent")

    def __init__(self, commands: Sequence[Command]) -> None:
        self._commands = commands
        self._todo: Sequence[int] = range(len(commands))
        self._asked: dict[int, Address] = {}
        """Where a command goes this once, while the keys of its slot are on their way."""
        self._scripts: set[Address] = set()
        """Servers that lack scripts."""
        self._loaded: set[Address] = set()
        """Those of them to which the scripts were sent."""
        self.replies: list[Any] = [None] * len(commands)
        self.sent: list[Address | None] = [None] * len(commands)
        """Where each command was sent last."""

    def key(self, i: int) -> bytes:
        """The key of a command."""
        return self._commands[i].key

    def groups(self, master: Callable[[bytes], Address]) -> dict[Address, list[int]]:
        """What is to be sent, by where it goes: to the `master` of its key, or on a detour."""
        groups: dict[Address, list[int]] = {}
        for i in self._todo:
            place = self._asked.get(i) if self._asked else None
            if place is None:
                try:
                    place = master(self._commands[i].key)
                except redis_errors.SlotNotCoveredError as error:
                    self.replies[i], self.sent[i] = error, None
                    continue
            self.sent[i] = place
            group = groups.get(place)
            if group is None:
                groups[place] = [i]
            else:
                group.append(i)
        return groups

    def packed(self, place: Address, group: Sequence[int]) -> tuple[list[Command], list[int]]:
        """What goes over the wire for a group, and which of the replies are those of the group."""
        if not self._asked and not self._scripts:
            return [self._commands[i] for i in group], []
        commands: list[Command] = []
        counting = []
        if place in self._scripts:
            commands += LOAD_ALL
            self._loaded.add(place)
        for i in group:
            if i in self._asked:
                commands.append(ASKING)
            counting.append(len(commands))
            commands.append(self._commands[i])
        return commands, counting

    def take(self, group: Sequence[int], replies: Iterable[Any]) -> None:
        """Take the replies to a group."""
        for i, reply in zip(group, replies, strict=True):
            self.replies[i] = reply

    def failed(self) -> list[int]:
        """Those of the last round that got an error."""
        return [i for i in self._todo if isinstance(self.replies[i], Exception)]

    def detour(self, i: int, place: Address | None) -> None:
        """Send a command to another place this once; None: no longer."""
        if place is None:
            self._asked.pop(i, None)
        else:
            self._asked[i] = place

    def lacks_scripts(self, i: int) -> bool:
        """Note that the server of a command lacks its script; False: that was mended already."""
        place = self.sent[i]
        if place is None or place in self._loaded:
            return False
        self._scripts.add(place)
        return True

    def send_again(self, again: Iterable[int]) -> None:
        """Send these once more, and with them what comes after them for the same slot: commands of
        a slot stay in order.
        """
        first: dict[int, int] = {}
        for i in again:
            slot = key_slot(self.key(i))
            first[slot] = min(i, first.get(slot, i))
        self._todo = [
            i
            for i, command in enumerate(self._commands)
            if i >= first.get(key_slot(command.key), len(self._commands))
        ]
