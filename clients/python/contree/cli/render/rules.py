"""The screens of `contree rules`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from contree.cli.render.cards import bid_text, card_text, cards_text, strain_text
from contree.engine.actions import Bid
from contree.engine.cards import Card, Strain
from contree.engine.contract import Doubling
from contree.engine.rules import RuleSet
from contree.engine.scoring import Score, Tally

_DOUBLED = {Doubling.NONE: "", Doubling.CONTRE: ", contre", Doubling.SURCONTRE: ", surcontre"}


def legal_screen(
    rules: str,
    trump: Strain,
    trick: Sequence[Card],
    hand: Sequence[Card],
    legal: Collection[Card],
) -> RenderableType:
    """The trick, and the hand with the legal cards standing out."""
    grid = Table.grid(padding=(0, 2))
    grid.add_row("rules", rules)
    grid.add_row("trump", strain_text(trump))
    grid.add_row("trick", cards_text(trick) if trick else Text("leads", "dim"))
    grid.add_row(
        "hand",
        Text(" ").join(card_text(card, "bold" if card in legal else "dim") for card in hand),
    )
    grid.add_row("legal", cards_text(card for card in hand if card in legal))
    return grid


def score_screen(
    rules: str, bid: Bid, doubling: Doubling, tally: Tally, score: Score
) -> RenderableType:
    """The marks of both sides, and how they came about."""
    outcome = Text("made", "green") if score.made else Text("failed", "red")
    title = bid_text(bid).append(f"{_DOUBLED[doubling]} under {rules}: ").append(outcome)
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    table.add_column("takers", justify="right")
    table.add_column("defence", justify="right")
    table.add_row("points", _points(tally.taker_points), _points(tally.defence_points))
    table.add_row("mark", _points(score.taker_base), _points(score.defence_base))
    table.add_row("belote", str(score.taker_belote), str(score.defence_belote))
    table.add_section()
    table.add_row("marked", Text(str(score.taker), "bold"), Text(str(score.defence), "bold"))
    notes = [f"contract {score.contract}" + (f" x {score.factor}" if score.factor > 1 else "")]
    notes += ["the takers won all tricks"] * score.taker_capot
    notes += ["the defence won all tricks"] * score.defence_capot
    return Group(title, table, Text("; ".join(notes), "dim"))


def presets_screen(presets: Sequence[RuleSet], default: str) -> RenderableType:
    """One row a preset with what tells it from the others."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in ("preset", "trumps", "contre", "takers mark"):
        table.add_column(name, no_wrap=True)
    table.add_column("to", justify="right")
    for rules in presets:
        table.add_row(
            Text(rules.name, "bold" if rules.name == default else ""),
            _strains(rules.strains),
            f"{rules.contre_timing.value.replace('_', ' ')} "
            f"{rules.contre_factor}/{rules.surcontre_factor}",
            rules.taker_mark.value.replace("_plus_", "+"),
            str(rules.target),
        )
    return Group(
        table,
        Text(f"{default} is the default; `contree rules show P` prints every option.", "dim"),
    )


def _strains(strains: Sequence[Strain]) -> Text:
    """The suits together, what is no suit apart."""
    text = Text()
    for strain in strains:
        text.append(" " if strain.suit is None else "").append(strain_text(strain))
    return text


def _points(points: int | Fraction) -> str:
    if isinstance(points, Fraction) and points.denominator > 1:
        return f"{points.numerator / points.denominator:.2f}"
    return str(points)
