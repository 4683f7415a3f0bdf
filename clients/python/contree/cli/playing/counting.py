"""How a deal is counted, as a table for the person in one seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from contree.cli.render.cards import contract_text
from contree.cli.render.faces import Face
from contree.engine import RuleSet, Seat, Tally, score
from contree.engine.scoring import Score

if TYPE_CHECKING:
    from contree.client import DealEnded
    from contree.wire import DealSummary


def counting(result: DealSummary, rules: RuleSet) -> Score | None:
    """The parts of the marks, computed again; None where they do not come to the same, for points
    are told without their fractions.
    """
    contract = result.contract
    if contract is None:
        return None
    us, them = contract.team, contract.team.other
    tally = Tally(
        taker_points=result.points[us],
        defence_points=result.points[them],
        taker_tricks=result.tricks[us],
        taker_belotes=result.belotes[us],
        defence_belotes=result.belotes[them],
    )
    found = score(rules, contract.level, contract.strain, contract.doubling, tally)
    same = (found.taker, found.defence) == (result.marks[us], result.marks[them])
    return found if same and found.made is result.made else None


def times(counted: Score) -> str:
    """By what a contre multiplies."""
    return f", times {counted.factor}" if counted.factor > 1 else ""


def deal_panel(ended: DealEnded, me: Seat, rules: RuleSet, face: Face) -> RenderableType:
    """What both pairs made, how it is marked, and where the match stands."""
    result, us, them = ended.result, me.team, me.team.other
    contract = result.contract
    if contract is None:
        return Text("All four passed.")
    title = contract_text(contract, face)
    title.append(" made" if result.made else " failed", "bold green" if result.made else "bold red")
    title.append(" (your side)" if contract.team is us else " (their side)", "dim")
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    table.add_column("you", justify="right")
    table.add_column("they", justify="right")
    table.add_row("card points", str(result.points[us]), str(result.points[them]))
    table.add_row("tricks", str(result.tricks[us]), str(result.tricks[them]))
    counted = counting(result, rules)
    if counted is not None:
        ours = contract.team is us
        base = counted.taker_base, counted.defence_base
        belote = counted.taker_belote, counted.defence_belote
        table.add_row("counted", *(str(int(part)) for part in (base if ours else base[::-1])))
        table.add_row("belote", *(str(part) for part in (belote if ours else belote[::-1])))
    table.add_section()
    table.add_row("marked", *(Text(str(result.marks[team]), "bold") for team in (us, them)))
    table.add_row("the match", *(Text(str(ended.scores[team]), "bold") for team in (us, them)))
    if counted is None:
        return Group(title, table)
    notes = f"the contract counts {counted.contract}{times(counted)}"
    return Group(title, table, Text(notes, "dim"))
