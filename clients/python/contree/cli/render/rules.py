"""The screens of `contree rules`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from contree.cli.render.cards import bid_text, card_text, cards_text, played_text, strain_text
from contree.engine.actions import Announced, Bid
from contree.engine.cards import Card, Strain
from contree.engine.contract import Doubling
from contree.engine.plain import Plain
from contree.engine.rules import RuleSet
from contree.engine.scoring import Score, Tally

_DOUBLED = {Doubling.NONE: "", Doubling.CONTRE: ", contre", Doubling.SURCONTRE: ", surcontre"}


def legal_screen(
    rules: str,
    trump: Strain,
    trick: Sequence[Card],
    hand: Sequence[Card],
    legal: Collection[Card],
    *,
    announceable: Sequence[Announced] = (),
) -> RenderableType:
    """The trick, and the hand with the legal cards standing out."""
    grid = Table.grid(padding=(0, 2))
    grid.add_row("rules", Text(rules))
    grid.add_row("trump", strain_text(trump))
    grid.add_row("trick", cards_text(trick) if trick else Text("leads", "dim"))
    grid.add_row(
        "hand",
        Text(" ").join(card_text(card, "bold" if card in legal else "dim") for card in hand),
    )
    grid.add_row("legal", cards_text(card for card in hand if card in legal))
    if announceable:
        said = Text(" ").join(played_text(action) for action in announceable)
        grid.add_row("belote", said.append("  with belote said", "dim"))
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


def differences_screen(
    first: str, second: str, changes: Mapping[str, tuple[Plain, Plain]]
) -> RenderableType:
    """The options in which two rule sets differ, side by side."""
    if not changes:
        return Text(f"{first} and {second} are the same rules.")
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("option", no_wrap=True)
    for name in (first, second):
        table.add_column(Text(name), overflow="fold")
    for option, (one, other) in changes.items():
        table.add_row(option, plain_text(one), plain_text(other))
    return table


def rule_file_screen(
    file: str, name: str, base: str, changes: Mapping[str, tuple[Plain, Plain]]
) -> Text:
    """A rule file that can be used, and what it changes in its base."""
    if not changes:
        return Text(f"{file}: the rules {name}, the same as {base}.")
    text = Text(f"{file}: the rules {name}. What differs from {base}:")
    for option, (was, now) in changes.items():
        text.append(f"\n  {option} = {plain_text(now)}").append(f"  (not {plain_text(was)})", "dim")
    return text


def plain_text(value: Plain) -> str:
    """The value of an option, short: lists without brackets, texts without quotes."""
    if isinstance(value, list):
        return " ".join(str(entry) for entry in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


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
