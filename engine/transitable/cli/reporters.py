"""How a run is shown: live on a terminal, as plain lines, or as JSON lines.

Responsible for: words and forms. Not for: driving the run.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import attrs
import click
from rich.console import Console
from rich.text import Text

from transitable.errors import StateError
from transitable.journal.codec import state_to_json
from transitable.journal.leaves import exact_type
from transitable.model.rows import show_label
from transitable.run.events import EventKind
from transitable.run.work import Status

if TYPE_CHECKING:
    from transitable.model.rows import Row
    from transitable.run.events import Event
    from transitable.run.result import Run

COLOURS = {
    Status.COMPLETED: "green",
    Status.FAILED: "red",
    Status.PAUSED: "yellow",
    Status.LIMIT: "yellow",
    Status.CANCELLED: "magenta",
}


class Reporter(Protocol):
    """Shows one run."""

    def report(self, event: Event) -> None:
        """Show one event, as it happens."""
        ...

    def close(self, run: Run[Any], *, interrupted: bool) -> None:
        """Show how the run rests."""
        ...


def choose_reporter(*, as_json: bool) -> Reporter:
    """Choose by where standard output goes: JSON lines when asked for, live on a terminal, else plain lines."""
    if as_json:
        return JsonReporter()
    return LiveReporter(Console()) if sys.stdout.isatty() else PlainReporter()


def word_event(event: Event) -> str | None:
    """Word an event in one line; None for those that only a program needs."""
    where = "/".join(map(str, event.address))
    if event.kind is EventKind.FINISHED and event.row is not None:
        failure = f"  ({event.failure})" if event.failure is not None else ""
        return f"{event.step:>4}  {where} -> {event.row.target}{event.row.describe_reason()}{failure}"
    if event.kind is EventKind.RETRIED:
        return f"{event.step:>4}  {where} is tried again  ({event.failure})"
    if event.kind is EventKind.EMITTED:
        return f"{event.step:>4}  {where}: {json.dumps(to_plain(event.value), ensure_ascii=False)}"
    if event.kind is EventKind.ASKED and event.question is not None:
        return f"{event.step:>4}  {where} asks  ({event.question.id})"
    return None


def word_end(run: Run[Any], *, interrupted: bool) -> list[str]:
    """Word how a run rests: the status with its reason, and what it waits for."""
    status = "interrupted" if interrupted else str(run.status)
    where = f" at {run.place}" if run.place is not None else ""
    lines = [f"{status}{where} after {run.steps} step{'s' * (run.steps != 1)}{f': {run.reason}' if run.reason else ''}"]
    lines.extend(
        f"  question {each.id}: {json.dumps(to_plain(each.text), ensure_ascii=False)}" for each in run.questions
    )
    return lines


class PlainReporter:
    """Writes one line a step, then status and state."""

    def report(self, event: Event) -> None:
        """Write one line."""
        line = word_event(event)
        if line is not None:
            click.echo(line)

    def close(self, run: Run[Any], *, interrupted: bool) -> None:
        """Write status and state."""
        for line in word_end(run, interrupted=interrupted):
            click.echo(line)
        click.echo(json.dumps(write_state(run.state), ensure_ascii=False, indent=2))


class JsonReporter:
    """Writes one JSON object a line, ASCII only."""

    def report(self, event: Event) -> None:
        """Write one event; its end is written by `close`, with the state."""
        if event.kind is not EventKind.ENDED:
            click.echo(json.dumps(show_event(event)))

    def close(self, run: Run[Any], *, interrupted: bool) -> None:
        """Write how the run rests, with its state."""
        end = {
            "event": "ended",
            "status": "interrupted" if interrupted else str(run.status),
            "reason": run.reason,
            "place": run.place,
            "steps": run.steps,
            "path": list(run.places),
            "failure": to_plain(run.failure),
            "questions": [{"id": each.id, "text": to_plain(each.text)} for each in run.questions],
            "state": write_state(run.state),
        }
        click.echo(json.dumps(end))


class LiveReporter:
    """Shows on a terminal which place is working, and every step that is done."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.status = console.status("")
        self.status.start()

    def report(self, event: Event) -> None:
        """Show one event."""
        if event.kind is EventKind.STARTED:
            self.status.update(Text(f"{event.step:>4}  {'/'.join(map(str, event.address))} ..."))
        line = word_event(event)
        if line is not None:
            self.console.print(Text(line, style="red" if event.failure is not None else ""))

    def close(self, run: Run[Any], *, interrupted: bool) -> None:
        """Show status and state."""
        self.status.stop()
        head, *rest = word_end(run, interrupted=interrupted)
        self.console.print(Text(head, style="yellow" if interrupted else f"bold {COLOURS[run.status]}"))
        for line in rest:
            self.console.print(Text(line))
        self.console.print_json(json.dumps(write_state(run.state)), indent=2)


def write_state(state: Any) -> Any:
    """Write a state as `--state` takes it; one that cannot come back the same is shown as well as it can be."""
    try:
        return state_to_json(state)
    except StateError:
        return to_plain(state)


def show_event(event: Event) -> dict[str, Any]:
    """Turn an event into JSON; keys that do not belong to its kind are left out."""
    shown = {
        "event": str(event.kind),
        "step": event.step,
        "place": "/".join(map(str, event.address)),
        "at": event.at,
        "row": show_row(event.row) if event.row is not None else None,
        "changes": to_plain(event.changes),
        "value": to_plain(event.value),
        "failure": to_plain(event.failure),
        "question": event.question.id if event.question is not None else None,
    }
    return {key: value for key, value in shown.items() if value is not None}


def show_row(row: Row) -> dict[str, Any]:
    """Turn a row into JSON, its label as in source code."""
    shown = {"kind": str(row.kind), "target": row.target}
    if row.field is not None:
        shown |= {"field": row.field, "value": show_label(row.value)}
    return (
        shown
        if row.bound is None
        else shown | {"bound": str(row.bound.limit), "count": row.bound.count, "spent": row.bound.spent}
    )


def to_plain(value: Any) -> Any:
    """Turn any value into JSON for reading only; what has no JSON form becomes text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if attrs.has(exact_type(value)):
        return {field.name: to_plain(getattr(value, field.name)) for field in attrs.fields(exact_type(value))}
    if issubclass(exact_type(value), Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if issubclass(exact_type(value), (tuple, list, frozenset, set)):
        return [to_plain(each) for each in value]
    return str(value)
