"""`contree play`: a person at a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contree.cli.errors import BadInput
from contree.cli.options import ServerOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from contree.cli.playing.sitting import Player, Wish
    from contree.engine import RuleSet, Seat


def play(
    *,
    others: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="BOT[,BOT,BOT]",
            help="Who plays: one for all three seats, two for partner and opponents, or three in "
            "turn order after you. rules (the default), quiet, starter or random, MODULE:CLASS of "
            "a bot of yours, or with --server the name of a bot that is connected there.",
        ),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(metavar="P", help="The rules; contree rules list.")
    ] = None,
    rules: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="Or rules of your own: docs/rules.md.")
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="So many deals; else a race to the target."),
    ] = None,
    target: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The target, else that of the rules.")
    ] = None,
    seat: Annotated[str, typer.Option(metavar="N|E|S|W", help="Your seat.")] = "S",
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Your name; default $USER.")
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS[+BANK]",
            help="Play by a clock, such as 30+120; else there is no hurry. Who is late has the "
            "house act once, and plays on.",
        ),
    ] = None,
    host_table: Annotated[
        bool,
        typer.Option("--host-table", help="Make a table that other people join; prints its code."),
    ] = False,
    join: Annotated[str | None, typer.Option(metavar="CODE", help="Join somebody's table.")] = None,
    server: ServerOption = None,
    letters: Annotated[
        str | None,
        typer.Option(metavar="en|fr", help="J Q K or V D R; default by the locale."),
    ] = None,
    suits: Annotated[
        str | None, typer.Option(metavar="symbols|letters", help="How suits are drawn.")
    ] = None,
    pace: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="Between two events on the screen."),
    ] = 0.7,
    light: Annotated[
        bool | None, typer.Option("--light/--dark", help="For a light or a dark terminal.")
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Lines of words instead of a screen, answers from stdin."),
    ] = False,
) -> None:
    """Take a seat against bots, or with friends; a server is started where none is named.

    ? on the screen tells the keys. Without a terminal it is played in lines, as with --plain.
    """
    import sys

    from contree.cli.output import stdout
    from contree.cli.playing.game import run_plain, run_screen
    from contree.cli.playing.plan import Plan
    from contree.cli.terminal import is_light

    if host_table and join is not None:
        raise BadInput("Make a table with --host-table, or join one with --join CODE; not both.")
    console = stdout()
    bare = not console.is_terminal or console.is_dumb_terminal or not sys.stdin.isatty()
    face = _face(letters, suits, console.encoding)
    if target is not None and deals is not None:
        raise BadInput("Give --deals or --target, not both.")
    wish = None
    if join is None:
        wish = _wish(_rules(preset, rules), seat, others, clock, server is not None)
        wish = wish._replace(deals=deals or 0, target=target)
    plan = Plan(
        wish=wish,
        name=_name(name),
        code=_code(host_table, join),
        server=server,
        face=face,
        pace=pace,
        light=is_light() if light is None else light,
    )
    if plain or bare:
        run_plain(plan)
    else:
        run_screen(plan)


def _rules(preset: str | None, file: str | None) -> RuleSet:
    from contree.cli.cases import CaseError, rules_of
    from contree.cli.errors import sentence

    try:
        return rules_of({"preset": preset, "rules": file})
    except CaseError as error:
        raise BadInput(sentence(str(error))) from None


def _wish(rules: RuleSet, seat: str, others: str | None, clock: str | None, remote: bool) -> Wish:
    from contree.cli.playing.sitting import Wish
    from contree.engine import Seat

    if seat.upper() not in ("N", "E", "S", "W"):
        raise BadInput(f"{seat!r} is no seat: write N, E, S or W.")
    mine = Seat.parse(seat.upper())
    players = [_player(text.strip(), remote) for text in (others or "rules").split(",")]
    _, after, partner, before = rules.turn_direction.order(mine)
    by_seat: dict[Seat, Player]
    if len(players) == 1:
        by_seat = dict.fromkeys((after, partner, before), players[0])
    elif len(players) == 2:
        by_seat = {after: players[1], partner: players[0], before: players[1]}
    elif len(players) == 3:
        by_seat = dict(zip((after, partner, before), players, strict=True))
    else:
        raise BadInput("--with takes one, two or three players.")
    wish = Wish(rules, mine, by_seat)
    return wish if clock is None else _with_clock(wish, clock)


def _player(text: str, remote: bool) -> Player:
    from contree.bots import BOTS
    from contree.cli.load import load_bot, make_known
    from contree.cli.playing.sitting import HOUSE, Player

    if text in HOUSE:
        return Player(text)
    if text in BOTS:
        make_known(text)  # says now what is missing
        return Player(text, BOTS[text])
    if ":" in text:
        bot = load_bot(text, Path.cwd())
        return Player(getattr(bot, "name", "") or text.rpartition(":")[2], _loader(text))
    if not remote or not text:
        raise BadInput(
            f"{text!r} is no player: write {', '.join(BOTS)}, MODULE:CLASS of a bot of yours, or "
            "with --server the name of a bot that is connected there."
        )
    return Player(text)


def _loader(target: str) -> Callable[[], Any]:
    def make() -> Any:
        from contree.cli.load import load_bot

        return load_bot(target, Path.cwd())

    return make


def _with_clock(wish: Wish, clock: str) -> Wish:
    per_move, _, bank = clock.partition("+")
    try:
        found = float(per_move), float(bank or 0)
    except ValueError:
        found = (0.0, 0.0)
    if not (1 <= found[0] <= 86_400 and 0 <= found[1] <= 86_400):
        raise BadInput(f"{clock!r} is no clock: write SECONDS or SECONDS+BANK, such as 30+120.")
    return wish._replace(per_move=found[0], bank=found[1])


def _face(letters: str | None, suits: str | None, encoding: str) -> Any:
    import os

    from contree.cli.render.faces import FACES, face_of

    if letters is not None and letters not in FACES:
        raise BadInput(f"--letters is en or fr, not {letters!r}.")
    if suits is not None and suits not in ("symbols", "letters"):
        raise BadInput(f"--suits is symbols or letters, not {suits!r}.")
    drawn = suits or ("symbols" if encoding.lower().startswith("utf") else "letters")
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return face_of(letters, drawn, locale)


def _name(name: str | None) -> str:
    import getpass

    from contree.cli.render import printable

    if name is not None and not name.strip():
        raise BadInput("--name is empty: give a name, or leave it out.")
    if name is None:
        try:
            name = getpass.getuser()
        except (OSError, KeyError):  # a process whose user has no name
            name = "you"
    return printable(name.strip())[:32]


def _code(host_table: bool, join: str | None) -> str:
    import secrets

    from contree.cli.playing.codes import code_of, read_code

    if host_table:
        return code_of(secrets.randbits(20))
    if join is None:
        return ""
    code = read_code(join)
    if code is None:
        raise BadInput(f"{join!r} is no code of a table: it has four letters and digits.")
    return code
