"""`contree check-bot`: the conformance kit judges a bot in any language."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from contree.cli.errors import FAILED, BadInput, Failure
from contree.cli.options import DEFAULT_SERVER

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from contree.conformance import Report, Result

_WORDS: Final = {"pass": "passed", "fail": "failed", "skipped": "skipped"}
_SHOWN_FRAMES: Final = 12
_STYLES: Final = {"pass": "green", "fail": "bold red", "skipped": "yellow"}


def check_bot(
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="COMMAND", help="Starts the bot, such as 'node bot.js'."),
    ] = None,
    *,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="Or the name by which a bot that runs will dial in."
        ),
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen", metavar="HOST:PORT", help="Where it dials in; default 127.0.0.1:50051."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="CHECK", help="Only this check; may be repeated."),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(metavar="S", min=0.05, help="Seconds that the bot has for each decision."),
    ] = 2.0,
    back: Annotated[
        float,
        typer.Option(metavar="S", min=0.5, help="Seconds in which it is back after a lost stream."),
    ] = 10.0,
    start: Annotated[
        float, typer.Option(metavar="S", min=1.0, help="Seconds that it may take to start.")
    ] = 20.0,
    seats: Annotated[
        int, typer.Option(metavar="N", min=1, max=256, help="Seats that it is to play at once.")
    ] = 16,
    listed: Annotated[bool, typer.Option("--list", help="Print the checks, and end.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as one JSON object.")
    ] = False,
) -> None:
    """Judge a bot, in whatever language, at a real server of its own.

    The bot is started with CONTREE_SERVER, CONTREE_BOT, CONTREE_INSTANCE and CONTREE_CAPACITY, as
    a tournament starts it, and started again where a check ends it. The exit code is 1 when a check
    failed.
    """
    from contree.cli.output import print_json, say
    from contree.conformance import CHECKS, Limits

    if listed:
        _list(as_json)
        return
    words = _words(command, name)
    known = [check.id for check in CHECKS]
    for one in only or ():
        if one not in known:
            raise BadInput(f"There is no check {one!r}: contree check-bot --list shows them.")
    if listen is not None and words is not None:
        raise BadInput("--listen is for a bot that dials in: give --name instead of --command.")
    limits = Limits(answer=limit, start=start, back=back, seats=seats)

    def opened(where: str) -> None:
        if words is None:
            say(
                f"Start your bot now, with CONTREE_SERVER={where} CONTREE_BOT={name} "
                f"CONTREE_CAPACITY={seats}: it is waited for {start:g} s (--start)."
            )

    options: dict[str, Any] = {
        "only": only or (),
        "limits": limits,
        "listen": listen or (DEFAULT_SERVER if words is None else "127.0.0.1:0"),
        "opened": opened,
    }
    who = name or "checked"
    if as_json:
        report = _judged(who, words, options)
        print_json(report.values())
    else:
        report = _shown(who, words, options)
    if report.failed:
        raise typer.Exit(FAILED)


def _words(command: str | None, name: str | None) -> list[str] | None:
    """The command in its words; None for a bot that dials in."""
    if command is None:
        if name is None:
            raise BadInput("Which bot? Give --command 'COMMAND', or --name NAME for one that runs.")
        return None
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"--command cannot be read: {error}.") from None
    if not words:
        raise BadInput("--command is empty: give what starts the bot.")
    return words


def _judged(name: str, words: list[str] | None, options: dict[str, Any]) -> Report:
    """The report; the log of the kit's own server and clients is kept quiet."""
    import asyncio
    import logging

    from contree.conformance import check_bot as judge
    from contree.server.settings import Settings
    from contree.server.telemetry.logs import configure_logging
    from contree.tournament import TournamentError

    logger = logging.getLogger("contree")
    before = logger.level
    configure_logging(Settings(log_level="error"))
    logger.setLevel(logging.CRITICAL)
    try:
        return asyncio.run(judge(name, words, **options))
    except TournamentError as error:
        raise BadInput(str(error)) from None
    except OSError as error:
        if words is None:
            raise Failure(f"{options['listen']} cannot be listened on: {error}.") from None
        raise
    finally:
        logger.setLevel(before)


def _shown(name: str, words: list[str] | None, options: dict[str, Any]) -> Report:
    """The report, shown as it comes."""
    from rich.live import Live

    from contree.cli.output import stdout

    console = stdout()
    rows = _rows()

    def told(result: Result) -> None:
        style = _STYLES[result.verdict.value]
        rows.add_row(
            f"[{style}]{result.verdict.value}[/]", result.id, result.title, _plain(result.note)
        )
        if live is not None:
            live.refresh()

    live = Live(rows, console=console, auto_refresh=False) if console.is_terminal else None
    if live is None:
        report = _judged(name, words, {**options, "told": told})
        console.print(rows)
    else:
        with live:
            report = _judged(name, words, {**options, "told": told})
    for result in report.failed:
        _explain(console, result)
    console.print(_summary(report), soft_wrap=True, markup=False)
    return report


def _rows() -> Table:
    from rich import box
    from rich.table import Table

    rows = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("", "check", "what", "seen"):
        rows.add_column(title, no_wrap=title in {"", "check"})
    return rows


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _explain(console: Console, result: Result) -> None:
    """What was expected of a failed check, and the frames that lead there."""

    def line(text: str) -> None:
        console.print(text, soft_wrap=True, markup=False)

    line(f"{result.id}: {result.note}")
    line(f"  expected: {result.expected}")
    if result.section:
        line(f'  see docs/protocol.md, "{result.section}"')
    for frame in result.frames[-_SHOWN_FRAMES:]:
        line(f"  {_frame(frame)}")
    if result.output:
        line("  the bot's last lines:")
        for text in result.output.splitlines():
            line(f"  | {text}")
    line("")


def _frame(frame: dict[str, Any]) -> str:
    import json

    arrow = "->" if frame["to"] == "bot" else "<-"
    message = {key: value for key, value in frame.items() if key not in {"at", "stream", "to"}}
    text = json.dumps(message, ensure_ascii=False)
    return f"{frame['at']:8.3f} s  #{frame['stream']} {arrow} {text}"


def _summary(report: Report) -> str:
    counts = Counter(one.verdict.value for one in report.results)
    told = ", ".join(f"{counts[one]} {word}" for one, word in _WORDS.items() if counts[one])
    failed = ", ".join(one.id for one in report.failed)
    more = f": {failed}. -> to the bot, <- from it" if failed else ""
    return f"{told}{more}."


def _list(as_json: bool) -> None:
    """The checks that there are."""
    from contree.cli.output import print_json, stdout
    from contree.conformance import CHECKS

    if as_json:
        print_json([{"id": one.id, "title": one.title, "needs": list(one.needs)} for one in CHECKS])
        return
    for check in CHECKS:
        stdout().print(f"{check.id:<16}{check.title}", soft_wrap=True, markup=False)
