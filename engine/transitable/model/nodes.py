"""Places as they are written: `node`, `each`, `together`, `pause`, `subgraph`, and the retry policy.

Responsible for: what a caller may put into a table, checked for its own values as soon as it is built. A function or a
bound method stands for itself. Places compare by identity. Not for: how they run (`transitable.run`).
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload, runtime_checkable

import attrs

from transitable.errors import PlaceError

if TYPE_CHECKING:
    from typing_extensions import TypeVar as DefaultedTypeVar  # what it adds only type checkers see

    from transitable.graph import Graph, PlaceLike, Update
    from transitable.run.context import Context

    S = DefaultedTypeVar("S", default=Any)
    R = DefaultedTypeVar("R", default=Any)
    S_contra = DefaultedTypeVar("S_contra", contravariant=True, default=Any)
    R_co = DefaultedTypeVar("R_co", covariant=True, default=Any)
else:
    S = TypeVar("S")
    R = TypeVar("R")
    S_contra = TypeVar("S_contra", contravariant=True)
    R_co = TypeVar("R_co", covariant=True)
C = TypeVar("C")


class PlaceOf(Generic[S_contra, R_co]):
    """A place that is no function, as type checkers see it; `Node`, `Each`, `Together`, `Pause` and `Subgraph` are some.

    The first parameter is the state class, or the item that a worker takes; the second is what it hands back.
    """

    __slots__ = ()


@runtime_checkable
class HasTable(Protocol):
    """A graph, as a place sees it; a protocol, because the model knows no graph."""

    @property
    def table(self) -> Any:
        """The graph's table."""
        ...

    @property
    def name(self) -> str:
        """The graph's name."""
        ...


def has_table(thing: object) -> bool:
    """Tell whether something is a graph; functions, the common case, are told apart first because the protocol is slow."""
    kind = type(thing)
    return kind is not types.FunctionType and kind is not types.MethodType and isinstance(thing, HasTable)


def check_number(what: str, value: object, at_least: float, *, whole: bool = False) -> None:
    """Refuse what is not a finite number of at least `at_least`.

    Raises:
        PlaceError: If it is not.
    """
    kinds = (int,) if whole else (int, float)
    is_infinite = isinstance(value, float) and not math.isfinite(value)
    if isinstance(value, bool) or not isinstance(value, kinds) or is_infinite or value < at_least:
        kind = "a whole number" if whole else "a finite number"
        raise PlaceError(what, repr(value), f"{kind} of at least {at_least}")


def check_kind(what: str, value: object, kind: type | tuple[type, ...], expected: str) -> None:
    """Refuse what is of another kind, for callers whom no type checker told.

    Raises:
        PlaceError: If it is.
    """
    if not isinstance(value, kind):
        raise PlaceError(what, repr(value), expected)


def is_exception_class(thing: object) -> bool:
    """Tell whether something is a class of `Exception`, for callers whom no type checker told."""
    return isinstance(thing, type) and issubclass(thing, Exception)


@attrs.frozen
class Retry:
    """How often a failed attempt is made again, and after what wait.

    The wait before attempt n is `wait * factor ** (n - 2)` seconds, at most `longest`, plus a random share of up to
    `jitter` of itself, from the run's random source.
    """

    attempts: int
    """All attempts, the first included; at least 1."""
    on: tuple[type[Exception], ...] = (Exception,)
    """Which exceptions are worth another attempt."""
    wait: float = 0.0
    """Seconds before the second attempt."""
    factor: float = 2.0
    """By what the wait grows from attempt to attempt."""
    longest: float = 60.0
    """The longest wait in seconds, jitter not included."""
    jitter: float = 0.0
    """The largest share of the wait that is added at random; 0.5 adds up to a half."""

    def __attrs_post_init__(self) -> None:
        check_number("Retry(attempts=...)", self.attempts, 1, whole=True)
        for name in ("wait", "factor", "longest", "jitter"):
            check_number(f"Retry({name}=...)", getattr(self, name), 0)
        expected = "a tuple of Exception classes"
        check_kind("Retry(on=...)", self.on, tuple, expected)
        for each_class in self.on:
            if not is_exception_class(each_class):
                raise PlaceError("Retry(on=...)", repr(each_class), expected)


@attrs.frozen(eq=False)
class Node(PlaceOf[Any, Any]):
    """A function as a place with a name and policies of its own; made by `node`."""

    function: Callable[..., Any]
    name: str
    retry: Retry | None = None
    timeout: float | None = None
    thread: bool = False


