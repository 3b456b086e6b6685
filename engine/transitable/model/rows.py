"""What a table is written with (`then`, `by`, `again`, `limit`, `END`), and what it becomes (`Row`).

Responsible for: the vocabulary of control flow. `Row` is the canonical form that printing, drawing, hashing and proofs
read. Not for: places (`transitable.model.nodes`), nor for whether rows make sense (`transitable.check`).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final

import attrs

from transitable.errors import PlaceError
from transitable.model.nodes import check_kind
from transitable.model.shapes import is_mapping

FIELD_NAME = "the name of a field, as text"
"""What the name of a field has to be, for messages."""


class End(enum.Enum):
    """The one target that is no place."""

    END = "END"

    def __repr__(self) -> str:
        return "END"


END: Final = End.END
"""The end of a run."""


class Otherwise(enum.Enum):
    """Stands for "no explicit fall-back"; None cannot, because None is a label."""

    NOT_GIVEN = "not given"


@attrs.frozen
class Limit:
    """A limit that a run reads from its state, never above a cap; made by `limit`."""

    field: str
    """The int field of the state that holds the limit."""
    cap: int
    """The number that the limit never exceeds; proofs and `longest_run` use it."""

    def __str__(self) -> str:
        return f"min({self.field}, {self.cap})"


def limit(field: str, *, cap: int) -> Limit:
    """Bound a row by an int field of the state, never above `cap`.

    Args:
        field: The name of the field; a value below 0 counts as 0.
        cap: How often the row can be taken at the very most.

    Raises:
        PlaceError: If the field's name is no text.
    """
    check_kind("limit(...)", field, str, FIELD_NAME)
    return Limit(field, cap)


@attrs.frozen(eq=False)
class Again:
    """A bounded target: taken while its count is below its limit, else `otherwise`; made by `again`."""

    target: Any
    count: str
    at_most: int | Limit
    otherwise: Any


@attrs.frozen(eq=False)
class Then:
    """One way on; made by `then`."""

    target: Any
    on_error: Mapping[Any, Any]


@attrs.frozen(eq=False)
class By:
    """A branch on one field; made by `by`."""

    field: str
    rows: Mapping[Any, Any]
    name: str | None
    otherwise: Any
    given: bool
    on_error: Mapping[Any, Any]


def then(target: Any, *, on_error: Mapping[Any, Any] | None = None) -> Then:
    """Go to one target; a bare target in a table abbreviates this.

    Args:
        target: A place, `END` or `again(...)`.
        on_error: Where each class of exception leads; matched in the failure's class order.

    Raises:
        PlaceError: If `on_error` is no mapping.
    """
    return Then(target, _copy_mapping("on_error of then(...)", on_error or {}))


def by(
    field: str,
    rows: Mapping[Any, Any],
    *,
    name: str | None = None,
    otherwise: Any = Otherwise.NOT_GIVEN,
    given: bool = False,
    on_error: Mapping[Any, Any] | None = None,
) -> By:
    """Branch on a field of closed type (`Enum`, `Literal`, `bool`, each possibly with None) that the place has just written.

    Args:
        field: The field, dotted into nested classes.
        rows: A target for every member of the type that the place declares to write.
        name: What the branch is called in drawings; None draws the field's name.
        otherwise: The target of all members without a row; left out, every member needs one.
        given: The field is an input that no place ever writes.
        on_error: Where each class of exception leads; matched in the failure's class order.

    Raises:
        PlaceError: If the field's name is no text, or `rows` or `on_error` is no mapping.
    """
    check_kind("by(...)", field, str, FIELD_NAME)
    copied = _copy_mapping(f"the rows of by({field!r}, ...)", rows)
    return By(field, copied, name, otherwise, given, _copy_mapping("on_error of by(...)", on_error or {}))


def again(target: Any, *, count: str, at_most: int | Limit, otherwise: Any) -> Again:
    """Go to a target as long as a count is below its limit; the engine adds 1 to the count each time.

    Args:
        target: A place that was, or may have been, visited before.
        count: An int field of the state that only the engine writes; rows that name the same field share it.
        at_most: How often all rows of this count may be taken in a run; a number or `limit(...)`.
        otherwise: Where to go once the count has reached the limit; a place or `END`.

    Raises:
        PlaceError: If the count's name is no text, or a target is itself `then`, `by` or `again`.
    """
    check_kind("the count of again(...)", count, str, FIELD_NAME)
    for role, each in (("target", target), ("otherwise", otherwise)):
        if isinstance(each, (Again, Then, By)):
            raise PlaceError(f"{role} of again(...)", type(each).__name__.lower() + "(...)", "a place or END")
    return Again(target, count, at_most, otherwise)


def _copy_mapping(what: str, given: object) -> Mapping[Any, Any]:
    if not is_mapping(given):
        raise PlaceError(what, f"{type(given).__qualname__}", "a mapping")
    return dict(given)


class RowKind(enum.StrEnum):
    """Why a row is taken."""

    NEXT = "next"
    """The place completed, and there is one way on."""
    VALUE = "value"
    """The place completed and wrote this value."""
    ERROR = "error"
    """The place failed with an exception of this class."""
    CANCEL = "cancel"
    """The run was cancelled."""


@attrs.frozen
class Bound:
    """How often a row may be taken."""

    count: str
    """The int field of the state that counts."""
    limit: int | Limit
    """The limit: a number, or a field with a cap."""
    spent: bool = False
    """True on the row that is taken once the count has reached the limit."""

    @property
    def most(self) -> int:
        """The largest number that the limit can be."""
        return self.limit.cap if isinstance(self.limit, Limit) else self.limit


@attrs.frozen
class Row:
    """One row of a table."""

    source: str
    """The name of the place that is left."""
    kind: RowKind
    """Why the row is taken."""
    field: str | None
    """The field that is read; None where no field is."""
    value: Any
    """The member of the field's type; the module-qualified class name of an error row; None where there is neither."""
    target: str
    """The name of the next place, or `"END"`."""
    bound: Bound | None = None
    """The bound of a row made by `again`; None when the row may always be taken."""

    @property
    def completes(self) -> bool:
        """Whether the place that is left has completed; an error or cancel row does not complete it."""
        return self.kind is RowKind.NEXT or self.kind is RowKind.VALUE

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}{self.describe_reason()}"

    def describe_reason(self) -> str:
        """Word why the row is taken, in brackets; empty for a plain next row."""
        parts: list[str] = []
        if self.kind is RowKind.VALUE:
            parts.append(f"{self.field} = {show_label(self.value)}")
        elif self.kind is not RowKind.NEXT:
            parts.append(self.kind.value if self.value is None else f"{self.kind.value} {self.value}")
        if self.bound:
            parts.append(f"{self.bound.count} {'>=' if self.bound.spent else '<'} {self.bound.limit}")
        return f"  [{', '.join(parts)}]" if parts else ""


def show_label(value: object) -> str:
    """Write a label as in source code, enum members by class and name."""
    return f"{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)
