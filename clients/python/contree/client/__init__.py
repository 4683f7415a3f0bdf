"""Write a bot, or host matches, in Python. A bot in full:

    from contree.client import Bot, run_bot

    class MyBot(Bot):
        def call(self, view):
            return view.legal[0]        # pass

        def play(self, view):
            return view.legal[0]        # the lowest card that may be played

    run_bot(MyBot())

Cards, calls, views and rules are the values of ``contree.engine``. ``HostClient`` creates and
watches matches.
"""

from contree.client import _quiet as _quiet  # before anything that imports gRPC
from contree.client.bot import BatchBot, Bot, Delivery, Practice, SeatInfo, Turn
from contree.client.channel import Backoff, Connection
from contree.client.credentials import Tls
from contree.client.errors import (
    BotFailed,
    ContreeError,
    Draining,
    Garbled,
    InternalError,
    InvalidArgument,
    InvalidRules,
    InvalidToken,
    MatchElsewhere,
    MatchNotEnded,
    MatchNotFound,
    MatchOver,
    MatchUnreadable,
    Misconfigured,
    NotDisclosed,
    PermissionDenied,
    ProtocolMismatch,
    RateLimited,
    RequestIdReused,
    ServerFull,
    ServiceError,
    StoreUnavailable,
    Superseded,
    TooSlow,
    TryLater,
    Unauthenticated,
    Unreachable,
    WatchClosed,
)
from contree.client.events import (
    CardPlayed,
    DealEnded,
    Dealt,
    Event,
    FaultCharged,
    Happening,
    MatchEnded,
    MatchStarted,
    TableUpdate,
    TrickTaken,
)
from contree.client.host import HostClient
from contree.client.matches import (
    Board,
    BotSeat,
    ConnectedBot,
    Disclosure,
    EndReason,
    Fault,
    FaultKind,
    FaultPolicy,
    Fixed,
    HouseSeat,
    Match,
    MatchSpec,
    MatchState,
    MatchUpdate,
    Race,
    SeatStatus,
    Seeded,
    Standing,
    TimeControl,
    WatchPolicy,
)
from contree.client.run import Summary, play_bot, run_bot
from contree.wire import DealSummary

__all__ = [
    # playing
    "Bot",
    "BatchBot",
    "run_bot",
    "play_bot",
    "Summary",
    "Practice",
    "Delivery",
    "SeatInfo",
    "Turn",
    # hosting
    "HostClient",
    "MatchSpec",
    "BotSeat",
    "HouseSeat",
    "Board",
    "Race",
    "Seeded",
    "Fixed",
    "TimeControl",
    "FaultPolicy",
    "Disclosure",
    "WatchPolicy",
    "Match",
    "MatchState",
    "EndReason",
    "SeatStatus",
    "Standing",
    "Fault",
    "FaultKind",
    "MatchUpdate",
    "ConnectedBot",
    "DealSummary",
    # what happens at a table
    "TableUpdate",
    "Event",
    "Happening",
    "MatchStarted",
    "Dealt",
    "CardPlayed",
    "TrickTaken",
    "DealEnded",
    "FaultCharged",
    "MatchEnded",
    # connecting
    "Connection",
    "Backoff",
    "Tls",
    # errors
    "ContreeError",
    "Misconfigured",
    "Unreachable",
    "Superseded",
    "BotFailed",
    "Garbled",
    "ServiceError",
    "MatchNotFound",
    "MatchOver",
    "MatchNotEnded",
    "NotDisclosed",
    "WatchClosed",
    "MatchUnreadable",
    "RequestIdReused",
    "InvalidArgument",
    "InvalidRules",
    "InvalidToken",
    "ProtocolMismatch",
    "Unauthenticated",
    "PermissionDenied",
    "TryLater",
    "RateLimited",
    "ServerFull",
    "StoreUnavailable",
    "Draining",
    "MatchElsewhere",
    "TooSlow",
    "InternalError",
]
