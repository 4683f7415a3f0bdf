"""The dashboards as code: a module for each; `panels` is what they are made of, `made` JSON."""

from __future__ import annotations

from typing import Final

from as_code.bots import BOTS
from as_code.competition import COMPETITION
from as_code.made import json_of
from as_code.matches import MATCHES
from as_code.panels import Board
from as_code.service import SERVICE
from as_code.store import STORE

BOARDS: Final[tuple[Board, ...]] = (SERVICE, MATCHES, COMPETITION, BOTS, STORE)

__all__ = ["BOARDS", "Board", "json_of"]
