"""`transitable run`: one run of a graph, step by step, from a state in JSON.

Responsible for: reading the state, driving the run (async graphs too) and the exit code. Not for: how steps look; see
`transitable.cli.reporters`.
"""

from __future__ import annotations

import asyncio
import json
from typing import IO, TYPE_CHECKING, Any

import click

from transitable.cli.references import find_graph
from transitable.cli.reporters import choose_reporter
from transitable.errors import DefinitionError, TableError, TransitableError
from transitable.journal.codec import state_from_json
from transitable.run.work import Status

if TYPE_CHECKING:
    from transitable.cli.reporters import Reporter
    from transitable.graph import Graph
    from transitable.run.handle import Handle
    from transitable.run.policy import RunOptions

EXIT_CODES = {Status.COMPLETED: 0, Status.FAILED: 1, Status.PAUSED: 3, Status.LIMIT: 4, Status.CANCELLED: 5}
"""Exit codes by status; 2 is for what could not be started."""
INTERRUPTED = 130
"""The exit code of a run that was stopped from the keyboard, as shells count signals."""


class StateFileError(DefinitionError):
    """A file holds no JSON; `line` counts from 1, 0 when it is not known."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def describe(self) -> str:
        """Say which file, where and why."""
        where = f", line {self.line}" if self.line else ""
        return f"{self.file}{where}: found no JSON ({self.reason}); expected an object with the fields of the state"


@click.command()
@click.argument("reference", metavar="MODULE:GRAPH")
@click.option(
    "--state", "file", type=click.File("rb"), help="JSON file with the state, - for standard input; default {}."
)
@click.option("--max-steps", type=click.IntRange(min=1), help="Stop with LIMIT after this many steps.")
@click.option(
    "--max-seconds", type=click.FloatRange(min=0, min_open=True), help="Stop with LIMIT after this many seconds."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: an event each, then the end.")
@click.option("--traceback", is_flag=True, help="If the run fails, print the traceback as well.")
@click.pass_context
def run(
    ctx: click.Context,
    reference: str,
    *,
    file: IO[bytes] | None,
    max_steps: int | None,
    max_seconds: float | None,
    as_json: bool,
    traceback: bool,
) -> None:
    """Run a graph: its steps as they happen, then status and state.

    On a terminal the steps are shown live; piped, they are plain lines, or JSON lines with --json.

    Exit code 0: COMPLETED; 1: FAILED, or the graph has errors; 2: the run could not be started; 3: PAUSED; 4: LIMIT;
    5: CANCELLED; 130: interrupted from the keyboard.
    """
    try:
        graph = find_graph(reference)
        state = read_state(graph, file)
        options: RunOptions = {}
        if max_steps is not None:
            options["max_steps"] = max_steps
        if max_seconds is not None:
            options["max_seconds"] = max_seconds
        handle = graph.start(state, **options)
    except TransitableError as error:
        click.echo(f"error: {error}", err=True)
        ctx.exit(1 if isinstance(error, TableError) else 2)
    reporter = choose_reporter(as_json=as_json)
    interrupted = not drive(graph, handle, reporter)
    reporter.close(handle.run, interrupted=interrupted)
    failure = handle.run.failure
    if traceback and failure is not None:
        click.echo(failure.traceback, err=True, nl=False)
    ctx.exit(INTERRUPTED if interrupted else EXIT_CODES[handle.status])


def read_state(graph: Graph[Any], file: IO[bytes] | None) -> Any:
    """Read the state that a run starts from; without a file, all fields have their defaults.

    Raises:
        StateFileError: If the file is no JSON.
        StateError: If the JSON does not fit the state class.
    """
    cls: type[Any] = graph.table.model.cls
    if file is None:
        return state_from_json(cls, {})
    name = str(getattr(file, "name", "standard input"))
    try:
        data = json.loads(file.read())
    except json.JSONDecodeError as error:
        raise StateFileError(name, error.lineno, error.msg) from error
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise StateFileError(name, 0, str(error)) from error
    return state_from_json(cls, data)


def drive(graph: Graph[Any], handle: Handle[Any], reporter: Reporter) -> bool:
    """Run to rest and report every event; False when the keyboard interrupted it."""
    try:
        if graph.table.async_name is None:
            for event in handle:
                reporter.report(event)
        else:
            asyncio.run(_drive_async(handle, reporter))
    except KeyboardInterrupt:
        return False
    except SystemExit as error:  # a node's exit must not pass for an exit code of this command
        raise click.ClickException(
            f"a node asked the process to exit with {error.code!r}; raise an error instead"
        ) from error
    return True


async def _drive_async(handle: Handle[Any], reporter: Reporter) -> None:
    async for event in handle:
        reporter.report(event)
