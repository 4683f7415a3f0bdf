"""How an event was held: all that was fixed before its first card, as lines of a page. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from contree.tournament.html_report.source import Source

ISOLATION: Final = {
    "none": "none: one process of a bot sits at all its seats",
    "seat": "seat: one process for each seat and table of a board, so that partners and the two "
    "tables share no memory",
    "match": "match: fresh processes for each match",
}
Fact = tuple[str, Sequence[str]]


def facts(source: Source) -> list[Fact]:
    """Names and what they are, in the order of a page."""
    header = source.header
    found: list[Fact] = [
        ("Event", [str(header["id"])]),
        ("Format", [_format(header)]),
        ("Rules", [source.proof.rules.name]),
        ("Clock of a seat", [_clock(header.get("time", {}))]),
        ("Policy", list(map(str, header.get("policy", {}).values()))),
    ]
    if header.get("policy_sha256"):
        found.append(("SHA-256 of the policy", [str(header["policy_sha256"])]))
    isolation = str(header.get("isolation", "none"))
    found.append(("Isolation of started bots", [ISOLATION.get(isolation, isolation)]))
    found.append(("Bots", [_bot(bot) for bot in header["bots"]]))
    found.append(("Watching", [_watching(str(header.get("watch", "as-disclosed")))]))
    found.append(("Commitment to the seed", [str(header["seed_commitment"])]))
    seed = header.get("seed")
    found.append(("Seed", [str(seed) if seed else "revealed when the event is over"]))
    proof = source.proof
    found.append(
        (
            "To check it",
            [
                f"contree tournament export {proof.id}, then contree verify: every deal and "
                "disguise again from the seed, every record played again, all standings again"
            ]
            if seed
            else ["possible once the seed is revealed"],
        )
    )
    return found


def _format(header: Mapping[str, Any]) -> str:
    shape = dict(header.get("format", {"kind": "round-robin"}))
    told = str(shape.pop("kind"))
    shape.pop("design", None)
    shape.pop("races", None)
    details = [f"{name.replace('_', ' ')} {value}" for name, value in shape.items() if value]
    what = "races" if header.get("race") else "boards"
    return ", ".join([told, f"{header['boards']} {what} of a pairing", *details])


def _clock(time: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value:g} s" for name, value in time.items() if value
    )


def _bot(bot: Mapping[str, Any]) -> str:
    how = "dials in" if bot.get("dials_in") else " ".join(map(str, bot.get("command", ())))
    return f"{bot['name']}: {how}"


def _watching(watch: str) -> str:
    return "live, from the first card" if watch == "live" else "once a board is disclosed"
