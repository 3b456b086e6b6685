"""The reference names what there is: every public name, every error with its place in the tree, nothing else."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import transitable
from transitable import TransitableError, errors

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
API = (REFERENCE / "api.md").read_text(encoding="utf-8")
ERRORS = (REFERENCE / "errors.md").read_text(encoding="utf-8")
BUILTINS = {"ValueError", "TypeError", "RuntimeError", "LookupError", "TimeoutError", "OSError"}


def list_classes() -> list[type[TransitableError]]:
    """List the classes of the error tree that stand in `transitable.errors`."""
    found = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, TransitableError)]
    return [each for each in found if each.__module__ == errors.__name__]


def test_every_public_name_has_one_line() -> None:
    """The page of names and `transitable.__all__` hold the same names, each once."""
    named = re.findall(r"^\| `(\w+)` \| \S.+ \|$", API, re.MULTILINE)
    assert sorted(named) == sorted(set(named)), "a name stands twice"
    assert set(named) == set(transitable.__all__)


def test_every_public_name_is_there() -> None:
    """What is exported can be imported, and says what it is."""
    for name in transitable.__all__:
        assert hasattr(transitable, name)
        thing = getattr(transitable, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), f"{name} has no docstring"


def read_tree(text: str) -> dict[str, tuple[str, set[str]]]:
    """Read a drawn tree: the parent of each class, and the builtins beside it."""
    tree: dict[str, tuple[str, set[str]]] = {}
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        found = re.match(r"^(?P<indent>[│├└─ ]*)(?P<names>\w+(?:, \w+)*)(?: \((?P<beside>\w+)\))?(?:  +.*)?$", line)
        if found is None:
            continue
        depth = len(found["indent"])
        above = [each for each in above if each[0] < depth]
        for name in found["names"].split(", "):
            tree[name] = (above[-1][1] if above else "", {found["beside"]} - {None})
        above.append((depth, found["names"]))
    return tree


@pytest.mark.parametrize("where", ["page", "docstring"])
def test_the_drawn_tree_is_the_tree_of_classes(where: str) -> None:
    """The tree on the page, and that in the module's docstring, show every class below its base, with its builtin."""
    text = ERRORS if where == "page" else errors.__doc__ or ""
    fenced = re.search(r"^```(?:text)?\n(TransitableError\n.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert fenced is not None
    drawn = read_tree(fenced[1])
    assert set(drawn) == {each.__name__ for each in list_classes()}
    for cls in list_classes():
        bases = [base.__name__ for base in cls.__bases__]
        parent, beside = drawn[cls.__name__]
        assert parent == ("" if cls is TransitableError else bases[0])
        assert beside == set(bases) & BUILTINS, f"{cls.__name__} is also {bases[1:]}"


def test_every_error_says_when_and_what_to_do() -> None:
    """Each error that is raised has a section with both, or a line in the table of ways to rest."""
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^#|\Z)", ERRORS, re.MULTILINE | re.DOTALL))
    tabled = set(re.findall(r"^\| `(\w+)` \|", ERRORS, re.MULTILINE))
    groups = {"TransitableError", "DefinitionError", "ExecutionError"}
    assert set(sections) | tabled == {each.__name__ for each in list_classes()} - groups
    for name, text in sections.items():
        assert "**When.**" in text, f"{name} does not say when"
        assert "**What to do.**" in text or name == "RunError", f"{name} does not say what to do"


@pytest.mark.parametrize("cls", list_classes(), ids=lambda cls: cls.__name__)
def test_attributes_on_the_page_are_the_facts(cls: type[TransitableError]) -> None:
    """The attributes that a section names are those that the constructor keeps."""
    section = re.search(rf"^### {cls.__name__}\n(.*?)(?=^#|\Z)", ERRORS, re.MULTILINE | re.DOTALL)
    listed = re.search(r"Attributes:\s+([^.]+)\.", section[1]) if section else None
    if listed is not None:
        assert re.findall(r"`(\w+)`", listed[1]) == list(inspect.signature(cls).parameters)
