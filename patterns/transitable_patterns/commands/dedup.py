"""`transitable dedup`: keep one of each group of similar records, and say which others it stands for."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from transitable.errors import TransitableError
from transitable_patterns.similarity import contrast, find_tokens, representatives, similar_pairs
from transitable_patterns.similarity.records import RecordError, choose_text_field, get_field, read_records

if TYPE_CHECKING:
    from collections.abc import Generator

    from transitable_patterns.similarity import Clusters
    from transitable_patterns.similarity.records import Record


@click.command(name="dedup")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--at-least", default="0.6", show_default=True, metavar="RATIO", help="Least Jaccard similarity of duplicates."
)
@click.option(
    "--tokens", default="mixed", show_default=True, metavar="NAME", help="words, mixed, ko_light or characters(n)."
)
@click.option(
    "--keep",
    default="first",
    show_default=True,
    metavar="first|ranked:FIELD",
    help="Which one of a group is kept; ranked keeps the highest number.",
)
@click.option("--field", metavar="NAME", help="Field that holds the text [default: text, title, body or content].")
@click.option(
    "--merge-contrasts", is_flag=True, help="Merge texts that differ in a negation, direction, number or name too."
)
@click.option("--explain", is_flag=True, help="Show the shared tokens of each dropped record.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each record.")
def command(
    file: Path,
    at_least: str,
    tokens: str,
    keep: str,
    field: str | None,
    merge_contrasts: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Find duplicates in FILE (JSON Lines, CSV with a header, or plain lines).

    Prints what is kept, what is dropped, and what each dropped record duplicates. Similar texts that differ in a
    negation, a direction, a number or a name are linked and both kept. The file is not changed.
    """
    try:
        records = read_records(file)
        name = field or choose_text_field(records, file)
        texts = [_read_text(record, name, file) for record in records]
        rank = _read_rank(records, keep, file)
        with show_progress(f"comparing {len(texts):,} records"):
            pairs = similar_pairs(texts, at_least, tokens=find_tokens(tokens))
        with show_progress(f"grouping {len(pairs):,} similar pairs"):
            clusters = representatives(texts, rank, pairs=pairs, apart=None if merge_contrasts else contrast)
    except TransitableError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        _print_json(records, clusters)
    else:
        _print_text(records, texts, clusters, explain=explain)


@contextmanager
def show_progress(what: str) -> Generator[None]:
    """Show on the terminal what is under way, and remove it; nothing when the error stream is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    click.echo(f"{what} ...", nl=False, err=True)
    try:
        yield
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)


def _read_text(record: Record, name: str, path: Path) -> str:
    text = get_field(record, name, path)
    if not isinstance(text, str):
        raise RecordError(f"{path}:{record.line}", f"field {name!r} is {json.dumps(text)}", "a string")
    return text


def _read_rank(records: list[Record], keep: str, path: Path) -> list[float]:
    """Give each record its rank, smallest best: its place in the file, or minus the number in a field."""
    if keep == "first":
        return [float(place) for place in range(len(records))]
    kind, _, name = keep.partition(":")
    if kind != "ranked" or not name:
        raise RecordError("--keep", repr(keep), "'first' or 'ranked:FIELD'")
    return [-_read_number(get_field(record, name, path), f"{path}:{record.line}", name) for record in records]


def _read_number(value: Any, where: str, name: str) -> float:
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not -float("inf") < number < float("inf"):
        raise RecordError(where, f"field {name!r} is {value!r}", "a finite number to rank by")
    return number


def _print_json(records: list[Record], clusters: Clusters) -> None:
    linked: dict[int, list[dict[str, Any]]] = {}
    for link in clusters.links:
        linked.setdefault(link.right, []).append({"line": records[link.left].line, "contrast": str(link.contrast)})
    for position, record in enumerate(records):
        head = clusters.representative[position]
        line: dict[str, Any] = {"line": record.line, "kept": head == position}
        if head != position:
            overlap = clusters.explain(position)
            line |= {
                "duplicate_of": records[head].line,
                "similarity": round(float(overlap.value), 4),
                "shared": overlap.shared,
            }
        if position in linked:
            line["contrast_with"] = linked[position]
        click.echo(json.dumps({**line, "tokens": clusters.pairs.tokens, "record": record.fields}, ensure_ascii=False))


def _print_text(records: list[Record], texts: list[str], clusters: Clusters, *, explain: bool) -> None:
    standing = set(clusters.standing)
    for position in sorted(standing):
        click.echo(f"kept     {records[position].line:>6}  {_shorten(texts[position])}")
    for position, head in enumerate(clusters.representative):
        if head == position:
            continue
        overlap = clusters.explain(position)
        click.echo(f"dropped  {records[position].line:>6}  {_shorten(texts[position])}")
        click.echo(f"         duplicates {records[head].line} ({float(overlap.value):.2f}): {_shorten(texts[head])}")
        if explain:
            click.echo(f"         {overlap}")
    for link in clusters.links:
        click.echo(
            f"linked   {records[link.right].line:>6}  with {records[link.left].line}, not merged: {link.contrast}"
        )
    pairs = clusters.pairs
    click.echo(
        f"{len(standing)} kept, {len(texts) - len(standing)} dropped of {len(texts)}; "
        f"Jaccard at least {float(pairs.at_least):g} on {pairs.tokens}"
    )


def _shorten(text: str, width: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
