"""The mark of a deal: whether the contract was made, and what each pair writes down.

``score`` is a pure function of the contract and a ``Tally``, the summary of the play. Every step
follows options of the rule set; ``docs/rules.md`` names the document of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from contree.engine.actions import Level, Slam
from contree.engine.cards import Strain
from contree.engine.contract import Contract, Doubling
from contree.engine.named import new
from contree.engine.options import (
    BeloteOnContre,
    BeloteOnFailure,
    ContreLoser,
    ContreMark,
    DefenceCapot,
    DefenceMark,
    MultScope,
    Rounding,
    TakerMark,
    TiePoints,
    UnannouncedCapot,
)
from contree.engine.points import Points, capot_points, generale_points, taken_points
from contree.engine.rules import BELOTE_POINTS, RuleSet

__all__ = ["Points", "Score", "Tally", "score", "taken_points", "tally"]


class Tally(NamedTuple):
    """What the play brought.

    Points include the last trick and are calibrated (``taken_points``); they exclude belote.
    """

    taker_points: Points
    defence_points: Points
    taker_tricks: int | None = None
    """Tricks of the takers. None: unknown; then eight are inferred from the points of a capot (or
    générale), for a side without points may still have won a trick and so evaded the capot. Where
    a capot counts no more than all the cards (162 in 004), all the points are taken for one."""
    bidder_tricks: int | None = None
    """Tricks of the seat that bid, which a générale depends on. None: unknown; then a générale is
    made when the takers have the points of one."""
    taker_belotes: int = 0
    defence_belotes: int = 0
    """Belotes of each pair: at most one, four at tout-atout."""


class Score(NamedTuple):
    """What each pair marks for a deal, and how that came about."""

    made: bool
    taker: int
    """What the takers mark, all told and rounded."""
    defence: int
    """What the defence marks, all told and rounded."""
    contract: int
    """The value of the contract, C."""
    factor: int
    """What contre or surcontre multiplies by; 1 without."""
    taker_base: Points
    """The mark of the takers before belote and rounding."""
    defence_base: Points
    taker_belote: int
    """The belote points that the takers mark, whoever held the belote."""
    defence_belote: int
    taker_capot: bool
    """Whether the takers won all eight tricks."""
    defence_capot: bool


class _Deal(NamedTuple):
    """The deal to be scored, as the steps of ``score`` ask for it."""

    rules: RuleSet
    level: Level
    factor: int
    contred: bool
    tally: Tally
    made: bool
    taker_capot: bool
    defence_capot: bool


def tally(
    contract: Contract,
    points: tuple[Points, Points],
    tricks: Sequence[int],
    belotes: Sequence[int],
) -> Tally:
    """The tally of a deal played to the end.

    ``points`` by pair as ``taken_points`` gives them, ``tricks`` won by seat, ``belotes`` by pair.
    """
    taker = contract.taker
    team, defence = taker & 1, ~taker & 1
    return new(
        Tally,
        (
            points[team],
            points[defence],
            tricks[team] + tricks[team + 2],
            tricks[taker],
            belotes[team],
            belotes[defence],
        ),
    )


def score(rules: RuleSet, level: Level, strain: Strain, doubling: Doubling, tally: Tally) -> Score:
    """The marks of a deal; RulesError when the level is not on the ladder."""
    contract = rules.level_value(level)
    taker_capot, defence_capot = _capots(rules, strain, tally)
    made = _is_made(rules, level, strain, tally, taker_capot)
    factor, contred = rules.factor(doubling), doubling is not _DOUBLING_NONE
    deal = new(_Deal, (rules, level, factor, contred, tally, made, taker_capot, defence_capot))
    winner_base = _winner_base(deal, contract)
    loser_base = _loser_base(deal)
    taker_base, defence_base = (winner_base, loser_base) if made else (loser_base, winner_base)
    taker_belote, defence_belote = _belotes(deal)
    return new(
        Score,
        (
            made,
            _rounded(rules, taker_base + taker_belote),
            _rounded(rules, defence_base + defence_belote),
            contract,
            factor,
            taker_base,
            defence_base,
            taker_belote,
            defence_belote,
            taker_capot,
            defence_capot,
        ),
    )


def _capots(rules: RuleSet, strain: Strain, tally: Tally) -> tuple[bool, bool]:
    if tally.taker_tricks is not None:
        return tally.taker_tricks == 8, tally.taker_tricks == 0
    slams = (capot_points(rules, strain), generale_points(rules, strain))
    return (
        tally.taker_points in slams and tally.defence_points == 0,
        tally.defence_points in slams and tally.taker_points == 0,
    )


def _is_made(rules: RuleSet, level: Level, strain: Strain, tally: Tally, taker_capot: bool) -> bool:
    if level is _SLAM_CAPOT:
        return taker_capot
    if level is _SLAM_GENERALE:
        if tally.bidder_tricks is None:
            return taker_capot and tally.taker_points == generale_points(rules, strain)
        return tally.bidder_tricks == 8
    taker, defence = tally.taker_points, tally.defence_points
    if rules.belote_counts_for_contract:
        taker += BELOTE_POINTS * tally.taker_belotes
        defence += BELOTE_POINTS * tally.defence_belotes
    if taker < max(level, rules.min_points):
        return False
    if rules.tie_points is _TIEPOINTS_FAILS:
        return taker != defence
    return rules.tie_points is _TIEPOINTS_OK or taker > defence


def _winner_base(deal: _Deal, contract: int) -> Points:
    """What the winner of the contract marks before belote and rounding."""
    rules, factor = deal.rules, deal.factor
    if deal.level is _SLAM_CAPOT:
        flat = rules.capot_made_mark if deal.made else rules.capot_failed_mark
        if flat is not None:
            return flat * factor
    if deal.contred and rules.contre_mark is not _CONTREMARK_ORDINARY:
        fixed, multiplied = _contre_parts(rules, contract)
    elif deal.made:
        fixed, multiplied = _made_parts(deal, contract)
    else:
        fixed, multiplied = _failed_parts(deal, contract)
    if rules.mult_scope is _MULTSCOPE_WHOLE:
        return (fixed + multiplied) * factor
    return fixed + multiplied * factor


# The parts of a mark: points, and the contract value, which alone is multiplied in some documents.


def _contre_parts(rules: RuleSet, contract: int) -> tuple[Points, int]:
    fixed = 0 if rules.contre_mark is _CONTREMARK_CONTRACT else rules.failed_base
    return fixed, 0 if rules.contre_mark is _CONTREMARK_BASE else contract


def _made_parts(deal: _Deal, contract: int) -> tuple[Points, int]:
    rules = deal.rules
    if (
        deal.taker_capot
        and not isinstance(deal.level, Slam)
        and rules.unannounced_capot is UnannouncedCapot.CAPOT_VALUE
    ):
        return 0, rules.capot_value
    fixed = 0 if rules.taker_mark is _TAKERMARK_CONTRACT else deal.tally.taker_points
    return fixed, 0 if rules.taker_mark is _TAKERMARK_MADE else contract


def _failed_parts(deal: _Deal, contract: int) -> tuple[Points, int]:
    rules = deal.rules
    fixed: Points = rules.failed_base
    if deal.defence_capot:
        if rules.defence_capot is DefenceCapot.CAPOT_VALUE:
            return 0, rules.capot_value
        if rules.defence_capot is DefenceCapot.POINTS:
            fixed = deal.tally.defence_points
    return fixed, contract if rules.failed_adds_contract else 0


def _loser_base(deal: _Deal) -> Points:
    """What the loser of the contract marks before belote: a defence its points, if anything."""
    rules = deal.rules
    if not deal.made or rules.defence_mark is _DEFENCEMARK_NOTHING:
        return 0
    if deal.contred and rules.contre_loser is _CONTRELOSER_NOTHING:
        return 0
    return deal.tally.defence_points


def _belotes(deal: _Deal) -> tuple[int, int]:
    """The belote points that takers and defence mark."""
    rules = deal.rules
    worth = BELOTE_POINTS * (deal.factor if rules.belote_multiplied else 1)
    taker, defence = worth * deal.tally.taker_belotes, worth * deal.tally.defence_belotes
    if deal.contred and rules.belote_on_contre is _BELOTEONCONTRE_WINNER:
        return (taker + defence, 0) if deal.made else (0, taker + defence)
    if deal.made or rules.belote_on_failure is _BELOTEONFAILURE_KEPT:
        return taker, defence
    swept = deal.defence_capot and not deal.contred and deal.level is not _SLAM_CAPOT
    if swept and rules.belote_on_failure is BeloteOnFailure.TO_DEFENCE_UNLESS_SWEPT:
        return taker, defence
    return 0, taker + defence


def _rounded(rules: RuleSet, mark: Points) -> int:
    """A mark as a whole number: the nearest ten with fives upwards, or the nearest point."""
    if rules.rounding is _ROUNDING_NEAREST_10:
        return int((mark + 5) // 10 * 10)
    return int(mark + Fraction(1, 2)) if isinstance(mark, Fraction) else mark


# Members of enums by a short way: in Python 3.11 reading one from its class is slow.
_SLAM_CAPOT: Final = Slam.CAPOT
_SLAM_GENERALE: Final = Slam.GENERALE
_DOUBLING_NONE: Final = Doubling.NONE
_TIEPOINTS_FAILS: Final = TiePoints.FAILS
_TIEPOINTS_OK: Final = TiePoints.OK
_CONTREMARK_ORDINARY: Final = ContreMark.ORDINARY
_CONTREMARK_CONTRACT: Final = ContreMark.CONTRACT
_CONTREMARK_BASE: Final = ContreMark.BASE
_CONTRELOSER_NOTHING: Final = ContreLoser.NOTHING
_MULTSCOPE_WHOLE: Final = MultScope.WHOLE
_TAKERMARK_CONTRACT: Final = TakerMark.CONTRACT
_TAKERMARK_MADE: Final = TakerMark.MADE
_DEFENCEMARK_NOTHING: Final = DefenceMark.NOTHING
_BELOTEONCONTRE_WINNER: Final = BeloteOnContre.WINNER
_BELOTEONFAILURE_KEPT: Final = BeloteOnFailure.KEPT
_ROUNDING_NEAREST_10: Final = Rounding.NEAREST_10
