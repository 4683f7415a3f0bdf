"""Rule sets: what may be in one, what may not, and the way to text and back."""

import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from contree.engine.actions import Slam
from contree.engine.cards import Strain
from contree.engine.contract import Doubling
from contree.engine.errors import RulesError
from contree.engine.options import (
    ContreTiming,
    Packets,
    PartnerMaster,
    TakerMark,
    TaScale,
    Undertrump,
)
from contree.engine.plain import Plain
from contree.engine.presets import (
    DEFAULT_PRESET,
    PRESET_NAMES,
    load_rules,
    parse_rules,
    preset,
    rules_from_dict,
)
from contree.engine.rules import OPTIONS, RuleSet

FFB = preset(DEFAULT_PRESET)


# --- the ladder


def test_level_values() -> None:
    generale = preset("contree-generale")
    assert generale.level_value(90) == 90
    assert generale.level_value(Slam.CAPOT) == 260
    assert generale.level_value(Slam.GENERALE) == 500
    assert FFB.level_value(Slam.CAPOT) == 250


@pytest.mark.parametrize("level", [85, 170, 270, Slam.GENERALE])
def test_level_off_the_ladder(level: int | Slam) -> None:
    with pytest.raises(RulesError, match=r"rule option 'ladder': .* one of 80 90 .* 160 capot"):
        FFB.level_value(level)
    assert not FFB.outbids(level, None)


def test_ladder_of_coinche_classique() -> None:
    rules = preset("coinche-classique")
    order = [*range(80, 250, 10), Slam.CAPOT, 270]
    assert list(rules.ladder) == order
    for standing in order:
        for level in order:
            assert rules.outbids(level, standing) == (order.index(level) > order.index(standing))
    assert rules.outbids(80, None)
    assert [rules.ladder_rank(level) for level in order] == list(range(len(order)))


def test_factors() -> None:
    assert [FFB.factor(doubling) for doubling in Doubling] == [1, 2, 4]
    assert [preset("coinche-classique").factor(doubling) for doubling in Doubling] == [1, 2, 3]


def test_packets() -> None:
    assert [packets.sizes for packets in Packets] == [(3, 2, 3), (3, 3, 2), (2, 3, 3), (3, 2, 3)]


def test_card_points_by_strain() -> None:
    annonce, classique = preset("coinche-annonce"), preset("coinche-classique")
    assert [sum(annonce.card_points(strain)) for strain in Strain] == [152] * 6
    assert [sum(classique.card_points(strain)) for strain in Strain] == [152] * 5 + [248]


# --- a value


def test_rule_set_is_a_value() -> None:
    assert preset("ffb-mixte") is FFB
    copy = rules_from_dict(FFB.to_dict())
    assert copy == FFB
    assert hash(copy) == hash(FFB)
    assert pickle.loads(pickle.dumps(FFB)) == FFB
    assert pickle.loads(pickle.dumps(FFB)).play_duties == FFB.play_duties
    assert replace(FFB, target=300) != FFB
    with pytest.raises(FrozenInstanceError):
        FFB.target = 300  # type: ignore[misc]


def test_replaced_options_take_effect() -> None:
    changed = replace(FFB, undertrump=Undertrump.MUST, ladder=(100, Slam.CAPOT))
    assert changed.play_duties != FFB.play_duties
    assert changed.ladder_rank(Slam.CAPOT) == 1


# --- the way to text and back

VALUES: dict[str, st.SearchStrategy[Plain]] = {
    "name": st.text(alphabet="abcéà -_.1", min_size=1, max_size=64).filter(
        lambda text: text == text.strip()
    ),
    "source": st.sampled_from(["house rules", "la règle d'« ici »"]),
    "cut_minimum": st.sampled_from(["off", 1, 2, 16]),
    "ladder": st.lists(
        st.integers(1, 99).map(lambda tens: tens * 10), min_size=1, max_size=20, unique=True
    )
    .map(sorted)
    .flatmap(
        lambda points: st.sampled_from([[], ["capot"], ["capot", "generale"], ["generale"]]).map(
            lambda slams: [*points, *slams]
        )
    ),
    "strains": st.sets(st.sampled_from(Strain), min_size=1).map(
        lambda strains: [str(strain) for strain in sorted(strains)]
    ),
    "capot_value": st.integers(0, 1000),
    "generale_value": st.one_of(st.just("off"), st.integers(0, 1000)),
    "contre_factor": st.integers(2, 16),
    "surcontre_factor": st.integers(2, 16),
    "sa_ace": st.sampled_from([11, 19]),
    "last_trick": st.integers(0, 1000),
    "capot_last_trick": st.integers(0, 1000),
    "generale_last_trick": st.one_of(st.just("off"), st.integers(0, 1000)),
    "capot_total": st.one_of(st.just("off"), st.integers(0, 1000)),
    "belotes_at_all_trump": st.sampled_from([0, 4]),
    "min_points": st.integers(0, 162),
    "failed_base": st.integers(0, 1000),
    "capot_made_mark": st.one_of(st.just("off"), st.integers(0, 2000)),
    "capot_failed_mark": st.one_of(st.just("off"), st.integers(0, 2000)),
    "target": st.integers(1, 1_000_000),
    "deals_limit": st.one_of(st.just("off"), st.integers(1, 10_000)),
}


