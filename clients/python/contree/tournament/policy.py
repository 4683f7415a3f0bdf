"""The SHA-256 of what an event laid down: for all that may go wrong, and as a whole. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

PARTS: Final = ("time", "faults", "broken", "policy")
"""The parts of an event's header that say what costs what."""
NOT_LAID_DOWN: Final = frozenset({"seed", "contree"})
"""What of a header changes: the seed is revealed, and who goes on may have a newer version."""


def policy_digest(header: Mapping[str, Any]) -> str:
    """The digest of these parts as JSON with sorted keys and no blanks. KeyError without them."""
    return _digest({part: header[part] for part in PARTS})


def event_digest(header: Mapping[str, Any]) -> str:
    """The digest of a whole header, the same before and after its seed is revealed.

    Bots, boards, format, rules, policy and commitment are in it: published before the first card,
    it leaves nothing of them to be chosen later.
    """
    return _digest({key: value for key, value in header.items() if key not in NOT_LAID_DOWN})


def _digest(laid_down: Mapping[str, Any]) -> str:
    text = json.dumps(laid_down, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
