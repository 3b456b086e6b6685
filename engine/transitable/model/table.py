"""`Table`: what a graph is made of, compiled but not yet judged.

Responsible for: turning the mapping that a caller wrote into places (`Place`), ways between them (`Arc`) and the
canonical rows. It never refuses: what cannot be resolved is kept in `problems`, for `transitable.check` to report
together with everything else. Not for: running (`transitable.run`).
"""

from __future__ import annotations

import functools
import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from transitable.model.annotations import ShapeReader, Unreadable
from transitable.model.nodes import Each, HasTable, Node, Pause, Retry, Subgraph, Together, name_of
from transitable.model.rows import END, Again, Bound, By, Limit, Otherwise, Row, RowKind, Then
from transitable.model.shapes import Shape, TupleShape
from transitable.model.signatures import Signature, read_signature, read_writes
from transitable.model.state import Slot, StateModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


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

    __slots__ = ("cap", "count", "limit", "limit_field", "place", "row", "spent")

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
        "arc", "arcs", "by", "call", "cancel", "child", "declared", "errors", "field_path", "given", "index", "is_async", "item",
        "model", "name", "on_error_keys", "parts", "plain", "plain_sync", "quick", "retry", "root", "signature", "slots", "takes_context", "thread", "timeout", "work",
    )  # fmt: skip

    def __init__(self, name: str, work: Any, model: StateModel) -> None:
        self.name = name
        self.work = work
        """What the caller wrote: a function, or a place made by `node`, `each`, ..., or a graph."""
        self.model = model
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
        """The fields that `note` may write: all but the counts."""
        return {name: slot for name, slot in open_slots(self.model).items() if name not in self.counts}

    @functools.cached_property
    def hash(self) -> str:
        """SHA-256 of start, rows and the tables inside, as hex; limits' numbers, comments and order change nothing."""
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
    function = getattr(thing, "__func__", None)
    return (id(thing.__self__), id(function)) if function is not None else id(thing)


def name_class(cls: type) -> str:
    """Name a class by module and qualified name, as error rows are matched."""
    return f"{cls.__module__}.{cls.__qualname__}"


def compile_table(
    model: StateModel,
    start: Any,
    written: Mapping[Any, Any],
    *,
    note: Callable[..., Any] | None = None,
    on_cancel: Any = None,
    name: str = "graph",
    invariants: tuple[Callable[..., bool], ...] = (),
) -> Table:
    """Compile what a caller wrote; nothing is refused here, see `Table.problems`."""
    return attrs.evolve(_Compiler(model, name).compile(start, written, note, on_cancel), invariants=invariants)


