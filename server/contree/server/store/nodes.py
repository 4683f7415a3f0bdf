"""What the parts of the store ask of the servers that hold it: one of them, or a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from contree.server.store.commands import Command, command
from contree.server.store.errors import StoreError


class Nodes(ABC):
    """Runs commands. They must be such that running them twice does no harm.

    `lasting` is for what somebody will be told is done: it is confirmed only once as many replicas
    have it as the settings ask for.
    """

    parts: bool
    """Whether keys lie with several masters, of which one may be away while the others are not."""
    replicas: int
    """How many replicas must have what is confirmed."""

    @abstractmethod
    async def run_all(
        self, commands: Sequence[Command], *, wait_s: float = 0.0, lasting: bool = False
    ) -> list[Any]:
        """Run commands in one round trip; each reply, or the `StoreError` in its place.

        Commands for one hash slot run in the order given; so do all where there are no `parts`.
        Each may itself wait `wait_s` seconds.
        """

    @abstractmethod
    async def run_in_turn(
        self, first: Sequence[Command], then: Sequence[Command], *, lasting: bool = False
    ) -> list[Any]:
        """Run some commands, and others only after them; raises the first error.

        In one round trip where that keeps the order.
        """

    @abstractmethod
    async def attended(self, command: Command) -> Any:
        """The reply to a command; raises `StoreError` also when a master does not answer at all."""

    @abstractmethod
    async def ping(self) -> None:
        """Return when every master answers. Raises `StoreError`."""

    @abstractmethod
    async def probe(self) -> None:
        """Return when every master has written something, lastingly. Raises `StoreError`."""

    @abstractmethod
    async def close(self) -> None:
        """Close every connection; those in use close when their exchange ends."""

    async def run(self, command: Command, *, wait_s: float = 0.0, lasting: bool = False) -> Any:
        """Run one command and return its reply. Raises `StoreUnavailable` and `StoreRefused`."""
        (reply,) = await self.run_all([command], wait_s=wait_s, lasting=lasting)
        if isinstance(reply, StoreError):
            raise reply
        return reply

    async def settled(self, key: bytes) -> None:
        """Return when what was read of a key is as lasting as what is confirmed: a reader sees what
        a master has, which it may have before its replicas. Raises `StoreUnavailable`.
        """
        if self.replicas:
            await self.run(command(b"EXISTS", key), lasting=True)

    async def run_each(self, commands: Sequence[Command], *, lasting: bool = False) -> list[Any]:
        """Run commands in one round trip; raises the first error, when all have run."""
        return replies_of(await self.run_all(commands, lasting=lasting) if commands else [])


def replies_of(replies: list[Any]) -> list[Any]:
    """Replies of which none may be an error; raises the first that is one."""
    for reply in replies:
        if isinstance(reply, StoreError):
            raise reply
    return replies
