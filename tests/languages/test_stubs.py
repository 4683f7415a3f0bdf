"""The committed stubs of Go are those of the .proto files; the other languages make theirs anew."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.languages.folders import folder

pytestmark = [pytest.mark.languages, pytest.mark.timeout(600)]


def code_of(stubs: Path) -> dict[str, list[str]]:
    """The files without their comments, which name the versions of the generators."""
    return {
        path.name: [line for line in path.read_text("utf-8").splitlines() if line[:2] != "//"]
        for path in stubs.glob("*.pb.go")
    }


def test_committed_stubs_are_fresh(tmp_path: Path) -> None:
    assert shutil.which("protoc") is not None, "protoc is not installed"
    subprocess.run([folder("go") / "generate.sh", tmp_path], check=True, timeout=300)
    assert code_of(tmp_path) == code_of(folder("go") / "contreev1")
    assert code_of(tmp_path)
