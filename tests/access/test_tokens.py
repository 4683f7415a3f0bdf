"""Tokens: their form, their checksum, and that no two are alike."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.server.access import new_key_id, new_token, parse_token
from contree.server.access.tokens import is_key_id
from contree.server.token_form import hide_tokens


def test_a_token_is_known_by_its_look() -> None:
    key_id = new_key_id()
    token = new_token(key_id)
    # What docs/security.md gives to secret scanners.
    assert re.fullmatch(r"contree_[0-9a-z]{12}_[0-9A-Za-z]{49}", token)
    parsed = parse_token(token)
    assert parsed is not None
    assert parsed.key_id == key_id
    assert parsed.digest == hashlib.sha256(token.encode()).digest()


def test_its_secret_has_256_bits() -> None:
    assert 62**43 > 2**256
    secrets = {new_token("0" * 12).rpartition("_")[2] for _ in range(200)}
    assert len(secrets) == 200


@given(st.integers(0, 68), st.sampled_from("0aZ_ \n-é"))
def test_one_wrong_character_makes_it_none(place: int, other: str) -> None:
    token = new_token("abc123abc123")
    changed = token[:place] + other + token[place + 1 :]
    assert (parse_token(changed) is None) == (changed != token)


@given(st.text(max_size=80))
def test_other_texts_are_none(text: str) -> None:
    assert parse_token(text) is None


@pytest.mark.parametrize("change", [str.upper, str.lower, str.swapcase, lambda t: t + "\n"])
def test_nearly_is_not_enough(change: object) -> None:
    assert parse_token(change(new_token(new_key_id()))) is None  # type: ignore[operator]


def test_no_token_without_a_key_id() -> None:
    assert is_key_id(new_key_id())
    for text in ("", "x", "A" * 12, "é" * 12, "a" * 13, "a" * 12 + "\n"):
        assert not is_key_id(text)
        with pytest.raises(ValueError, match="is no key id"):
            new_token(text)


def test_tokens_are_taken_out_of_texts_also_in_part() -> None:
    token = new_token("abc123abc123")
    assert hide_tokens(f"a {token}, b {token[:40]}.") == "a contree_***, b contree_***."
    plain = "contree_moves_total of contree_client, contree_***"
    assert hide_tokens(plain) == plain
