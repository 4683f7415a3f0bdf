"""How an event was held: all that was fixed before its first card, as lines of a page. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contree.tournament.html_report.source import Source
from contree.tournament.isolation import Isolation
from contree.tournament.limits import Limits

Fact = tuple[str, Sequence[str]]


def facts(source: Source) -> list[Fact]:
    """Names and what they are, in the order of a page."""
    header = source.header
    policy = header.get("policy", {})
    found: list[Fact] = [
        ("Event", [str(header["id"])]),
        ("Format", [_format(header)]),
        ("Rules", [source.proof.rules.name]),
        ("Clock of a seat", [_clock(header.get("time", {}))]),
        ("Policy", [str(said) for what, said in policy.items() if what != "isolation"]),
    ]
    if header.get("policy_sha256"):
        found.append(("SHA-256 of the policy", [str(header["policy_sha256"])]))
    isolation = str(header.get("isolation", "none"))
    found.append(("Isolation of started bots", _isolation(isolation, policy)))
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


def _isolation(level: str, policy: Mapping[str, Any]) -> list[str]:
    """In the words that were laid down and hashed; for older events in those of the level."""
    said = policy.get("isolation")
    if said is None and level in {one.value for one in Isolation}:
        said = Isolation(level).sentence
    return [level] if said is None else [f"{level}: {said}"]


def _bot(bot: Mapping[str, Any]) -> str:
    if bot.get("dials_in"):
        return f"{bot['name']}: dials in"
    parts = [" ".join(map(str, bot.get("command", ())))]
    if "sandbox" in bot:
        parts.append("no sandbox" if bot["sandbox"] == "none" else f"sandbox {bot['sandbox']}")
        parts.append(_limits(bot.get("limits") or {}))
    return f"{bot['name']}: {'; '.join(parts)}"


def _limits(limits: Mapping[str, Any]) -> str:
    if not limits:
        return "no limits"
    try:
        return f"limits of each process: {Limits(**limits)}"
    except (TypeError, ValueError):  # a header of another version, or of nobody's runner
        return f"limits: {limits}"


def _watching(watch: str) -> str:
    return "live, from the first card" if watch == "live" else "once a board is disclosed"