def values_of(name: str) -> st.SearchStrategy[Plain]:
    """Plain values that the option takes; of enums and flags all of them."""
    if name in VALUES:
        return VALUES[name]
    expected = OPTIONS[name].expected
    if expected == "true or false":
        return st.booleans()
    return st.sampled_from(expected.removeprefix("one of ").split())


@st.composite
def plain_rules(draw: st.DrawFn) -> dict[str, Plain]:
    """A preset with some options changed; not always one without contradiction."""
    values = preset(draw(st.sampled_from(PRESET_NAMES))).to_dict()
    for name in draw(st.sets(st.sampled_from(list(OPTIONS)), max_size=8)):
        values[name] = draw(values_of(name))
    return values


@given(plain_rules())
@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
def test_round_trips(values: dict[str, Plain]) -> None:
    try:
        rules = rules_from_dict(values)
    except RulesError:
        reject()
    assert rules.to_dict() == values
    assert rules_from_dict(rules.to_dict()) == rules
    assert parse_rules(rules.to_toml()) == rules


def test_every_option_is_written() -> None:
    assert list(FFB.to_dict()) == list(OPTIONS)
    assert FFB.to_dict()["deals_limit"] == "off"


# --- rule files


def test_file_on_a_base() -> None:
    rules = parse_rules('base = "ffb-mixte"\ntarget = 2000\nundertrump = "must"\n')
    assert rules.name == "ffb-mixte-custom"
    assert rules == replace(FFB, name="ffb-mixte-custom", target=2000, undertrump=Undertrump.MUST)


def test_file_with_a_name_of_its_own(tmp_path: Any) -> None:
    path = tmp_path / "club.toml"
    path.write_text('base = "coinche-annonce"\nname = "club"\ncontre_timing = "own_turn"\n')
    rules = load_rules(str(path))
    assert rules.name == "club"
    assert rules.contre_timing is ContreTiming.OWN_TURN
    assert load_rules("coinche-annonce") == preset("coinche-annonce")


def test_behaviour_does_not_follow_the_name() -> None:
    assert replace(FFB, name="contree-simple").play_duties == FFB.play_duties


def custom(**values: object) -> RuleSet:
    return rules_from_dict({"base": "ffb-mixte", **values})


