"""Figures from board results: pure, one idea a module, the same for the same results.

What each of them means, and what it does not, is in docs/statistics.md. Randomness, where a figure
needs any, comes from a generator with a fixed seed.

    intervals     the mean of boards and its interval; a bootstrap over boards
    imps          board results on a scale on which one big swing does not decide everything
    simultaneous  the intervals of a whole cross table, which hold together
    exact         sign test and sign-flip test: a check that needs no assumption about spread
    sprt          stopping early: one bot against another, with bounded errors
    needed        how many boards a difference needs, before an event and during it
    ratings       openskill ratings, recomputed from the results
    paired        what playing each board both ways round has gained
"""

from __future__ import annotations

from contree.tournament.statistics.intervals import LEVEL, Estimate, estimate

__all__ = ["LEVEL", "Estimate", "estimate"]
