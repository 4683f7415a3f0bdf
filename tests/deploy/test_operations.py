"""docs/operations.md: a row for each setting with its default, and one for each metric."""

import re
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup, TyperOption

from contree.cli.app import app
from contree.server.setting_kinds import Setting, settings_of
from contree.server.setting_sources import key_of
from contree.server.settings import Settings, TimeControlSettings
from contree.server.telemetry import Metrics
from contree.server.workers import WorkerMetrics

PAGE = (Path(__file__).parent.parent.parent / "docs" / "operations.md").read_text("utf-8")
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in PAGE.splitlines()
    if line.startswith("| `")
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}
SETTINGS = [
    pytest.param(owner, name, setting, id=setting.variable)
    for owner in (Settings(), TimeControlSettings())
    for name, setting in settings_of(type(owner)).items()
]


@pytest.mark.parametrize(("owner", "name", "setting"), SETTINGS)
def test_a_row_for_each_setting(owner: object, name: str, setting: Setting) -> None:
    default = ROWS[setting.variable][-2]
    value = getattr(owner, name)
    if name == "data_dir":
        assert default == "`~/.local/share/contree`"
    elif name == "server_id":
        assert re.fullmatch(r"\w+-[0-9a-f]{8}", value)
    elif value is None:
        assert default == "none"
    elif isinstance(value, float):
        assert default == f"`{value:g}`"
    else:
        assert default == f"`{value}`"


def test_no_row_for_what_is_no_setting() -> None:
    variables = {row for row in ROWS if row.startswith("CONTREE_")}
    known = {
        setting.variable
        for kind in (Settings, TimeControlSettings)
        for setting in settings_of(kind).values()
    }
    assert variables == known


def test_options_are_those_of_serve() -> None:
    named = {cells[0].strip("`") for cells in ROWS.values() if cells[0].startswith("`--")}
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    options = {
        option
        for param in group.commands["serve"].params
        if isinstance(param, TyperOption) and not param.hidden
        for option in param.opts
    }
    assert named == options - {"--help", "--config"}
    assert "`--config`" in PAGE


def test_the_key_of_a_setting_is_what_its_field_is_called() -> None:
    """So that the page needs no column for it."""
    for owner in (Settings, TimeControlSettings):
        for name, setting in settings_of(owner).items():
            assert key_of(setting) == name


def test_a_row_for_each_metric() -> None:
    documented = {row for row in ROWS if row.startswith("contree_")}
    exposed = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for metrics in (Metrics(), WorkerMetrics())
        for family in metrics.registry.collect()
        if family.name.startswith("contree_")
    }
    assert documented == exposed