@pytest.mark.parametrize(
    ("values", "option", "problem", "expected"),
    [
        ({"belote": "auto"}, "belote", "unknown", "belote_mode"),
        ({"base": "bridge"}, "preset", "'bridge'", "contree-simple"),
        ({"base": 3}, "base", "3", "contree-simple"),
        ({"undertrump": "maybe"}, "undertrump", "'maybe'", "one of must free"),
        ({"undertrump": 1}, "undertrump", "1", "one of must free"),
        ({"undertrump": ["must"]}, "undertrump", "must", "one of must free"),
        ({"target": "1000"}, "target", "'1000'", "from 1 to 1000000"),
        ({"target": True}, "target", "True", "from 1 to 1000000"),
        ({"target": 0}, "target", "0", "from 1 to 1000000"),
        ({"target": "off"}, "target", "off", "from 1 to 1000000"),
        ({"target": 100.5}, "target", "100.5", "from 1 to 1000000"),
        ({"deals_limit": 0}, "deals_limit", "0", '"off"'),
        ({"overtrump": 1}, "overtrump", "1", "true or false"),
        ({"sa_ace": 12}, "sa_ace", "12", "one of 11 19"),
        ({"name": 'a"b'}, "name", 'a"b', "without double quotes"),
        ({"name": "a\nb"}, "name", "a", "printable"),
        ({"name": ""}, "name", "''", "1 to 64"),
        ({"strains": ["S", "X"]}, "strains", "X", '"SA"'),
        ({"strains": "S"}, "strains", "'S'", '"SA"'),
        ({"strains": [1]}, "strains", "1", '"SA"'),
        ({"strains": []}, "strains", "empty", "at least one"),
        ({"strains": ["H", "S"]}, "strains", "out of order", "in that order"),
        ({"strains": ["S", "S"]}, "strains", "repeated", "each once"),
        ({"ladder": []}, "ladder", "empty", "1 at least"),
        ({"ladder": [80, 80]}, "ladder", "twice", "each level once"),
        ({"ladder": [90, 80, "capot"]}, "ladder", "ascend", "ascending"),
        ({"ladder": [80, 5]}, "ladder", "5", "10 to 999"),
        ({"ladder": [80, True]}, "ladder", "True", "10 to 999"),
        ({"ladder": [80, "grand slam"]}, "ladder", "grand slam", "capot and generale"),
        ({"ladder": 80}, "ladder", "80", "a list"),
        (
            {"ladder": [80, "generale", "capot"], "generale_value": 500},
            "ladder",
            "below capot",
            "capot before generale",
        ),
        # Contradictions.
        ({"generale_value": 500}, "generale_value", "not on the ladder", '"off"'),
        ({"generale_last_trick": 350}, "generale_last_trick", "not on the ladder", '"off"'),
        ({"ladder": [80, "capot", "generale"]}, "generale_value", "off", "contract value"),
        ({"ladder": [80, 90]}, "capot_made_mark", "capot is not on the ladder", '"off"'),
        (
            {"ladder": [80, 90], "capot_made_mark": "off"},
            "capot_failed_mark",
            "capot is not on the ladder",
            '"off"',
        ),
        ({"ta_scale": "two_thirds"}, "ta_scale", "cannot be bid", 'ta_scale = "none"'),
        ({"ta_rise": "always"}, "ta_rise", "cannot be bid", 'ta_rise = "never"'),
        ({"belotes_at_all_trump": 4}, "belotes_at_all_trump", "cannot be bid", "= 0"),
        ({"sa_ace": 19}, "sa_ace", "cannot be bid", "sa_ace = 11"),
        ({"sa_rise": "always"}, "sa_rise", "cannot be bid", 'sa_rise = "never"'),
        ({"contre_ends_bidding": False}, "contre_ends_bidding", "no document", "true"),
        ({"surcontre_factor": 2}, "surcontre_factor", "does not exceed", "from 3 to 16"),
        ({"shuffle": "first_only_then_cut"}, "cut_minimum", "only cut", "from 1 to 16"),
        ({"capot_last_trick": 100}, "capot_last_trick", "no effect", 'capot_total "off"'),
        ({"contre_mark": "base", "mult_scope": "contract"}, "mult_scope", "no contract", "whole"),
        (
            {"contre_mark": "ordinary", "taker_mark": "made", "mult_scope": "contract"},
            "mult_scope",
            "no contract",
            "whole",
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_refused(values: dict[str, object], option: str, problem: str, expected: str) -> None:
    with pytest.raises(RulesError) as raised:
        custom(**values)
    assert raised.value.option == option
    assert problem in raised.value.problem
    assert expected in raised.value.expected


def test_options_of_an_absent_strain_are_named_at_once() -> None:
    with pytest.raises(RulesError) as raised:
        rules_from_dict({"base": "coinche-annonce", "strains": ["S", "H", "D", "C"]})
    for neutral in ("sa_ace = 11", 'ta_scale = "none"', 'ta_rise = "never"'):
        assert neutral in raised.value.expected


@pytest.mark.parametrize(
    ("change", "option"),
    [
        ({"target": 1.5}, "target"),
        ({"undertrump": "must"}, "undertrump"),
        ({"undertrump": PartnerMaster.ANY}, "undertrump"),
        ({"ladder": [80, 90]}, "ladder"),
        ({"strains": ("S",)}, "strains"),
        ({"deals_limit": "off"}, "deals_limit"),
        ({"ta_scale": TaScale.TABLE_152}, "ta_scale"),
        ({"taker_mark": TakerMark}, "taker_mark"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_refused_when_built_directly(change: dict[str, Any], option: str) -> None:
    with pytest.raises(RulesError) as raised:
        replace(FFB, **change)
    assert raised.value.option == option


def test_missing_option() -> None:
    values = FFB.to_dict()
    del values["rounding"]
    with pytest.raises(RulesError, match=r"'rounding': missing; expected one of none nearest10"):
        rules_from_dict(values)


def test_text_that_is_no_toml() -> None:
    with pytest.raises(RulesError, match=r"not TOML: .*line 1"):
        parse_rules("target 1000")


def test_file_that_is_not_there(tmp_path: Any) -> None:
    with pytest.raises(RulesError, match="cannot be read"):
        load_rules(str(tmp_path / "none.toml"))


@pytest.mark.parametrize("name", ["ffb", "", "../secret", "ffb-mixte.tml"])
def test_unknown_preset(name: str) -> None:
    with pytest.raises(RulesError) as raised:
        load_rules(name)
    assert raised.value.expected == "one of " + " ".join(PRESET_NAMES)
