"""Settings: defaults, variables, options, refusals, and no password in sight."""

from pathlib import Path

import pytest

from contree.server.setting_kinds import SettingsError, parse_address, settings_of
from contree.server.settings import Settings, TimeControlSettings

ALL = {**settings_of(Settings), **settings_of(TimeControlSettings)}


def test_defaults() -> None:
    settings = Settings()
    assert settings.listen == "127.0.0.1:50051"
    assert settings.metrics == "127.0.0.1:9464"
    assert settings.redis_url is None
    assert settings.time_control == TimeControlSettings()
    assert settings.time_control.ready_s == 30.0


def test_two_servers_have_two_ids() -> None:
    assert Settings().server_id != Settings().server_id


def test_variables_are_read() -> None:
    settings = Settings.from_environment(
        {
            "CONTREE_LISTEN": "0.0.0.0:1",
            "CONTREE_ANONYMOUS": "on",
            "CONTREE_METRICS": "off",
            "CONTREE_LEASE_MS": "250",
            "CONTREE_READY_S": "1.5",
            "CONTREE_DATA_DIR": "/data",
            "CONTREE_BOT": "not a setting of the server",
        }
    )
    assert settings.listen == "0.0.0.0:1"
    assert settings.metrics is None
    assert settings.lease_ms == 250
    assert settings.time_control.ready_s == 1.5
    assert settings.data_dir == Path("/data")


def test_an_option_wins_over_its_variable() -> None:
    settings = Settings.from_environment(
        {"CONTREE_LISTEN": "x", "CONTREE_LOG": "json"},
        {"listen": "127.0.0.1:2", "log": None},
    )
    assert settings.listen == "127.0.0.1:2"
    assert settings.log == "json"


def test_an_empty_variable_is_absent() -> None:
    assert Settings.from_environment({"CONTREE_LISTEN": ""}).listen == Settings().listen


def test_data_folder_follows_the_desktop_rules() -> None:
    environment = {"XDG_DATA_HOME": "/xdg"}
    assert Settings.from_environment(environment).data_dir == Path("/xdg/contree")
    environment["CONTREE_DATA_DIR"] = "/data"
    assert Settings.from_environment(environment).data_dir == Path("/data")


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("CONTREE_LISTEN", "50051"),
        ("CONTREE_LISTEN", ":50051"),
        ("CONTREE_LISTEN", "localhost:65536"),
        ("CONTREE_LISTEN", "::1:50051"),
        ("CONTREE_METRICS", "on"),
        ("CONTREE_REDIS_URL", "localhost"),
        ("CONTREE_FSYNC", "never"),
        ("CONTREE_LOG", "xml"),
        ("CONTREE_LOG_LEVEL", "loud"),
        ("CONTREE_SERVER_ID", "a b"),
        ("CONTREE_LEASE_MS", "1.5"),
        ("CONTREE_LEASE_MS", "0"),
        ("CONTREE_HEARTBEAT_S", "nan"),
        ("CONTREE_DRAIN_S", "soon"),
        ("CONTREE_PER_MOVE_S", "-1"),
    ],
)
def test_a_bad_variable_is_named_in_one_sentence(variable: str, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({variable: text})
    assert str(caught.value).startswith(f"{variable} is {text!r}: write ")
    assert str(caught.value).count("\n") == 0


def test_a_bad_option_is_named_as_it_was_given() -> None:
    with pytest.raises(SettingsError, match=r"^--redis is 'x': write redis://"):
        Settings.from_environment({}, {"redis_url": "x"})
    with pytest.raises(SettingsError, match=r"^--log-level is 'x': "):
        Settings.from_environment({}, {"log_level": "x"})


def test_a_value_given_in_code_is_checked_too() -> None:
    with pytest.raises(SettingsError, match=r"^lease_ms is 1: "):
        Settings(lease_ms=1)
    with pytest.raises(SettingsError, match=r"^ready_s is 0: "):
        TimeControlSettings(ready_s=0)


def test_password_is_never_shown() -> None:
    url = "redis://user:hunter2@store:6379/0"
    settings = Settings(redis_url=url)
    assert "hunter2" not in repr(settings)
    assert "redis://user:***@store:6379/0" in repr(settings)
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({"CONTREE_LISTEN": "x", "CONTREE_REDIS_URL": url})
    assert "hunter2" not in str(caught.value)


def test_the_embedded_store_has_no_replicas_to_ask_for() -> None:
    with pytest.raises(SettingsError, match="CONTREE_STORE_REPLICAS is 1: write 0, or give"):
        Settings.from_environment({"CONTREE_STORE_REPLICAS": "1"})
    both = {"CONTREE_STORE_REPLICAS": "1", "CONTREE_REDIS_URL": "redis+cluster://h:1"}
    assert Settings.from_environment(both).store_replicas == 1


def test_parse_address() -> None:
    assert parse_address("localhost:0") == ("localhost", 0)
    assert parse_address("[::1]:50051") == ("::1", 50051)


def test_every_setting_has_a_variable_of_its_own_and_a_valid_default() -> None:
    variables = [setting.variable for setting in ALL.values()]
    assert len(set(variables)) == len(variables)
    assert all(variable.startswith("CONTREE_") for variable in variables)
    Settings.from_environment({})
