"""What is wrong with a table: all findings at once.

Responsible for: `Finding`, the list of codes, and `find_problems`, which runs every check. Each check is a function of
a module beside this one, which reports what it finds and never refuses. Not for: raising (`transitable.graph` does).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import attrs

from transitable.check.branches import check_branches
from transitable.check.claims import check_claims
from transitable.check.cycles import check_bounds, check_cycles
from transitable.check.failures import check_error_rows, check_notes
from transitable.check.reach import check_cancel, check_reach
from transitable.check.writes import check_parts, check_pauses, check_writes
from transitable.errors import find_nearest
from transitable.model.rows import Row
from transitable.model.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from transitable.model.table import Table

Level = Literal["error", "warning"]

ERRORS: Final = (
    "state-not-frozen", "unreadable-field", "grows-not-tuple",
    "empty-table", "no-start", "not-a-place", "bad-name", "duplicate-name", "dead-end",
    "bad-signature", "bad-return", "unknown-write", "wrong-write-type", "count-written", "given-written",
    "each-items", "each-into", "subgraph-state", "undeclared-part", "overlapping-writes", "pause-question",
    "unknown-field", "open-branch", "alike-members", "unwritten-branch", "unknown-member", "missing-member", "dead-row",
    "bad-error-row", "bad-count", "bad-limit", "unreachable", "no-end", "unbounded-cycle",
    "unknown-claim", "broken-claim", "unknown-silence",
)  # fmt: skip
"""Codes of findings with which no graph is built."""
WARNINGS: Final = ("unnoted-errors", "one-way-branch", "idle-bound", "idle-cancel")
"""Codes of findings that can be silenced."""
LEVELS: Final[Mapping[str, Level]] = {**dict.fromkeys(ERRORS, "error"), **dict.fromkeys(WARNINGS, "warning")}
"""The level of every code."""
LOST: Final = frozenset(
    {
        "empty-table",
        "no-start",
        "not-a-place",
        "bad-name",
        "duplicate-name",
        "unknown-field",
        "open-branch",
        "alike-members",
    }
)
"""Codes of what leaves a row unresolved. Paths are not judged then: what they show could follow from it."""


@attrs.frozen
class Finding:
    """One thing that is wrong, or worth a look."""

    code: str
    """What kind of thing; stable, and a section of its own in the reference of findings."""
    level: Level
    """`error`: no graph is built. `warning`: it can be silenced by its code."""
    places: tuple[str, ...]
    """The names of the places concerned; empty when it is about the state class or the whole table."""
    found: str
    """What was found."""
    fix: str
    """What to do."""
    path: tuple[Row, ...] = ()
    """The rows that show it: a cycle, or the path that breaks a claim; empty where none do."""

    def __str__(self) -> str:
        head = f"{self.level} {self.code}: {self.found}; {self.fix}"
        return "\n".join([head, *(f"      {row}" for row in self.path)])


def find_problems(table: Table, claims: Iterable[Any] = (), silence: Iterable[str] = ()) -> tuple[Finding, ...]:
    """Run every check on a table; nothing is raised, whatever the table is like.

    Args:
        table: The compiled table. Graphs inside it were checked when they were built.
        claims: What its author claims of its paths.
        silence: Codes of warnings that its author knows of.

    Returns:
        All errors and all warnings that are not silenced, each once, in the order of the checks.
    """
    silent = tuple(silence)
    problems = {each[:4]: each for each in (*_find_all(table, tuple(claims)), *_check_silence(silent))}
    findings = (Finding(each.code, LEVELS[each.code], *each[1:]) for each in problems.values())
    return tuple(each for each in findings if each.level == "error" or each.code not in silent)


def _find_all(table: Table, claims: tuple[Any, ...]) -> list[Problem]:
    found = [Problem(code, (), what, fix) for code, what, fix in table.model.problems]
    if found and not table.model.names:  # no fields are known, so nothing can be said of them
        return found
    found.extend(table.problems)
    for check in (check_writes, check_parts, check_pauses, check_branches, check_error_rows, check_notes):
        found.extend(check(table))
    if LOST.isdisjoint(problem.code for problem in found):
        for check in (check_reach, check_cycles, check_bounds, check_cancel):
            found.extend(check(table))
        found.extend(check_claims(table, claims))
    return found


def _check_silence(silence: tuple[str, ...]) -> Iterator[Problem]:
    for code in silence:
        if LEVELS.get(code) == "error":
            yield Problem(
                "unknown-silence",
                (),
                f"silence names {code!r}, which is an error",
                "mend it: only warnings can be silenced",
            )
        elif code not in LEVELS:
            nearest = find_nearest(code, WARNINGS)
            fix = f"did you mean {nearest!r}?" if nearest else f"one of {', '.join(WARNINGS)}"
            yield Problem("unknown-silence", (), f"silence names {code!r}, which is no code", fix)
