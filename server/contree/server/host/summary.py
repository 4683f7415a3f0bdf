"""What is read of a match: the resource as its host sees it, and who that is.

It is kept of an ended match beside its journal, so that reading it costs no replay, and told to
those who watch a label. Whoever hands it out cuts it for its reader. What is kept is of this
server's form: one of another form is not read, but made again of the journal that is kept with it.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from contree.engine import Seat
from contree.server.host.resources import match_to_pb
from contree.server.match import Match, Stage
from contree.v1 import match_pb2

FORM: Final = 2
"""To be raised when the resource shows more of an ended match than it did."""

NOBODY: Final = (False, False, False, False)


class Summary(NamedTuple):
    """A match as the queries know it: the resource, not cut for anybody, and what it leaves out."""

    message: match_pb2.Match
    owner: str
    """``MatchSpec.owner``."""
    seq: int | None = None
    """Of its last event once it is over; None where that was not kept."""
    awaited: tuple[Seat, ...] = ()
    """The seats that something is awaited from; it is not kept."""

    @property
    def id(self) -> str:
        """The match id."""
        return self.message.id

    @property
    def ended(self) -> bool:
        """The match is over."""
        return self.message.state == match_pb2.MATCH_STATE_ENDED

    @property
    def group(self) -> str:
        """Its disclosure group."""
        return self.message.disclosure_group

    @property
    def held_back(self) -> bool:
        """Hidden cards may be shown only after the release of its group."""
        policy = self.message.disclosure_policy
        return policy == match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED

    @property
    def keys(self) -> list[str]:
        """Ids of the API keys of the bots in its seats."""
        return [seat.key_id for seat in self.message.seats]


def summary_of(
    match: Match,
    connected: tuple[bool, bool, bool, bool] = NOBODY,
    *,
    disclosed: bool = False,
) -> Summary:
    """What is read of a match. Whether its cards are ``disclosed`` may be found out later."""
    message = match_to_pb(match, connected, disclosed=disclosed, keys=True)
    seq = match.seq if match.stage is Stage.ENDED else None
    return Summary(message, match.spec.owner, seq, match.public.awaited)


def pack(match: Summary) -> bytes:
    """The bytes of what is read of a match."""
    extras = {"owner": match.owner, "seq": match.seq}
    head = json.dumps([FORM, extras], separators=(",", ":")).encode()
    return head + b"\n" + match.message.SerializeToString()


def unpack(data: bytes) -> Summary:
    """What is read of a match, of whatever form."""
    head, _, message = data.partition(b"\n")
    _, extras = json.loads(head)
    return Summary(match_pb2.Match.FromString(message), extras["owner"], extras.get("seq"))


def is_current(data: bytes) -> bool:
    """Whether it is of this server's form."""
    head, _, _ = data.partition(b"\n")
    return bool(json.loads(head)[0] == FORM)
