"""The layout of the repository and of what gets installed."""

import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
IMPORT_ROOTS = [ROOT / name for name in PROJECT["tool"]["hatch"]["build"]["dev-mode-dirs"]]
PACKAGES = sorted(
    package
    for root in IMPORT_ROOTS
    for package in (root / "contree").iterdir()
    if package.is_dir() and package.name != "__pycache__"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with ZipFile(path) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize("root", IMPORT_ROOTS, ids=lambda root: str(root.relative_to(ROOT)))
def test_namespace_package_has_no_init(root: Path) -> None:
    found = {path.name for path in root.iterdir()} - {"__pycache__", "README.md"}
    assert found == {"contree"}
    assert not (root / "contree" / "__init__.py").exists()


def test_roots_are_named_alike_everywhere() -> None:
    tools = PROJECT["tool"]
    roots = tools["hatch"]["build"]["dev-mode-dirs"]
    packed = tools["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert packed == [f"{root}/contree" for root in roots]
    # The scripts of bench/ import each other as neighbours, and so do those of deploy/grafana.
    assert tools["mypy"]["mypy_path"].split(":") == [*roots, "bench", "deploy/grafana"]
    assert tools["ruff"]["src"] == [*roots, "deploy/grafana"]


def test_import_contracts_cover_every_package() -> None:
    names = {f"contree.{package.name}" for package in PACKAGES}
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == names


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_package_is_typed(package: Path) -> None:
    assert (package / "py.typed").is_file()


def test_installed_version_is_that_of_the_project() -> None:
    assert metadata.version("contree") == PROJECT["project"]["version"]


def test_wheel_holds_every_source_and_data_file(wheel: set[str]) -> None:
    suffixes = {".py", ".pyi", ".typed", ".toml", ".lua", ".css", ".js", ".jinja"}
    expected = {
        str(path.relative_to(root))
        for root in IMPORT_ROOTS
        for path in root.rglob("*")
        if path.suffix in suffixes
    }
    expected |= {f"contree/{package.name}/py.typed" for package in PACKAGES}
    assert expected <= wheel


def test_wheel_holds_nothing_but_the_package(wheel: set[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"contree"}
