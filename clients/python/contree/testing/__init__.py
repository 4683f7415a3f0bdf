"""For tests of bots: with a server, ``service``; without, ``drive`` and ``policy``. What a bot knew
when it decided, ``recorded_turn`` tells of any record.

    async with service() as server:
        await play_bot(MyBot(), server=server.address, practice=Practice(deals=2), matches=1)

    finished = drive([policy(MyBot())] * 4, Deal.start(rules, dealer, hands))
"""

from contree.engine import drive, drive_game
from contree.testing.policies import policy
from contree.testing.services import Service, service
from contree.testing.turns import NoSuchTurn, RecordedTurn, recorded_turn, recorded_turns

__all__ = [
    "service",
    "Service",
    "policy",
    "drive",
    "drive_game",
    "recorded_turn",
    "recorded_turns",
    "RecordedTurn",
    "NoSuchTurn",
]
