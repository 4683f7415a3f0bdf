"""What each decision of a recorded match cost, against a solver that plays perfectly.

    from contree.analysis.solving import Analyst    # needs the extra "search"

    analysis = Analyst(worlds=40).analyse(record, "my match")
    for deal in analysis.deals:
        costly = [card for card in deal.cards if card.costly]

Values, documents and totals need nothing but the engine, so that whoever only reads an analysis
can do without numba. ``docs/analyse.md`` describes it.
"""

from __future__ import annotations

from contree.analysis.document import SCHEMA, analysis_from_dict, analysis_to_dict, check, digest_of
from contree.analysis.totals import LEAST_BOARDS, Share, Total, totals
from contree.analysis.values import (
    COSTLY,
    Analysis,
    CallCost,
    CardCost,
    DealAnalysis,
    Open,
    Par,
    Seen,
)

__all__ = [
    "Analysis",
    "DealAnalysis",
    "Par",
    "CallCost",
    "CardCost",
    "Open",
    "Seen",
    "COSTLY",
    "Total",
    "Share",
    "totals",
    "LEAST_BOARDS",
    "SCHEMA",
    "analysis_to_dict",
    "analysis_from_dict",
    "check",
    "digest_of",
]
