"""The page on the architecture is true: it names every module and only files that exist, the late imports, and tests that hold."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ENGINE = ROOT / "engine" / "transitable"
PATH = re.compile(r"`((?:engine|patterns|tests|docs|benchmarks)/[\w./-]+)`")
INVARIANTS = re.findall(r"^\| (EI-\d\d) \| .+? \| (.+) \|$", PAGE, re.MULTILINE)
LATER = {"EI-05", "EI-14"}
"""They speak of stored runs."""


def read_section(title: str) -> str:
    """Read a section of the page, with the smaller sections in it."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no section {title!r}"
    return found[1]


def list_modules() -> set[str]:
    """List the engine's modules by path; an `__init__` that only says what is in its folder is left aside."""
    return {str(file.relative_to(ROOT)) for file in ENGINE.rglob("*.py") if file.name != "__init__.py"}


def test_every_file_on_the_page_exists() -> None:
    """A path that the page names is there."""
    named = PATH.findall(PAGE)
    assert len(named) > 50
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_module_has_one_line() -> None:
    """Each module of the engine stands in the table of modules, once, and no other."""
    named = re.findall(r"^\| `(engine/[\w/]+\.py)` \| \S.+ \|$", read_section("Modules"), re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(named) == list_modules()


def test_every_pattern_has_one_line() -> None:
    """Each folder of the patterns stands in the table of patterns."""
    package = ROOT / "patterns" / "transitable_patterns"
    folders = {str(each.parent.relative_to(ROOT)) for each in package.glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(patterns/[\w/]+)` \|", PAGE, re.MULTILINE)) == folders


def test_the_drawing_has_the_layers_of_the_contract() -> None:
    """The layers are drawn in the order in which the import contract holds them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    drawn = re.findall(r"^  (\w+)(?:/|\.py) ", read_section("Layers"), re.MULTILINE)
    assert [f"transitable.{layer}" for layer in drawn] == [layer for layer in layers if layer.count(".") == 1]


def list_late_imports() -> set[tuple[str, str]]:
    """List the imports inside functions of the engine, as the file and the module that is loaded."""
    found: set[tuple[str, str]] = set()
    for file in ENGINE.rglob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for each in ast.walk(function):
                path = str(file.relative_to(ROOT))
                if isinstance(each, ast.Import):
                    found.update((path, alias.name) for alias in each.names)
                elif isinstance(each, ast.ImportFrom):
                    names = {f"{each.module}.{alias.name}" for alias in each.names}
                    is_module = {
                        name for name in names if (ROOT / "engine" / name.replace(".", "/")).with_suffix(".py").exists()
                    }
                    found.update((path, name) for name in is_module or {str(each.module)})
    return found


def test_late_imports_are_the_doors_on_the_page() -> None:
    """An import inside a function is one of the doors that the page names, and every door is needed."""
    rows = re.findall(r"^\| `(engine/[\w/]+\.py)` \| (.+?) \|", read_section("Loaded when asked for"), re.MULTILINE)
    doors = {(path, name) for path, loads in rows for name in re.findall(r"`([\w.]+)`", loads)}
    assert list_late_imports() == doors


def test_the_invariants_are_all_there() -> None:
    """The table has a line for every invariant of the engine but those of stored runs, which the page names below it."""
    numbers = {f"EI-{number:02}" for number in range(1, 15)}
    assert {name for name, _ in INVARIANTS} == numbers - LATER
    assert len(INVARIANTS) == len(numbers - LATER)
    assert all(name in read_section("Invariants, and the tests that hold them") for name in LATER)


@pytest.mark.parametrize(("invariant", "held_by"), INVARIANTS, ids=[name for name, _ in INVARIANTS])
def test_the_tests_of_an_invariant_name_it(invariant: str, held_by: str) -> None:
    """The file that is said to hold an invariant says so itself."""
    files = PATH.findall(held_by)
    assert files
    for file in files:
        assert invariant in (ROOT / file).read_text(encoding="utf-8"), f"{file} does not name {invariant}"


def test_functions_of_the_life_of_a_step_are_there() -> None:
    """Every function that the story of a step and of building names is defined in a file that the story names."""
    for title in ("Building a graph", "The life of one step"):
        story = read_section(title)
        defined = "".join((ROOT / file).read_text(encoding="utf-8") for file in PATH.findall(story))
        named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", story)) - {"validate_route"}
        assert named
        assert [name for name in sorted(named) if f"def {name}(" not in defined] == []
