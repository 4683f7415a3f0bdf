"""TODO"""

import typer

app = typer.Typer()


def serve() -> None: ...
