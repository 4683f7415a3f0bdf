"""`contree config show`: the settings that a server would have, and where each comes from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from contree.cli.serve import options_of, serve

if TYPE_CHECKING:
    from contree.server.configuration import Shown

app = typer.Typer(help="The settings of a server.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _config() -> None:
    """The settings of a server."""


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def show(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Every setting with its value and what gave it: an option, a variable, the file, the default.

    Takes the options of contree serve, --config FILE first of all, and says what it would do with
    them; nothing is started. Passwords are hidden.
    """
    from contree.cli.output import print_json, say
    from contree.server.configuration import Configuration
    from contree.server.setting_sources import key_of

    given = _as_serve_reads(context)
    read = Configuration.read(os.environ, options_of(given), given["config"])
    rows = [(key_of(one.setting), one) for one in read.shown()]
    if as_json:
        print_json(
            {
                "file": None if read.file is None else str(read.file),
                "settings": [
                    {
                        "name": key,
                        "variable": one.setting.variable,
                        "value": one.value,
                        "origin": one.origin.value,
                        "where": one.where,
                        "meaning": one.setting.meaning,
                    }
                    for key, one in rows
                ],
                "doubtful": dict(read.doubtful),
            }
        )
        return
    texts = [(key, _text(one), one.where) for key, one in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for key, value, where in texts:
        typer.echo(f"{key:<{widths[0]}}  {value:<{widths[1]}}  {where}".rstrip())
    for name, near in read.doubtful.items():
        say(f"{name} is set, and is no setting: {near} is.")


def _text(one: Shown) -> str:
    if one.value is None:
        return one.setting.kind.absent
    return f"{one.value:g}" if isinstance(one.value, float) else str(one.value)


def _as_serve_reads(context: typer.Context) -> dict[str, str | None]:
    """The rest of the command line, read as `contree serve` would."""
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.command()(serve)
    command = typer.main.get_command(one)
    params = command.make_context(context.command_path, list(context.args)).params
    return dict(params)
