"""The compiler: from the mapping that a caller wrote to a `Table`.

Responsible for: resolving places by identity, making rows and the ways that runs take, and remembering what could not
be resolved. It never refuses. Not for: reading what runs at a place (`transitable.model.works`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from transitable.model.frozen import FrozenDict
from transitable.model.nodes import is_place_object, name_of
from transitable.model.rows import END, Again, Bound, By, Limit, Otherwise, Row, RowKind, Then
from transitable.model.table import Arc, Place, Problem, Table, branch_shape, identify, name_class, open_slots
from transitable.model.works import compile_work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transitable.model.state import StateModel


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


def _is_limit(most: object) -> bool:
    return isinstance(most, int) and not isinstance(most, bool) and most >= 0


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
            self.report(
                "empty-table",
                (),
                f"the table of {self.name!r} has no entry",
                "add one for every place: table={place: target}",
            )
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
            self.model,
            FrozenDict(self.places),
            first,
            tuple(self.rows),
            FrozenDict(self.counts),
            note,
            tuple(self.problems),
            cancel_target,
            FrozenDict(self.known),
            self.name,
        )

    def report(self, code: str, places: tuple[str, ...], found: str, fix: str) -> None:
        self.problems.append(Problem(code, places, found, fix))

    def add_place(self, thing: Any) -> Place | None:
        """Compile one place and remember it by identity."""
        is_object = is_place_object(thing)
        if thing is END or isinstance(thing, (str, type)) or not (callable(thing) or is_object):
            self.report(
                "not-a-place",
                (str(thing),),
                f"{thing!r} is no place",
                "use a function, method, node(...), each(...), together(...), pause(...) or graph",
            )
            return None
        name = name_of(thing)
        if name is None or name == "END" or not (is_object or hasattr(thing, "__name__")):
            found = name or repr(thing)
            self.report(
                "bad-name", (found,), f"{thing!r} has no name that a place can have", "wrap it: node(..., name='...')"
            )
            return None
        if name in self.places:
            self.report(
                "duplicate-name",
                (name,),
                f"two places are called {name!r}",
                "give one of them another name: node(..., name='...')",
            )
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
                self.report(
                    "dead-end",
                    (place.name,),
                    f"{role} leads to {place.name!r}, which has no entry in the table",
                    f"add {place.name}: END, or where it goes on",
                )
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
            self.report(
                "not-a-place",
                (source.name,),
                f"a row of {source.name!r} leads to {type(target).__name__.lower()}(...)",
                "a row leads to a place, again(...) or END",
            )
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
        for role, name in (
            ("count", target.count),
            *((("limit", target.at_most.field),) if isinstance(target.at_most, Limit) else ()),
        ):
            shape = self.model.shapes.get(name)
            is_set = role == "count" and name in self.model.derived
            if shape is None or shape.text != "int" or is_set:
                kind = "no field" if shape is None else "set by the class itself" if is_set else shape.text
                found = f"{role} {name!r} of a row of {source.name!r} is {kind}"
                self.report(
                    f"bad-{role}", (source.name,), found, f"declare {name}: int = 0 in {self.model.cls.__name__}"
                )
        most = target.at_most.cap if isinstance(target.at_most, Limit) else target.at_most
        if not _is_limit(most):
            self.report(
                "bad-limit",
                (source.name,),
                f"the limit {most!r} of a row of {source.name!r}",
                "a whole number of at least 0, or limit('field', cap=...)",
            )
        return len(self.problems) == before

    def make_plain_arc(
        self, source: Place, kind: RowKind, field: str | None, value: Any, target: Any, bound: Bound | None
    ) -> Arc | None:
        place = None if target is END else self.resolve(target, f"a row of {source.name!r}")
        if place is None and target is not END:
            if target is None:
                self.report(
                    "not-a-place",
                    (source.name,),
                    f"a row of {source.name!r} leads to None",
                    "a place, again(...) or END",
                )
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
        free = {
            name: slot for name, slot in open_slots(self.model).items() if name not in self.counts and name not in given
        }
        for place in self.places.values():
            place.slots = (
                free if place.declared is None else {n: s for n, s in place.declared.items() if n not in self.counts}
            )
            place.counts = tuple(self.model.index[name] for name in self.counts)
            place.quick = {name: (slot.index, slot.quick) for name, slot in place.slots.items()}
