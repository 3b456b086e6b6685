"""`Graph`: a table that passed its checks, plus the doors.

Responsible for: building (compile, check, prove, or raise with all findings) and the short ways to run, draw and resume.
A graph never changes once it is built. Not for: what is behind the doors.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast

import attrs

from transitable.check.bounds import longest_run
from transitable.check.claims import Claim
from transitable.check.findings import Finding, find_problems
from transitable.errors import OptionError, PlaceError, TableError, find_nearest
from transitable.model.compiler import compile_table
from transitable.model.nodes import PlaceOf
from transitable.model.rows import Again, By, End, Then
from transitable.model.state import describe_state
from transitable.model.table import Table
from transitable.run import sync
from transitable.run.context import Context
from transitable.run.handle import Handle, resume_session, start_session
from transitable.run.result import Run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from typing import Unpack

    from transitable.model.rows import Row
    from transitable.run.events import Event
    from transitable.run.failures import Failure
    from transitable.run.policy import ResumeOptions, RunOptions

S = TypeVar("S")
Update = Mapping[str, object] | None
"""What a node hands back: the changed fields, or None."""
NodeFunction = (
    Callable[[S], Update]
    | Callable[[S], Awaitable[Update]]
    | Callable[[S, Context], Update]
    | Callable[[S, Context], Awaitable[Update]]
)
"""A function that is a place."""


def check_parts(name: object, table: object, calls: Mapping[str, object], lists: Mapping[str, object]) -> None:
    """Refuse arguments of a graph that are not of their kind at all.

    Raises:
        PlaceError: If the name is no text, the table no mapping, a list none, or something to call cannot be called.
    """
    if name is not None and not isinstance(name, str):
        raise PlaceError("the name of a graph", repr(name), "a text")
    if not isinstance(table, Mapping):
        raise PlaceError("the table of a graph", type(table).__qualname__, "a mapping from places to where they lead")
    for what, each in calls.items():
        if each is not None and not callable(each):
            raise PlaceError(f"{what} of a graph", repr(each), "a function")
    for what, several in lists.items():
        if not isinstance(several, (list, tuple)):
            raise PlaceError(f"{what} of a graph", repr(several), "a list or tuple")
    for invariant in cast("Sequence[object]", lists["invariants"]):
        if not callable(invariant):
            raise PlaceError("an invariant of a graph", repr(invariant), "a function of the state that gives a bool")


@attrs.frozen(eq=False, init=False, repr=False)
class Graph(Generic[S]):
    """A state graph whose wiring is proved sound.

    Args:
        state_class: A frozen attrs class.
        start: The first place.
        table: For every place where it leads: a target, `then(...)`, `by(...)`, `again(...)` or `END`.
        note: `note(state, failure, row)` gives the update by which a failure enters the state when a row catches it.
        claims: What must hold on every path; proved before the graph exists.
        invariants: Named predicates of the state; they hold at the end of every run.
        on_cancel: The place that a cancelled run goes to; None stops it where it is.
        name: What the graph is called as a place and in messages; None takes the state class's name.
        silence: Codes of warnings that are not to be reported.

    Raises:
        TableError: With all findings, if there are any errors.
    """

    table: Table
    """The compiled table."""
    claims: tuple[Claim, ...]
    """The proved claims."""
    warnings: tuple[Finding, ...]
    """Findings that do not forbid the graph, without the silenced ones."""

    def __init__(
        self,
        state_class: type[S],
        *,
        start: PlaceLike[S],
        table: Mapping[PlaceLike[S], TargetLike[S]],
        note: Callable[[S, Failure, Row], Update] | None = None,
        claims: Sequence[Claim] = (),
        invariants: Sequence[Callable[[S], bool]] = (),
        on_cancel: PlaceLike[S] | None = None,
        name: str | None = None,
        silence: Sequence[str] = (),
    ) -> None:
        check_parts(name, table, {"note": note}, {"claims": claims, "invariants": invariants, "silence": silence})
        model = describe_state(state_class)
        called = name or str(getattr(state_class, "__name__", "graph"))
        compiled = compile_table(
            model, start, table, note=note, on_cancel=on_cancel, name=called, invariants=tuple(invariants)
        )
        findings = find_problems(compiled, tuple(claims), tuple(silence))
        errors = tuple(finding for finding in findings if finding.level == "error")
        if errors:
            raise TableError(called, errors)
        warnings = tuple(finding for finding in findings if finding.level != "error")
        self.__attrs_init__(compiled, tuple(claims), warnings)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]  # attrs makes it

    @property
    def name(self) -> str:
        """What the graph is called as a place and in messages."""
        return self.table.name

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, in the order they were written; error and cancel rows as well."""
        return self.table.rows

    @property
    def hash(self) -> str:
        """SHA-256 of the wiring, as hex: changed by any row, unchanged by comments, order and the number of a limit."""
        return self.table.hash

    @property
    def longest_run(self) -> int:
        """The most steps that a run can take, with every limit at its cap."""
        return longest_run(self.table)

    def __eq__(self, other: object) -> bool:
        """Graphs are equal that have the same name, state class, wiring, limits and claims."""
        if not isinstance(other, Graph):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.name, self.hash))

    def _key(self) -> tuple[object, ...]:
        table = self.table
        return (self.name, table.model.cls, table.hash, frozenset(map(str, table.rows)), tuple(map(str, self.claims)))

    def __repr__(self) -> str:
        return (
            f"<Graph {self.name!r}: {len(self.table.places)} places, {len(self.rows)} rows, {len(self.claims)} claims>"
        )

    # -- the doors

    def start(self, state: S, **options: Unpack[RunOptions]) -> Handle[S]:
        """Start a run and give it into the caller's hands; it goes on while the handle is iterated or finished.

        Raises:
            StateError: If the state does not fit its class.
            OptionError: If an option is unknown or out of range.
        """
        return Handle(start_session(self.table, state, options))

    def run(self, state: S, **options: Unpack[RunOptions]) -> Run[S]:
        """Run to rest, in this thread.

        Raises:
            StateError: If the state does not fit its class.
            OptionError: If an option is unknown or out of range.
            DriverError: If the graph has async places, or an event loop is running.
        """
        session = start_session(self.table, state, options)
        sync.refuse_async(self.table)
        sync.run_to_rest(session)
        return Run(session)

    async def arun(self, state: S, **options: Unpack[RunOptions]) -> Run[S]:
        """Run to rest, in this event loop; raises like `run`."""
        from transitable.run import aio  # the async door: asyncio is loaded by who uses it

        session = start_session(self.table, state, options)
        await aio.run_to_rest(session)
        return Run(session)

    def stream(self, state: S, **options: Unpack[RunOptions]) -> Iterator[Event]:
        """Run, and give each event as it happens; raises like `run`."""
        return iter(self.start(state, **options))

    def astream(self, state: S, **options: Unpack[RunOptions]) -> AsyncIterator[Event]:
        """Run in this event loop, and give each event as it happens; raises like `run`."""
        return aiter(self.start(state, **options))

    def reopen(self, run: Run[S], **options: Unpack[ResumeOptions]) -> Handle[S]:
        """Take a run at rest into the hands again; it goes on while the handle is iterated or finished.

        Args:
            run: A run of this graph that is PAUSED, FAILED or LIMIT, or RUNNING because its task was cancelled.
            options: Answers, and how much more it may do; the rest as for `run`.

        Raises:
            ResumeError: If the run cannot go on like this.
            AnswerError: If an answer is refused; nothing has run.
            OptionError: If an option is unknown or out of range.
        """
        return Handle(resume_session(self.table, run, options))

    def resume(self, run: Run[S], **options: Unpack[ResumeOptions]) -> Run[S]:
        """Go on with a run at rest, to its next rest; arguments and errors as for `reopen`."""
        return self.reopen(run, **options).finish()

    async def aresume(self, run: Run[S], **options: Unpack[ResumeOptions]) -> Run[S]:
        """Go on with a run at rest, in this event loop; arguments and errors as for `reopen`."""
        return await self.reopen(run, **options).afinish()

    def draw(self, form: Literal["table", "mermaid", "dot"] = "table") -> str:
        """Draw the table as a Markdown table, a Mermaid flowchart or a Graphviz graph.

        Raises:
            OptionError: If there is no such form.
        """
        from transitable.render import FORMS  # only for who draws, so that importing the engine stays cheap

        if form not in FORMS:
            raise OptionError("form", f"found {form!r}", f"one of {', '.join(FORMS)}", find_nearest(form, FORMS))
        return FORMS[form](self.table)


PlaceLike = NodeFunction[S] | PlaceOf[S, Update | Awaitable[Update]] | Graph[S]
"""What can stand as a place."""
TargetLike = PlaceLike[S] | End | Then | By | Again
"""What a place can lead to."""

__all__ = ["Graph", "NodeFunction", "PlaceLike", "TargetLike", "Update"]
