"""Claims about all paths of a graph, and their proofs.

Responsible for: the vocabulary (`precedes`, `between`, `never`, `exactly_one`, `at_most_one`, `always`, `ends_at`) and
`prove`, which looks for the shortest path that breaks a claim. Not for: the graph that it walks
(`transitable.check.flow`), nor what a reference names (`transitable.check.references`).

Limits of loops are ignored: a path that only a limit forbids still counts as a path, so what is proved holds whatever
the limits are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from transitable.check.flow import expand, find_shortest
from transitable.check.references import Inside, Unknown, find_place, find_reference, inside, show_reference
from transitable.errors import PlaceError
from transitable.model.table import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from transitable.check.flow import Edge, Flow
    from transitable.model.rows import Row
    from transitable.model.table import Table


@attrs.frozen(eq=False)
class Claim:
    """A statement about all paths of a graph."""

    kind: str
    """The function that made it, for instance `precedes`."""
    subjects: tuple[Any, ...]
    """The places or rows that it is about, first argument first."""
    target: Any = None
    """The place that is reached; None for claims about visits."""
    through: Any = None
    """The place or row that `between` asks for; None elsewhere."""

    def __str__(self) -> str:
        first = ", ".join(map(show_reference, self.subjects))
        if self.kind == "never":
            return f"never(after={first}, reach={show_reference(self.target)})"
        parts = [first, *([show_reference(self.target)] if self.target is not None else [])]
        if self.kind == "between":
            parts.append(f"through={show_reference(self.through)}")
        return f"{self.kind}({', '.join(parts)})"


def precedes(first: Any, then: Any) -> Claim:
    """Claim that every path to `then` has completed `first`, or has taken that row.

    Args:
        first: A place, which an error exit does not complete; or a row `(place, value)`, of which a bounded one counts
            only by its bounded arm.
        then: A place, or `END`.
    """
    return Claim("precedes", (first,), then)


def between(start: Any, end: Any, *, through: Any) -> Claim:
    """Claim that every path that leaves `start` and reaches `end` completes `through` in between, on every round.

    Coming by `start` again does not end the obligation.

    Args:
        start: A place, left by any row; or a row `(place, value)`, by both its arms.
        end: A place, or `END`.
        through: A place, or a row by its bounded arm.
    """
    return Claim("between", (start,), end, through)


def never(*, after: Any, reach: Any) -> Claim:
    """Claim that no path from a place or row reaches a place.

    Args:
        after: A place, left by any row; or a row `(place, value)`, by both its arms.
        reach: A place, or `END`.
    """
    return Claim("never", (after,), reach)


def exactly_one(*places: Any) -> Claim:
    """Claim that every complete path visits these places once in all, at one of them.

    Raises:
        PlaceError: If no place is given.
    """
    return Claim("exactly_one", _check_any("exactly_one", places))


def at_most_one(*places: Any) -> Claim:
    """Claim that no complete path visits these places more than once in all.

    Raises:
        PlaceError: If no place is given.
    """
    return Claim("at_most_one", _check_any("at_most_one", places))


def always(place: Any) -> Claim:
    """Claim that every complete path visits a place."""
    return Claim("always", (place,))


def ends_at(*places: Any) -> Claim:
    """Claim that every complete path ends by a row from one of these places of the table itself.

    Raises:
        PlaceError: If no place is given.
    """
    return Claim("ends_at", _check_any("ends_at", places))


def _check_any(kind: str, places: tuple[Any, ...]) -> tuple[Any, ...]:
    if not places:
        raise PlaceError(f"{kind}(...)", "no place", "at least one")
    return places


def prove(table: Table, claim: Claim, flow: Flow | None = None) -> tuple[Row, ...] | None:
    """Look for a path that breaks a claim; linear in rows.

    Args:
        table: The table, with every target resolved.
        claim: What should hold.
        flow: The table's flow, where several claims share it; None makes it.

    Returns:
        The breaking path with the fewest rows, first row first, from the start of the table, rows of places inside with
        full names (`use_tools/think`); empty when the start itself breaks it; None when the claim holds.

    Raises:
        PlaceError: If the claim names what is not in the table.
    """
    try:
        return PROOFS[claim.kind](flow if flow is not None else expand(table), table, claim)
    except Unknown as unknown:
        raise PlaceError(str(claim), unknown.found, unknown.fix) from None


def _prove_precedes(flow: Flow, table: Table, claim: Claim) -> tuple[Row, ...] | None:
    first = find_reference(flow, table, claim.subjects[0])
    goals = _find_entries(flow, {find_place(flow, table, claim.target, may_end=True).position})

    def step(edge: Edge, _mark: int) -> int | None:
        return None if first.is_met_by(edge) else 0

    return find_shortest(flow, step, marks=1, first=0, goals=goals, wanted=(0,))


def _prove_between(flow: Flow, table: Table, claim: Claim) -> tuple[Row, ...] | None:
    """The mark is 1 while the start was left and the requirement is still open."""
    start = find_reference(flow, table, claim.subjects[0])
    goals = _find_entries(flow, {find_place(flow, table, claim.target, may_end=True).position})
    through = find_reference(flow, table, claim.through) if claim.kind == "between" else None

    def step(edge: Edge, mark: int) -> int:
        if start.is_left_by(edge):
            return 1
        return 0 if through is not None and through.is_met_by(edge) else mark

    return find_shortest(flow, step, marks=2, first=0, goals=goals, wanted=(1,))


def _prove_visits(flow: Flow, table: Table, claim: Claim) -> tuple[Row, ...] | None:
    """The mark counts visits: none, one, more."""
    counted = {find_place(flow, table, place).position for place in claim.subjects}
    entered = flow.entered

    def step(edge: Edge, mark: int) -> int:
        return min(mark + 1, 2) if entered[edge.target] in counted else mark

    first = int(entered[flow.start] in counted)
    wanted = (0, 2) if claim.kind == "exactly_one" else (2,)
    return find_shortest(flow, step, marks=3, first=first, goals=(flow.end,), wanted=wanted)


def _prove_always(flow: Flow, table: Table, claim: Claim) -> tuple[Row, ...] | None:
    position = find_place(flow, table, claim.subjects[0]).position
    entered = flow.entered

    def step(edge: Edge, _mark: int) -> int | None:
        return None if entered[edge.target] == position else 0

    if entered[flow.start] == position:
        return None
    return find_shortest(flow, step, marks=1, first=0, goals=(flow.end,), wanted=(0,))


def _prove_ends_at(flow: Flow, table: Table, claim: Claim) -> tuple[Row, ...] | None:
    """The mark is 1 once the end was reached from elsewhere."""
    for place in claim.subjects:
        if isinstance(place, Inside):
            raise Unknown(
                f"{show_reference(place)} never leads to END itself",
                f"name the place around it: {show_reference(place.chain[0])}",
            )
    allowed = {find_place(flow, table, place).position for place in claim.subjects}

    def step(edge: Edge, _mark: int) -> int:
        return int(edge.target == flow.end and edge.position not in allowed)

    return find_shortest(flow, step, marks=2, first=0, goals=(flow.end,), wanted=(1,))


def _find_entries(flow: Flow, positions: set[int]) -> set[int]:
    """Find the vertices where positions are visited."""
    return {vertex for vertex, position in enumerate(flow.entered) if position in positions}


PROOFS: dict[str, Callable[[Flow, Table, Claim], tuple[Row, ...] | None]] = {
    "precedes": _prove_precedes,
    "between": _prove_between,
    "never": _prove_between,
    "exactly_one": _prove_visits,
    "at_most_one": _prove_visits,
    "always": _prove_always,
    "ends_at": _prove_ends_at,
}


def check_claims(table: Table, claims: Sequence[Any]) -> Iterator[Problem]:
    """Report claims that do not hold, and claims about what is not there."""
    flow = expand(table) if claims else None
    for claim in claims:
        if not isinstance(claim, Claim):
            yield Problem("unknown-claim", (), f"{claim!r} is no claim", f"make it with one of {', '.join(PROOFS)}")
            continue
        try:
            path = prove(table, claim, flow)
        except PlaceError as error:
            yield Problem("unknown-claim", (), f"{claim}: {error.found}", error.expected)
            continue
        if path is not None:
            yield Problem(
                "broken-claim",
                _list_places(path),
                f"{claim} does not hold",
                "change the rows of this path, or the claim",
                path,
            )


def _list_places(path: tuple[Row, ...]) -> tuple[str, ...]:
    """List the places on a path in order, each once."""
    return tuple(dict.fromkeys(row.source for row in path))


__all__ = [
    "Claim",
    "always",
    "at_most_one",
    "between",
    "check_claims",
    "ends_at",
    "exactly_one",
    "inside",
    "never",
    "precedes",
    "prove",
]
