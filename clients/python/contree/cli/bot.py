"""TODO"""

import typer

app = typer.Typer()


def bot() -> None: ...
