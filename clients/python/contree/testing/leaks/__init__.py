"""A proof that the service shows nobody what is hidden.

    report = leak_test(record)
    assert report.difference is None, report.difference

At every moment of a match the cards that a reader cannot see are exchanged among the hands, and so
are the answers to an open contre window that it may not know. All that the service would send to
that reader must stay the same, byte by byte. Ids and clocks are given, so nothing else differs.

    worlds      the same moment with other hidden cards and answers
    sights      what a reader is sent at a moment, as bytes
    proof       the comparison, over a record or a journal
"""

from __future__ import annotations

from contree.testing.leaks.differences import first_difference
from contree.testing.leaks.proof import (
    Difference,
    LeakReport,
    journal_of,
    leak_test,
    leak_test_journal,
)

__all__ = [
    "Difference",
    "LeakReport",
    "first_difference",
    "journal_of",
    "leak_test",
    "leak_test_journal",
]
