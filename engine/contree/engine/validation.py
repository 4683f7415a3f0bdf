"""Rule sets that contradict themselves: each check is one sentence about two options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contree.engine.actions import Slam
from contree.engine.cards import Strain
from contree.engine.errors import RulesError
from contree.engine.options import ContreMark, MultScope, Rise, Shuffle, TakerMark, TaScale

if TYPE_CHECKING:
    from contree.engine.rules import RuleSet


def check_consistent(rules: RuleSet) -> None:
    """RulesError, naming the option, when options that are fine one by one contradict each other.

    Options without a subject (tout-atout duties where it cannot be bid) must stay neutral, so that
    equal games have equal rule sets; all of them are named at once.
    """
    _check_ladder(rules)
    _check_strains(rules)
    _check_contre(rules)
    if rules.shuffle is Shuffle.FIRST_ONLY_THEN_CUT and rules.cut_minimum is None:
        raise RulesError(
            "cut_minimum", "off, though later deals are only cut", "a whole number from 1 to 16"
        )
    if rules.capot_total is not None and rules.capot_last_trick != rules.last_trick:
        raise RulesError(
            "capot_last_trick",
            f"{rules.capot_last_trick} has no effect beside capot_total {rules.capot_total}",
            f'last_trick ({rules.last_trick}), or capot_total "off"',
        )


def _check_ladder(rules: RuleSet) -> None:
    ladder = rules.ladder
    expected = "points in ascending order; capot before generale; each level once; 1 at least"
    if not ladder:
        raise RulesError("ladder", "empty", expected)
    if len(set(ladder)) < len(ladder):
        raise RulesError("ladder", "a level stands on it twice", expected)
    points = [level for level in ladder if not isinstance(level, Slam)]
    if points != sorted(points):
        raise RulesError("ladder", "points do not ascend", expected)
    capot, generale = Slam.CAPOT in ladder, Slam.GENERALE in ladder
    if capot and generale and ladder.index(Slam.CAPOT) > ladder.index(Slam.GENERALE):
        raise RulesError("ladder", "generale stands below capot", expected)
    if generale and rules.generale_value is None:
        raise RulesError(
            "generale_value", "off, though generale is on the ladder", "its contract value"
        )
    if not generale:
        for name in ("generale_value", "generale_last_trick"):
            if getattr(rules, name) is not None:
                raise RulesError(
                    name,
                    f"{getattr(rules, name)}, though generale is not on the ladder",
                    '"off", or generale on the ladder',
                )
    if not capot:
        for name in ("capot_made_mark", "capot_failed_mark"):
            if getattr(rules, name) is not None:
                raise RulesError(
                    name,
                    f"{getattr(rules, name)}, though capot is not on the ladder",
                    '"off", or capot on the ladder',
                )


def _check_strains(rules: RuleSet) -> None:
    strains = rules.strains
    expected = 'at least one of "S" "H" "D" "C" "SA" "TA", each once, in that order'
    if not strains or list(strains) != sorted(set(strains)):
        raise RulesError("strains", "empty, repeated or out of order", expected)
    idle = [*_idle_sans_atout(rules), *_idle_tout_atout(rules)]
    if idle:
        names = [name for name, _ in idle]
        raise RulesError(
            names[0],
            f"set, though its strain cannot be bid ({', '.join(names)})",
            ", ".join(f"{name} = {neutral}" for name, neutral in idle)
            + ", or SA and TA among the strains",
        )


def _idle_sans_atout(rules: RuleSet) -> Iterator[tuple[str, str]]:
    if Strain.NO_TRUMP in rules.strains:
        return
    if rules.sa_ace != 11:
        yield "sa_ace", "11"
    if rules.sa_rise is not Rise.NEVER:
        yield "sa_rise", '"never"'


def _idle_tout_atout(rules: RuleSet) -> Iterator[tuple[str, str]]:
    if Strain.ALL_TRUMP in rules.strains:
        return
    if rules.ta_scale is not TaScale.NONE:
        yield "ta_scale", '"none"'
    if rules.ta_rise is not Rise.NEVER:
        yield "ta_rise", '"never"'
    if rules.belotes_at_all_trump:
        yield "belotes_at_all_trump", "0"


def _check_contre(rules: RuleSet) -> None:
    if not rules.contre_ends_bidding:
        raise RulesError(
            "contre_ends_bidding",
            "false: no document lets the bidding go on after a contre",
            "true",
        )
    if rules.surcontre_factor <= rules.contre_factor:
        raise RulesError(
            "surcontre_factor",
            f"{rules.surcontre_factor} does not exceed contre_factor {rules.contre_factor}",
            f"a whole number from {rules.contre_factor + 1} to 16",
        )
    if rules.mult_scope is not MultScope.CONTRACT:
        return
    ordinary_without = (
        rules.contre_mark is ContreMark.ORDINARY and rules.taker_mark is TakerMark.MADE
    )
    if rules.contre_mark is ContreMark.BASE or ordinary_without:
        raise RulesError(
            "mult_scope",
            "contract, though the mark under contre holds no contract value to multiply",
            '"whole", or a taker_mark and contre_mark with the contract in it',
        )