@attrs.frozen(eq=False)
class Each(PlaceOf[Any, Any]):
    """One worker over the items of a field; made by `each`."""

    items: str
    worker: Any
    into: str
    at_once: int
    name: str
    enter: Callable[..., Any] | None
    leave: Callable[..., Any] | None
    stop_early: bool


@attrs.frozen(eq=False)
class Together(PlaceOf[Any, Any]):
    """Several places side by side, joined once; made by `together`."""

    places: tuple[Any, ...]
    name: str
    stop_early: bool


@attrs.frozen
class Field:
    """The name of a field of the state, where a text could stand too; made by `field`."""

    name: str


@attrs.frozen(eq=False)
class Pause(PlaceOf[Any, Any]):
    """A place between nodes that waits for an answer; made by `pause`."""

    name: str
    question: str | Field
    answer: Any
    into: str
    accepts: Callable[..., str | None] | None


@attrs.frozen(eq=False)
class Subgraph(PlaceOf[Any, Any]):
    """A graph as a place, with its way in and out; made by `subgraph`."""

    graph: Any
    name: str
    enter: Callable[..., Any] | None
    leave: Callable[..., Any] | None


def is_place_object(thing: object) -> bool:
    """Tell whether something was made by `node`, `each`, `together`, `pause` or `subgraph`, or is a graph."""
    return isinstance(thing, (Node, Each, Together, Pause, Subgraph)) or has_table(thing)


def name_of(thing: Any) -> str | None:
    """Find the name of a function, method, place or graph; None when it has none that can be used."""
    name = getattr(thing, "name", None) if not hasattr(thing, "__name__") else thing.__name__
    return name if isinstance(name, str) and name and name != "<lambda>" else None


def node(
    function: Callable[[S], R] | Callable[[S, Context], R],
    *,
    name: str | None = None,
    retry: Retry | None = None,
    timeout: float | None = None,
    thread: bool = False,
) -> PlaceOf[S, R]:
    """Make a place of a function, with a name and policies of its own.

    Args:
        function: `f(state)` or `f(state, context)`, sync or async.
        name: The place's name; None takes the function's.
        retry: When and how often a failed attempt is made again; None never.
        timeout: Seconds an attempt may take; None for no limit. A sync function with a time-out runs in a thread.
        thread: Run a sync function in a thread, so that `arun` goes on beside it.

    Raises:
        PlaceError: If the function cannot be called, has no name, or a policy is out of range.
    """
    if not callable(function) or isinstance(function, type):
        raise PlaceError("node(...)", repr(function), "a function, method or other callable")
    found = name if name is not None else name_of(function)
    if not found:
        raise PlaceError("node(...)", f"{function!r}, which has no name", "name='...'")
    if timeout is not None:
        check_number(f"timeout of node {found!r}", timeout, 1e-6)
    check_kind(f"retry of node {found!r}", retry, (Retry, type(None)), "Retry(attempts=...)")
    return Node(function, found, retry, timeout, thread)


@overload
def each(
    items: str,
    worker: Graph[C],
    *,
    into: str,
    at_once: int = 1,
    name: str | None = None,
    enter: Callable[[S, Any], C],
    leave: Callable[[S, C], Any] | None = None,
    stop_early: bool = False,
) -> PlaceOf[S, Update]: ...
@overload
def each(
    items: str,
    worker: Callable[[Any], Any] | Callable[[Any, Context], Any] | PlaceOf[Any, Any],
    *,
    into: str,
    at_once: int = 1,
    name: str | None = None,
    stop_early: bool = False,
) -> PlaceOf[Any, Update]: ...
def each(
    items: str,
    worker: Any,
    *,
    into: str,
    at_once: int = 1,
    name: str | None = None,
    enter: Callable[..., Any] | None = None,
    leave: Callable[..., Any] | None = None,
    stop_early: bool = False,
) -> PlaceOf[Any, Update]:
    """Run one worker for every item of a tuple field; the results go into another field, in item order.

    Args:
        items: The field that holds the items; no items is fine.
        worker: `f(item)` or `f(item, context)`, a `node(...)` of one, or a graph.
        into: The field for the results; one made by `grows()` gets them appended.
        at_once: How many items may run side by side; at least 1.
        name: The place's name; None takes the worker's.
        enter: For a graph: `enter(state, item)` gives the state that it starts from.
        leave: For a graph: `leave(state, child)` gives the item's result from its final state; None takes that state.
        stop_early: Start no further item once one has failed; the outcome then depends on timing.

    Raises:
        PlaceError: If an argument cannot be used.
    """
    found = name if name is not None else name_of(worker)
    if not found:
        raise PlaceError("each(...)", f"{worker!r}, which has no name", "name='...'")
    check_kind(f"the items of each {found!r}", items, str, "the name of a field, as text")
    check_kind(f"into= of each {found!r}", into, str, "the name of a field, as text")
    check_number(f"at_once of each {found!r}", at_once, 1, whole=True)
    is_graph = has_table(worker)
    if not is_graph and not callable(worker) and not isinstance(worker, Node):
        raise PlaceError(f"the worker of each {found!r}", repr(worker), "a function, a node(...) or a graph")
    if is_graph and enter is None:
        raise PlaceError(
            f"each {found!r} over a graph", "no enter=", "enter=(state, item) -> the state the graph starts from"
        )
    if not is_graph and (enter or leave):
        raise PlaceError(f"each {found!r} over a function", "enter= or leave=", "neither; they are for graphs")
    return Each(items, worker, into, at_once, found, enter, leave, stop_early)


