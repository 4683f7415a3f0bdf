"""Rule sets: the TOML text says everything, other fields repeat what a simple bot wants to know."""

from __future__ import annotations

from functools import lru_cache

from contree.engine.actions import Slam
from contree.engine.errors import RulesError
from contree.engine.options import BeloteMode, Undertrump
from contree.engine.presets import parse_rules
from contree.engine.rules import RuleSet
from contree.engine.table import Direction
from contree.v1 import table_pb2
from contree.wire.auction import level_to_pb
from contree.wire.cards import STRAIN_TO_PB
from contree.wire.errors import WireError


@lru_cache(maxsize=256)
def rules_to_pb(rules: RuleSet) -> table_pb2.RuleSet:
    """A rule set. The message is shared: do not change it."""
    return table_pb2.RuleSet(
        toml=rules.to_toml(),
        name=rules.name,
        clockwise=rules.turn_direction is Direction.CLOCKWISE,
        ladder=[level_to_pb(level) for level in rules.ladder],
        strains=[STRAIN_TO_PB[strain] for strain in rules.strains],
        capot_value=rules.capot_value if Slam.CAPOT in rules.ladder else 0,
        generale_value=rules.generale_value or 0,
        must_undertrump=rules.undertrump is Undertrump.MUST,
        belote_announced=rules.belote_mode is BeloteMode.ANNOUNCED,
        target=rules.target,
    )


def rules_from_pb(message: table_pb2.RuleSet) -> RuleSet:
    """The rule set that the TOML text holds; equal texts give the same object."""
    return _parse(message.toml)


def rules_from_toml(text: str, field: str = "toml") -> RuleSet:
    """The rule set that a TOML text holds; WireError naming ``field`` when it cannot be."""
    try:
        return _parse(text)
    except WireError as error:
        raise WireError(field, error.problem) from error.__cause__


@lru_cache(maxsize=256)
def _parse(text: str) -> RuleSet:
    if not text:
        raise WireError("toml", "the rule set is not given")
    try:
        return parse_rules(text)
    except RulesError as error:
        raise WireError("toml", str(error)) from error
