"""Many servers of one store: bots at one, their tables at another.

post       what servers say to each other     servers    which there are
guests     bots elsewhere, in seats here      edge       bots here, in seats elsewhere
matching   waiting seats, bots with room      questions  what servers ask each other
"""

from contree.server.host.peers.naming import identity_from_pb
from contree.server.host.peers.peers import Peers

__all__ = ["Peers", "identity_from_pb"]
