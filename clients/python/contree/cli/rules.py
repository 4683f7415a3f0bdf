"""`contree rules`: legal cards, marks, the presets. Needs the engine only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from contree.cli.errors import BAD_INPUT, BadInput, sentence

if TYPE_CHECKING:
    from contree.cli.cases import Case

_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")

app = typer.Typer(
    help="Ask about the rules: legal cards, marks, presets.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Preset = Annotated[
    str | None,
    typer.Option("--preset", metavar="P", help="A preset; ffb-mixte when nothing is said."),
]
_Rules = Annotated[
    str | None,
    typer.Option("--rules", metavar="FILE.toml", help="Rules of your own: docs/rules.md."),
]


def _rule_set(metavar: str) -> Any:
    return typer.Argument(metavar=metavar, help="A preset, or the path of a rule file.")


_File = Annotated[
    Path | None,
    typer.Option(
        "--file",
        metavar="CASES.jsonl",
        help="Answer a JSON case per line instead, one JSON answer per line; - reads stdin.",
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def legal(
    *,
    preset: _Preset = None,
    rules: _Rules = None,
    trump: Annotated[
        str | None, typer.Option("--trump", metavar="S|H|D|C|SA|TA", help="What is trump.")
    ] = None,
    trick: Annotated[
        str | None,
        typer.Option(
            "--trick", metavar='"AS 7S"', help="The cards on the table, the first one led."
        ),
    ] = None,
    hand: Annotated[
        str | None,
        typer.Option("--hand", metavar='"KS 7H"', help="The cards of the next player."),
    ] = None,
    played: Annotated[
        str | None,
        typer.Option(
            "--played",
            metavar='"QH"',
            help="Cards that player has played before; of use where belote is announced.",
        ),
    ] = None,
    file: _File = None,
    as_json: _Json = False,
) -> None:
    """Which cards the next player may play."""
    from contree.cli.cases import legal_answer, read_legal

    case: Case = {
        "preset": preset,
        "rules": rules,
        "trump": trump,
        "trick": trick,
        "hand": hand,
        "played": played,
    }
    if file is not None:
        _answer_file(file, case, legal_answer)
    elif as_json:
        _print_json(legal_answer, case)
    else:
        from contree.cli.output import stdout
        from contree.cli.render import legal_screen

        question = _ask(read_legal, case)
        stdout().print(
            legal_screen(
                question.rules.name,
                question.trump,
                question.trick,
                question.hand,
                question.answer(),
                announceable=question.announceable(),
            )
        )


@app.command()
def score(
    *,
    preset: _Preset = None,
    rules: _Rules = None,
    contract: Annotated[
        str | None,
        typer.Option("--contract", metavar="90H|capotH|generaleH|100TA", help="What was bid."),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option("--level", metavar="1|2|4", help="1 plain (default), 2 contre, 4 surcontre."),
    ] = None,
    taker_points: Annotated[
        str | None,
        typer.Option(
            "--taker-points", metavar="N", help="With the last trick, without belote, calibrated."
        ),
    ] = None,
    defence_points: Annotated[
        str | None, typer.Option("--defence-points", metavar="N", help="Likewise.")
    ] = None,
    taker_tricks: Annotated[
        int | None, typer.Option("--taker-tricks", metavar="N", help="Tricks of the takers.")
    ] = None,
    bidder_tricks: Annotated[
        int | None,
        typer.Option("--bidder-tricks", metavar="N", help="Of the bidder alone, for a générale."),
    ] = None,
    belote: Annotated[
        str | None,
        typer.Option("--belote", metavar="taker|defence|none", help="Who has the belote."),
    ] = None,
    taker_belotes: Annotated[
        int | None,
        typer.Option("--taker-belotes", metavar="N", help="How many, at tout-atout."),
    ] = None,
    defence_belotes: Annotated[
        int | None,
        typer.Option("--defence-belotes", metavar="N", help="How many, at tout-atout."),
    ] = None,
    file: _File = None,
    as_json: _Json = False,
) -> None:
    """What both sides mark for a deal."""
    from contree.cli.cases import read_score, score_answer

    case: Case = {
        "preset": preset,
        "rules": rules,
        "contract": contract,
        "level": level,
        "taker_points": taker_points,
        "defence_points": defence_points,
        "taker_tricks": taker_tricks,
        "bidder_tricks": bidder_tricks,
        "belote": belote,
        "taker_belotes": taker_belotes,
        "defence_belotes": defence_belotes,
    }
    if file is not None:
        _answer_file(file, case, score_answer)
    elif as_json:
        _print_json(score_answer, case)
    else:
        from contree.cli.output import stdout
        from contree.cli.render import score_screen

        question = _ask(read_score, case)
        stdout().print(
            score_screen(
                question.rules.name,
                question.bid,
                question.doubling,
                question.tally,
                question.answer(),
            )
        )


@app.command("list")
def list_presets(as_json: _Json = False) -> None:
    """The presets."""
    from contree.engine.presets import DEFAULT_PRESET, PRESET_NAMES, preset

    if as_json:
        from contree.cli.output import print_json

        print_json(list(PRESET_NAMES))
        return
    from contree.cli.output import stdout
    from contree.cli.render import presets_screen

    stdout().print(presets_screen([preset(name) for name in PRESET_NAMES], DEFAULT_PRESET))


@app.command()
def show(rules: Annotated[str, _rule_set("P")], as_json: _Json = False) -> None:
    """Every option of a rule set, as TOML that may be edited and given back."""
    from contree.cli.cases import rules_named

    shown = _ask(rules_named, rules)
    if as_json:
        from contree.cli.output import print_json

        print_json(shown.to_dict())
    else:
        typer.echo(shown.to_toml(), nl=False)


@app.command()
def diff(
    first: Annotated[str, _rule_set("P")],
    second: Annotated[str, _rule_set("Q")],
    as_json: _Json = False,
) -> None:
    """The options in which two rule sets differ."""
    from contree.cli.cases import rules_named
    from contree.engine.presets import differences

    changes = differences(_ask(rules_named, first), _ask(rules_named, second))
    if as_json:
        from contree.cli.output import print_json

        print_json({"first": first, "second": second, "options": changes})
        return
    from contree.cli.output import stdout
    from contree.cli.render import differences_screen

    stdout().print(differences_screen(first, second, changes))


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A rule file.")],
    as_json: _Json = False,
) -> None:
    """Whether a file is a rule set: all that is wrong with it, or what it changes."""
    from contree.cli.rule_files import checked

    found = checked(file)
    if as_json:
        from contree.cli.output import print_json

        print_json(found.to_json())
    elif found.rules is None:
        from contree.cli.output import say

        for problem in found.problems:
            say(f"contree: {sentence(str(problem))}")
    else:
        from contree.cli.output import stdout
        from contree.cli.render import rule_file_screen

        stdout().print(
            rule_file_screen(str(file), found.rules.name, found.base, found.changes), soft_wrap=True
        )
    if found.rules is None:
        raise typer.Exit(BAD_INPUT)


def _ask(read: Callable[[_Question], _Answer], question: _Question) -> _Answer:
    from contree.cli.cases import CaseError

    try:
        return read(question)
    except CaseError as error:
        raise BadInput(sentence(str(error))) from None


def _print_json(answer: Callable[[Case], Any], case: Case) -> None:
    from contree.cli.output import print_json

    print_json(_ask(answer, case))


def _answer_file(path: Path, options: Case, answer: Callable[[Case], Any]) -> None:
    """Answer each line; the run goes on after a bad one, whose answer is its error."""
    from contree.cli.cases import answer_line

    given = [name for name, value in options.items() if value is not None]
    if given:
        raise BadInput(
            f"--file takes its cases from the file: leave out --{given[0].replace('_', '-')}."
        )
    source = sys.stdin.buffer if str(path) == "-" else path.open("rb")
    with source:
        for line in source:
            if line.strip():
                print(answer_line(line, answer))
