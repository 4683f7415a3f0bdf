"""Keeps gRPC's own chatter off standard error; imported before gRPC, which reads this only once.

Its core tells of every connection that a server ends ("Got goaway"), which is no news to anybody:
the SDK says in its own log what became of a connection. Whoever has set GRPC_VERBOSITY is obeyed.
Why it cannot be done later stands in docs/decisions/2026-11-30-quiet-grpc.md.
"""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
