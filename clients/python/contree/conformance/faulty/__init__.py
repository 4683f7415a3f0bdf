"""Bots that do one thing wrong each, on the bare stubs: what the kit has to catch.

    contree check-bot --command "python -m contree.conformance.faulty.slow"

Each module says in ``CAUGHT_BY`` which check fails; ``plain`` does everything right.
"""
