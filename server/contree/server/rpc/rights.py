"""Which roles each method takes, and what its calls count as: one table, and the only one.

A method that is not in the table is answered to nobody; a test holds the table to what is served.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from contree.server.access import Role


class Kind(Enum):
    """What a call counts as where calls are limited."""

    PLAY = "play"
    """A stream of a bot. What it says there is never limited."""
    QUERY = "query"
    """One question, one answer."""
    WATCH = "watch"
    """A stream for somebody who only looks on."""


class Right(NamedTuple):
    """What a method takes. ``roles`` None: it is for everybody, and nobody is asked."""

    kind: Kind
    roles: tuple[Role, ...] | None

    @property
    def streams(self) -> bool:
        """Whether a call stays open."""
        return self.kind is not Kind.QUERY


_MATCHES: Final = "/contree.v1.MatchService/"
_RULES: Final = "/contree.v1.RulesService/"
_ANY_KEY: Final = (Role.HOST, Role.BOT, Role.SPECTATOR)

RIGHTS: Final[dict[str, Right]] = {
    "/contree.v1.PlayService/Play": Right(Kind.PLAY, (Role.BOT,)),
    "/contree.v1.SpectateService/Watch": Right(Kind.WATCH, (Role.HOST, Role.SPECTATOR)),
    f"{_MATCHES}CreateMatch": Right(Kind.QUERY, (Role.HOST,)),
    # A bot asks what became of a match while it was away.
    f"{_MATCHES}GetMatch": Right(Kind.QUERY, _ANY_KEY),
    f"{_MATCHES}ListMatches": Right(Kind.QUERY, (Role.HOST, Role.SPECTATOR)),
    f"{_MATCHES}CancelMatch": Right(Kind.QUERY, (Role.HOST,)),
    f"{_MATCHES}GetRecord": Right(Kind.QUERY, (Role.HOST,)),
    f"{_MATCHES}WatchMatches": Right(Kind.WATCH, (Role.HOST, Role.SPECTATOR)),
    f"{_MATCHES}ReleaseGroup": Right(Kind.QUERY, (Role.HOST,)),
    f"{_MATCHES}ListBots": Right(Kind.QUERY, (Role.HOST,)),
    f"{_RULES}ListPresets": Right(Kind.QUERY, _ANY_KEY),
    f"{_RULES}GetLegalActions": Right(Kind.QUERY, _ANY_KEY),
    f"{_RULES}ScoreDeal": Right(Kind.QUERY, _ANY_KEY),
    # Probes and load balancers have no key.
    "/grpc.health.v1.Health/Check": Right(Kind.QUERY, None),
    "/grpc.health.v1.Health/List": Right(Kind.QUERY, None),
    "/grpc.health.v1.Health/Watch": Right(Kind.WATCH, None),
    # Served only where the settings say so; it tells what is public anyway.
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Right(Kind.WATCH, None),
}
