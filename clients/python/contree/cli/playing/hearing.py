"""What news from the table makes of a desk: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contree.cli.playing.desk import (
    Desk,
    Tone,
    answered,
    asked,
    desk_of,
    happened,
    linked,
    over,
    says,
)
from contree.cli.playing.person import (
    Asked,
    Closed,
    Cut,
    Fault,
    Happened,
    Joined,
    Linked,
    News,
    Over,
    Seated,
    Withdrawn,
)
from contree.cli.playing.telling import fault_line

if TYPE_CHECKING:
    from contree.cli.render.faces import Face

CUT = "The connection is lost; dialling again. Nothing of the game is lost."
LATE = "You were not asked in time any more: the house has acted for you."


def heard(desk: Desk | None, news: News, face: Face) -> Desk | None:
    """The desk after some news; None as long as there is no seat."""
    match news:
        case Seated():
            if desk is not None and desk.table.match_id == news.info.match_id:
                return desk
            return desk_of(news.info.rules, news.info.seat, news.info.match_id, face)
        case Joined() | Closed():
            return desk
    if desk is None:
        return None
    match news:
        case Happened():
            return happened(desk, news.what)
        case Asked():
            return asked(desk, news.turn.view)
        case Withdrawn():
            if desk.ended is not None or desk.owed != news.turn.view:
                return desk
            return says(answered(desk), LATE, Tone.REFUSED)
        case Fault():
            return says(desk, f"{fault_line(news.fault, desk.me)} {news.detail}", Tone.REFUSED)
        case Linked():
            return linked(desk, "")
        case Cut():
            return linked(desk, CUT)
        case Over():
            return desk if desk.ended is not None else over(desk, news.ended)
