"""The entry of `contree` and of `python -m contree.cli`."""

from __future__ import annotations

import sys

from contree.cli.errors import explain


def main() -> None:
    """Run the command line of this process and exit with its code."""
    try:
        from contree.cli.app import run
    except ModuleNotFoundError as error:  # a plain install has no command line
        failure = explain(error)
        if failure is None:
            raise
        print(f"contree: {failure.sentence}", file=sys.stderr)
        sys.exit(failure.code)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
