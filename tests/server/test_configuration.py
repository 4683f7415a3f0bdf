"""Settings from options, variables and a file: which wins, what is refused, what is shown."""

from pathlib import Path

import pytest

from contree.server.configuration import Configuration, Shown
from contree.server.setting_kinds import SettingsError
from contree.server.setting_sources import BadSettingsFile, Origin, SettingsFile
from contree.server.settings import Settings


@pytest.fixture
def file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "contree.toml"
    path.write_text(getattr(request, "param", ""), encoding="utf-8")
    return path


def holding(text: str, name: str = "") -> pytest.MarkDecorator:
    return pytest.mark.parametrize("file", [pytest.param(text, id=name or "file")], indirect=True)


def shown(read: Configuration) -> dict[str, Shown]:
    return {one.setting.variable: one for one in read.shown()}


@holding('listen = "127.0.0.1:1"\nlog = "json"\nlease_ms = 2500\nper_move_s = 3\n')
def test_an_option_wins_over_a_variable_over_the_file_over_the_default(file: Path) -> None:
    environment = {"CONTREE_LISTEN": "127.0.0.1:2", "CONTREE_LOG": "console"}
    read = Configuration.read(environment, {"listen": "127.0.0.1:3", "fsync": None}, file)
    settings = read.settings
    assert (settings.listen, settings.log, settings.lease_ms) == ("127.0.0.1:3", "console", 2500)
    assert settings.time_control.per_move_s == 3
    assert settings.return_s == Settings().return_s
    rows = shown(read)
    assert rows["CONTREE_LISTEN"][2:] == (Origin.OPTION, "--listen")
    assert rows["CONTREE_LOG"][2:] == (Origin.ENVIRONMENT, "CONTREE_LOG")
    assert rows["CONTREE_LEASE_MS"][1:] == (2500, Origin.FILE, f"lease_ms in {file}")
    assert rows["CONTREE_PER_MOVE_S"][2] is Origin.FILE
    assert rows["CONTREE_RETURN_S"][2:] == (Origin.DEFAULT, "default")
    assert rows["CONTREE_SERVER_ID"].where == "default, another at each start"


@holding("lease_ms = 2500\n")
def test_a_variable_names_the_file_and_an_option_another(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("lease_ms = 2600\n")
    environment = {"CONTREE_CONFIG": str(file)}
    assert Configuration.read(environment).settings.lease_ms == 2500
    assert Configuration.read(environment).file == file
    assert Configuration.read(environment, {}, other).settings.lease_ms == 2600
    assert Configuration.read({}).file is None


@holding('tls_cert = "tls/cert.pem"\ntls_key = "/etc/key.pem"\ndata_dir = "data"\n')
def test_paths_start_from_the_folder_of_the_file(file: Path) -> None:
    settings = Configuration.read({}, {}, file).settings
    assert settings.tls_cert == file.parent / "tls" / "cert.pem"
    assert settings.tls_key == Path("/etc/key.pem")
    assert settings.data_dir == file.parent / "data"


@holding('data_dir = "/mine"\n')
def test_the_file_wins_over_the_folder_of_the_desktop(file: Path) -> None:
    environment = {"XDG_DATA_HOME": "/xdg"}
    assert Configuration.read(environment, {}, file).settings.data_dir == Path("/mine")
    row = shown(Configuration.read(environment))["CONTREE_DATA_DIR"]
    assert row[1:] == ("/xdg/contree", Origin.ENVIRONMENT, "XDG_DATA_HOME")


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("leese_ms = 3\n", "leese_ms is no setting; lease_ms is"),
        ("permove = 3\n", "permove is no setting; per_move_s is"),
        ("[time]\nx = 3\n", "time is no setting; contree config show has all"),
        ("lease_ms = \n", "it is no TOML ("),
    ],
    ids=["a letter", "a word", "a table", "no value"],
    indirect=["file"],
)
def test_a_file_that_will_not_do(file: Path, said: str) -> None:
    with pytest.raises(BadSettingsFile) as caught:
        Configuration.read({}, {}, file)
    assert str(caught.value).startswith(f"The settings in {file} cannot be used: {said}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadSettingsFile, match="cannot be used: no such file or directory"):
        Configuration.read({"CONTREE_CONFIG": str(tmp_path / "gone.toml")})


@pytest.mark.parametrize(
    "file",
    [
        'lease_ms = "2500"\n',
        "lease_ms = 1\n",
        "lease_ms = 2500.5\n",
        "lease_ms = true\n",
        "lease_ms = [2500]\n",
    ],
    ids=["text", "too small", "a fraction", "a truth", "a list"],
    indirect=True,
)
def test_a_value_that_will_not_do_is_named(file: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        Configuration.read({}, {}, file)
    assert str(caught.value).startswith(f"lease_ms in {file} is ")
    assert "a whole number from 100 to 600000" in str(caught.value)


@holding("server_id = 7\n")
def test_a_text_is_written_in_quotes(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"server_id in .* is 7: write 1 to 64 letters"):
        Configuration.read({}, {}, file)


@holding('redis_url = "redis://a:hunter2@store:1/0"\n')
def test_a_password_in_a_file_is_not_shown(file: Path) -> None:
    read = Configuration.read({}, {}, file)
    assert read.settings.redis_url == "redis://a:hunter2@store:1/0"
    assert shown(read)["CONTREE_REDIS_URL"].value == "redis://a:***@store:1/0"


@holding('redis_url = "//a:hunter2@store"\n')
def test_nor_is_it_in_an_error(file: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        Configuration.read({}, {}, file)
    assert "hunter2" not in str(caught.value)


def test_variables_that_look_like_a_setting_are_named() -> None:
    environment = {
        "CONTREE_LISTN": "x",
        "CONTREE_SERVER": "one of bots",
        "CONTREE_TOKEN": "one of bots",
        "CONTREE_SERVICE_HOST": "one of Kubernetes",
        "LISTEN": "of something else",
    }
    doubtful = Configuration.read(environment).doubtful
    assert doubtful["CONTREE_LISTN"] == "CONTREE_LISTEN"
    assert not {"CONTREE_SERVER", "CONTREE_TOKEN", "LISTEN"} & set(doubtful)


@holding('listen = "x"\nredis_url = "redis://h:1/0"\n')
def test_a_file_of_which_a_part_is_wanted(file: Path) -> None:
    settings, _ = Settings.gather({}, {}, SettingsFile.read(file).only({"redis_url"}))
    assert (settings.redis_url, settings.listen) == ("redis://h:1/0", Settings().listen)
