"""Owns the tests of finding the folders that make imports resolve to the workspace."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from types import SimpleNamespace

import pytest

from mutkit.errors import HostError
from mutkit.harnesses import workspace_path

# What setuptools and the `editables` project leave in site-packages, cut down to what imports need.
SETUPTOOLS_FINDER = """
import sys
from importlib.machinery import ModuleSpec, PathFinder
MAPPING = {mapping!r}
class _EditableFinder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in MAPPING:
            return PathFinder.find_spec(name, [MAPPING[name].rpartition("/")[0]])
def install():
    sys.meta_path.append(_EditableFinder)
"""
EDITABLES = """
import sys
class RedirectingFinder:
    _redirections = {}
"""


@pytest.fixture
def place(tmp_path: Path) -> SimpleNamespace:
    """Return a venv (``python``, ``site``), a source tree with ``src/pkg`` and the path of its copy."""
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    source, tree = tmp_path / "source", tmp_path / "tree"
    for root in (source, tree):
        (root / "src" / "pkg").mkdir(parents=True)
        (root / "src" / "pkg" / "__init__.py").write_text(f"WHERE = {root.name!r}\n")
    return SimpleNamespace(
        python=str(environment / "bin" / "python"),
        site=environment / "lib" / version / "site-packages",
        source=source,
        tree=tree,
    )


def imported_from(place: SimpleNamespace, path: tuple[str, ...]) -> str:
    """Return which tree the venv's interpreter imports ``pkg`` from with ``path`` on PYTHONPATH."""
    code = "import pkg; print(pkg.WHERE)"
    environment = {"PYTHONPATH": ":".join(path)} if path else {}
    done = subprocess.run([place.python, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_path_file_into_the_source_is_mapped_to_the_workspace(place: SimpleNamespace) -> None:
    """The .pth file that hatchling and others write is answered by the same folder of the workspace."""
    (place.site / "_pkg.pth").write_text(f"{place.source / 'src'}\n")
    assert imported_from(place, ()) == "source"
    path = workspace_path(place.python, place.source, place.tree)
    assert path == (str(place.tree / "src"),)
    assert imported_from(place, path) == "tree"


def test_a_finder_of_setuptools_is_mapped_to_the_workspace(place: SimpleNamespace) -> None:
    """A finder that maps package names to folders of the source is answered by the folder above."""
    mapping = {"pkg": str(place.source / "src" / "pkg")}
    (place.site / "__editable___pkg_0_1_finder.py").write_text(SETUPTOOLS_FINDER.format(mapping=mapping))
    hook = "import __editable___pkg_0_1_finder; __editable___pkg_0_1_finder.install()\n"
    (place.site / "__editable__.pkg-0.1.pth").write_text(hook)
    assert imported_from(place, ()) == "source"
    path = workspace_path(place.python, place.source, place.tree)
    assert path == (str(place.tree / "src"),)
    assert imported_from(place, path) == "tree"


def test_a_redirection_of_editables_is_mapped_to_the_workspace(place: SimpleNamespace) -> None:
    """A redirection to a package's first file is answered by the folder above the package."""
    redirections = {"pkg": str(place.source / "src" / "pkg" / "__init__.py")}
    (place.site / "editables").mkdir()
    (place.site / "editables" / "__init__.py").write_text("")
    (place.site / "editables" / "redirector.py").write_text(EDITABLES.replace("{}", repr(redirections)))
    (place.site / "pkg.pth").write_text("import editables.redirector\n")
    assert workspace_path(place.python, place.source, place.tree) == (str(place.tree / "src"),)


def test_paths_outside_of_the_source_and_installed_packages_in_it_are_left_alone(
    place: SimpleNamespace,
) -> None:
    """Other projects, and a virtual environment inside of the source, are no part of the workspace."""
    other = place.source.parent / "other"
    other.mkdir()
    (place.site / "other.pth").write_text(f"{other}\n")
    assert workspace_path(place.python, place.source, place.tree) == ()
    inner = place.source.parent
    assert workspace_path(place.python, inner, place.tree) == (str(place.tree / "other"),)


def test_a_real_editable_install_is_mapped_to_the_workspace(place: SimpleNamespace) -> None:
    """What hatchling builds for an editable install is put in place; the run's path wins over it."""
    (place.source / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "pkg"\nversion = "0.1"\n'
        '[tool.hatch.build]\ndev-mode-dirs = ["src"]\n'
    )
    pytest.importorskip("hatchling.build", reason="a build backend must be at hand")
    wheels = place.source.parent / "wheels"
    wheels.mkdir()
    code = f"from hatchling.build import build_editable as b; b({str(wheels)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=place.source, check=True)
    (wheel,) = wheels.iterdir()
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(place.site)], check=True)
    assert imported_from(place, ()) == "source"
    assert imported_from(place, workspace_path(place.python, place.source, place.tree)) == "tree"


def test_an_interpreter_that_does_not_answer_is_an_error_of_the_host(tmp_path: Path) -> None:
    """The error names the interpreter."""
    with pytest.raises(HostError, match="/no/such/python"):
        workspace_path("/no/such/python", tmp_path, tmp_path)


def test_libraries_of_the_interpreter_are_not_taken_for_the_subject(tmp_path: Path) -> None:
    """With the whole interpreter below the source, its standard library is not put on the path."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    assert str(tmp_path / stdlib.name) not in workspace_path(sys.executable, stdlib.parent, tmp_path)
