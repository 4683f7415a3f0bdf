"""For tests of bots: with a server, ``service``; without, ``drive`` and ``policy``.

async with service() as server:
await play_bot(MyBot(), server=server.address, practice=Practice(deals=2), matches=1)

finished = drive([policy(MyBot())] * 4, Deal.start(rules, dealer, hands))
"""

from contree.engine import drive, drive_game
from contree.testing.policies import policy
from contree.testing.services import Service, service

__all__ = ["service", "Service", "policy", "drive", "drive_game"]
