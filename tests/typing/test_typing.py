"""What type checkers must accept, and what they must refuse: `right/` has no error, `wrong/` has exactly the marked ones.

A mark is a comment above the line that is wrong: `# wrong: <why> [<codes of mypy and rules of pyright>]`.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from transitable import Graph

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RIGHT = sorted((HERE / "right").glob("*.py"))
WRONG = sorted((HERE / "wrong").glob("*.py"))
MARK = re.compile(r"^\s*# wrong: (?P<why>.+) \[(?P<codes>[\w, -]+)\]$")
MYPY_ERROR = re.compile(r"^(?P<file>.+?):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$")

Errors = dict[tuple[str, int], set[str]]
"""By file name and line number: the codes or rules of the errors there."""


def run_mypy(files: list[Path], cache: Path) -> Errors:
    """Run `mypy --strict` with the project's configuration."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(cache)]
    ran = subprocess.run([*command, *map(str, files)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    errors: Errors = {}
    for line in ran.stdout.splitlines():
        if ": note: " in line:
            continue
        found = MYPY_ERROR.match(line)
        assert found is not None, f"a line of mypy that is no error: {line}"
        errors.setdefault((Path(found["file"]).name, int(found["line"])), set()).add(found["code"])
    return errors


def run_pyright(files: list[Path]) -> Errors:
    """Run pyright with the project's configuration, which is strict."""
    command = [sys.executable, "-m", "pyright", "--outputjson", *map(str, files)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    report: dict[str, Any] = json.loads(ran.stdout)
    assert report["summary"]["filesAnalyzed"] == len(files)
    errors: Errors = {}
    for each in report["generalDiagnostics"]:
        where = (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        errors.setdefault(where, set()).add(each["rule"])
    return errors


def read_marks() -> Errors:
    """Read the marked lines of `wrong/`."""
    marks: Errors = {}
    for file in WRONG:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            mark = MARK.match(line)
            assert (mark is not None) == ("# wrong:" in line), f"{file.name}:{number} is a mark that cannot be read"
            if mark is not None:
                marks[file.name, number + 1] = set(mark["codes"].split(", "))
    return marks


def is_pyright_rule(code: str) -> bool:
    """Tell a rule of pyright from a code of mypy."""
    return code.startswith("report")


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep what mypy learns of the engine for both of its runs."""
    return tmp_path_factory.mktemp("mypy")


def test_mypy_accepts_what_is_right(mypy_cache: Path) -> None:
    """`mypy --strict` finds nothing in the promised uses."""
    assert run_mypy(RIGHT, mypy_cache) == {}


def test_pyright_accepts_what_is_right() -> None:
    """Pyright strict finds nothing in the promised uses."""
    assert run_pyright(RIGHT) == {}


def test_mypy_refuses_exactly_what_is_wrong(mypy_cache: Path) -> None:
    """`mypy --strict` reports every marked line, for the marked reason, and no other line."""
    marks = {where: {code for code in codes if not is_pyright_rule(code)} for where, codes in read_marks().items()}
    assert run_mypy(WRONG, mypy_cache) == marks


def test_pyright_refuses_exactly_what_is_wrong() -> None:
    """Pyright strict reports every marked line, for the marked reason, and no other line.

    What is unknown because of an error on the same line is no reason of its own.
    """
    found = {
        where: {rule for rule in rules if not rule.startswith("reportUnknown")} or rules
        for where, rules in run_pyright(WRONG).items()
    }
    assert found == {where: set(filter(is_pyright_rule, codes)) for where, codes in read_marks().items()}


@pytest.mark.parametrize("file", RIGHT, ids=lambda file: file.stem)
def test_what_is_accepted_also_runs(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The promised uses are no mere types: their graphs construct."""
    monkeypatch.syspath_prepend(str(file.parent))
    module = importlib.import_module(file.stem)
    monkeypatch.setitem(sys.modules, file.stem, module)  # and out again afterwards
    made = dict(vars(module))
    if file.stem == "routing":
        made["graph"] = module.build(module.Handlers({"where is it": "on its way"}))
    assert [each for each in made.values() if isinstance(each, Graph)], f"{file.name} builds no graph"


def test_every_wrong_use_is_marked_for_both_checkers() -> None:
    """A mark names a code of mypy and a rule of pyright; there are many, in every file."""
    marks = read_marks()
    assert {name for name, _ in marks} == {file.name for file in WRONG}
    assert all({is_pyright_rule(code) for code in codes} == {True, False} for codes in marks.values())
    assert len(marks) > 90


def test_the_project_has_no_rule_switched_off() -> None:
    """The configuration asks for strict checks of both packages and switches no rule off; every exception says why."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert tools["mypy"]["strict"] is True
    assert not {"disable_error_code", "overrides", "exclude", "ignore_errors"} & set(tools["mypy"])
    assert tools["pyright"]["typeCheckingMode"] == "strict"
    assert not [name for name in tools["pyright"] if name.startswith(("report", "exclude", "ignore", "strict"))]
    exceptions = re.compile(r"# (?:type|pyright): ?(?P<kind>[\w-]+)(?P<rest>.*)$")
    for folder in ("engine", "patterns"):
        for file in (ROOT / folder).rglob("*.py"):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                found = exceptions.search(line)
                if found is not None:
                    where = f"{file.relative_to(ROOT)}:{number}"
                    assert found["kind"] == "ignore", f"{where} changes how a whole file is checked"
                    assert re.match(r"\[[\w, -]+\] +(?:# |- )\w", found["rest"]), f"{where} gives no rule or no reason"
