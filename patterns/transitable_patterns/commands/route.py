"""`transitable route`: one request from the command line, or many from a file or from standard input.

Exit codes: 0 every request has a reply; 1 a line held no request (the others have theirs); 2 nothing could be started: wrong usage, or a file that was
named (rules, database, config, requests) cannot be used.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from transitable_patterns.routing import (
    RoutingError,
    RoutingState,
    RulesRouter,
    open_shop,
    read_policy,
    read_rule_book,
    routing_graph,
)
from transitable_patterns.routing.batch import Answered, OpenRequestsWriter, describe_state, is_open, route_all
from transitable_patterns.routing.requests import BadLine, read_csv, read_jsonl, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from transitable import Graph, Run
    from transitable_patterns.routing.requests import NumberedRequest

BAD_LINES: Final = 1
"""Exit code where lines held no request."""
BAD_FILE: Final = 2
"""Exit code where a file that was named cannot be used, so that nothing could be started."""
FORMATS: Final = ("lines", "jsonl", "csv")
"""Formats of many requests."""
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("text", required=False)
@click.option("--user", help="User who is signed in: orders are shown to their owner only.")
@click.option("--account", help="Account that is signed in.")
@click.option("--json", "as_json", is_flag=True, help="Print the final state as JSON, one object a request.")
@click.option("--rules", type=_FILE, help="Rule book in TOML instead of the shipped one.")
@click.option("--database", type=_FILE, help="SQLite file with orders and products instead of the samples.")
@click.option("--config", type=_FILE, help="Thresholds and limits, in TOML or JSON.")
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="Many requests; - is standard input.",
)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Format of the file; by its ending, else a request a line."
)
@click.option(
    "--columns",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of a CSV for input, user_id, account_id or metadata.NAME.",
)
@click.option(
    "--export",
    type=click.Path(dir_okay=False, writable=True),
    help="Write clarified and escalated requests to this CSV.",
)
@click.option("--timing", is_flag=True, help="Measure each attempt of a router (results then differ from run to run).")
def route(
    text: str | None,
    user: str | None,
    account: str | None,
    as_json: bool,
    rules: Path | None,
    database: Path | None,
    config: Path | None,
    file: str | None,
    form: str | None,
    columns: tuple[str, ...],
    export: str | None,
    timing: bool,
) -> None:
    """Answer a support request, and show which way it took.

    Without TEXT, requests are read from --file, or from standard input: one a line, JSON Lines, or a CSV with a header.

    Exit codes: 0 every request has a reply, 1 some lines held no request, 2 wrong usage or a file that cannot be used.
    """
    if text is not None and file is not None:
        raise click.UsageError("give either TEXT or --file")
    if text is None and file is None and not is_anybody_piping():
        raise click.UsageError("give TEXT or --file, or send requests to standard input")
    defaults = {key: value for key, value in (("user_id", user), ("account_id", account)) if value is not None}
    try:
        with ExitStack() as stack:
            graph = _build(stack, rules, database, config, timing=timing)
            refuse_overwriting(export, (file, rules, database, config))
            writer = OpenRequestsWriter(stack.enter_context(open_export(export))) if export is not None else None
            if text is not None:
                answered = Answered(1, graph.run(RoutingState(request={**defaults, "input": _repair(text)})))
                click.echo(to_line(describe_state(answered.run.state)) if as_json else describe_run(answered.run))
                if writer is not None:
                    writer.add(answered)
                return
            requests = read_requests(stack, file or "-", form, defaults, parse_columns(columns))
            bad = _route_many(graph, requests, writer, as_json=as_json)
    except RoutingError as problem:
        click.echo(f"error: {problem}", err=True)
        sys.exit(BAD_FILE)
    if bad:
        sys.exit(BAD_LINES)


def describe_run(run: Run[RoutingState]) -> str:
    """Describe one run for people: the reply, then the decision and the way."""
    state = run.state
    confidence = "none" if state.route_confidence is None else f"{state.route_confidence:.2f}"
    lines = [
        state.final_output or "",
        "",
        f"route       {state.route}",
        f"confidence  {confidence}",
        f"reason      {state.route_reason}",
        f"path        {' > '.join(run.places)}",
    ]
    if state.requires_human_review:
        lines.append("review      a person takes over")
    lines += [f"error       {error}" for error in state.errors]
    return show("\n".join(lines))


def describe_line(answered: Answered) -> str:
    """Describe one of many runs on one line."""
    state = answered.run.state
    confidence = "-" if state.route_confidence is None else f"{state.route_confidence:.2f}"
    mark = "!" if state.requires_human_review else " "
    return show(
        f"{answered.line:>6} {state.route or '-':<18} {confidence:>4} {mark} {' '.join(state.input.split())[:80]}"
    )


def to_line(value: Mapping[str, Any]) -> str:
    """Write one JSON object on one line; halves of surrogate pairs, which no file can hold, are replaced."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


