"""The manifests of deploy/kubernetes, as kustomize makes them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

KUBERNETES: Final = Path(__file__).parent.parent.parent / "deploy" / "kubernetes"
BASE: Final = "base"
ONE_STORE: Final = "overlays/one-store"


class Manifests:
    """All objects of a folder."""

    def __init__(self, folder: str) -> None:
        program = shutil.which("kustomize", path=str(Path(sys.executable).parent))
        assert program is not None, "make test-deploy installs kustomize"
        ran = subprocess.run(
            [program, "build", str(KUBERNETES / folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        self.text = ran.stdout
        self.all: list[dict[str, Any]] = list(yaml.safe_load_all(ran.stdout))

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        """The objects of a kind."""
        return (one for one in self.all if one["kind"] == kind)

    def one(self, kind: str, name: str) -> dict[str, Any]:
        """An object; the name of a generated one goes on with a hash."""
        (found,) = (
            one
            for one in self.of(kind)
            if one["metadata"]["name"] == name
            or (kind in {"ConfigMap", "Secret"} and one["metadata"]["name"].startswith(f"{name}-"))
        )
        return found

    def pods(self) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        """Each kind of pods: the name, the labels, the specification."""
        for kind in ("Deployment", "StatefulSet"):
            for one in self.of(kind):
                template = one["spec"]["template"]
                yield one["metadata"]["name"], template["metadata"]["labels"], template["spec"]
