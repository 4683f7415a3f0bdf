"""The kit is for bot authors: it needs a server and a terminal, not what holds tournaments."""

import subprocess
import sys

HEAVY = ("numpy", "scipy", "openskill", "jinja2", "matplotlib", "contree.tournament.event")


def test_the_kit_needs_none_of_the_statistics() -> None:
    program = f"""
import sys, contree.conformance, contree.conformance.one_turn, contree.cli.check_bot
print([name for name in {HEAVY} if name in sys.modules])
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == "[]\n"