def show(text: str) -> str:
    """Make a text safe for a terminal: control characters but the line feed become visible marks."""
    return "".join(each if each == "\n" or each.isprintable() else "\ufffd" for each in text)


def parse_columns(columns: Iterable[str]) -> dict[str, str]:
    """Read `FIELD=COLUMN` pairs; without any, the column `input` is the text.

    Raises:
        click.BadParameter: If a pair has no `=`, or names a field that a request does not have.
    """
    pairs = {"input": "input"}
    for pair in columns:
        field, equals, column = pair.partition("=")
        if (
            not equals
            or not column
            or not (field in ("input", "user_id", "account_id") or field.removeprefix("metadata.") != field)
        ):
            raise click.BadParameter(
                f"{pair!r}; expected input, user_id, account_id or metadata.NAME, then = and a column",
                param_hint="--columns",
            )
        pairs[field] = column
    return pairs


def read_requests(
    stack: ExitStack, file: str, form: str | None, defaults: Mapping[str, Any], columns: Mapping[str, str]
) -> Iterator[NumberedRequest | BadLine]:
    """Open a file of requests, or standard input for `-`, and read it lazily; bytes that are not UTF-8 are replaced."""
    stream = stack.enter_context(click.open_file(file, encoding="utf-8", errors="replace"))
    kind = form or {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}.get(Path(file).suffix, "lines")
    if kind == "csv":
        return read_csv(stream, defaults, columns)
    return read_jsonl(stream, defaults) if kind == "jsonl" else read_lines(stream, defaults)


def refuse_overwriting(export: str | None, read: Iterable[str | Path | None]) -> None:
    """Refuse an export onto a file that is read: it would be gone before it is read.

    Raises:
        click.BadParameter: If it is one of them.
    """
    present = [Path(each) for each in read if each is not None and Path(each).exists()]
    if export is not None and Path(export).exists() and any(Path(export).samefile(each) for each in present):
        raise click.BadParameter(f"{export} is read in this call; give another file", param_hint="--export")


def open_export(path: str) -> TextIO:
    """Open the file of an export; it is written anew.

    Raises:
        click.BadParameter: If it cannot be written.
    """
    try:
        return Path(path).open("w", encoding="utf-8", errors="replace", newline="")
    except OSError as problem:
        raise click.BadParameter(str(problem), param_hint="--export") from problem


def _build(
    stack: ExitStack, rules: Path | None, database: Path | None, config: Path | None, *, timing: bool
) -> Graph[RoutingState]:
    router = RulesRouter(read_rule_book(rules))
    policy = read_policy(config)
    clock = time.perf_counter if timing else None
    if database is None:
        return routing_graph(router, policy=policy, clock=clock)
    shop = open_shop(database)
    stack.callback(shop.close)
    return routing_graph(router, orders=shop, catalogue=shop, policy=policy, clock=clock)


def _route_many(
    graph: Graph[RoutingState],
    requests: Iterator[NumberedRequest | BadLine],
    writer: OpenRequestsWriter | None,
    *,
    as_json: bool,
) -> int:
    """Answer many requests as they come, and say at the end how many; gives the number of bad lines."""
    answered = bad = unsettled = 0
    for item in with_progress(route_all(graph, requests)):
        if isinstance(item, BadLine):
            bad += 1
            click.echo(f"line {item.line}: {show(item.reason)}", err=True)
            continue
        answered += 1
        unsettled += is_open(item.run.state)
        click.echo(to_line({"line": item.line, **describe_state(item.run.state)}) if as_json else describe_line(item))
        if writer is not None:
            writer.add(item)
    click.echo(
        f"{answered} answered, {unsettled} of them clarified or escalated; {bad} lines without a request", err=True
    )
    return bad


def is_anybody_piping() -> bool:
    """Tell if standard input comes from something else than a keyboard."""
    return not sys.stdin.isatty()


def is_progress_wanted() -> bool:
    """Tell if messages go to a terminal and results do not."""
    return sys.stderr.isatty() and not sys.stdout.isatty()


def with_progress(items: Iterator[Answered | BadLine]) -> Iterator[Answered | BadLine]:
    """Show on a terminal how many requests are done, where the results themselves go elsewhere."""
    if not is_progress_wanted():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.completed:.0f} requests"), TimeElapsedColumn(), console=Console(stderr=True)
    )
    with bar:
        task = bar.add_task("requests", total=None)
        for item in items:
            yield item
            bar.advance(task)


def _repair(text: str) -> str:
    """Replace bytes of an argument that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
