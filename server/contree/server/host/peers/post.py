"""What servers say to each other, through one inbox each.

All that one pass of the event loop has for a peer goes as one entry, and the entries for all peers
in one round trip; while that is under way the next gather. An entry that the store did not answer
for is tried again, with what the others have to be told meanwhile, and none goes to its peer before
it is answered. Entries to a peer are numbered: one that comes twice is passed over, and where one
is missing the peer is told to say all again that the two share. So an entry may be lost, with an
inbox that overflows or a store that fails over.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from typing import Final

import structlog
from google.protobuf.message import DecodeError

from contree.peers.v1.peers_pb2 import Entry, Item, Sent
from contree.server.host.gathering import Gathering
from contree.server.store import InboxStore, StoreError, StoreUnavailable
from contree.server.telemetry import Metrics

SCHEMA: Final = 1
_AT_ONCE: Final = 500
"""Things said in one entry, at most."""
_MOST: Final = 20_000
"""Things that wait for one peer, at most; beyond that they are lost, as the peer will find."""
_WAIT_MS: Final = 5_000
_RETRY_S: Final = 0.1
_log = structlog.get_logger(__name__)


class Link:
    """How far two servers have written to each other."""

    __slots__ = ("awaited", "entry", "mine", "number", "read", "sent", "theirs", "waiting")

    def __init__(self) -> None:
        self.mine = secrets.randbits(32) or 1
        """Drawn when this server began to count."""
        self.number = 0
        """That of the newest entry."""
        self.sent = 0
        """That of the newest entry that the store answered for."""
        self.entry: bytes | None = None
        """The newest one, as long as it is not answered for."""
        self.theirs = 0
        """Drawn when the other one began; 0 as long as nothing came."""
        self.read = 0
        self.awaited: tuple[int, int] | None = None
        """How far the other said that it had written, a beat ago, where that is not here."""
        self.waiting: list[Item] = []


class Post:
    """Says things to peers, and takes what they say."""

    def __init__(
        self,
        inboxes: InboxStore,
        address: str,
        *,
        deliver: Callable[[str, Item], None],
        missed: Callable[[str], None],
        metrics: Metrics,
    ) -> None:
        """``deliver`` is given what a peer says, ``missed`` who has said something that is lost."""
        self._inboxes = inboxes
        self.address = address
        self._deliver = deliver
        self._missed = missed
        self._links: dict[str, Link] = {}
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        self.read_to = "0"
        """The last entry of the own inbox that was read."""
        self._metrics = metrics

    # -- peers ----------------------------------------------------------------------------------

    @property
    def peers(self) -> tuple[str, ...]:
        """Those that are spoken to."""
        return tuple(self._links)

    def open(self, peer: str) -> None:
        """Speak to a peer from here on."""
        self._links.setdefault(peer, Link())

    def close(self, peer: str) -> None:
        """Speak to it no more; what waits for it is dropped."""
        self._links.pop(peer, None)

    def sent(self) -> list[Sent]:
        """How far this server has written, to be let known."""
        return [
            Sent(receiver=peer, link=link.mine, number=link.sent)
            for peer, link in self._links.items()
            if link.sent
        ]

    def told(self, peer: str, sent: Iterable[Sent]) -> None:
        """A peer lets know how far it has written. What it had written by the last time must be
        here by now.
        """
        link = self._links.get(peer)
        if link is None:
            return
        mine = next((one for one in sent if one.receiver == self.address), None)
        if mine is None:
            return
        if link.awaited is not None:
            theirs, number = link.awaited
            if theirs == mine.link and (theirs != link.theirs or link.read < number):
                link.theirs, link.read, link.awaited = theirs, number, None
                self._ask_again(peer)
                return
        behind = mine.link != link.theirs or link.read < mine.number
        link.awaited = (mine.link, mine.number) if behind else None

    # -- saying ---------------------------------------------------------------------------------

    def say(self, peer: str, item: Item) -> None:
        """Say something to a peer; nothing where there is no such peer any more."""
        link = self._links.get(peer)
        if link is None:
            return
        if len(link.waiting) >= _MOST:
            link.waiting.clear()
            link.number += 1  # an entry that never comes
        link.waiting.append(item)
        self._settled.clear()
        self._wake.set()

    def say_all(self, item: Item) -> None:
        """Say something to all peers."""
        for peer in self._links:
            self.say(peer, item)

    async def settled(self) -> None:
        """Wait until all that was said is in the inboxes."""
        await self._settled.wait()

    async def write(self) -> None:
        """Put what is said into the inboxes, until cancelled."""
        gathering = Gathering()
        while True:
            await self._wake.wait()
            self._wake.clear()
            await gathering.more()
            size = self._gather()
            unanswered = await self._put()
            gathering.done(size)
            if unanswered:
                await asyncio.sleep(_RETRY_S)
            if any(link.entry or link.waiting for link in self._links.values()):
                self._wake.set()
            else:
                self._settled.set()

    def _gather(self) -> int:
        """Make an entry of what there is to say to each peer that has taken the one before; how
        many things are in them.
        """
        size = 0
        for link in self._links.values():
            if link.entry is not None or not link.waiting:
                continue
            some, link.waiting = link.waiting[:_AT_ONCE], link.waiting[_AT_ONCE:]
            link.number += 1
            entry = Entry(
                schema=SCHEMA,
                sender=self.address,
                link=link.mine,
                number=link.number,
                items=some,
            )
            link.entry = entry.SerializeToString()
            size += len(some)
            self._metrics.peer_entries.inc()
        self._metrics.peer_items.inc(size)
        return size

    async def _put(self) -> bool:
        """Put the entry of each peer into its inbox; whether the store left any unanswered."""
        writing = [(peer, link, link.entry) for peer, link in self._links.items() if link.entry]
        if not writing:
            return False
        results = await self._inboxes.put([(peer, entry) for peer, _, entry in writing])
        unanswered = False
        for (peer, link, _), result in zip(writing, results, strict=True):
            if isinstance(result, StoreUnavailable):
                unanswered = True
                continue
            if isinstance(result, StoreError):
                _log.error("inbox_refused", peer=peer, error=str(result))
            link.sent, link.entry = link.number, None
        return unanswered

    # -- hearing --------------------------------------------------------------------------------

    async def read(self) -> None:
        """Take what comes into the own inbox, until cancelled."""
        while True:
            try:
                entries = await self._inboxes.read(self.address, self.read_to, _WAIT_MS)
            except StoreError:
                await asyncio.sleep(_RETRY_S)
                continue
            for entry_id, data in entries:
                self.read_to = entry_id
                if data:
                    self._take(data)
                    await asyncio.sleep(0)  # others have their turn between two entries

    def _take(self, data: bytes) -> None:
        try:
            entry = Entry.FromString(data)
        except DecodeError:
            _log.error("inbox_unreadable", bytes=len(data))
            return
        if entry.schema != SCHEMA:
            _log.error("inbox_schema_unknown", peer=entry.sender, schema=entry.schema)
            return
        peer = entry.sender
        link = self._links.get(peer)
        if link is None:
            # It knows of this server before this one knows of it.
            link = self._links[peer] = Link()
        if entry.link != link.theirs:
            missed = link.theirs != 0 or entry.number != 1
            link.theirs, link.awaited = entry.link, None
        elif entry.number <= link.read:
            return
        else:
            missed = entry.number != link.read + 1
        link.read = entry.number
        for item in entry.items:
            try:
                self._deliver(peer, item)
            except Exception:  # others are concerned by what follows
                _log.exception("item_failed", peer=peer, kind=item.WhichOneof("item"))
        if missed:
            self._ask_again(peer)

    def _ask_again(self, peer: str) -> None:
        try:
            self._missed(peer)
        except Exception:
            _log.exception("peer_not_asked_again", peer=peer)
