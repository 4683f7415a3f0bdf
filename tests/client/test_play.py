"""A bot at play: turns, answers, hooks, and what it is warned of."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from contree.client import (
    BatchBot,
    Bot,
    BotFailed,
    Connection,
    DealEnded,
    Delivery,
    EndReason,
    FaultKind,
    MatchEnded,
    Practice,
    SeatInfo,
    Summary,
    Turn,
    play_bot,
)
from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    Action,
    Bid,
    Call,
    Card,
    DecisionKind,
    Seat,
    Strain,
    View,
    preset,
    project,
)
from contree.v1 import deal_pb2, event_pb2, match_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage
from contree.wire import action_from_pb, call_to_pb, seat_to_pb
from tests.client.conftest import (
    QUICK,
    Line,
    ScriptedServer,
    accepted,
    act_result,
    assigned,
    deal,
    match_ended,
    opening,
    soon,
    turn,
)
