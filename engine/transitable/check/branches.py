"""Whether a branch is total, and every one of its rows can be taken.

Responsible for: the field that a branch reads, and its labels against the members of the type that the place declares
to write. Labels are compared by type and value. Not for: where the rows lead (`transitable.check.reach`,
`transitable.check.cycles`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transitable.check.reach import show_names
from transitable.errors import find_nearest
from transitable.model.rows import Otherwise, show_label
from transitable.model.shapes import ClassShape, ClosedShape, UnionShape
from transitable.model.table import Problem, branch_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transitable.model.rows import By
    from transitable.model.shapes import Shape
    from transitable.model.table import Place, Table


def check_branches(table: Table) -> Iterator[Problem]:
    """Report everything about fields and labels of branches, and branches that are none."""
    misread = {name for problem in table.problems if problem.code == "wrong-write-type" for name in problem.places}
    for place in table.places.values():
        if place.by is not None:
            problems = list(_check_branch(place, place.by, is_misread=place.name in misread))
            yield from problems or _check_one_way(place)


def _check_branch(place: Place, branch: By, *, is_misread: bool) -> Iterator[Problem]:
    """Check one branch; `is_misread` when what the place declares to write was refused, and reported already."""
    shape, missing = place.model.shape_at(place.field_path)
    if shape is None:
        yield _report_unknown_field(place, branch, missing or "")
        return
    if not (branch.given or is_misread or place.declared is None or place.root in place.declared):
        found = f"{place.name!r} branches on {branch.field!r}, which it does not declare to write"
        yield Problem(
            "unwritten-branch",
            (place.name,),
            found,
            f"let it write {place.root!r}, or by(..., given=True) for an input",
        )
    yield from _check_labels(place, branch, shape)


def _report_unknown_field(place: Place, branch: By, missing: str) -> Problem:
    *before, _ = place.field_path[: place.field_path.index(missing) + 1]
    known = _list_fields(place, tuple(before))
    nearest = find_nearest(missing, known)
    owner = ".".join(before) or place.model.cls.__name__
    fix = f"did you mean {nearest!r}?" if nearest else f"fields of {owner}: {', '.join(known) or 'none'}"
    return Problem(
        "unknown-field", (place.name,), f"{place.name!r} branches on {branch.field!r}; {owner} has no {missing!r}", fix
    )


def _list_fields(place: Place, path: tuple[str, ...]) -> tuple[str, ...]:
    """List the fields of the state, or of the class at a path in it."""
    if not path:
        return place.model.names
    shape = place.model.shape_at(path)[0]
    parts = shape.shapes if isinstance(shape, UnionShape) else (shape,)
    return tuple(name for part in parts if isinstance(part, ClassShape) for name, _, _ in part.fields)


def _check_labels(place: Place, branch: By, shape: Shape) -> Iterator[Problem]:
    """Check the labels of a branch on a field of this shape."""
    of_field, written = shape.members(), branch_shape(place)
    members = written.members() if written is not None else None
    if of_field is None and members is None:
        found = (
            f"{place.name!r} branches on {branch.field!r}, which is {shape.text}, a type without a list of its values"
        )
        yield Problem(
            "open-branch", (place.name,), found, "branch on an enum, Literal or bool, each possibly with None"
        )
        return
    alike = list(_check_alike(place, branch, list_members(written or shape)))
    if alike:
        yield from alike
        return
    known = members if members is not None else of_field or ()
    yield from _check_rows(place, branch, known, of_field or known)


def _check_rows(place: Place, branch: By, known: tuple[object, ...], of_field: tuple[object, ...]) -> Iterator[Problem]:
    """Check each row against the members that the place declares to write, and those of the field's own type."""
    covered = [label for label in branch.rows if _has(known, label)]
    for label in [label for label in branch.rows if not _has(known, label)]:
        if _has(of_field, label):
            yield _report_dead(place, branch, label, known)
            continue
        meant = _find_meant(label, known)
        covered.extend(meant)
        yield _report_unknown(place, branch, label, known, meant)
    yield from _check_total(place, branch, [member for member in known if not _has(covered, member)])


def _check_total(place: Place, branch: By, missing: list[object]) -> Iterator[Problem]:
    """Report members without a row, or an `otherwise` that stands for none."""
    has_otherwise = branch.otherwise is not Otherwise.NOT_GIVEN
    if missing and not has_otherwise:
        found = f"{place.name!r} has no row for {_show(missing)} of {branch.field!r}"
        yield Problem("missing-member", (place.name,), found, "add a row for each, or otherwise=...")
    if has_otherwise and not missing:
        found = f"otherwise of {place.name!r} is never taken, because every value of {branch.field!r} has a row"
        yield Problem("dead-row", (place.name,), found, "remove otherwise=")


def _check_alike(place: Place, branch: By, members: tuple[object, ...]) -> Iterator[Problem]:
    """Report members that are equal but of different types, such as 1 and True: a table cannot tell them apart."""
    for number, member in enumerate(members):
        twins = [other for other in members[:number] if other == member and type(other) is not type(member)]
        if twins:
            found = f"{place.name!r} branches on {branch.field!r}, whose values {_show([*twins, member])} are equal"
            yield Problem("alike-members", (place.name,), found, "a type with values that differ, such as one enum")


def list_members(shape: Shape) -> tuple[object, ...]:
    """List the members of a closed type, those that equal each other included."""
    if isinstance(shape, UnionShape):
        return tuple(member for part in shape.shapes for member in list_members(part))
    return shape.members() if isinstance(shape, ClosedShape) else ()


def _report_dead(place: Place, branch: By, label: object, members: Iterable[object]) -> Problem:
    found = (
        f"the row of {place.name!r} for {show_label(label)} is never taken: {branch.field!r} is {_show(members)} there"
    )
    return Problem("dead-row", (place.name,), found, "remove the row, or let the place declare to write that value")


def _report_unknown(place: Place, branch: By, label: object, members: Iterable[object], meant: list[object]) -> Problem:
    found = f"{place.name!r} has a row for {show_label(label)}, which is no value of {branch.field!r}"
    fix = f"write {show_label(meant[0])}" if meant else f"its values: {_show(members)}"
    return Problem("unknown-member", (place.name,), found, fix)


def _find_meant(label: object, members: Iterable[object]) -> list[object]:
    """Find the member that a wrong label stands for: an equal one of another type, else the nearest by name."""
    for member in members:
        if member == label:
            return [member]
    shown = {show_label(member): member for member in members}
    nearest = find_nearest(show_label(label), shown)
    return [shown[nearest]] if nearest else []


def _has(members: Iterable[Any], label: object) -> bool:
    return any(type(member) is type(label) and member == label for member in members)


def _show(members: Iterable[object]) -> str:
    return ", ".join(map(show_label, members)) or "nothing"


def _check_one_way(place: Place) -> Iterator[Problem]:
    """Report a sound branch whose rows all lead to one target, where `then` says the same."""
    rows = [row for arc in place.arcs.values() for row in (arc.row, arc.spent.row)]
    targets = {row.target for row in rows}
    if len(targets) == 1 and not any(row.bound for row in rows):
        found = f"every row of {place.name!r} leads to {show_names(targets)}"
        yield Problem("one-way-branch", (place.name,), found, f"then({targets.pop()})")
