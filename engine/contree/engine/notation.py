"""BGN/1, the text record of a match (belote game notation, version 1).

Line-based ASCII that people can read and ``sha256sum`` can check::

    [BGN 1]
    [Rules "ffb-mixte"]
    [Target 1000]
    [Mode race]
    [Seats "North" "East" "South" "West" ccw]
    [Dealer W]
    Deal N:AT9.KQ.J87. E:... S:... W:...
    Bid P 80S P P 90H X P XX
    Play S JS 9S 7S AS / E KH+b 8H 7H TH / ...
    Score N-S 210 E-W 60 | 210-60
    [Sha256 ...]

- *Rules* names a preset; ``[Option overtrump false]`` lines say what differs (values as in JSON).
- *Mode* is ``race``, or ``board`` with the board's number. *Seats* are the players' names, from
  North clockwise, and the turn direction. ``[Note "..."]`` lines hold remarks, e.g. faults.
- *Deal*: suits S.H.D.C, ranks in the order A T K Q J 9 8 7. The first dealer is a tag, the others
  follow from the rules.
- *Bid*: ``P``, a bid (``80S``, ``CAPH``, ``GENH``; strain N is sans-atout, A tout-atout), ``X``,
  ``XX``. The seat is the one after the last to speak, or written before: ``W:X``. Declined contres
  are not written. *Play*: the leader and four cards; ``+b`` marks belote said. No play: passed out.
- *Score*: the marks of the deal, then the match totals.
- *Sha256*: of all bytes before its line.

``bgn_json_read`` has the same as JSON; docs/notation.md describes both.
"""

from __future__ import annotations

from contree.engine.bgn_json_read import parse_record_json, record_from_dict
from contree.engine.bgn_json_write import format_record_json, record_to_dict
from contree.engine.bgn_read import parse_record
from contree.engine.bgn_words import VERSION, RecordError, format_hand, parse_hand
from contree.engine.bgn_write import format_record
from contree.engine.record import PlacedCard, Record, RecordedDeal

__all__ = [
    "VERSION",
    "PlacedCard",
    "Record",
    "RecordError",
    "RecordedDeal",
    "format_hand",
    "format_record",
    "format_record_json",
    "parse_hand",
    "parse_record",
    "parse_record_json",
    "read_record",
    "record_from_dict",
    "record_to_dict",
]


def read_record(text: str) -> Record:
    """Read a record in either form, as ``parse_record`` and ``parse_record_json``."""
    return parse_record_json(text) if text.lstrip()[:1] == "{" else parse_record(text)
