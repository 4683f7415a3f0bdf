"""Options that several commands have."""

from __future__ import annotations

import re
from typing import Annotated, Final

import typer

from contree.cli.errors import BadInput

DEFAULT_SERVER: Final = "127.0.0.1:50051"
_ADDRESS: Final = re.compile(r"unix:.+|[a-z]+://.+|[^\s:]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}")


def _address(value: str | None) -> str | None:
    """HOST:PORT, or another target that gRPC knows; else the error says so at once."""
    if value is not None and not all(_ADDRESS.fullmatch(one) for one in value.split(",")):
        raise BadInput(
            f"The server {value!r} is no address: write HOST:PORT, such as {DEFAULT_SERVER}."
        )
    return value


ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        callback=_address,
        metavar="HOST:PORT",
        envvar="CONTREE_SERVER",
        show_envvar=False,
        help="The server, tls://HOST:PORT for one with TLS, or several with commas; "
        "else $CONTREE_SERVER.",
    ),
]
