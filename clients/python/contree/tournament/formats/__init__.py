"""Who meets whom on which board: formats as pure functions of what has been played so far.

A format is asked which tables there are, given the results; it keeps nothing. So an event that was
interrupted goes on where it was: the rounds of a Swiss event or a knockout, and the moment at which
a sequential test stops, follow from the results again.

    fixed       round robin and gauntlet: everything is known before the first card
    swiss       each round pairs bots that did about as well so far
    knockout    who loses is out
    sequential  one bot against another until a test has decided
    shape       which of them a file asks for, and with what numbers
"""

from __future__ import annotations

from contree.tournament.formats.base import Format, Opened, Report, Results
from contree.tournament.formats.fixed import Gauntlet, RoundRobin
from contree.tournament.formats.knockout import Knockout
from contree.tournament.formats.sequential import Sequential
from contree.tournament.formats.shape import Kind, Shape
from contree.tournament.formats.swiss import Swiss

__all__ = [
    "Format",
    "Gauntlet",
    "Kind",
    "Knockout",
    "Opened",
    "Report",
    "Results",
    "RoundRobin",
    "Sequential",
    "Shape",
    "Swiss",
]
