"""`Table`: what a graph is made of, compiled but not yet judged.

Responsible for: turning the mapping that a caller wrote into places (`Place`), ways between them (`Arc`) and the
canonical rows. It never refuses: what cannot be resolved is kept in `problems`, for `transitable.check` to report
together with everything else. Not for: reading what a caller wrote (`transitable.model.compiler`), nor for running
(`transitable.run`).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from transitable.model.rows import Limit, Row
from transitable.model.signatures import Signature
from transitable.model.state import Slot, StateModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transitable.model.nodes import Retry
    from transitable.model.rows import By
    from transitable.model.shapes import Shape


class Problem(NamedTuple):
    """Something that could not be resolved; becomes a finding."""

    code: str
    places: tuple[str, ...]
    found: str
    fix: str
    path: tuple[Row, ...] = ()
    """The rows that show it; empty where none do."""


class Arc:
    """One way out of a place, as a run takes it."""

    __slots__ = ("count", "limit", "limit_field", "place", "row", "spent")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.place: Place | None = None
        """The next place; None at END."""
        self.count = -1
        """The position of the count among the fields; -1 when the row may always be taken."""
        self.limit = 0
        self.limit_field = -1
        """The position of the field that holds the limit; -1 when the limit is a number."""
        self.spent: Arc = self
        """The way that is taken instead once the count has reached the limit."""

    def __repr__(self) -> str:
        return f"Arc({self.row})"


class Place:
    """One place of a table: what runs there, what it may write, and where it leads."""

    __slots__ = (
        "arc",
        "arcs",
        "builder",
        "by",
        "call",
        "cancel",
        "child",
        "counts",
        "declared",
        "errors",
        "field_path",
        "given",
        "index",
        "is_async",
        "item",
        "model",
        "name",
        "on_error_keys",
        "parts",
        "plain",
        "plain_sync",
        "quick",
        "read",
        "retry",
        "root",
        "signature",
        "slots",
        "takes_context",
        "thread",
        "timeout",
        "work",
    )  # fmt: skip

    def __init__(self, name: str, work: Any, model: StateModel) -> None:
        self.name = name
        self.work = work
        """What the caller wrote: a function, or a place made by `node`, `each`, ..., or a graph."""
        self.model = model
        self.read = model.read
        self.builder = model.builder
        self.call: Any = None
        """The function of a node, or the worker of `each`; None elsewhere."""
        self.signature = Signature(takes_context=False, is_async=False)
        self.is_async = False
        self.takes_context = False
        self.thread = False
        self.retry: Retry | None = None
        self.timeout: float | None = None
        self.plain = False
        """Whether a driver may call it directly: a function of the state alone, without a policy."""
        self.plain_sync = False
        """Whether it is plain and no coroutine."""
        self.declared: Mapping[str, Slot] | None = None
        """The fields that it declares to write; None when it may write any."""
        self.slots: Mapping[str, Slot] = {}
        """The fields that it may write, as the run checks them."""
        self.quick: Mapping[str, tuple[int, frozenset[type]]] = {}
        """Position and quick types of each slot, for the hot path."""
        self.counts: tuple[int, ...] = ()
        """The positions of the fields that only the engine writes."""
        self.item: Shape | None = None
        """The shape of one result of `each`, or of the answer of a pause; None elsewhere."""
        self.child: Table | None = None
        """The table of the graph that runs inside; None when there is none."""
        self.parts: tuple[Place, ...] = ()
        """The places of `together`; for `each` over a function, its worker."""
        self.by: By | None = None
        self.root: str | None = None
        """The field that the branch reads, without the dots; None when there is no branch."""
        self.field_path: tuple[str, ...] = ()
        self.index = -1
        self.given = False
        self.arc: Arc | None = None
        """The one way on; None when there is a branch."""
        self.arcs: dict[Any, Arc] = {}
        self.errors: dict[str, Arc] = {}
        """The error rows by module-qualified class name."""
        self.on_error_keys: tuple[Any, ...] = ()
        self.cancel: Arc | None = None

    def __repr__(self) -> str:
        return f"Place({self.name!r})"

    def ways(self) -> Iterator[Arc]:
        """Yield every way out, bounded arms before their `otherwise`, cancel last."""
        firsts = [*([self.arc] if self.arc else []), *self.arcs.values(), *self.errors.values()]
        for arc in (*firsts, *([self.cancel] if self.cancel else [])):
            yield arc
            if arc.spent is not arc:
                yield arc.spent


@attrs.frozen(eq=False)
class Table:
    """A compiled table. Immutable; `rows` is its canonical form."""

    model: StateModel
    places: Mapping[str, Place]
    """By name, in the order they were written."""
    start: Place | None
    """The first place; None when it could not be resolved."""
    rows: tuple[Row, ...]
    counts: Mapping[str, int]
    """The fields that only the engine writes, with the largest limit of each."""
    note: Callable[..., Any] | None
    problems: tuple[Problem, ...]
    cancel_target: Place | None
    by_identity: Mapping[Any, Place]
    name: str = "graph"
    invariants: tuple[Callable[..., bool], ...] = ()
    """Named predicates of the state, which hold at the end of every run."""

    @functools.cached_property
    def count_positions(self) -> tuple[int, ...]:
        """The positions of the counts among the fields."""
        return tuple(self.model.index[name] for name in self.counts)

    @functools.cached_property
    def async_name(self) -> str | None:
        """The name of the first place that is async, also inside composites; None when there is none."""
        return next((name for place in self.places.values() for name in _list_async(place)), None)

    @functools.cached_property
    def note_slots(self) -> Mapping[str, Slot]:
        """The fields that `note` may write: all but the counts, and what a branch reads as given."""
        closed = {*self.counts, *(place.root for place in self.places.values() if place.given)}
        return {name: slot for name, slot in open_slots(self.model).items() if name not in closed}

    @functools.cached_property
    def hash(self) -> str:
        """SHA-256 of start, rows and the tables inside, as hex; limits' numbers, comments and order change nothing."""
        import hashlib  # loaded with OpenSSL; only for who asks for the hash
        import json  # as above

        lines = sorted(json.dumps(_list_row(row)) for row in self.rows)
        inner = sorted(
            [place.name, type(place.work).__name__ if place.child or place.parts else "", *_list_inner(place)]
            for place in self.places.values()
        )
        text = json.dumps([self.start.name if self.start else None, lines, inner])
        return hashlib.sha256(text.encode()).hexdigest()

    def find(self, thing: Any) -> Place | None:
        """Find the place that a function, method or place object stands for; None when it is not in the table."""
        return self.by_identity.get(identify(thing))


