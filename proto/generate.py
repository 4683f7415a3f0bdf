"""Generate the Python stubs in proto/python from the .proto files, package by package.

    python proto/generate.py            write the stubs
    python proto/generate.py --check    fail when the committed stubs differ

protoc and its plugins come with the pinned development tools, so the output depends on nothing
else of the machine. Messages get `_pb2.py` and `_pb2.pyi`; files with services also get
`_pb2_grpc.py` and `_pb2_grpc.pyi`. All types are mypy-protobuf's: unlike those of `--pyi_out`
they pass mypy --strict and know the names of fields and of the cases of each oneof.
Import paths equal .proto paths, so nothing is rewritten.
"""

import argparse
import filecmp
import os
import shutil
import sys
import sysconfig
import tempfile
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

SOURCES = Path(__file__).resolve().parent
PACKAGES = (Path("contree/v1"), Path("contree/peers/v1"))
COMMITTED = SOURCES / "python"


def generate(package: Path, out: Path) -> None:
    """Write the stubs of all .proto files of a package below `out`."""
    protos = sorted(SOURCES.joinpath(package).glob("*.proto"))
    if not protos:
        sys.exit(f"no .proto files in {SOURCES / package}")
    services = [path for path in protos if path.stem.endswith("_service")]
    _protoc(protos, f"--python_out={out}", f"--mypy_out=quiet:{out}")
    if services:
        _protoc(services, f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}")


def differences(fresh: Path, committed: Path) -> list[str]:
    """Name every stub that is missing, left over or changed in `committed`."""
    wanted, found = _stubs(fresh), _stubs(committed)
    return [
        *(f"missing: {name}" for name in sorted(wanted - found)),
        *(f"left over: {name}" for name in sorted(found - wanted)),
        *(
            f"changed: {name}"
            for name in sorted(wanted & found)
            if not filecmp.cmp(fresh / name, committed / name, shallow=False)
        ),
    ]


def install(fresh: Path, committed: Path) -> None:
    """Make the stubs in `committed` those of `fresh`, leaving other files alone."""
    committed.mkdir(parents=True, exist_ok=True)
    for name in _stubs(committed) - _stubs(fresh):
        (committed / name).unlink()
    for name in _stubs(fresh):
        shutil.copyfile(fresh / name, committed / name)


def _stubs(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*_pb2*.py*")}


def _protoc(protos: list[Path], *outputs: str) -> None:
    # The plugins are scripts beside the running interpreter, which need not be on PATH.
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    well_known = resources.files("grpc_tools") / "_proto"
    paths = [f"--proto_path={SOURCES}", f"--proto_path={well_known}"]
    names = [str(path.relative_to(SOURCES)) for path in protos]
    if protoc.main(["protoc", *paths, *outputs, *names]) != 0:
        sys.exit("protoc failed")


def main() -> None:
    """Run as the usage above says."""
    parser = argparse.ArgumentParser(description="Generate the Python stubs.")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    check: bool = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        for package in PACKAGES:
            generate(package, Path(folder))
            fresh, committed = Path(folder) / package, COMMITTED / package
            if not check:
                install(fresh, committed)
            elif found := differences(fresh, committed):
                sys.exit("\n".join([*found, "The stubs are stale; run: make proto"]))


if __name__ == "__main__":
    main()