class _Compiler:
    """The state of one compilation."""

    def __init__(self, model: StateModel, name: str) -> None:
        self.model = model
        self.name = name
        self.places: dict[str, Place] = {}
        self.known: dict[Any, Place] = {}
        self.kept_alive: list[Any] = []
        self.problems: list[Problem] = []
        self.counts: dict[str, int] = {}
        self.rows: list[Row] = []

    def compile(self, start: Any, written: Mapping[Any, Any], note: Callable[..., Any] | None, on_cancel: Any) -> Table:
        if not written:
            self.report("empty-table", (), f"the table of {self.name!r} has no entry", "add one for every place: table={place: target}")
        for key in written:
            self.add_place(key)
        for key, target in written.items():
            place = self.known.get(identify(key))
            if place is not None:
                self.add_ways(place, target)
        first = self.resolve(start, "start") if written else None
        if start is None or start is END:
            self.report("no-start", (), f"start is {start!r}", "name the first place: start=...")
        if on_cancel is END:
            self.report("not-a-place", ("END",), "on_cancel leads to END", "leave it out: a cancelled run ends anyway")
        cancel_target = self.resolve(on_cancel, "on_cancel") if on_cancel is not None else None
        if cancel_target is not None:
            self.add_cancel_rows(cancel_target)
        self.fill_slots()
        for place in self.places.values():
            self.rows.extend(arc.row for arc in place.ways())
        return Table(
            self.model, self.places, first, tuple(self.rows), self.counts, note, tuple(self.problems), cancel_target, self.known, self.name
        )

    def report(self, code: str, places: tuple[str, ...], found: str, fix: str) -> None:
        self.problems.append(Problem(code, places, found, fix))

    def add_place(self, thing: Any) -> Place | None:
        """Compile one place and remember it by identity."""
        if thing is END or isinstance(thing, (str, type)) or not (callable(thing) or isinstance(thing, (Node, Each, Together, Pause, Subgraph, HasTable))):
            self.report("not-a-place", (str(thing),), f"{thing!r} is no place", "use a function, method, node(...), each(...), together(...), pause(...) or graph")
            return None
        name = name_of(thing)
        is_object = not isinstance(thing, (Node, Each, Together, Pause, Subgraph, HasTable)) and not hasattr(thing, "__name__")
        if name is None or is_object or name == "END":
            found = name or repr(thing)
            self.report("bad-name", (found,), f"{thing!r} has no name that a place can have", "wrap it: node(..., name='...')")
            return None
        if name in self.places:
            self.report("duplicate-name", (name,), f"two places are called {name!r}", "give one of them another name: node(..., name='...')")
            return None
        place = Place(name, thing, self.model)
        self.places[name] = self.known[identify(thing)] = place
        self.kept_alive.append(thing)
        compile_work(place, self.report)
        return place

    def resolve(self, thing: Any, role: str) -> Place | None:
        """Find the place of a target; one without an entry in the table is added, so that drawings show it."""
        place = self.known.get(identify(thing))
        if place is None and thing is not None and thing is not END:
            place = self.add_place(thing)
            if place is not None:
                self.report("dead-end", (place.name,), f"{role} leads to {place.name!r}, which has no entry in the table", f"add {place.name}: END, or where it goes on")
        return place

    def add_ways(self, place: Place, target: Any) -> None:
        """Compile the entry of one place."""
        place.on_error_keys = tuple(target.on_error) if isinstance(target, (Then, By)) else ()
        if isinstance(target, By):
            self.add_branch(place, target)
        else:
            inner = target.target if isinstance(target, Then) else target
            place.arc = self.make_arc(place, RowKind.NEXT, None, None, inner)
        if isinstance(target, (Then, By)):
            for cls, where in target.on_error.items():
                label = name_class(cls) if isinstance(cls, type) else repr(cls)
                arc = self.make_arc(place, RowKind.ERROR, None, label, where)
                if arc is not None:
                    place.errors[label] = arc

    def add_branch(self, place: Place, branch: By) -> None:
        place.by = branch
        place.given = branch.given
        place.field_path = tuple(branch.field.split("."))
        place.root = place.field_path[0]
        place.index = self.model.index.get(place.root, -1)
        for value, where in branch.rows.items():
            self.add_label(place, branch, value, where)
        if branch.otherwise is Otherwise.NOT_GIVEN:
            return
        shape = branch_shape(place)
        members = shape.members() if shape else None
        for value in members or ():
            if value not in place.arcs:
                self.add_label(place, branch, value, branch.otherwise)

    def add_label(self, place: Place, branch: By, value: Any, where: Any) -> None:
        arc = self.make_arc(place, RowKind.VALUE, branch.field, value, where)
        if arc is not None:
            place.arcs[value] = arc

    def make_arc(self, source: Place, kind: RowKind, field: str | None, value: Any, target: Any) -> Arc | None:
        """Compile one way; a bounded target makes two."""
        if isinstance(target, (Then, By)):
            self.report("not-a-place", (source.name,), f"a row of {source.name!r} leads to {type(target).__name__.lower()}(...)", "a row leads to a place, again(...) or END")
            return None
        if not isinstance(target, Again):
            return self.make_plain_arc(source, kind, field, value, target, None)
        bound = Bound(target.count, target.at_most)
        arc = self.make_plain_arc(source, kind, field, value, target.target, bound)
        spent = self.make_plain_arc(source, kind, field, value, target.otherwise, attrs.evolve(bound, spent=True))
        is_sound = self.check_bound(source, target)
        if arc is None or spent is None:
            return None
        arc.spent = spent
        if not is_sound:
            return arc
        arc.count = self.model.index[target.count]
        if isinstance(target.at_most, Limit):
            arc.limit, arc.limit_field = target.at_most.cap, self.model.index[target.at_most.field]
        else:
            arc.limit = target.at_most
        self.counts[target.count] = max(self.counts.get(target.count, 0), bound.most)
        return arc

    def check_bound(self, source: Place, target: Again) -> bool:
        """Report a count or limit that cannot be one."""
        before = len(self.problems)
        for role, name in (("count", target.count), *((("limit", target.at_most.field),) if isinstance(target.at_most, Limit) else ())):
            shape = self.model.shapes.get(name)
            if shape is None or shape.text != "int":
                found = f"{role} {name!r} of a row of {source.name!r} is {'no field' if shape is None else shape.text}"
                self.report(f"bad-{role}", (source.name,), found, f"declare {name}: int = 0 in {self.model.cls.__name__}")
        most = target.at_most.cap if isinstance(target.at_most, Limit) else target.at_most
        if isinstance(most, bool) or not isinstance(most, int) or most < 0:
            self.report("bad-limit", (source.name,), f"the limit {most!r} of a row of {source.name!r}", "a whole number of at least 0, or limit('field', cap=...)")
        return len(self.problems) == before

    def make_plain_arc(self, source: Place, kind: RowKind, field: str | None, value: Any, target: Any, bound: Bound | None) -> Arc | None:
        place = None if target is END else self.resolve(target, f"a row of {source.name!r}")
        if place is None and target is not END:
            if target is None:
                self.report("not-a-place", (source.name,), f"a row of {source.name!r} leads to None", "a place, again(...) or END")
            return None
        arc = Arc(Row(source.name, kind, field, value, place.name if place else "END", bound))
        arc.place = place
        return arc

    def add_cancel_rows(self, target: Place) -> None:
        """Give a cancel row to every place that the target cannot reach."""
        reached = {target.name}
        waiting = [target]
        while waiting:
            for arc in waiting.pop().ways():
                if arc.place is not None and arc.place.name not in reached:
                    reached.add(arc.place.name)
                    waiting.append(arc.place)
        for place in self.places.values():
            if place.name not in reached:
                place.cancel = Arc(Row(place.name, RowKind.CANCEL, None, None, target.name))
                place.cancel.place = target

    def fill_slots(self) -> None:
        """Settle what every place may write: what it declares, or anything; never a count, nor undeclared what a branch reads as given."""
        given = {place.root for place in self.places.values() if place.given}
        free = {name: slot for name, slot in open_slots(self.model).items() if name not in self.counts and name not in given}
        for place in self.places.values():
            place.slots = free if place.declared is None else {n: s for n, s in place.declared.items() if n not in self.counts}
            place.quick = {name: (slot.index, slot.quick) for name, slot in place.slots.items()}


