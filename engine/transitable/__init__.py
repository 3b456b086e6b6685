"""Transitable: state graphs whose control flow is an explicit transition table, proved before the first node runs.

The public names, grouped as a graph is made: the state, the table, what is claimed of it, how it runs, and what can go
wrong. `docs/architecture.md` says which module is responsible for what.
"""

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
from transitable.model.frozen import FrozenDict
from transitable.model.nodes import Retry, each, field, node, pause, subgraph, together
from transitable.model.rows import END, Bound, Limit, Row, RowKind, again, by, limit, then
from transitable.model.shapes import Fault
from transitable.model.state import grows
from transitable.model.table import Table
from transitable.run.context import Context
from transitable.run.decisions import decide
from transitable.run.events import Event, EventKind
from transitable.run.failures import Failure
from transitable.run.handle import Handle
from transitable.run.kernel import advance, begin, list_questions, pending
from transitable.run.policy import Clock, ManualClock, RunOptions, SystemClock
from transitable.run.result import Run
from transitable.run.work import Cursor, Outcome, Question, Status, Work, answered, done, raised

__all__ = [
    # the state
    "FrozenDict", "grows",
    # the table
    "END", "Bound", "Graph", "Limit", "NodeFunction", "PlaceLike", "Retry", "Row", "RowKind", "Table", "TargetLike", "Update",
    "again", "by", "each", "field", "limit", "node", "pause", "subgraph", "then", "together",
    # what is found and claimed
    "Claim", "Fault", "Finding", "always", "at_most_one", "between", "ends_at", "exactly_one", "inside", "never", "precedes", "prove",
    # how it runs
    "Clock", "Context", "Event", "EventKind", "Failure", "Handle", "ManualClock", "Question", "Run", "RunOptions", "Status", "SystemClock",
    # the kernel, by hand
    "Cursor", "Outcome", "Work", "advance", "answered", "begin", "decide", "done", "list_questions", "pending", "raised",
    # what can go wrong
    "AnswerError", "DefinitionError", "DriverError", "ExecutionError", "FrozenError", "ModelError", "NodeTimeout", "OptionError",
    "OutcomeError", "PlaceError", "ResumeError", "RunCancelled", "RunError", "RunFailed", "RunLimited", "RunPaused", "StateError",
    "StorageError", "TableError", "TransitableError", "UpdateError",
]  # fmt: skip
