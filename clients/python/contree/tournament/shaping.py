"""The format of an event, and whether it is played by boards or in races, read out of its file."""

from __future__ import annotations

from contree.client import Race
from contree.tournament.errors import ConfigError
from contree.tournament.formats.shape import Kind, Shape
from contree.tournament.reading import Section
from contree.tournament.statistics.sprt import Design

_TABLES = {
    Kind.GAUNTLET: "gauntlet",
    Kind.SWISS: "swiss",
    Kind.KNOCKOUT: "knockout",
    Kind.SPRT: "sprt",
}
"""The tables of the file that belong to one format each."""


def read_shape(top: Section) -> tuple[Shape, Race | None]:
    """The format, and the races that are played instead of boards. Raises ConfigError."""
    kind = Kind(top.choice("format", [one.value for one in Kind], default=Kind.ROUND_ROBIN.value))
    for owner, name in _TABLES.items():
        if owner is not kind and name in top.given:
            raise ConfigError(
                name,
                f'there is a table [{name}], but format is "{kind.value}"',
                f'format = "{owner.value}", or no such table',
            )
    racing = top.section("race")
    race = _race(racing) if "race" in top.given else None
    sections = {one: top.section(name) for one, name in _TABLES.items()}
    section = sections.get(kind)
    shape = Shape(kind=kind, races=race is not None)
    if section is not None:
        shape = _shape(kind, section, races=race is not None)
        section.finish()
    return shape, race


def _shape(kind: Kind, section: Section, *, races: bool) -> Shape:
    match kind:
        case Kind.GAUNTLET:
            bot = section.text("bot", r".+", "the name of the bot that meets all others")
            return Shape(kind=kind, bot=bot, races=races)
        case Kind.SWISS:
            return Shape(kind=kind, rounds=section.optional_whole("rounds", 1, 1000), races=races)
        case Kind.KNOCKOUT:
            return Shape(
                kind=kind,
                tiebreak_boards=section.whole("tiebreak_boards", 1, 1000, 4),
                tiebreaks=section.whole("tiebreaks", 0, 100, 3),
                races=races,
            )
        case Kind.SPRT:
            return Shape(kind=kind, design=_design(section), races=races)
    raise AssertionError(kind)


def _design(section: Section) -> Design:
    usual = Design()
    design = Design(
        t0=section.real("t0", -2.0, 2.0, usual.t0),
        t1=section.real("t1", -2.0, 2.0, usual.t1),
        alpha=section.real("alpha", 0.0001, 0.4, usual.alpha),
        beta=section.real("beta", 0.0001, 0.4, usual.beta),
        every=section.whole("every", 1, 1000, usual.every),
        least=section.whole("least", 10, 100_000, usual.least),
    )
    if design.t1 - design.t0 < 0.01:
        raise ConfigError(
            section.key("t1"), f"{design.t1:g} is not above t0", f"at least {design.t0 + 0.01:g}"
        )
    return design


def _race(section: Section) -> Race:
    target = section.optional_whole("target", 0, 100_000)
    deals = section.optional_whole("deals", 0, 10_000)
    section.finish()
    if target == 0 and not deals:
        raise ConfigError(section.key("target"), "0, and no deals either", "one of the two above 0")
    return Race(target, deals)
