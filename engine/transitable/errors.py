"""The error tree: every error that the engine raises, and nothing else.

```
TransitableError
├── DefinitionError (ValueError)      what was written is wrong, before anything runs
│   ├── TableError                    a table with findings; all of them at once
│   ├── PlaceError (TypeError)        a composite, policy or row was built from something that cannot be one
│   └── OptionError (TypeError)       an option of a run is unknown or out of its range
├── ExecutionError (RuntimeError)     a run met something that it refuses
│   ├── StateError (ValueError)       a state handed in, or read from JSON, does not fit its class
│   ├── UpdateError (ValueError)      a place handed back an update that is refused
│   ├── AnswerError (ValueError)      an answer to a pause is refused; the question stays open
│   ├── OutcomeError (LookupError)    an outcome for work that is not pending
│   ├── DriverError                   the wrong door: async work under `run`, `run` inside a running event loop
│   ├── ResumeError                   a run that cannot be resumed like this
│   ├── NodeTimeout (TimeoutError)    an attempt took longer than its place allows
│   ├── FrozenError (TypeError)       an attempt to change what never changes
│   └── RunError                      `Run.unwrap()` on a run that is not COMPLETED
│       ├── RunFailed, RunPaused, RunLimited, RunCancelled
├── StorageError (OSError)            a stored record or a file cannot be used
└── ModelError                        a language model's answer cannot be used
```

Constructors take facts and keep them as attributes; the class words the message: what was found, where, what was
expected, what to do. Every error can be pickled, because its `args` are the facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from transitable.check.findings import Finding
    from transitable.model.shapes import Fault
    from transitable.run.result import Run


class TransitableError(Exception):
    """The root of all errors of this package; subclasses say in `describe` what happened and what to do."""

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> str:
        """Word the message from the facts."""
        return " ".join(str(fact) for fact in self.args)


class DefinitionError(TransitableError, ValueError):
    """What was written (a table, a policy, an option) is wrong; nothing has run."""


class TableError(DefinitionError):
    """A graph's table has findings; `findings` holds all of them, in the order of the checks."""

    def __init__(self, graph: str, findings: tuple[Finding, ...]) -> None:
        super().__init__(graph, findings)
        self.graph = graph
        self.findings = findings

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings, in order, repeats included."""
        return tuple(finding.code for finding in self.findings)

    def describe(self) -> str:
        """List every finding, a paragraph each."""
        count = len(self.findings)
        head = f"graph {self.graph!r} has {count} finding{'s' if count != 1 else ''}:"
        return "\n".join([head, *(f"  {finding}" for finding in self.findings)])


class PlaceError(DefinitionError, TypeError):
    """A place, row or policy was built from something that cannot be one."""

    def __init__(self, what: str, found: str, expected: str) -> None:
        super().__init__(what, found, expected)
        self.what = what
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Say what was built, from what, and what is needed."""
        return f"{self.what}: found {self.found}; expected {self.expected}"


class OptionError(DefinitionError, TypeError):
    """An option is unknown or out of its range; `nearest` is the known option that looks most like it, or None."""

    def __init__(self, option: str, found: str, expected: str, nearest: str | None = None) -> None:
        super().__init__(option, found, expected, nearest)
        self.option = option
        self.found = found
        self.expected = expected
        self.nearest = nearest

    def describe(self) -> str:
        """Say which option, what was given and what is allowed."""
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else ""
        return f"option {self.option!r}: {self.found}; expected {self.expected}{hint}"


class ExecutionError(TransitableError, RuntimeError):
    """A run met something that it refuses."""


def list_faults(faults: Iterable[Fault]) -> str:
    """Put faults on lines of their own, indented by two."""
    return "\n".join(f"  {fault}" for fault in faults)


