"""Transitable: state graphs whose control flow is an explicit transition table, proved before the first node runs.

The public names, grouped as a graph is made: the state, the table, what is claimed of it, how it runs, and what can go
wrong. `docs/architecture.md` says which module is responsible for what. A name is loaded when it is first asked for, so
that `import transitable` itself costs next to nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it; importing `typing` for it would be most of this module's cost
if TYPE_CHECKING:
    from transitable.check.claims import (
        Claim,
        always,
        at_most_one,
        between,
        ends_at,
        exactly_one,
        inside,
        never,
        precedes,
        prove,
    )
    from transitable.check.findings import Finding
    from transitable.errors import (
        AnswerError,
        DefinitionError,
        DriverError,
        ExecutionError,
        FrozenError,
        ModelError,
        NodeTimeout,
        OptionError,
        OutcomeError,
        PlaceError,
        ResumeError,
        RunCancelled,
        RunError,
        RunFailed,
        RunLimited,
        RunPaused,
        StateError,
        StorageError,
        TableError,
        TransitableError,
        UpdateError,
    )
    from transitable.graph import Graph, NodeFunction, PlaceLike, TargetLike, Update
    from transitable.journal.codec import state_from_json, state_to_json
    from transitable.journal.cursors import cursor_from_json, cursor_to_json
    from transitable.model.frozen import FrozenDict
    from transitable.model.nodes import Retry, each, field, node, pause, subgraph, together
    from transitable.model.rows import END, Bound, Limit, Row, RowKind, again, by, limit, then
    from transitable.model.shapes import Fault
    from transitable.model.state import grows
    from transitable.model.table import Table
    from transitable.render import parse_mermaid
    from transitable.run.context import Context
    from transitable.run.decisions import decide
    from transitable.run.events import Event, EventKind
    from transitable.run.failures import Failure
    from transitable.run.handle import Handle
    from transitable.run.kernel import advance, begin, list_questions, pending
    from transitable.run.policy import Clock, ManualClock, ResumeOptions, RunOptions, SystemClock
    from transitable.run.result import Run
    from transitable.run.work import Cursor, Outcome, Question, Status, Work, answered, done, raised

__all__ = [
    # the state
    "FrozenDict", "grows", "state_from_json", "state_to_json",
    # the table
    "END", "Bound", "Graph", "Limit", "NodeFunction", "PlaceLike", "Retry", "Row", "RowKind", "Table", "TargetLike", "Update",
    "again", "by", "each", "field", "limit", "node", "pause", "subgraph", "then", "together",
    # what is found and claimed
    "Claim", "Fault", "Finding", "always", "at_most_one", "between", "ends_at", "exactly_one", "inside", "never", "parse_mermaid", "precedes", "prove",
    # how it runs
    "Clock", "Context", "Event", "EventKind", "Failure", "Handle", "ManualClock", "Question", "ResumeOptions", "Run", "RunOptions", "Status", "SystemClock",
    # the kernel, by hand
    "Cursor", "Outcome", "Work", "advance", "answered", "begin", "cursor_from_json", "cursor_to_json", "decide", "done", "list_questions", "pending", "raised",
    # what can go wrong
    "AnswerError", "DefinitionError", "DriverError", "ExecutionError", "FrozenError", "ModelError", "NodeTimeout", "OptionError",
    "OutcomeError", "PlaceError", "ResumeError", "RunCancelled", "RunError", "RunFailed", "RunLimited", "RunPaused", "StateError",
    "StorageError", "TableError", "TransitableError", "UpdateError",
]  # fmt: skip

_HOMES = {
    "transitable.check.claims": (
        "Claim",
        "always",
        "at_most_one",
        "between",
        "ends_at",
        "exactly_one",
        "inside",
        "never",
        "precedes",
        "prove",
    ),
    "transitable.check.findings": ("Finding",),
    "transitable.errors": (
        "AnswerError",
        "DefinitionError",
        "DriverError",
        "ExecutionError",
        "FrozenError",
        "ModelError",
        "NodeTimeout",
        "OptionError",
        "OutcomeError",
        "PlaceError",
        "ResumeError",
        "RunCancelled",
        "RunError",
        "RunFailed",
        "RunLimited",
        "RunPaused",
        "StateError",
        "StorageError",
        "TableError",
        "TransitableError",
        "UpdateError",
    ),
    "transitable.graph": ("Graph", "NodeFunction", "PlaceLike", "TargetLike", "Update"),
    "transitable.journal.codec": ("state_from_json", "state_to_json"),
    "transitable.journal.cursors": ("cursor_from_json", "cursor_to_json"),
    "transitable.model.frozen": ("FrozenDict",),
    "transitable.model.nodes": ("Retry", "each", "field", "node", "pause", "subgraph", "together"),
    "transitable.model.rows": ("END", "Bound", "Limit", "Row", "RowKind", "again", "by", "limit", "then"),
    "transitable.model.shapes": ("Fault",),
    "transitable.model.state": ("grows",),
    "transitable.model.table": ("Table",),
    "transitable.render": ("parse_mermaid",),
    "transitable.run.context": ("Context",),
    "transitable.run.decisions": ("decide",),
    "transitable.run.events": ("Event", "EventKind"),
    "transitable.run.failures": ("Failure",),
    "transitable.run.handle": ("Handle",),
    "transitable.run.kernel": ("advance", "begin", "list_questions", "pending"),
    "transitable.run.policy": ("Clock", "ManualClock", "ResumeOptions", "RunOptions", "SystemClock"),
    "transitable.run.result": ("Run",),
    "transitable.run.work": ("Cursor", "Outcome", "Question", "Status", "Work", "answered", "done", "raised"),
}
"""Where each public name lives."""
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a public name from its module, once."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'transitable' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
