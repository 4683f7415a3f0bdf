"""An event proved from its files alone: pure, from the bytes that were published.

    seal      every file is the one that the manifest is of      contree.tournament.manifest
    header    what was laid down is whole, and of the kinds it should be: policy, seed, rules
    results   every table that there should be, once, as laid down
    records   played again: deals, disguises, seats, every call and card, scores
    derived   boards and standings computed again, byte for byte

Where one stage finds something wrong the later ones say nothing: they would only repeat it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from contree.engine import commitment
from contree.tournament.audit.header import read_header
from contree.tournament.audit.records import check_records
from contree.tournament.audit.results import read_results
from contree.tournament.documents import Derived
from contree.tournament.export import HEADER, REPORT
from contree.tournament.manifest import (
    MANIFEST,
    Finding,
    about_seal,
    broken_seal,
    computed_with,
)
from contree.tournament.policy import event_digest
from contree.tournament.proof import EventProof
from contree.tournament.results import LOG_NAME
from contree.tournament.tables import FORFEITED

__all__ = ["Audit", "Finding", "audit"]

_SHOWN: Final = 100


class Audit(NamedTuple):
    """What an event was found to be."""

    findings: tuple[Finding, ...]
    """What is wrong; empty when nothing is."""
    event: str = ""
    tables: int = 0
    """Tables with a result."""
    records: int = 0
    """Records that were played again."""
    complete: bool = False
    """Every table of the event is there, and its seed is revealed: cards and seats are proved."""
    commitment: str = ""
    """That of the seed; to be compared with what was published before the first card."""
    manifest: str = ""
    """The SHA-256 of the manifest; empty without one."""
    unproved: tuple[str, ...] = ()
    """Files that nothing but the manifest vouches for."""
    laid_down: str = ""
    """The SHA-256 of all that was fixed before the first card, the seed by its commitment."""
    forfeits: int = 0
    """Tables that were not played: that a bot had failed for good, nothing shows."""

    @property
    def right(self) -> bool:
        """Whether nothing is wrong with what is there; all is proved when it is complete too."""
        return not self.findings


def audit(files: Mapping[str, bytes], *, sealed: bool = True) -> Audit:
    """Prove an event from its files; ``sealed`` asks for a manifest."""
    found: list[Finding] = []
    digest = ""
    if sealed:
        found = broken_seal(files)
        digest = hashlib.sha256(files.get(MANIFEST, b"")).hexdigest()
    if found:
        return Audit(tuple(found), manifest=digest)
    header = read_header(files.get(HEADER), found)
    if header is None:
        return Audit(tuple(found), manifest=digest)
    proof = read_results(header, files.get(LOG_NAME, b""), found)
    if not found:
        check_records(proof, files, found)
    complete = not found and _derived(proof, files, found, sealed=sealed)
    return Audit(
        tuple(found),
        proof.id,
        len(proof.results),
        sum(name.startswith("records/") for name in files),
        complete and proof.seed is not None,
        commitment(proof.seed) if proof.seed else str(header["seed_commitment"]),
        digest,
        tuple(name for name in files if name == REPORT),
        event_digest(header),
        sum(result.reason == FORFEITED for result in proof.results.values()),
    )


def _derived(
    proof: EventProof, files: Mapping[str, bytes], found: list[Finding], *, sealed: bool
) -> bool:
    """Add to ``found`` what does not follow from the results; whether these are complete."""
    derived = Derived.of(proof.schedule, proof.results)
    documents = derived.documents(proof.id, proof.kind)
    found += _differing(documents, files, sealed)
    known = {HEADER, LOG_NAME, MANIFEST, REPORT, *documents}
    if not found:
        found += [
            Finding(name, 0, "it is no part of an event")
            for name in files
            if name not in known and not name.startswith("records/")
        ]
    return derived.complete


def _differing(
    documents: Mapping[str, str], files: Mapping[str, bytes], sealed: bool
) -> Iterator[Finding]:
    """Documents that are not what the results come to, and their first wrong line."""
    hint = _other_versions(files) if sealed else ""
    for name, text in documents.items():
        data = files.get(name)
        if data is None:
            yield Finding(name, 0, "it is missing")
        elif data != text.encode():
            number, expected = _first_difference(data, text.encode())
            shown = expected.decode(errors="replace").strip()[:_SHOWN]
            problem = f"computed again it is {shown!r}" if shown else "computed again it ends here"
            yield Finding(name, number, problem + hint)


def _first_difference(data: bytes, expected: bytes) -> tuple[int, bytes]:
    found, wanted = data.split(b"\n"), expected.split(b"\n")
    for number, (one, other) in enumerate(zip(found, wanted, strict=False), 1):
        if one != other:
            return number, other
    shorter = min(len(found), len(wanted))
    return shorter, b"" if len(found) > len(wanted) else wanted[shorter]


def _other_versions(files: Mapping[str, bytes]) -> str:
    """A hint that figures may differ because other versions computed them."""
    here = computed_with()
    versions = about_seal(files[MANIFEST]).get("versions", {})
    other = [f"{name} {there}" for name, there in versions.items() if here.get(name) != there]
    return f" (it was computed with {', '.join(other)}: install these to compare)" if other else ""