class StateError(ExecutionError, ValueError):
    """A state does not fit its class; `faults` names every path, what came and what was expected."""

    def __init__(self, state_class: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(state_class, faults)
        self.state_class = state_class
        self.faults = faults

    def describe(self) -> str:
        """List the faults, a line each."""
        return f"this is not a valid {self.state_class}:\n{list_faults(self.faults)}"


class UpdateError(ExecutionError, ValueError):
    """A place handed back an update that is refused; the state stays that of the last completed place.

    It is a fault of the program, so only an error row for `UpdateError` itself catches it, never one for `Exception`.
    """

    def __init__(self, place: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(place, faults)
        self.place = place
        self.faults = faults

    def describe(self) -> str:
        """List the faults, a line each."""
        return f"the update of place {self.place!r} is refused:\n{list_faults(self.faults)}"


class AnswerError(ExecutionError, ValueError):
    """An answer is refused; the question stays open. `open_questions` are the ids that can be answered now."""

    def __init__(self, question: str, reason: str, open_questions: tuple[str, ...] = ()) -> None:
        super().__init__(question, reason, open_questions)
        self.question = question
        self.reason = reason
        self.open_questions = open_questions

    def describe(self) -> str:
        """Say why, and which questions are open."""
        open_now = ", ".join(self.open_questions) or "none"
        return f"the answer to question {self.question!r} is refused: {self.reason} (open questions: {open_now})"


class OutcomeError(ExecutionError, LookupError):
    """An outcome was handed in for work that is not pending; `pending` are the addresses that are."""

    def __init__(
        self, address: tuple[str | int, ...], reason: str, pending: Sequence[tuple[str | int, ...]] = ()
    ) -> None:
        super().__init__(address, reason, pending)
        self.address = address
        self.reason = reason
        self.pending = pending

    def describe(self) -> str:
        """Say what is wrong with the outcome, and what is pending."""
        waiting = ", ".join(map(str, self.pending)) or "nothing"
        return f"the outcome for {self.address} is refused: {self.reason} (pending: {waiting})"


class DriverError(ExecutionError):
    """A run was started through the wrong door."""

    def __init__(self, found: str, instead: str) -> None:
        super().__init__(found, instead)
        self.found = found
        self.instead = instead

    def describe(self) -> str:
        """Say what was met and which door to take."""
        return f"{self.found}; {self.instead}"


class ResumeError(ExecutionError):
    """A run cannot be resumed like this; nothing has run."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason

    def describe(self) -> str:
        """Say what the run is and what would be needed."""
        return f"a run that is {self.status} cannot go on like this: {self.reason}"


class NodeTimeout(ExecutionError, TimeoutError):  # noqa: N818  # named for what happened, as a caller says it
    """An attempt took longer than `seconds`; a result that comes later is dropped."""

    def __init__(self, place: str, seconds: float) -> None:
        super().__init__(place, seconds)
        self.place = place
        self.seconds = seconds

    def describe(self) -> str:
        """Say which place and which limit."""
        return (
            f"place {self.place!r} did not finish within {self.seconds} s; "
            "raise timeout=, or catch it with on_error={TimeoutError: ...}"
        )


class FrozenError(ExecutionError, TypeError):
    """Something that never changes was asked to change."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(what, instead)
        self.what = what
        self.instead = instead

    def describe(self) -> str:
        """Say what cannot change and how to make a new one."""
        return f"{self.what} cannot be changed; {self.instead}"


class RunError(ExecutionError):
    """`Run.unwrap()` was called on a run that is not COMPLETED; `run` keeps the state and path."""

    def __init__(self, run: Run[Any]) -> None:
        super().__init__(run)
        self.run = run

    def describe(self) -> str:
        """Say how the run rests, where, and why."""
        where = f" at {self.run.place!r}" if self.run.place else ""
        return f"the run is {self.run.status}{where}: {self.run.reason}"


class RunFailed(RunError):  # noqa: N818  # named for what happened, as a caller says it
    """The run ended FAILED; the live exception, where this process still has it, is the `__cause__`."""


class RunPaused(RunError):  # noqa: N818  # named for what happened, as a caller says it
    """The run waits for answers; see `run.questions`."""


class RunLimited(RunError):  # noqa: N818  # named for what happened, as a caller says it
    """The run stopped at a limit and can be resumed with more."""


class RunCancelled(RunError):  # noqa: N818  # named for what happened, as a caller says it
    """The run was cancelled."""


class StorageError(TransitableError, OSError):
    """A stored record or a file cannot be used."""


class ModelError(TransitableError):
    """A language model's answer cannot be used."""


def find_nearest(name: object, known: Iterable[object]) -> str | None:
    """Find the known name that looks most like `name`, or None when nothing does."""
    from difflib import get_close_matches  # only where something is already wrong: 2 ms that no import should pay

    found = get_close_matches(str(name), [str(each) for each in known], n=1, cutoff=0.5)
    return found[0] if found else None
