"""The commands assembled, and the one place where errors become sentences and exit codes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from contree.cli import (
    analyse,
    api_keys,
    bot,
    check_bot,
    config,
    healthcheck,
    leaks,
    matches,
    play,
    record,
    replay,
    rules,
    serve,
    simulate,
    tournament,
    verify,
    watch,
)
from contree.cli.errors import INTERRUPTED, explain
from contree.cli.output import say

app = typer.Typer(
    name="contree",
    help="Belote contrée for bots and people: serve, play, hold tournaments, watch.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 failed, 2 bad input or usage, 130 interrupted.",
)
app.command("serve")(serve.serve)
app.add_typer(config.app, name="config")
app.add_typer(api_keys.app, name="keys")
app.add_typer(bot.app, name="bot")
app.command("check-bot")(check_bot.check_bot)
app.add_typer(tournament.app, name="tournament")
app.add_typer(matches.app, name="matches")
app.command("play")(play.play)
app.command("simulate")(simulate.simulate)
app.command("watch")(watch.watch)
app.add_typer(rules.app, name="rules")
app.add_typer(record.app, name="record")
app.command("verify")(verify.verify)
app.command("replay")(replay.replay)
app.command("analyse")(analyse.analyse)
app.command("leak-test")(leaks.leak_test)
app.command("healthcheck")(healthcheck.healthcheck)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"contree {version('contree')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code. Never raises for what people can cause."""
    # gRPC's core would write its own lines before our sentence.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        app(list(arguments), prog_name="contree")
    except SystemExit as end:
        if end.code == INTERRUPTED:
            say("Interrupted.")
        return end.code if isinstance(end.code, int) else 0
    except Exception as error:
        failure = explain(error)
        if failure is None:
            raise
        say(f"contree: {failure.sentence}")
        return failure.code
    return 0