def open_slots(model: StateModel) -> dict[str, Slot]:
    """Make the slots of all fields, for a place that may write any."""
    return {
        name: Slot(name, position, model.shapes[name], appends=name in model.grown)
        for position, name in enumerate(model.names)
    }


def branch_shape(place: Place) -> Shape | None:
    """Find the shape of what a place's branch reads, as the place declares to write it; None when there is none."""
    slot = (place.declared or {}).get(place.root or "")
    root = slot.narrow if slot is not None and slot.narrow is not None else None
    return place.model.shape_at(place.field_path, root)[0] if place.field_path else None


def compile_work(place: Place, report: Callable[[str, tuple[str, ...], str, str], None]) -> None:
    """Read what runs at a place and what it declares to write."""
    work = place.work
    if isinstance(work, Each):
        _compile_each(place, work, report)
    elif isinstance(work, Together):
        place.parts = tuple(_compile_part(part, place.model, report) for part in work.places)
        _join_writes(place)
    elif isinstance(work, Pause):
        declare(place, {work.into: work.answer}, report)
        slot = (place.declared or {}).get(work.into)
        place.item = (slot.narrow or slot.shape) if slot is not None else None
    elif isinstance(work, Subgraph) or isinstance(work, HasTable):
        _compile_child(place, work, report)
    else:
        _compile_function(place, work, report)
        _declare_from(place, place.call, report)


def _compile_part(work: Any, model: StateModel, report: Callable[[str, tuple[str, ...], str, str], None]) -> Place:
    part = Place(name_of(work) or "?", work, model)
    compile_work(part, report)
    part.slots = part.declared or {}
    return part


def _compile_function(place: Place, work: Any, report: Callable[[str, tuple[str, ...], str, str], None]) -> None:
    if isinstance(work, Node):
        place.call, place.retry, place.timeout, place.thread = work.function, work.retry, work.timeout, work.thread
    else:
        place.call = work
    place.signature = read_signature(place.call)
    place.is_async, place.takes_context = place.signature.is_async, place.signature.takes_context
    place.plain = not (place.takes_context or place.retry or place.timeout or place.thread)
    place.plain_sync = place.plain and not place.is_async
    if place.signature.problem:
        report("bad-signature", (place.name,), f"{place.name!r} {place.signature.problem}", "a node is f(state) or f(state, context)")


