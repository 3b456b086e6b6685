"""Which graph a command is about: `MODULE:GRAPH`, found and imported.

Responsible for: dotted modules, paths of files, dotted names and factories, and for saying what was found where a
reference leads nowhere. Not for: what is done with the graph.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import pkgutil
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from transitable.errors import DefinitionError, TransitableError, find_nearest
from transitable.graph import Graph

if TYPE_CHECKING:
    from types import ModuleType

EXAMPLE = "MODULE:GRAPH, for instance shop.graphs:routing or graphs.py:make_graph"


class GraphReferenceError(DefinitionError, LookupError):
    """`MODULE:GRAPH` leads nowhere; `nearest` is the known name that looks most like the one given, or None."""

    def __init__(self, reference: str, found: str, expected: str, nearest: str | None = None) -> None:
        super().__init__(reference, found, expected, nearest)
        self.reference = reference
        self.found = found
        self.expected = expected
        self.nearest = nearest

    def describe(self) -> str:
        """Say what was found, what was expected, and which name may have been meant."""
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else ""
        return f"{self.reference!r}: found {self.found}; expected {self.expected}{hint}"


def find_graph(reference: str) -> Graph[Any]:
    """Import the graph that a reference names.

    Raises:
        GraphReferenceError: If it leads nowhere, or to something that is no graph.
        TableError: If the graph has findings.
    """
    module_name, colon, graph_name = reference.rpartition(":")
    if not (colon and module_name and graph_name):
        raise GraphReferenceError(reference, "no module and name with a colon between", EXAMPLE)
    module = import_module(reference, module_name)
    return take_graph(reference, find_attribute(reference, module, graph_name))


def import_module(reference: str, name: str) -> ModuleType:
    """Import a dotted module, or the module in a file.

    Raises:
        GraphReferenceError: If there is none, or its import fails.
        TransitableError: If its import fails with one, as a graph with findings does.
    """
    try:
        if name.endswith(".py") or "/" in name or os.sep in name:
            return _import_file(reference, Path(name))
        _let_import_from(Path.cwd())
        _check_exists(reference, name)
        return importlib.import_module(name)
    except TransitableError:
        raise
    except (Exception, SystemExit) as error:
        raise GraphReferenceError(
            reference, f"module {name!r} that fails when imported: {show_error(error)}", "a module that can be imported"
        ) from error


def _let_import_from(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _check_exists(reference: str, name: str) -> None:
    """Look for every part of a dotted name before importing the last, so that a missing import inside is told apart."""
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        here = ".".join(parts[:depth])
        if here in sys.modules or (all(parts) and _is_there(here)):
            continue
        parent = sys.modules.get(".".join(parts[: depth - 1])) if depth > 1 else None
        folders = [str(Path.cwd())] if depth == 1 else list(getattr(parent, "__path__", ()))
        known = [".".join([*parts[: depth - 1], each.name]) for each in pkgutil.iter_modules(folders)]
        raise GraphReferenceError(
            reference, f"no module {here!r}", "a module that can be imported from here", find_nearest(here, known)
        )


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:
        if error.name == name:  # what stands before the last dot is a module, not a package
            return False
        raise


def _import_file(reference: str, path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        siblings = [each.name for each in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise GraphReferenceError(
            reference, f"no file {str(path)!r}", "the path of a .py file", find_nearest(path.name, siblings)
        )
    names, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():  # a module of a package is imported as one, so that it finds its siblings
        names.insert(0, folder.name)
        folder = folder.parent
    _let_import_from(folder)
    if len(names) > 1:
        return importlib.import_module(".".join(names))
    return _load_file(reference, path)


def _load_file(reference: str, path: Path) -> ModuleType:
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    name = path.stem if known is None else f"{path.stem}_{abs(hash(str(path)))}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise GraphReferenceError(reference, f"file {path.name!r}", "a file whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # annotations are evaluated where `sys.modules` has the module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def show_error(error: BaseException) -> str:
    """Word an error with the last line of code that it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def find_attribute(reference: str, module: ModuleType, dotted: str) -> Any:
    """Follow a dotted name from a module.

    Raises:
        GraphReferenceError: If a part is not there.
    """
    thing: Any = module
    for part in dotted.split("."):
        if not hasattr(thing, part):
            known = [name for name in dir(thing) if not name.startswith("_")]
            graphs = [name for name in known if isinstance(getattr(thing, name, None), Graph)]
            where = f"module {module.__name__!r}" if thing is module else repr(thing)
            expected = f"one of its graphs: {', '.join(graphs)}" if graphs else "a Graph, or a function that makes one"
            raise GraphReferenceError(
                reference,
                f"no {part!r} in {where}",
                expected,
                find_nearest(part, known),
            )
        thing = getattr(thing, part)
    return thing


def is_graph(thing: object) -> TypeGuard[Graph[Any]]:
    """Tell whether something is a graph."""
    return isinstance(thing, Graph)


def take_graph(reference: str, thing: Any) -> Graph[Any]:
    """Take a graph as it is, or call the factory that makes it.

    Raises:
        GraphReferenceError: If it is neither, or the factory cannot make a graph without arguments.
        TransitableError: If the factory fails with one, as a graph with findings does.
    """
    if is_graph(thing):
        return thing
    expected = "a Graph, or a function without arguments that makes one"
    if not callable(thing) or isinstance(thing, type) or inspect.iscoroutinefunction(thing):
        raise GraphReferenceError(reference, _show(thing), expected)
    needed = _list_needed(thing)
    if needed:
        raise GraphReferenceError(reference, f"{_show(thing)} that needs {', '.join(needed)}", expected)
    try:
        made = thing()
    except TransitableError:
        raise
    except (Exception, SystemExit) as error:
        raise GraphReferenceError(
            reference, f"{_show(thing)} that fails when called: {show_error(error)}", expected
        ) from error
    if not is_graph(made):
        raise GraphReferenceError(reference, f"{_show(thing)} that gives {_show(made)}", expected)
    return made


def _show(thing: Any) -> str:
    if isinstance(thing, type):
        return f"the class {thing.__name__}"
    if inspect.iscoroutinefunction(thing):
        return f"the async function {thing.__name__}"
    name = getattr(thing, "__name__", None)
    return f"the function {name}" if callable(thing) and name else f"{type(thing).__name__} {thing!r:.60}"


def _list_needed(factory: Any) -> list[str]:
    """List the parameters that must be given; none where a callable does not tell."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return []
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.default is each.empty and each.kind not in optional]