def together(*places: PlaceLike[S], name: str | None = None, stop_early: bool = False) -> PlaceOf[S, Update]:
    """Run several places side by side from the same state, and join their updates once.

    Args:
        places: At least two; each declares what it writes, and no two write the same field unless it grows.
        name: The place's name; None joins the names of the parts with `+`.
        stop_early: Start nothing further once one has failed; the outcome then depends on timing.

    Raises:
        PlaceError: If there are fewer than two places, or one has no name.
    """
    if len(places) < 2:
        raise PlaceError("together(...)", f"{len(places)} place(s)", "at least two")
    names = [name_of(place) for place in places]
    if None in names:
        raise PlaceError("together(...)", f"{places[names.index(None)]!r}, which has no name", "node(..., name='...')")
    return Together(places, name or "+".join(str(part) for part in names), stop_early)


def field(name: str) -> Field:
    """Name a field of the state, as the question of a `pause`."""
    return Field(name)


def pause(
    name: str,
    *,
    question: str | Field,
    answer: Any,
    into: str,
    accepts: Callable[[S, Any], str | None] | None = None,
) -> PlaceOf[S, Update]:
    """Make a place that waits for an answer from outside; nothing before it runs again.

    Args:
        name: The place's name.
        question: A text, or `field("name")` to ask with the value of a field.
        answer: The type of the answer.
        into: The field that the answer is written to.
        accepts: `accepts(state, answer)` gives the reason why an answer is not taken, or None to take it.

    Raises:
        PlaceError: If the name is blank, the question is neither text nor field, or `into` is no text.
    """
    check_kind("pause(...)", name, str, "a name that is not blank")
    if not name.strip():
        raise PlaceError("pause(...)", repr(name), "a name that is not blank")
    check_kind(f"the question of pause {name!r}", question, (str, Field), "a text or field('name')")
    check_kind(f"into= of pause {name!r}", into, str, "the name of a field, as text")
    return Pause(name, question, answer, into, accepts)


@overload
def subgraph(
    graph: Graph[C], *, enter: Callable[[S], C], leave: Callable[[S, C], Update], name: str | None = None
) -> PlaceOf[S, Update]: ...
@overload
def subgraph(graph: Graph[S], *, name: str | None = None) -> PlaceOf[S, Update]: ...
def subgraph(
    graph: Any,
    *,
    enter: Callable[..., Any] | None = None,
    leave: Callable[..., Any] | None = None,
    name: str | None = None,
) -> PlaceOf[Any, Update]:
    """Make a place of a graph with another state class; one with the same class can stand in a table as it is.

    Args:
        graph: The graph.
        enter: `enter(state)` gives the state that the graph starts from.
        leave: `leave(state, child)` gives the update of the parent from the graph's final state.
        name: The place's name; None takes the graph's.

    Raises:
        PlaceError: If it is no graph, or only one of `enter` and `leave` is given.
    """
    if not has_table(graph):
        raise PlaceError("subgraph(...)", repr(graph), "a Graph")
    if (enter is None) != (leave is None):
        raise PlaceError(
            f"subgraph {graph.name!r}", "one of enter= and leave=", "both, or neither for the same state class"
        )
    return Subgraph(graph, name or graph.name, enter, leave)
