"""Questions about the rules as plain values, as options and JSON lines give them.

A question is a mapping of field name to JSON value, None meaning absent. `CaseError` and the
engine's own errors say in one sentence what is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

from contree.engine.actions import Announced, Bid, parse_bid
from contree.engine.cards import Card, Rank, Strain, Suit, cards_in, mask_of, parse_cards
from contree.engine.contract import Doubling
from contree.engine.errors import DeckError, EngineError, RulesError
from contree.engine.options import BeloteMode, TaScale
from contree.engine.points import Points
from contree.engine.presets import DEFAULT_PRESET, PRESET_NAMES, preset, read_rules
from contree.engine.rules import RuleSet
from contree.engine.scoring import Score, Tally, score
from contree.engine.trick import legal_plays

Case = Mapping[str, object]
"""Field names to values; what is None is absent."""

LEGAL_FIELDS: Final = ("preset", "rules", "trump", "trick", "hand", "played")
SCORE_FIELDS: Final = (
    "preset",
    "rules",
    "contract",
    "level",
    "taker_points",
    "defence_points",
    "taker_tricks",
    "bidder_tricks",
    "belote",
    "taker_belotes",
    "defence_belotes",
)

_SIDES: Final = ("taker", "defence", "none")
_EXAMPLES: Final = {
    "trump": "H",
    "hand": "KS 7H",
    "contract": "90H",
    "taker_points": "100",
    "defence_points": "62",
}
_NUMBER: Final = re.compile(r"\d{1,4}([./]\d{1,12})?", re.ASCII)
_DOUBLINGS: Final = {
    1: Doubling.NONE,
    2: Doubling.CONTRE,
    4: Doubling.SURCONTRE,
}


class CaseError(ValueError):
    """A question that cannot be; the text is one sentence."""


class LegalCase(NamedTuple):
    """Which cards of `hand` may be played next to `trick`, the first card led."""

    rules: RuleSet
    trump: Strain
    trick: tuple[Card, ...]
    hand: tuple[Card, ...]
    played: tuple[Card, ...] = ()
    """Cards that the same player has played in earlier tricks: half a belote may be among them."""

    def answer(self) -> tuple[Card, ...]:
        """The legal cards in the order of the hand."""
        legal = legal_plays(self.rules, self.trump, self.trick, self.hand)
        return tuple(card for card in self.hand if card in legal)

    def announceable(self) -> tuple[Announced, ...]:
        """Those of them that may be played with belote or rebelote said, where the rules leave
        that to the player.
        """
        rules, trump = self.rules, self.trump
        if rules.belote_mode is not BeloteMode.ANNOUNCED:
            return ()
        suits = [] if trump.suit is None else [trump.suit]
        if trump is Strain.ALL_TRUMP and rules.belotes_at_all_trump:
            suits = list(Suit)
        dealt = {*self.hand, *self.played}
        pairs = [{Card.of(suit, rank) for rank in (Rank.KING, Rank.QUEEN)} for suit in suits]
        belotes = {card for pair in pairs if pair <= dealt for card in pair}
        return tuple(Announced(card) for card in self.answer() if card in belotes)


class ScoreCase(NamedTuple):
    """What both sides mark for a deal."""

    rules: RuleSet
    bid: Bid
    doubling: Doubling
    tally: Tally

    def answer(self) -> Score:
        """The marks."""
        return score(self.rules, self.bid.level, self.bid.strain, self.doubling, self.tally)


def read_legal(case: Case) -> LegalCase:
    """Read a question about legal cards; CaseError or EngineError."""
    _check_fields(case, LEGAL_FIELDS)
    rules = rules_of(case)
    trump = Strain.parse(_text(case, "trump"))
    _check_strain(rules, trump)
    trick, hand = _cards(case, "trick", ()), _cards(case, "hand", None)
    played = _cards(case, "played", ())
    twice = mask_of(played) & mask_of((*trick, *hand))
    if twice or len(set(played)) < len(played):
        raise DeckError("card given twice", cards_in(twice) or played)
    return LegalCase(rules, trump, trick, hand, played)


def read_score(case: Case) -> ScoreCase:
    """Read a question about marks; CaseError or EngineError."""
    _check_fields(case, SCORE_FIELDS)
    rules = rules_of(case)
    bid = parse_bid(_text(case, "contract"))
    if bid.level not in rules.ladder:
        rungs = " ".join(str(level) for level in rules.ladder)
        raise CaseError(f"{bid.level} cannot be bid under {rules.name}: choose one of {rungs}")
    _check_strain(rules, bid.strain)
    level = _whole(case, "level", 1, 4, default=1)
    if level not in _DOUBLINGS:
        raise CaseError(f"level {level} is none: write 1 (plain), 2 (contre) or 4 (surcontre)")
    taker_belotes, defence_belotes = _belotes(case, rules, bid.strain)
    taker_tricks = _whole_or_none(case, "taker_tricks", 0, 8)
    bidder_tricks = _whole_or_none(case, "bidder_tricks", 0, 8)
    if taker_tricks is not None and bidder_tricks is not None and bidder_tricks > taker_tricks:
        raise CaseError(
            f"bidder_tricks {bidder_tricks} cannot exceed taker_tricks {taker_tricks}: "
            "the bidder is one of the takers"
        )
    return ScoreCase(
        rules,
        bid,
        _DOUBLINGS[level],
        Tally(
            taker_points=_points(case, "taker_points", rules, bid.strain),
            defence_points=_points(case, "defence_points", rules, bid.strain),
            taker_tricks=taker_tricks,
            bidder_tricks=bidder_tricks,
            taker_belotes=taker_belotes,
            defence_belotes=defence_belotes,
        ),
    )


def rules_of(case: Case) -> RuleSet:
    """The rules of a question, the default preset when it names none."""
    given = {field: case[field] for field in ("preset", "rules") if case.get(field) is not None}
    for field, name in given.items():
        if not isinstance(name, str):
            raise CaseError(f"{field} must be a text, not {_shown(name)}")
    if len(given) > 1:
        raise CaseError("preset and rules both say which rules: give one of them")
    if "rules" in given:
        return rules_in(str(given["rules"]))
    return rules_named(str(given.get("preset", DEFAULT_PRESET)))


def rules_named(name: str) -> RuleSet:
    """The preset, or the rules in the file, of this name; CaseError when there is none."""
    if name in PRESET_NAMES:
        return preset(name)
    if not name.endswith(".toml") and not Path(name).is_file():
        raise CaseError(
            f"there is no preset {name!r}: choose one of {', '.join(PRESET_NAMES)}, "
            "or give the path of a .toml file"
        )
    return rules_in(name)


def rules_in(path: str) -> RuleSet:
    """The rules in a file; CaseError, naming the file, when there are none."""
    if not Path(path).is_file():
        raise CaseError(f"there is no rule file {path}: check the path")
    try:
        return read_rules(path)
    except RulesError as error:
        raise CaseError(f"{path}: {error}") from None


def legal_answer(case: Case) -> Any:
    """The answer to a question about legal cards as a JSON value; `KH+` is the king of hearts with
    belote said.
    """
    question = read_legal(case)
    return [str(action) for action in (*question.answer(), *question.announceable())]


def score_answer(case: Case) -> Any:
    """The answer to a question about marks as a JSON value."""
    marks = read_score(case).answer()
    return {"taker": marks.taker, "defence": marks.defence}


def answer_line(line: bytes, answer: Callable[[Case], Any]) -> str:
    """The JSON answer to a JSON question; `{"error": ...}` when it cannot be answered."""
    try:
        reply = answer(_parse(line))
    except (CaseError, EngineError) as error:
        reply = {"error": str(error)}
    return json.dumps(reply, ensure_ascii=False)


def _parse(line: bytes) -> Case:
    try:
        case = json.loads(line)
    except UnicodeDecodeError:
        raise CaseError("the line is no UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise CaseError(f"the line is no JSON: {error}") from None
    if not isinstance(case, dict):
        raise CaseError(f"a case is a JSON object, not {_shown(case)}")
    return case


def _check_fields(case: Case, fields: Collection[str]) -> None:
    for name in case:
        if name not in fields and name != "id":
            raise CaseError(f"there is no field {name!r}: use {', '.join(fields)}")


def _check_strain(rules: RuleSet, strain: Strain) -> None:
    if strain not in rules.strains:
        playable = " ".join(str(one) for one in rules.strains)
        raise CaseError(f"{strain} cannot be bid under {rules.name}: choose one of {playable}")


def _text(case: Case, name: str) -> str:
    value = case.get(name)
    if value is None:
        raise CaseError(f"{name} is missing: give it, for example {_EXAMPLES[name]}")
    if not isinstance(value, str):
        raise CaseError(f"{name} must be a text, not {_shown(value)}")
    return value


def _cards(case: Case, name: str, default: tuple[Card, ...] | None) -> tuple[Card, ...]:
    value = case.get(name)
    if value is None:
        if default is None:
            raise CaseError(f"{name} is missing: give it, for example {_EXAMPLES[name]}")
        return default
    if isinstance(value, str):
        return parse_cards(value)
    if isinstance(value, list) and all(isinstance(card, str) for card in value):
        return tuple(Card.parse(card) for card in value)
    raise CaseError(f'{name} must be a list of cards such as ["AS", "7S"], not {_shown(value)}')


def _whole(case: Case, name: str, low: int, high: int, *, default: int | None = None) -> int:
    value = _whole_or_none(case, name, low, high)
    if value is not None:
        return value
    if default is None:
        raise CaseError(f"{name} is missing: give it, for example {_EXAMPLES[name]}")
    return default


def _whole_or_none(case: Case, name: str, low: int, high: int) -> int | None:
    value = case.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise CaseError(f"{name} must be a whole number from {low} to {high}, not {_shown(value)}")
    return value


def _points(case: Case, name: str, rules: RuleSet, strain: Strain) -> Points:
    """Whole points; thirds, such as 200/3 or 66.67, where the rules scale tout-atout by 2/3."""
    value = case.get(name)
    if value is None:
        raise CaseError(f"{name} is missing: give it, for example {_EXAMPLES[name]}")
    thirds = strain is Strain.ALL_TRUMP and rules.ta_scale is TaScale.TWO_THIRDS
    expected = "a number of points (66.67 or 200/3 are thirds)" if thirds else "a whole number"
    problem = CaseError(f"{name} must be {expected} from 0 to 1000, not {_shown(value)}")
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise problem
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise problem
    try:
        given = Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise problem from None
    points = Fraction(round(given * 3), 3) if thirds else Fraction(round(given))
    if abs(points - given) > Fraction(1, 100) * thirds or not 0 <= points <= 1000:
        raise problem
    return points if points.denominator > 1 else int(points)


def _belotes(case: Case, rules: RuleSet, strain: Strain) -> tuple[int, int]:
    """How many belotes each side has, from `belote` or from the two counts."""
    most = {Strain.NO_TRUMP: 0, Strain.ALL_TRUMP: rules.belotes_at_all_trump}.get(strain, 1)
    side = case.get("belote")
    if side is not None and side not in _SIDES:
        raise CaseError(f"belote must be one of {', '.join(_SIDES)}, not {_shown(side)}")
    taker = _whole_or_none(case, "taker_belotes", 0, 4)
    defence = _whole_or_none(case, "defence_belotes", 0, 4)
    if taker is None and defence is None:
        counts = int(side == "taker"), int(side == "defence")
    else:
        counts = taker or 0, defence or 0
        said = {"taker": counts[0] > 0, "defence": counts[1] > 0, "none": sum(counts) == 0}
        if isinstance(side, str) and not said[side]:
            raise CaseError(
                f"belote {side} contradicts taker_belotes {counts[0]} and "
                f"defence_belotes {counts[1]}: give one or the other"
            )
    if sum(counts) > most:
        raise CaseError(f"at {strain} the belotes can be {most} at most, not {sum(counts)}")
    return counts


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
