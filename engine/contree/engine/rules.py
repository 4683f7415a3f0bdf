# ruff: noqa: RUF009 - the calls in the class body make its dataclass fields
"""The rule set: one frozen value that holds every choice the five rule documents leave or make.

``RuleSet`` only says what the rules are; ``masks``, ``trick`` and ``scoring`` follow it, and never
look at its name. Ready-made ones are in ``presets``. Common to all five documents, and therefore
no options: 32 cards, eight each; the seat after the dealer speaks and leads first; the deal passes
to the next seat in turn direction; three passes in a row end the auction; bids outbid by the ladder
alone, never by suit; four passes bring a new deal; belote and rebelote are worth 20; sans-atout has
no belote.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, cast

from contree.engine import masks, plain
from contree.engine.actions import Level, Slam
from contree.engine.bidding import BiddingTable, bidding_table
from contree.engine.cards import Strain
from contree.engine.contract import Doubling
from contree.engine.errors import RulesError
from contree.engine.options import (
    BeloteMode,
    BeloteOnContre,
    BeloteOnFailure,
    ContreLoser,
    ContreMark,
    ContreTiming,
    DefenceCapot,
    DefenceMark,
    FirstDealer,
    MatchEndTie,
    MultScope,
    Packets,
    PartnerMaster,
    RedealDealer,
    Rise,
    Rounding,
    Shuffle,
    TakerMark,
    TaScale,
    TiePoints,
    UnannouncedCapot,
    Undertrump,
)
from contree.engine.plain import Option, Plain
from contree.engine.setting import Setting
from contree.engine.table import FOLLOWING, Direction, Seat
from contree.engine.validation import check_consistent

__all__ = [
    "BELOTE_POINTS",
    "OPTIONS",
    "BeloteMode",
    "BeloteOnContre",
    "BeloteOnFailure",
    "ContreLoser",
    "ContreMark",
    "ContreTiming",
    "DefenceCapot",
    "DefenceMark",
    "Direction",
    "FirstDealer",
    "MatchEndTie",
    "MultScope",
    "Packets",
    "PartnerMaster",
    "RedealDealer",
    "Rise",
    "Rounding",
    "RuleSet",
    "Shuffle",
    "TaScale",
    "TakerMark",
    "TiePoints",
    "UnannouncedCapot",
    "Undertrump",
]

BELOTE_POINTS: Final = 20
"""What king and queen of trump in one hand are worth, in all five documents."""


def _option(option: Option) -> Any:
    return field(metadata={"option": option})


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Every choice of the rules; building one checks it and raises RulesError when it cannot be.

    Points and marks are whole numbers. An option that is off is None.
    """

    name: str = _option(plain.text(64))
    """A short name for people; nothing depends on it."""
    source: str = _option(plain.text(400))
    """The document that the rules are taken from."""

    # --- the table and the deal
    turn_direction: Direction = _option(plain.choice(Direction))
    first_dealer: FirstDealer = _option(plain.choice(FirstDealer))
    redeal_dealer: RedealDealer = _option(plain.choice(RedealDealer))
    shuffle: Shuffle = _option(plain.choice(Shuffle))
    cut_minimum: int | None = _option(plain.whole(1, 16, off=True))
    """The fewest cards on either side of the cut; None where the pack is not cut."""
    packets: Packets = _option(plain.choice(Packets))

    # --- the auction
    ladder: tuple[Level, ...] = _option(plain.levels())
    """The levels that can be bid, in the order in which they outbid each other."""
    capot_value: int = _option(plain.whole(0, 1000))
    """The contract value of a capot."""
    generale_value: int | None = _option(plain.whole(0, 1000, off=True))
    """The contract value of a générale; None where it cannot be bid."""
    strains: tuple[Strain, ...] = _option(plain.strains())
    contre_timing: ContreTiming = _option(plain.choice(ContreTiming))
    contre_ends_bidding: bool = _option(plain.flag())
    """Always true: no document lets the bidding go on after a contre."""
    contre_factor: int = _option(plain.whole(2, 16))
    surcontre_factor: int = _option(plain.whole(2, 16))

    # --- the play
    overtrump: bool = _option(plain.flag())
    """Whether an opponent's cut must be beaten where it can be."""
    undertrump: Undertrump = _option(plain.choice(Undertrump))
    partner_master: PartnerMaster = _option(plain.choice(PartnerMaster))
    trump_rise: Rise = _option(plain.choice(Rise))
    """The duty to rise when trump is led."""
    ta_rise: Rise = _option(plain.choice(Rise))
    """The duty to rise in the led suit at tout-atout."""
    sa_rise: Rise = _option(plain.choice(Rise))
    """The duty to rise in the led suit at sans-atout."""

    # --- points
    sa_ace: int = _option(plain.one_of(11, 19))
    """What an ace is worth at sans-atout; 19 makes 152 card points (4 x 38)."""
    ta_scale: TaScale = _option(plain.choice(TaScale))
    last_trick: int = _option(plain.whole(0, 1000))
    """What the last trick is worth ("dix de der")."""
    capot_last_trick: int = _option(plain.whole(0, 1000))
    """What it is worth to a pair that took all eight."""
    generale_last_trick: int | None = _option(plain.whole(0, 1000, off=True))
    """What it is worth to a player who took all eight; None: as in a capot."""
    capot_total: int | None = _option(plain.whole(0, 1000, off=True))
    """The points of a pair with all eight tricks, whatever the cards say; None: cards and trick."""

    # --- belote
    belote_mode: BeloteMode = _option(plain.choice(BeloteMode))
    belotes_at_all_trump: int = _option(plain.one_of(0, 4))
    """In how many suits belote counts at tout-atout."""
    belote_counts_for_contract: bool = _option(plain.flag())
    belote_on_failure: BeloteOnFailure = _option(plain.choice(BeloteOnFailure))
    belote_on_contre: BeloteOnContre = _option(plain.choice(BeloteOnContre))
    belote_multiplied: bool = _option(plain.flag())

    # --- what makes a contract
    min_points: int = _option(plain.whole(0, 162))
    """Points that the takers need whatever they bid (82 in 001); 0 for none."""
    tie_points: TiePoints = _option(plain.choice(TiePoints))

    # --- the mark
    taker_mark: TakerMark = _option(plain.choice(TakerMark))
    defence_mark: DefenceMark = _option(plain.choice(DefenceMark))
    failed_base: int = _option(plain.whole(0, 1000))
    """What the defence marks for a failed contract (160 or 162) ..."""
    failed_adds_contract: bool = _option(plain.flag())
    """... and whether the value of the contract comes on top."""
    contre_mark: ContreMark = _option(plain.choice(ContreMark))
    mult_scope: MultScope = _option(plain.choice(MultScope))
    contre_loser: ContreLoser = _option(plain.choice(ContreLoser))
    unannounced_capot: UnannouncedCapot = _option(plain.choice(UnannouncedCapot))
    capot_made_mark: int | None = _option(plain.whole(0, 2000, off=True))
    """A flat mark for a capot bid and made, times the factor; None: the ordinary mark."""
    capot_failed_mark: int | None = _option(plain.whole(0, 2000, off=True))
    """A flat mark to the defence for a capot bid and failed; None: the ordinary mark."""
    defence_capot: DefenceCapot = _option(plain.choice(DefenceCapot))
    rounding: Rounding = _option(plain.choice(Rounding))

    # --- the match
    target: int = _option(plain.whole(1, 1_000_000))
    """The match total that ends a race."""
    deals_limit: int | None = _option(plain.whole(1, 10_000, off=True))
    """The number of deals that ends a race; None for no limit."""
    match_end_tie: MatchEndTie = _option(plain.choice(MatchEndTie))

    # --- derived, for speed
    play_duties: int = field(init=False, repr=False, compare=False)
    """The duties of play as flags for ``masks.legal_cards``."""
    bidding: BiddingTable = field(init=False, repr=False, compare=False)
    """All that can be said in an auction."""
    following: tuple[Seat, Seat, Seat, Seat] = field(init=False, repr=False, compare=False)
    """The next seat in turn, by ``Seat``."""
    settings: tuple[Setting, ...] = field(init=False, repr=False, compare=False)
    """How each strain is played, by ``Strain``."""
    _ranks: dict[Level, int] = field(init=False, repr=False, compare=False)
    _values: dict[Level, int] = field(init=False, repr=False, compare=False)
    _factors: dict[Doubling, int] = field(init=False, repr=False, compare=False)
    _points_tables: tuple[bytes, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for option_field in fields(self):
            option = option_field.metadata.get("option")
            if option is None:
                continue
            value = getattr(self, option_field.name)
            if not option.accepts(value):
                raise RulesError(option_field.name, f"{value!r} will not do", option.expected)
        check_consistent(self)
        object.__setattr__(self, "play_duties", _play_duties(self))
        object.__setattr__(self, "bidding", _bidding(self))
        object.__setattr__(self, "following", FOLLOWING[self.turn_direction])
        object.__setattr__(self, "settings", tuple(Setting.of(self, strain) for strain in Strain))
        object.__setattr__(self, "_ranks", {level: n for n, level in enumerate(self.ladder)})
        object.__setattr__(self, "_values", {level: _value(self, level) for level in self.ladder})
        object.__setattr__(self, "_factors", _factors(self))
        object.__setattr__(self, "_points_tables", _points_tables(self))

    # --- questions to the ladder

    def level_value(self, level: Level) -> int:
        """The contract value of a level, in points; RulesError when it is not on the ladder."""
        try:
            return self._values[level]
        except KeyError:
            raise self._not_on_ladder(level) from None

    def ladder_rank(self, level: Level) -> int:
        """The place of a level on the ladder, 0 the lowest; RulesError when it is not on it."""
        try:
            return self._ranks[level]
        except KeyError:
            raise self._not_on_ladder(level) from None

    def _not_on_ladder(self, level: Level) -> RulesError:
        rungs = " ".join(str(rung) for rung in self.ladder)
        return RulesError("ladder", f"{level} is not on it", f"one of {rungs}")

    def outbids(self, level: Level, standing: Level | None) -> bool:
        """Whether a level may be bid over the standing one (None: none yet)."""
        rank = self._ranks.get(level)
        if rank is None:
            return False
        return standing is None or rank > self._ranks[standing]

    def factor(self, doubling: Doubling) -> int:
        """What a contract doubled so far is multiplied by."""
        return self._factors[doubling]

    def card_points(self, strain: Strain) -> tuple[int, ...]:
        """The points of the 32 cards, by card, before ``TaScale.TWO_THIRDS``."""
        return masks.card_points(self.points_table(strain))

    def points_table(self, strain: Strain) -> bytes:
        """The table for ``masks.points``: the points of sets of cards, before any scaling."""
        return self._points_tables[strain]

    # --- plain values

    def to_dict(self) -> dict[str, Plain]:
        """All options as a rule file holds them; ``rules_from_dict`` is the way back."""
        return {name: option.write(getattr(self, name)) for name, option in OPTIONS.items()}

    def to_toml(self) -> str:
        """All options as TOML text; ``parse_rules`` is the way back."""
        return "".join(f"{name} = {_toml(value)}\n" for name, value in self.to_dict().items())


OPTIONS: Final[Mapping[str, Option]] = {
    entry.name: entry.metadata["option"] for entry in fields(RuleSet) if "option" in entry.metadata
}
"""Every option by name, in the order of ``RuleSet``."""


def _toml(value: Plain) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    return "[" + ", ".join(_toml(entry) for entry in value) + "]"


def _value(rules: RuleSet, level: Level) -> int:
    if level is Slam.CAPOT:
        return rules.capot_value
    if level is Slam.GENERALE:
        return cast("int", rules.generale_value)
    return level


def _factors(rules: RuleSet) -> dict[Doubling, int]:
    return {
        Doubling.NONE: 1,
        Doubling.CONTRE: rules.contre_factor,
        Doubling.SURCONTRE: rules.surcontre_factor,
    }


def _points_tables(rules: RuleSet) -> tuple[bytes, ...]:
    tables = list(masks.POINTS)
    if rules.ta_scale is TaScale.TABLE_152:
        tables[Strain.ALL_TRUMP] = masks.POINTS_ALL_TRUMP_152
    if rules.sa_ace == 19:
        tables[Strain.NO_TRUMP] = masks.POINTS_NO_TRUMP_ACE_19
    return tuple(tables)


def _bidding(rules: RuleSet) -> BiddingTable:
    at_turn = rules.contre_timing is not ContreTiming.AFTER_AUCTION
    return bidding_table(rules.ladder, rules.strains, at_turn)


def _play_duties(rules: RuleSet) -> int:
    over_partner = Rise.ALWAYS
    flags = (
        (masks.OVERTRUMP, rules.overtrump),
        (masks.UNDERTRUMP_FREE, rules.undertrump is Undertrump.FREE),
        (masks.VOLUNTARY_RISE, rules.partner_master is PartnerMaster.VOLUNTARY_RISE),
        (masks.MUST_RISE, rules.partner_master is PartnerMaster.MUST_RISE),
        (masks.TRUMP_RISE, rules.trump_rise is not Rise.NEVER),
        (masks.TRUMP_RISE_PARTNER, rules.trump_rise is over_partner),
        (masks.TA_RISE, rules.ta_rise is not Rise.NEVER),
        (masks.TA_RISE_PARTNER, rules.ta_rise is over_partner),
        (masks.SA_RISE, rules.sa_rise is not Rise.NEVER),
        (masks.SA_RISE_PARTNER, rules.sa_rise is over_partner),
    )
    return sum(flag for flag, on in flags if on)
