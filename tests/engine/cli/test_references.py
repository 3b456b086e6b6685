"""`MODULE:GRAPH`: what it finds, and what it says where it leads nowhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from transitable.cli.references import GraphReferenceError, find_graph
from transitable.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHOP = """
import attrs
from transitable import END, Graph

@attrs.frozen
class Request:
    text: str = ""

def answer(request: Request) -> None:
    return None

def make_graph():
    return Graph(Request, start=answer, table={answer: END}, name="shop")

def make_named(name="named"):
    return Graph(Request, start=answer, table={answer: END}, name=name)

def make_for(policy, *, limit):
    return make_graph()

def make_broken():
    return Graph(Request, start=answer, table={})

def make_nothing():
    return 3

def make_trouble():
    raise KeyError("no policy")

async def make_later():
    return make_graph()

graph = make_graph()

class Shelf:
    inner = graph

number = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules, left as it was found: no module and no path stays behind."""
    (tmp_path / "shop_a.py").write_text(SHOP)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "parts.py").write_text(SHOP)
    (tmp_path / "pack" / "graphs.py").write_text("from .parts import graph as whole\n")
    (tmp_path / "pack_b").mkdir()
    (tmp_path / "pack_b" / "notes").write_text("")
    (tmp_path / "bad_pack").mkdir()
    (tmp_path / "bad_pack" / "__init__.py").write_text("import no_such_thing_here\n")
    (tmp_path / "bad_import.py").write_text("import no_such_thing_here\n")
    (tmp_path / "bad_syntax.py").write_text("def (:\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(7)\n")
    (tmp_path / "unsound.py").write_text(SHOP + "make_broken()\n")
    (tmp_path / "types.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    "reference",
    ["shop_a:graph", "shop_a:make_graph", "shop_a:Shelf.inner", "shop_a.py:graph", "./shop_a.py:graph", "pack.graphs:whole", "pack/graphs.py:whole", "pack.parts:make_graph"],
)  # fmt: skip
def test_modules_files_names_and_factories_lead_to_a_graph(reference: str) -> None:
    """A dotted module or a path, a name or a dotted name, a graph or what makes one."""
    assert find_graph(reference).name == "shop"


def test_a_factory_may_have_parameters_that_need_not_be_given() -> None:
    """Only what must be given stands in the way."""
    assert find_graph("shop_a:make_named").name == "named"


def test_an_absolute_path_needs_no_current_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file is found from anywhere, and is loaded once."""
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    first = find_graph(f"{folder / 'shop_a.py'}:graph")
    assert find_graph(f"{folder / 'shop_a.py'}:graph") is first


def test_a_file_with_the_name_of_a_loaded_module_replaces_nothing(folder: Path) -> None:
    """`types.py` of the user and `types` of Python are two modules."""
    import types

    assert find_graph("types.py:graph").name == "shop"
    assert sys.modules["types"] is types


@pytest.mark.parametrize(
    ("reference", "found", "nearest"),
    [
        ("shop_a", "no module and name", None),
        (":graph", "no module and name", None),
        ("shop_a:", "no module and name", None),
        ("shop_b:graph", "no module 'shop_b'", "shop_a"),
        ("shop..a:graph", "no module 'shop'", "shop_a"),
        ("pack.graph:whole", "no module 'pack.graph'", "pack.graphs"),
        ("shop_a.deeper:graph", "no module 'shop_a.deeper'", None),
        ("shop_b.py:graph", "shop_b.py'", "shop_a.py"),
        ("no/such/place.py:graph", "place.py'", None),
        ("pack/notes:graph", "notes'", None),
        ("pack_b/notes:graph", "file 'notes'", None),
        ("bad_pack.inner:graph", "No module named 'no_such_thing_here'", None),
        ("bad_import:graph", "No module named 'no_such_thing_here'", None),
        ("bad_syntax.py:graph", "SyntaxError", None),
        ("leaves:graph", "SystemExit: 7", None),
        ("shop_a:grahp", "no 'grahp' in module 'shop_a'", "graph"),
        ("shop_a:make_grpah", "no 'make_grpah'", "make_graph"),
        ("shop_a:Shelf.outer", "no 'outer' in", None),
        ("shop_a:number", "int 3", None),
        ("shop_a:Request", "the class Request", None),
        ("shop_a:make_later", "the async function make_later", None),
        ("shop_a:make_for", "the function make_for that needs policy, limit", None),
        ("shop_a:make_nothing", "the function make_nothing that gives int 3", None),
        ("shop_a:make_trouble", "the function make_trouble that fails when called: KeyError: 'no policy'", None),
    ],
)
def test_a_reference_that_leads_nowhere_says_what_was_found(reference: str, found: str, nearest: str | None) -> None:
    """Every message names the reference, what is there instead, and the name that may have been meant."""
    with pytest.raises(GraphReferenceError) as caught:
        find_graph(reference)
    assert found in caught.value.found
    assert caught.value.nearest == nearest
    assert caught.value.reference == reference
    assert repr(reference) in str(caught.value)
    assert ("did you mean" in str(caught.value)) == (nearest is not None)


def test_the_graphs_of_a_module_are_listed() -> None:
    """Who does not know the name sees those that there are."""
    with pytest.raises(GraphReferenceError, match="one of its graphs: graph"):
        find_graph("shop_a:workflow")


def test_the_line_that_failed_is_named() -> None:
    """A module that fails when imported is mended at that line."""
    with pytest.raises(GraphReferenceError, match=r"bad_import\.py, line 1"):
        find_graph("bad_import:graph")


@pytest.mark.parametrize("reference", ["shop_a:make_broken", "unsound:graph", "unsound.py:graph"])
def test_findings_pass_through(reference: str) -> None:
    """A graph with findings is found; what is wrong with it is for the command to show."""
    with pytest.raises(TableError) as caught:
        find_graph(reference)
    assert caught.value.codes == ("empty-table",)


def test_a_builtin_without_a_signature_counts_as_a_factory() -> None:
    """What does not tell its parameters is called."""
    with pytest.raises(GraphReferenceError, match="that gives dict"):
        find_graph("builtins:vars")
