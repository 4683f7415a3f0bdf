"""The screen of `contree analyse`."""

from __future__ import annotations

import io

from rich.console import Console
from tests.analysis.samples import analysis, call, card, deal
from tests.cli.conftest import Golden

from contree.analysis import Analysis
from contree.cli.render.analysis import analysis_screen
from contree.engine import Seat

BOTS = ("mine", "house", "mine", "house")


def screen(*analyses: Analysis, worst: int = 10) -> str:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    console.print(analysis_screen(analyses, worst))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_single_record(golden: Golden) -> None:
    cards = [
        card(5, marks=40.25, error=12.5, open_marks=120, played="TH", best="7H"),
        card(9, Seat.EAST, marks=60.0, error=40.0, played="AC", best="JC"),
        card(13, Seat.SOUTH, marks=0.0, error=0.0),
    ]
    calls = (call(Seat.NORTH, 70), call(Seat.EAST, 0))
    golden(
        "analyse/record",
        screen(
            analysis(deal(*cards, calls=calls), deal(number=2, broken=True), names=BOTS),
        ),
    )


def test_open_cards(golden: Golden) -> None:
    found = card(5, worlds=False, open_marks=120)
    golden("analyse/open", screen(analysis(deal(found), names=BOTS, worlds=0)))


def test_an_event(golden: Golden) -> None:
    """What matters most is what was surely lost, not the largest mean."""
    tables = [
        analysis(
            deal(
                card(n % 32, marks=n * 2.0, error=1.0 + n, open_marks=n * 10),
                card(n % 7, Seat.WEST, marks=1.5, error=0.25),
                calls=(call(Seat.NORTH, 10 * n), call(Seat.WEST, n)),
                number=n,
            ),
            record=f"b{n:04d}-mine~house-A",
            names=BOTS,
            house=((), (1,), (), ()) if n == 3 else ((),) * 4,
        )
        for n in range(1, 13)
    ]
    shown = screen(*tables, worst=4)
    golden("analyse/event", shown)
    assert "+" not in shown.split("costliest")[0]


def test_nothing_was_lost() -> None:
    lost = [card(3), card(7, marks=0.4, open_marks=80)]
    assert "No card cost a mark." in screen(analysis(deal(*lost), names=BOTS))