def _list_async(place: Place) -> Iterator[str]:
    if place.is_async:
        yield place.name
    for part in place.parts:
        yield from _list_async(part)
    if place.child is not None and place.child.async_name is not None:
        yield f"{place.name}/{place.child.async_name}"


def _list_inner(place: Place) -> list[str]:
    inner = [place.child.hash] if place.child else []
    return [*inner, *(text for part in place.parts for text in (part.name, *_list_inner(part)))]


def _list_row(row: Row) -> list[object]:
    limit = row.bound.limit.field if row.bound and isinstance(row.bound.limit, Limit) else None
    bound = [row.bound.count, limit, row.bound.spent] if row.bound else None
    label = f"{type(row.value).__qualname__}.{getattr(row.value, 'name', None) or repr(row.value)}"
    return [row.source, row.kind.value, row.field, label, row.target, bound]


def identify(thing: Any) -> Any:
    """Give the key under which a place is known: its identity; for a bound method that of its object and function."""
    return (id(thing.__self__), id(thing.__func__)) if isinstance(thing, types.MethodType) else id(thing)


def name_class(cls: type) -> str:
    """Name a class by module and qualified name, as error rows are matched."""
    return f"{cls.__module__}.{cls.__qualname__}"


def open_slots(model: StateModel) -> dict[str, Slot]:
    """Make the slots of all fields, for a place that may write any; what the class sets itself is not among them."""
    return {
        name: Slot(name, position, model.shapes[name], appends=name in model.grown)
        for position, name in enumerate(model.names)
        if name not in model.derived
    }


def branch_shape(place: Place) -> Shape | None:
    """Find the shape of what a place's branch reads, as the place declares to write it; None when there is none."""
    slot = (place.declared or {}).get(place.root or "")
    root = slot.narrow if slot is not None and slot.narrow is not None else None
    return place.model.shape_at(place.field_path, root)[0] if place.field_path else None