def _declare_from(place: Place, function: Any, report: Callable[[str, tuple[str, ...], str, str], None]) -> None:
    writes = read_writes(function)
    if writes.problem:
        report("bad-return", (place.name,), f"{place.name!r}: {writes.problem}", "annotate a TypedDict of the fields it writes, or Mapping[str, object]")
    if writes.declared is not None:
        declare(place, writes.declared, report)


def declare(place: Place, annotations: Mapping[str, Any], report: Callable[[str, tuple[str, ...], str, str], None]) -> None:
    """Turn declared writes into slots; what is no field, or cannot be read, is reported."""
    slots: dict[str, Slot] = {}
    model = place.model
    reader = ShapeReader(handed_in=True)
    for name, annotation in annotations.items():
        shape = model.shapes.get(name)
        if shape is None:
            report("unknown-write", (place.name,), f"{place.name!r} declares to write {name!r}, which is no field of {model.cls.__name__}", "name a field of the state class")
            continue
        try:
            written = reader.read(annotation)
        except Unreadable as problem:
            report("wrong-write-type", (place.name,), f"{place.name!r} declares to write {name!r} as {problem.found}", f"use {problem.instead}")
            continue
        if not _may_fit(written, shape):
            report("wrong-write-type", (place.name,), f"{place.name!r} declares to write {name!r} as {written.text}", f"the field is {shape.text}")
            continue
        narrow = None if written.text == shape.text else written
        slots[name] = Slot(name, model.index[name], shape, appends=name in model.grown, narrow=narrow)
    place.declared = slots


def _may_fit(written: Shape, wanted: Shape) -> bool:
    """Tell whether some value of a declared type can be a value of the field; members of closed types all must be."""
    members, allowed = written.members(), wanted.members()
    if members is not None and allowed is not None:
        known = {(type(each), each) for each in allowed}
        return all((type(each), each) in known for each in members)
    if members is not None:
        return all(not _try(wanted, each) for each in members)
    if written.quick and wanted.quick:
        ints = {int} if float in wanted.quick else set[type]()
        return written.quick <= wanted.quick | ints or not wanted.quick.isdisjoint(written.quick)
    return not (written.quick and allowed is not None)


def _try(shape: Shape, value: object) -> bool:
    faults: list[Any] = []
    shape.admit(value, None, (), faults)
    return bool(faults)


def _compile_each(place: Place, work: Each, report: Callable[[str, tuple[str, ...], str, str], None]) -> None:
    model = place.model
    items = model.shapes.get(work.items)
    if not isinstance(items, TupleShape):
        report("each-items", (place.name,), f"each {place.name!r} reads {work.items!r}, which is {items.text if items else 'no field'}", "a field of type tuple[X, ...]")
    into = model.shapes.get(work.into)
    if isinstance(into, TupleShape):
        place.item = into.item
        place.declared = {work.into: Slot(work.into, model.index[work.into], into, appends=work.into in model.grown)}
    else:
        report("each-into", (place.name,), f"each {place.name!r} writes into {work.into!r}, which is {into.text if into else 'no field'}", "a field of type tuple[X, ...]")
        place.declared = {}
    if isinstance(work.worker, HasTable):
        place.child = work.worker.table
    else:
        part = Place(name_of(work.worker) or place.name, work.worker, model)
        _compile_function(part, work.worker, report)
        place.parts = (part,)


def _compile_child(place: Place, work: Any, report: Callable[[str, tuple[str, ...], str, str], None]) -> None:
    graph = work.graph if isinstance(work, Subgraph) else work
    child: Table = graph.table
    place.child = child
    leave = work.leave if isinstance(work, Subgraph) else None
    if leave is not None:
        _declare_from(place, leave, report)
        return
    if child.model.cls is not place.model.cls:
        report("subgraph-state", (place.name,), f"{place.name!r} has the state class {child.model.cls.__name__}", f"subgraph(..., enter=, leave=) for another class than {place.model.cls.__name__}")
        return
    if any(inner.declared is None for inner in child.places.values()):
        return
    place.declared = {
        name: Slot(name, place.model.index[name], place.model.shapes[name], appends=name in place.model.grown)
        for inner in child.places.values()
        for name in inner.declared or {}
        if name not in child.counts
    }


def _join_writes(place: Place) -> None:
    """A set of parts declares what its parts declare; parts without a declaration are a finding, see the checks."""
    place.declared = {name: slot for part in place.parts for name, slot in (part.declared or {}).items()}
