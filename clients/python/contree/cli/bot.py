"""`contree bot`: run a bot written in Python."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contree.cli.errors import BadInput, Failure
from contree.cli.options import DEFAULT_SERVER, ServerOption
from contree.cli.replay_turn import replay_turn

if TYPE_CHECKING:
    from contree.cli.practice import Wish

app = typer.Typer(
    help="Run a bot, or ask it a recorded turn again.", no_args_is_help=True, rich_markup_mode=None
)

TERMINATED = 143
"""The exit code after SIGTERM."""


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@app.callback()
def _bot() -> None:
    """Run a bot, or ask it a recorded turn again."""


app.command("replay-turn")(replay_turn)


@app.command()
def run(
    target: Annotated[
        str,
        typer.Argument(metavar="MODULE:CLASS", help="The bot, such as my_bot:MyBot in my_bot.py."),
    ],
    *,
    practice: Annotated[
        bool,
        typer.Option(
            "--practice", help="Play against the house at once: one match, or --matches N."
        ),
    ] = False,
    preset: Annotated[
        str | None, typer.Option(metavar="P", help="The rules of the practice match.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(metavar="FILE.toml", help="Or rules of your own for it: docs/rules.md."),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Its number of deals; else a race to the target."),
    ] = None,
    opponents: Annotated[
        str | None, typer.Option(metavar="rules|random", help="Who plays against the bot.")
    ] = None,
    partner: Annotated[
        str | None, typer.Option(metavar="rules|random", help="Its partner; else the bot itself.")
    ] = None,
    server: ServerOption = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot's name; default $CONTREE_BOT.")
    ] = None,
    instance: Annotated[
        str | None, typer.Option(metavar="ID", help="Names this process over restarts.")
    ] = None,
    capacity: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            envvar="CONTREE_CAPACITY",
            show_envvar=False,
            help="Seats it plays at once, at most.",
        ),
    ] = None,
    matches: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Stop after that many matches.")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep the record of each practice match there."),
    ] = None,
    log: Annotated[
        LogLevel | None,
        typer.Option(
            metavar="debug|info|warning|error",
            help="What the SDK and the bot's own logger tell; debug has a line for each decision. "
            "Default: warning while it practises or with --json, else info.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per ended match.")
    ] = False,
) -> None:
    """Run a bot of this folder: it waits for seats, or practises at once.

    With --practice and no server at the default address, a server is started for the session.
    A token, where one is needed, comes from CONTREE_TOKEN, or from the file CONTREE_TOKEN_FILE. The
    exit code is 1 when the house had to play on for the bot.
    """
    from contree.cli.load import load_bot
    from contree.cli.output import say
    from contree.cli.session_log import logging_to_stderr
    from contree.cli.sessions import Narrator, play, warn_of_twins

    given = {
        "--preset": preset,
        "--rules": rules,
        "--deals": deals,
        "--opponents": opponents,
        "--partner": partner,
        "--records": records,
    }
    wish = _practice(practice, given)
    bot = load_bot(target, Path.cwd())
    with contextlib.ExitStack() as stack:
        address, token = server or DEFAULT_SERVER, None
        if wish is not None and server is None:
            address, token = stack.enter_context(_server_for_practice())
        elif wish is None and not as_json:
            say(f"{target} dials {address} and waits for seats; Ctrl-C stops it.")
        told = wish is not None or as_json
        narrator = Narrator(as_json=as_json) if told else None
        level = log or (LogLevel.WARNING if told else LogLevel.INFO)
        stack.enter_context(logging_to_stderr(level.upper(), target))
        options: dict[str, Any] = {
            "server": address,
            "token": token,
            "name": name or (None if wish is None else _default_name(bot, target)),
            "instance_id": instance,
            "capacity": capacity,
            "matches": 1 if wish is not None and matches is None else matches,
        }
        if wish is None:
            warn_of_twins(bot, options)
        summary = play(bot, narrator, options, wish, records)
        if summary is None:
            raise typer.Exit(TERMINATED)
        if summary.replaced:
            seats = "1 seat" if summary.replaced == 1 else f"{summary.replaced} seats"
            raise Failure(
                f"The house played on for {seats} of this bot: {summary.illegal} illegal and "
                f"{summary.late} late answers of {summary.decisions}; the log above has each."
            )


@contextlib.contextmanager
def _server_for_practice() -> Any:
    """The server at the default address, else one for this session; and the token for it: none for
    the latter, to which a token for another server would mean nothing.
    """
    from contree.cli.local import answers, local_server
    from contree.cli.output import say

    if answers(DEFAULT_SERVER):
        yield DEFAULT_SERVER, None
        return
    _need_server()
    with local_server() as address:
        say(f"No server at {DEFAULT_SERVER}: started one for this session at {address}.")
        yield address, ""


def _need_server() -> None:
    from importlib.util import find_spec

    if find_spec("redis") is None or find_spec("structlog") is None:
        raise Failure(
            f"No server answers at {DEFAULT_SERVER} and none is installed here: "
            "pip install 'contree[server]', or give --server HOST:PORT."
        )


def _practice(wanted: bool, given: Mapping[str, Any]) -> Wish | None:
    """The practice match that is asked for; None for none."""
    if not wanted:
        for option, value in given.items():
            if value is not None:
                raise BadInput(f"{option} is about practice: add --practice, or leave it out.")
        return None
    from contree.cli.cases import CaseError, rules_of
    from contree.cli.errors import sentence
    from contree.cli.practice import Wish

    opponents, partner = given["--opponents"], given["--partner"]
    for option, player in (("--opponents", opponents), ("--partner", partner)):
        if player not in {None, "rules", "random"}:
            raise BadInput(f"The house has no player {player!r}: write {option} rules or random.")
    try:
        rules = rules_of({"preset": given["--preset"], "rules": given["--rules"]})
    except CaseError as error:
        raise BadInput(sentence(str(error))) from None
    return Wish(rules, opponents or "rules", partner or "", given["--deals"] or 0)


def _default_name(bot: Any, target: str) -> str | None:
    """A practising bot needs no name of its own: the class will do."""
    import os

    if getattr(bot, "name", None) or os.environ.get("CONTREE_BOT"):
        return None
    return target.rpartition(":")[2]
