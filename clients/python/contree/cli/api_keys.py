"""`contree keys`: the API keys of a service. They are in its store; no server need run."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeVar

import typer

from contree.cli.errors import BadInput

if TYPE_CHECKING:
    from contree.server.access import ApiKey
    from contree.server.store import KeyStore

_Answer = TypeVar("_Answer")

app = typer.Typer(
    help="Make, list and revoke the API keys of a service, in its store.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_ROLES: Final = ("host", "bot", "spectator", "operator")
_LIMITS: Final = ("streams", "hellos", "queries", "watches", "matches")

_Redis = Annotated[
    str | None,
    typer.Option("--redis", metavar="URL", help="The store; else $CONTREE_REDIS_URL."),
]
_Data = Annotated[
    str | None,
    typer.Option(
        "--data", metavar="DIR", help="Or the data folder of a server; else $CONTREE_DATA_DIR."
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Id = Annotated[str, typer.Argument(metavar="ID", help="The key's id: see contree keys list.")]


@app.command()
def create(
    *,
    role: Annotated[
        list[str],
        typer.Option(metavar="|".join(_ROLES), help="What it is for; may be given more than once."),
    ],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Whose it is, for the list and the log.")
    ] = "",
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="A name that its bots may have, such as 'ann-*'; may be given more than once. "
            "Any name when left out.",
        ),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="When it ends: 90d, 12h, or a date such as 2027-06-30 (UTC)."
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT=N",
            help=f"A limit of its own: {', '.join(_LIMITS)}; docs/security.md has them.",
        ),
    ] = None,
    redis: _Redis = None,
    data: _Data = None,
    as_json: _Json = False,
) -> None:
    """Make a key and print its token: once, for nothing keeps it.

    Whoever is to have it sets CONTREE_TOKEN, or CONTREE_TOKEN_FILE with the path of a file.
    """
    from contree.cli.output import print_json, say
    from contree.server.access import encode_key
    from contree.server.wall_clock import wall_ms

    now_ms = wall_ms()
    wanted = _Wanted(role, name, bot or (), expires, _limits(limit or ()))
    key, token = wanted.make(now_ms)
    added, where = _ask(redis, data, lambda keys: keys.add(encode_key(key)))
    assert added, "two random ids are equal"
    if as_json:
        print_json({**_json(key, now_ms), "token": token})
    else:
        typer.echo(token)
    say(
        f"Key {key.key_id} is in {where}. Its token is shown this once: keep it in a file of yours."
    )


@app.command("create-all")
def create_all(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help='One key a line, as {"roles": ["bot"], "name": "Ann", "bots": ["ann"]}; "expires" '
            'and "limits" as create has them. - is standard input.',
        ),
    ],
    *,
    redis: _Redis = None,
    data: _Data = None,
) -> None:
    """Make many keys at once; print each with its token as a line of JSON, in the file's order.

    None is made unless all of them will do. The output is all that has the tokens: keep it so that
    nobody else reads it.
    """
    from contree.cli.output import print_json, say
    from contree.server.access import encode_key
    from contree.server.wall_clock import wall_ms

    now_ms = wall_ms()
    made = [wanted.make(now_ms) for wanted in _listed(file)]

    async def add(keys: KeyStore) -> None:
        for key, _ in made:
            assert await keys.add(encode_key(key)), "two random ids are equal"

    _, where = _ask(redis, data, add)
    for key, token in made:
        print_json({**_json(key, now_ms), "token": token})
    say(f"{len(made)} keys are in {where}. Their tokens are shown this once.")


@app.command()
def rotate(
    key_id: _Id, *, redis: _Redis = None, data: _Data = None, as_json: _Json = False
) -> None:
    """Give a key another token and print it. The old one is no good within seconds.

    The key keeps its id, and so its matches and seats.
    """
    from contree.cli.output import print_json, say
    from contree.server.access import new_token
    from contree.server.access.tokens import digest

    _check_id(key_id)
    token = new_token(key_id)

    async def change(keys: KeyStore) -> bool:
        (known,) = await keys.get([key_id])
        if known is not None and known.revoked_ms is not None:
            raise BadInput(f"The key {key_id} was revoked: make a new one.")
        return await keys.rotate(key_id, digest(token))

    changed, where = _ask(redis, data, change)
    if not changed:
        raise _no_such(key_id, where)
    if as_json:
        print_json({"id": key_id, "token": token})
    else:
        typer.echo(token)
    say(f"Key {key_id} has another token. It is shown this once: keep it in a file of yours.")


@app.command()
def revoke(key_id: _Id, *, redis: _Redis = None, data: _Data = None) -> None:
    """Revoke a key for ever. What it has open ends within seconds."""
    from contree.cli.output import say
    from contree.server.wall_clock import wall_ms

    _check_id(key_id)
    now_ms = wall_ms()
    revoked, where = _ask(redis, data, lambda keys: keys.revoke(key_id, now_ms))
    if not revoked:
        raise _no_such(key_id, where)
    say(f"Key {key_id} is revoked.")


@app.command("list")
def list_keys(*, redis: _Redis = None, data: _Data = None, as_json: _Json = False) -> None:
    """List the keys. Tokens cannot be listed: nothing keeps them."""
    from contree.cli.output import print_json, say, stdout
    from contree.server.access import UnreadableKey, decode_key
    from contree.server.wall_clock import wall_ms

    async def read(keys: KeyStore) -> list[ApiKey]:
        found: list[ApiKey] = []
        after = ""
        while page := await keys.page(after=after):
            for stored in page:
                try:
                    found.append(decode_key(stored))
                except UnreadableKey as error:
                    say(f"contree: {error}")
            after = page[-1].key_id
        return sorted(found, key=lambda key: (key.created_ms, key.key_id))

    keys, where = _ask(redis, data, read)
    now_ms = wall_ms()
    if as_json:
        for key in keys:
            print_json(_json(key, now_ms))
        return
    if not keys:
        say(f"There are no keys in {where}: make one with contree keys create --role bot.")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for title in ("id", "name", "roles", "bots", "created", "state"):
        table.add_column(title, overflow="fold")
    for key in keys:
        cells = (
            key.key_id,
            key.name,
            " ".join(role for role in _ROLES if role in _roles(key)),
            " ".join(key.bots) or ("any" if {"bot", "operator"} & _roles(key) else ""),
            _day(key.created_ms),
            _state(key, now_ms),
        )
        table.add_row(*map(Text, cells))
    stdout().print(table)


class _Wanted(NamedTuple):
    """A key as somebody wrote that it should be."""

    roles: Sequence[str]
    name: str
    bots: Sequence[str]
    expires: str | None
    limits: Any
    """``KeyLimits``."""

    def make(self, now_ms: int) -> tuple[ApiKey, str]:
        """The key and its token. Raises BadInput."""
        from contree.server.access import Role, new_key
        from contree.server.access.keys import MAX_NAME

        for one in self.roles:
            if one not in _ROLES:
                raise BadInput(f"There is no role {one!r}: write --role {' or '.join(_ROLES)}.")
        for text in (self.name, *self.bots):
            if len(text) > MAX_NAME or not text.isprintable():
                raise BadInput(
                    f"{text!r} will not do: write at most {MAX_NAME} printable characters."
                )
        if "" in self.bots:
            raise BadInput(
                "--bot '' is no bot's name: write a pattern, or leave it out for any name."
            )
        if self.bots and not {"bot", "operator"} & set(self.roles):
            raise BadInput("--bot is about keys of bots: add --role bot, or leave it out.")
        return new_key(
            *map(Role, self.roles),
            name=self.name,
            bots=tuple(self.bots),
            created_ms=now_ms,
            expires_ms=None if self.expires is None else _expiry(self.expires, now_ms),
            limits=self.limits,
        )


def _listed(file: Path) -> list[_Wanted]:
    """The keys that a file lists, one a line. Raises BadInput that names the line."""
    import sys

    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read ({error}).") from None
    lines = enumerate(text.splitlines(), start=1)
    return [_read(line, f"{file}, line {number}") for number, line in lines if line.strip()]


def _read(line: str, where: str) -> _Wanted:
    import json

    try:
        given = json.loads(line)
        wanted = _Wanted(
            _texts(given.pop("roles")),
            _texts([given.pop("name", "")])[0],
            _texts(given.pop("bots", [])),
            _texts([given.pop("expires")])[0] if "expires" in given else None,
            _limits([f"{what}={n}" for what, n in given.pop("limits", {}).items()]),
        )
    except (ValueError, KeyError, AttributeError, TypeError):
        raise BadInput(
            f'{where}, is no key: write {{"roles": ["bot"], "name": "Ann", "bots": ["ann"]}}.'
        ) from None
    if not wanted.roles:
        raise BadInput(f"{where}: roles is empty: write {' or '.join(_ROLES)}.")
    if given:
        raise BadInput(f"{where}: a key has roles, name, bots, expires and limits, nothing else.")
    return wanted


def _texts(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError
    return value


def _ask(
    redis: str | None, data: str | None, question: Callable[[KeyStore], Awaitable[_Answer]]
) -> tuple[_Answer, str]:
    """Ask the keys of the store that is meant; the answer, and where the store is.

    The embedded store of a data folder is joined where a server runs, else started for the moment.
    """
    import asyncio

    from contree.server.setting_sources import CONFIG, SettingsFile
    from contree.server.settings import Settings
    from contree.server.store import connect, embedded_store
    from contree.server.telemetry import configure_logging

    if redis is not None and data is not None:
        raise BadInput("A store is at a --redis URL or in a --data folder: leave one out.")
    names = ["CONTREE_DATA_DIR", "XDG_DATA_HOME"]
    if data is None:
        names += ["CONTREE_REDIS_URL", "CONTREE_STORE_REPLICAS"]
    environment = {name: os.environ[name] for name in names if name in os.environ}
    file = None
    if config := os.environ.get(CONFIG):
        file = SettingsFile.read(Path(config))
        file = file.only({"data_dir"} if data is not None else {"data_dir", "redis_url"})
    settings, _ = Settings.gather(environment, {"redis_url": redis, "data_dir": data}, file)
    configure_logging(Settings(log_level="error"))

    async def at(url: str) -> _Answer:
        store = await connect(url, replicas=settings.store_replicas)
        try:
            return await question(store.api_keys)
        finally:
            await store.close()

    async def ask() -> _Answer:
        if settings.redis_url is not None:
            return await at(settings.redis_url)
        async with embedded_store(settings.data_dir, in_passing=True) as embedded:
            return await at(embedded.url)

    where = settings.redis_url_shown or f"the folder {Path(settings.data_dir)}"
    return asyncio.run(ask()), where


def _expiry(text: str, now_ms: int) -> int:
    """When a key ends, in milliseconds since the epoch."""
    from datetime import UTC, datetime

    units = {"d": 86_400, "h": 3_600, "m": 60}
    number, unit = text[:-1], text[-1:]
    try:
        if unit in units and number.isascii() and number.isdigit():
            when = now_ms + int(number) * units[unit] * 1000
            datetime.fromtimestamp(when / 1000, UTC)
        else:
            date = datetime.fromisoformat(text)
            date = date if date.tzinfo else date.replace(tzinfo=UTC)
            when = int(date.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise BadInput(
            f"--expires {text} is no time: write 90d, 12h, or a date such as 2027-06-30."
        ) from None
    if when <= now_ms:
        raise BadInput(f"--expires {text} is not in the future: write a later one.")
    return when


def _limits(given: Sequence[str]) -> Any:
    from contree.server.access.keys import KeyLimits

    limits: dict[str, int] = {}
    for text in given:
        what, _, number = text.partition("=")
        if what not in _LIMITS or not (number.isascii() and number.isdigit()):
            raise BadInput(
                f"--limit {text} will not do: write WHAT=N, such as streams=16; "
                f"there are {', '.join(_LIMITS)}."
            )
        limits[what] = int(number)
    return KeyLimits(**limits)


def _check_id(key_id: str) -> None:
    from contree.server.access.tokens import is_key_id
    from contree.server.token_form import PREFIX

    if key_id.startswith(PREFIX):
        # It is not repeated here: this goes to a terminal, and perhaps to a log.
        raise BadInput("That is a token, and secret: write the id, its part between the _.")
    if not is_key_id(key_id):
        raise BadInput(f"{key_id!r} is no id of a key: see contree keys list.")


def _no_such(key_id: str, where: str) -> BadInput:
    return BadInput(f"There is no key {key_id} in {where}: see contree keys list.")


def _roles(key: ApiKey) -> set[str]:
    return {role.value for role in key.roles}


def _state(key: ApiKey, now_ms: int) -> str:
    if key.revoked_ms is not None:
        return f"revoked {_day(key.revoked_ms)}"
    if key.expires_ms is None:
        return "good"
    return f"{'expired' if now_ms >= key.expires_ms else 'good until'} {_day(key.expires_ms)}"


def _day(milliseconds: int) -> str:
    return _time(milliseconds)[:10]


def _time(milliseconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")


def _json(key: ApiKey, now_ms: int) -> dict[str, Any]:
    return {
        "id": key.key_id,
        "name": key.name,
        "roles": sorted(_roles(key)),
        "bots": list(key.bots),
        "created": _time(key.created_ms),
        "expires": None if key.expires_ms is None else _time(key.expires_ms),
        "revoked": None if key.revoked_ms is None else _time(key.revoked_ms),
        "good": not key.refusal(now_ms),
        "limits": {what: n for what, n in key.limits._asdict().items() if n is not None},
    }
