"""The rules of belote contrée as immutable values: no clock, no network, no state.

A deal goes ``Deal.start`` -> ``apply`` ... -> ``result``; a match is a ``Game`` of deals. What a
seat may know is ``project(game, seat)``. Rule sets come from ``preset`` or ``load_rules``.
"""

from __future__ import annotations

from contree.engine.actions import (
    CONTRE,
    DECLINE,
    PASS,
    SURCONTRE,
    Action,
    Announced,
    Bid,
    Call,
    Level,
    Say,
    Slam,
    parse_action,
    parse_bid,
)
from contree.engine.auction import Auction, DecisionKind, PlacedCall
from contree.engine.cards import (
    CARDS,
    Card,
    Rank,
    Strain,
    Suit,
    cards_in,
    mask_of,
    parse_cards,
)
from contree.engine.contract import Contract, Doubling
from contree.engine.deal import Deal, DealResult, Phase, Points
from contree.engine.disguise import NO_DISGUISE, Disguise, disguise
from contree.engine.drive import Policies, Policy, drive, drive_game
from contree.engine.errors import (
    DeckError,
    EngineError,
    IllegalAction,
    NotationError,
    RulesError,
)
from contree.engine.exchange import exchange
from contree.engine.game import Game, Mode, Outcome, Termination
from contree.engine.legality import legal_of, refusal_of
from contree.engine.notation import (
    RecordError,
    format_record,
    format_record_json,
    parse_record,
    parse_record_json,
    read_record,
)
from contree.engine.presets import (
    DEFAULT_PRESET,
    PRESET_NAMES,
    load_rules,
    parse_rules,
    preset,
    read_rules,
    rules_from_dict,
)
from contree.engine.record import Record, RecordedDeal
from contree.engine.rules import RuleSet
from contree.engine.scoring import Score, Tally, score
from contree.engine.shuffle import Deals, FixedDeal, SeededDeals, commitment, mix
from contree.engine.steps import Step, steps
from contree.engine.table import SEATS, Direction, Seat, Team
from contree.engine.trick import Trick, legal_plays
from contree.engine.view import PublicView, View, project, spectate

__all__ = [
    # cards and table
    "Suit",
    "Rank",
    "Strain",
    "Card",
    "CARDS",
    "cards_in",
    "mask_of",
    "parse_cards",
    "Seat",
    "SEATS",
    "Team",
    "Direction",
    # actions
    "Action",
    "Call",
    "Bid",
    "Level",
    "Slam",
    "Say",
    "PASS",
    "CONTRE",
    "SURCONTRE",
    "DECLINE",
    "Announced",
    "parse_action",
    "parse_bid",
    # rules
    "RuleSet",
    "PRESET_NAMES",
    "DEFAULT_PRESET",
    "preset",
    "load_rules",
    "read_rules",
    "parse_rules",
    "rules_from_dict",
    # a deal
    "Deal",
    "DealResult",
    "DecisionKind",
    "Phase",
    "Points",
    "Auction",
    "PlacedCall",
    "Contract",
    "Doubling",
    "Trick",
    "legal_plays",
    "Tally",
    "Score",
    "score",
    # a match
    "Game",
    "Mode",
    "Outcome",
    "Termination",
    "Deals",
    "FixedDeal",
    "SeededDeals",
    "commitment",
    "mix",
    "Disguise",
    "NO_DISGUISE",
    "disguise",
    # what may be seen, and playing without a server
    "View",
    "project",
    "legal_of",
    "refusal_of",
    "PublicView",
    "spectate",
    "Policy",
    "Policies",
    "drive",
    "drive_game",
    "exchange",
    # records
    "Record",
    "RecordedDeal",
    "format_record",
    "parse_record",
    "format_record_json",
    "parse_record_json",
    "read_record",
    "Step",
    "steps",
    # errors
    "EngineError",
    "NotationError",
    "RulesError",
    "DeckError",
    "IllegalAction",
    "RecordError",
]
