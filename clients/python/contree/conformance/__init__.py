"""The conformance kit: judges any bot, in any language, at a real server.

    checks ──► harness ──► subject   the bot, as a process or dialling in
       │          │
       │          └──────► door ──► gateway ──► a real server with its store
       ▼                              │
    verdicts ◄────────────────────── observer

The bot dials the ``door``. Behind it the ``gateway`` passes everything on to a real server, shows
it to the ``observer`` and changes what the ``script`` of a check wants changed.
"""

from contree.conformance.checks import CHECKS, Check
from contree.conformance.harness import Limits
from contree.conformance.judge import check_bot
from contree.conformance.verdicts import Report, Result, Verdict

__all__ = ["check_bot", "CHECKS", "Check", "Limits", "Report", "Result", "Verdict"]
