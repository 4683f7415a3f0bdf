"""The closed choices of a rule set.

Each enum's value is the text used in rule files. The five rule documents are cited by number: 000
contrée (simple), 001 belote contrée (générale), 002 coinche (online), 003 contrée of the FFB, 004
coinche (annonce seule). Which document fixes which choice stands in ``docs/rules.md``.
"""

from __future__ import annotations

from enum import Enum


class FirstDealer(Enum):
    """Who deals first: drawn by lot (001, 002), or a seat that the match fixes."""

    RANDOM = "random"
    FIXED = "fixed"


class RedealDealer(Enum):
    """Who deals after four passes: the next seat, or the same again."""

    NEXT = "next"
    SAME = "same"


class Shuffle(Enum):
    """When the pack is shuffled: for every deal, or once and then only cut (002)."""

    EACH_DEAL = "each_deal"
    FIRST_ONLY_THEN_CUT = "first_only_then_cut"


class Packets(Enum):
    """How many cards each seat gets per round of dealing; ``ANY`` leaves it to the dealer (003)."""

    THREE_TWO_THREE = "323"
    THREE_THREE_TWO = "332"
    TWO_THREE_THREE = "233"
    ANY = "any"

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The three packets; 3-2-3 where any will do."""
        text = "323" if self is Packets.ANY else self.value
        return int(text[0]), int(text[1]), int(text[2])


class ContreTiming(Enum):
    """When an opponent may say contre: at the own turn (003), at any moment (002, 004), or once
    three passes have settled the contract (001).
    """

    OWN_TURN = "own_turn"
    ANY_MOMENT = "any_moment"
    AFTER_AUCTION = "after_auction"


class Rise(Enum):
    """Whether one must beat the best card of the led suit: always, also over the partner; only
    over an opponent; or never.
    """

    ALWAYS = "always"
    OPPONENTS = "opponents"
    NEVER = "never"


class Undertrump(Enum):
    """What one must do who has to trump and cannot beat the best trump: trump below it all the
    same (000, 001, 004), or play anything (003).
    """

    MUST = "must"
    FREE = "free"


class PartnerMaster(Enum):
    """What one may play who cannot follow while the partner holds the trick.

    ``ANY`` card (all documents as read here). The other two are readings of sentences in 000 ("si
    l'on joue atout, il faut monter") and 001 ("les joueurs suivants sont alors obligé de monter"):
    ``VOLUNTARY_RISE``: any card, but a trump put on the partner's cut must be higher where one is
    held; ``MUST_RISE``: on the partner's cut a higher trump must be played where one is held.
    """

    ANY = "any"
    VOLUNTARY_RISE = "voluntary_rise"
    MUST_RISE = "must_rise"


class TaScale(Enum):
    """How the 248 card points of tout-atout are brought near those of a suit contract.

    ``NONE``: left as they are; ``TWO_THIRDS``: each pair's total, last trick included, times 2/3
    (002, literally: 172 in all); ``TABLE_152``: V 14, 9 9, A 6, 10 5, R 3, D 1 (38 a suit, 004).
    """

    NONE = "none"
    TWO_THIRDS = "two_thirds"
    TABLE_152 = "table_152"


class BeloteMode(Enum):
    """Whether belote is marked by itself (000, 002), or must be announced with the card (003)."""

    AUTO = "auto"
    ANNOUNCED = "announced"


class BeloteOnFailure(Enum):
    """Where the takers' belote goes when they fail: they keep it; the defence gets it; or the
    defence gets it unless the takers, without contre and without having bid capot, lost all eight
    tricks (003).
    """

    KEPT = "kept"
    TO_DEFENCE = "to_defence"
    TO_DEFENCE_UNLESS_SWEPT = "to_defence_unless_swept"


class BeloteOnContre(Enum):
    """Where belotes go under contre: to their holder, as without contre, or all to the winner of
    the contract (003).
    """

    HOLDER = "holder"
    WINNER = "winner"


class TiePoints(Enum):
    """What counts besides reaching the bid: nothing; equality with the defence fails (000, 001);
    or the takers must have more than the defence. Belotes count on both sides.
    """

    OK = "ok"
    FAILS = "fails"
    MUST_EXCEED = "must_exceed"


class TakerMark(Enum):
    """What the takers mark for a contract made: points made, contract value, or both."""

    MADE = "made"
    CONTRACT = "contract"
    MADE_PLUS_CONTRACT = "made_plus_contract"


class DefenceMark(Enum):
    """What the defence marks for a contract made: the points it made, or nothing."""

    MADE = "made"
    NOTHING = "nothing"


class ContreMark(Enum):
    """What the winner of a contract under contre marks, before the factor.

    ``ORDINARY``: as without contre; else the fixed table of 003 to whoever wins: ``BASE`` (the
    failed base, 160), ``CONTRACT`` (its value) or ``BASE_PLUS_CONTRACT``.
    """

    ORDINARY = "ordinary"
    BASE = "base"
    CONTRACT = "contract"
    BASE_PLUS_CONTRACT = "base_plus_contract"


class MultScope(Enum):
    """What the factor multiplies: the contract value only, or the whole mark without belote."""

    CONTRACT = "contract"
    WHOLE = "whole"


class ContreLoser(Enum):
    """What the loser of a contract under contre marks besides belote: nothing, or (a defence that
    said contre in vain, 000) the points it made.
    """

    NOTHING = "nothing"
    KEEPS_POINTS = "keeps_points"


class UnannouncedCapot(Enum):
    """What all eight tricks on a bid of points mark: the ordinary mark with the points of a capot,
    or the flat value of a capot in place of the contract (004).
    """

    ORDINARY = "ordinary"
    CAPOT_VALUE = "capot_value"


class DefenceCapot(Enum):
    """What a defence with all eight tricks marks: as for any failed contract; with the points of
    its capot in place of the failed base; or the flat value of a capot.
    """

    ORDINARY = "ordinary"
    POINTS = "points"
    CAPOT_VALUE = "capot_value"


class Rounding(Enum):
    """Whether marks are rounded: not, or to the nearest ten, fives upwards, once on the total."""

    NONE = "none"
    NEAREST_10 = "nearest10"


class MatchEndTie(Enum):
    """Who wins when both pairs reach the target with equal scores: the pair that won the last deal
    (000), or whoever is ahead after further deals.
    """

    LAST_DEAL = "last_deal"
    PLAY_ON = "play_on"
