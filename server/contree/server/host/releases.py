"""Which disclosure groups are released, so that the hidden cards of their matches may be shown."""

from __future__ import annotations

from typing import Final

from contree.server.host.owners import EVERY_OWNER, of_owner
from contree.server.host.summary import Summary
from contree.server.store import RegistryStore

_RELEASED: Final = 10_000
"""Disclosure groups that are remembered as released; any other is asked for again."""


class Releases:
    """Releases groups and knows which are; a release is never taken back."""

    def __init__(self, registry: RegistryStore, kept_s: int | None) -> None:
        """``kept_s`` is how long a release is kept, None for ever."""
        self._registry = registry
        self._kept_s = kept_s
        self._released: dict[str, None] = {}
        """Disclosure groups known to be released, the oldest first."""

    async def disclosed(self, match: Summary) -> bool:
        """Whether the hidden cards of a match may be shown."""
        if not match.ended:
            return False
        return not match.held_back or await self.released(match.owner, match.group)

    async def released(self, owner: str, name: str) -> bool:
        """Whether a disclosure group of this owner's is released."""
        if not name:
            return False
        group = of_owner(owner, name)
        if group not in self._released:
            everybodys = of_owner(EVERY_OWNER, name)
            known = self._registry
            if not (await known.disclosed(group) or await known.disclosed(everybodys)):
                return False
            self._released[group] = None
            if len(self._released) > _RELEASED:
                del self._released[next(iter(self._released))]
        return True

    async def release(self, group: str, owner: str | None) -> None:
        """Let the cards of the ended matches of a disclosure group be shown: of one owner's, for
        two hosts may use the same name; of every owner's when None.
        """
        name = of_owner(EVERY_OWNER if owner is None else owner, group)
        await self._registry.disclose(name, self._kept_s)
