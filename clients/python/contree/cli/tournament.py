"""TODO"""

import typer

app = typer.Typer()


def tournament() -> None: ...
