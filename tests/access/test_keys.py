"""Keys as values and as bytes, and what a caller may do."""

from __future__ import annotations

import json
from contextvars import copy_context

import pytest

from contree.server.access import (
    ANONYMOUS,
    ApiKey,
    Caller,
    PermissionDenied,
    Role,
    Unauthenticated,
    UnreadableKey,
    current_caller,
    decode_key,
    encode_key,
    new_key,
    parse_token,
    set_caller,
)
from contree.server.access.keys import KeyLimits

KEY = ApiKey(
    key_id="abc123abc123",
    digest=b"d" * 32,
    name="Ann é",
    roles=frozenset({Role.BOT, Role.HOST}),
    bots=("ann", "ann-*"),
    created_ms=1000,
    expires_ms=5000,
    revoked_ms=None,
    limits=KeyLimits(streams=3),
)


def test_round_trip() -> None:
    assert decode_key(encode_key(KEY)) == KEY
    revoked = encode_key(KEY)._replace(revoked_ms=7)
    assert decode_key(revoked).revoked_ms == 7


def test_a_role_of_a_newer_version_allows_nothing_here() -> None:
    stored = encode_key(KEY)
    details = json.loads(stored.details)
    details["roles"] = ["bot", "emperor"]
    read = decode_key(stored._replace(details=json.dumps(details).encode()))
    assert read.roles == {Role.BOT}


@pytest.mark.parametrize("details", [b"", b"\xff", b"[]", b"{}", b'{"schema":2}', b'{"schema":1}'])
def test_what_is_no_key_is_said_to_be_none(details: bytes) -> None:
    with pytest.raises(UnreadableKey, match="abc123abc123"):
        decode_key(encode_key(KEY)._replace(details=details))


def test_a_key_ends() -> None:
    assert KEY.refusal(4999) == ""
    assert KEY.refusal(5000) == "has expired"
    assert decode_key(encode_key(KEY)._replace(revoked_ms=1)).refusal(0) == "was revoked"


def test_the_digest_is_in_no_repr() -> None:
    assert "dddd" not in repr(KEY) + repr(Caller.of(KEY))


def test_roles() -> None:
    bot = Caller("k", roles=frozenset({Role.BOT}))
    operator = Caller("k", roles=frozenset({Role.OPERATOR}))
    assert bot.has(Role.BOT, Role.HOST)
    assert not bot.has(Role.HOST)
    assert all(operator.has(role) for role in Role)
    assert ANONYMOUS.has(Role.HOST)
    assert not ANONYMOUS.has(Role.OPERATOR)


@pytest.mark.parametrize(
    ("caller", "owner", "owns"),
    [
        (Caller("k1", roles=frozenset({Role.HOST})), "k1", True),
        (Caller("k1", roles=frozenset({Role.HOST})), "k2", False),
        (Caller("k1", roles=frozenset({Role.HOST})), "", False),
        (Caller("k1", roles=frozenset({Role.BOT})), "k1", False),
        (Caller("k1", roles=frozenset({Role.OPERATOR})), "k2", True),
        (ANONYMOUS, "", True),
        (ANONYMOUS, "k1", False),
    ],
)
def test_whose_match_it_is(caller: Caller, owner: str, owns: bool) -> None:
    assert caller.owns(owner) is owns
    if not owns:
        with pytest.raises(PermissionDenied, match="m1"):
            caller.must_own(owner, "m1")


@pytest.mark.parametrize(
    ("bot", "allowed"), [("ann", True), ("ann-2", True), ("bob", False), ("Ann", False)]
)
def test_names_of_bots(bot: str, allowed: bool) -> None:
    caller = Caller.of(KEY)
    if allowed:
        caller.must_play_as(bot)
    else:
        with pytest.raises(PermissionDenied, match="ann or ann-\\*"):
            caller.must_play_as(bot)
    ANONYMOUS.must_play_as(bot)


def test_nobody_calls_outside_of_a_call() -> None:
    with pytest.raises(Unauthenticated):
        current_caller()
    caller = Caller("k")

    def call() -> Caller:
        set_caller(caller)
        return current_caller()

    assert copy_context().run(call) is caller
    with pytest.raises(Unauthenticated):
        current_caller()


def test_a_new_key_knows_its_token_by_the_digest_only() -> None:
    key, token = new_key(Role.HOST, Role.BOT, created_ms=5, name="Ann", bots=("ann-*",))
    said = parse_token(token)
    assert said is not None
    assert (key.key_id, key.digest) == said
    assert key.roles == frozenset({Role.HOST, Role.BOT})
    assert (key.created_ms, key.name, key.bots) == (5, "Ann", ("ann-*",))
    assert token not in repr(key)
    assert new_key(created_ms=5)[1] != token
