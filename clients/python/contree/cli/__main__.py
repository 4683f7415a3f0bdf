"""The entry of `contree` and of `python -m contree.cli`."""

from __future__ import annotations

import sys

from contree.cli.app import run


def main() -> None:
    """Run the command line of this process and exit with its code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
