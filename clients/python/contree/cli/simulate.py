"""`contree simulate`: many boards between players, without a server."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from contree.cli.errors import BadInput, Failure
from contree.cli.output import print_json, say
from contree.cli.simulated import Points, as_plain, read_points, sentences

if TYPE_CHECKING:
    from contree.engine import Policy
    from contree.testing.simulation import Simulation
    from contree.tournament.schedule import Pairing

_SAY_S: Final = 10.0
"""How often it is said how far it is."""


def simulate(
    *,
    players: Annotated[
        str,
        typer.Option(
            "--policies",
            metavar="A,B[,C...]",
            help="Who plays: rules, random, quiet, starter, sampler, solver, or MODULE:CLASS.",
        ),
    ] = "rules,random",
    deals: Annotated[
        str, typer.Option(metavar="FROM-TO", help="Numbers of boards, such as 1-1000.")
    ] = "1-1000",
    rules: Annotated[
        str, typer.Option("--rules", "--preset", metavar="P", help="A preset, or a rule file.")
    ] = "ffb-mixte",
    seed: Annotated[
        str,
        typer.Option(metavar="TEXT", help="As in the file of an event; 64 hex digits, or text."),
    ] = "simulate",
    event: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the event that has the same boards.")
    ] = "",
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=1024, help="Processes; default: all cores."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A line of JSON for each board.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of --out.")] = False,
    read: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Play nothing: print what files of --out come to together."
        ),
    ] = None,
    sprt: Annotated[
        bool,
        typer.Option("--sprt", help="Two players: stop when a sequential test has decided."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play boards between every two of some players, both ways round, as fast as this machine can.

    No server, clock or journal; the cards and disguises are those of an event of this name and
    seed. Boards do not depend on each other: parts of the range, played anywhere and put one after
    the other, are the same bytes as the whole.
    """
    from contree.cli.cases import CaseError, rules_named
    from contree.testing.pool import WorkerLost
    from contree.testing.simulation import PlayerFailed, Simulation
    from contree.tournament.config import seed_of

    if read:
        _print(read_points(read), {}, sprt=sprt, as_json=as_json)
        return
    if out is not None and not force and out.is_file():
        raise BadInput(f"--out {out} is there already: name another file, or add --force.")
    if not seed:
        raise BadInput("--seed is empty: write 64 hex digits, or any text.")
    names = _names(players)
    if sprt and len(names) > 2:
        raise BadInput("--sprt is between two players: name two in --policies.")
    boards = _range(deals)
    for name in names:
        make_player(name, "")  # says now what is wrong with it
    try:
        rule_set = rules_named(rules)
    except CaseError as error:
        raise BadInput(f"--rules: {error}.") from None
    simulation = Simulation(names, rule_set, seed_of(seed), event, make_player)
    processes = min(workers or len(os.sched_getaffinity(0)), len(boards))
    try:
        _run(simulation, boards, processes, out, sprt=sprt, as_json=as_json)
    except PlayerFailed as error:
        say(error.detail.rstrip())
        raise Failure(str(error)) from None
    except WorkerLost as error:
        raise Failure(str(error)) from None


def make_player(name: str, key: str) -> Policy:
    """A player by its name, a new one: of the house, a bot of contree, or one of the author's."""
    from contree.bots import BOTS
    from contree.cli.load import load_bot, make_known
    from contree.policy import random_player, rules_player
    from contree.testing import policy

    if name == "rules":
        return rules_player
    if name == "random":
        return random_player(key)
    return policy(make_known(name) if name in BOTS else load_bot(name, Path.cwd()))


def _run(
    simulation: Simulation,
    boards: range,
    workers: int,
    out: Path | None,
    *,
    sprt: bool,
    as_json: bool,
) -> None:
    from contextlib import closing
    from time import perf_counter

    from contree.cli.sequential import is_over, look_at
    from contree.testing.simulation import simulate as play

    points: dict[Pairing, list[float]] = defaultdict(list)
    begun = perf_counter()
    done, told, tables = 0, begun, 0
    decided = False
    with (
        nullcontext() if out is None else out.open("w", encoding="utf-8") as file,
        closing(play(simulation, boards, workers)) as playing,
    ):
        try:
            for chunk in playing:
                for played in chunk:
                    points[played.pairing].append(played.points)
                if file is not None:
                    file.write("".join(played.line() for played in chunk))
                tables += 2 * len(chunk)
                done = chunk[-1].board - boards.start + 1
                decided = sprt and any(is_over(look_at(values)) for values in points.values())
                if decided:
                    break
                if perf_counter() - told > _SAY_S:
                    told = perf_counter()
                    say(_how_far(done, len(boards), told - begun))
        finally:
            if done < len(boards) and not decided:
                say(_what_is_left(boards, done, out))
    seconds = perf_counter() - begun
    speed = {
        "deals": tables,
        "seconds": round(seconds, 3),
        "deals_per_s": round(tables / seconds, 1),
        "workers": workers,
    }
    _print(points, speed, sprt=sprt, as_json=as_json)
    if not as_json:
        typer.echo(
            f"{tables} deals in {seconds:.1f} s, {tables / seconds:.0f} deals/s with {workers} "
            f"process{'es' if workers > 1 else ''}"
        )


def _print(points: Points, more: Mapping[str, object], *, sprt: bool, as_json: bool) -> None:
    from contree.cli import sequential

    if sprt and len(points) > 1:
        raise BadInput("--sprt is between two players: these boards are of more.")
    rows, lines = as_plain(points), sentences(points)
    if sprt:
        for values in points.values():
            look = sequential.look_at(values)
            rows[0]["sprt"] = sequential.as_plain(look)
            lines.append(sequential.sentence(look, values))
    if as_json:
        print_json({"pairings": rows, **more})
    else:
        typer.echo("\n".join(lines))


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(","))
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        raise BadInput(
            f"--policies is {text!r}: write two players or more, all different, such as "
            "rules,random or rules,my_bot:MyBot."
        )
    return names


def _range(text: str) -> range:
    from contree.testing.simulation import MOST_BOARDS

    parts = re.fullmatch(r"(\d{1,10})(?:-(\d{1,10}))?", text, re.ASCII)
    if parts is not None:
        first, last = int(parts[1]), int(parts[2] or parts[1])
        if 1 <= first <= last <= MOST_BOARDS:
            return range(first, last + 1)
    raise BadInput(f"--deals is {text!r}: write numbers from 1 on as FROM-TO, such as 1000-1999.")


def _how_far(done: int, of: int, seconds: float) -> str:
    from contree.tournament.progress import duration

    return f"{done} of {of} boards, about {duration((of - done) * seconds / done)} left"


def _what_is_left(boards: range, done: int, out: Path | None) -> str:
    if out is None or not done:
        return f"{done} of {len(boards)} boards were played."
    return (
        f"Boards {boards.start}-{boards.start + done - 1} are in {out}; the rest is "
        f"--deals {boards.start + done}-{boards.stop - 1}."
    )
