"""TODO"""

import typer

app = typer.Typer()


def healthcheck() -> None: ...
