"""The random player: any legal action, each as likely as the others."""

from __future__ import annotations

from hashlib import blake2b

from contree.engine.actions import Action
from contree.engine.cards import mask_of
from contree.engine.drive import Policy
from contree.engine.view import View


def random_player(seed: int | str = 0) -> Policy:
    """A player who takes any legal action; the same in the same position for the same seed."""
    key = blake2b(str(seed).encode(), digest_size=16).digest()

    def play(view: View) -> Action:
        legal = view.legal
        if len(legal) == 1:
            return legal[0]
        position = (view.number, view.seat, len(view.calls), view.cards_played, mask_of(view.hand))
        drawn = blake2b(repr(position).encode(), digest_size=8, key=key).digest()
        return legal[int.from_bytes(drawn) % len(legal)]

    return play
