"""TODO"""

import typer

app = typer.Typer()


def watch() -> None: ...
