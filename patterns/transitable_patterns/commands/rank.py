"""`transitable rank`: rank the records of a file by declared criteria, with the reason of every rank."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from attrs import asdict

from transitable.errors import TransitableError
from transitable_patterns.similarity.records import RecordError, read_records

if TYPE_CHECKING:
    from transitable_patterns.similarity.records import Record
from transitable_patterns.ranking import rank_items, read_criteria


@click.command(name="rank")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--criteria",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON file of the criteria.",
)
@click.option(
    "--name",
    default="id",
    show_default=True,
    metavar="FIELD",
    help="Field that names a record; without it, its line does.",
)
@click.option(
    "--tie-break", multiple=True, metavar="CRITERION", help="Criterion that settles equal totals; may be given again."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each record.")
def command(file: Path, criteria: Path, name: str, tie_break: tuple[str, ...], as_json: bool) -> None:
    """Rank the records of FILE (JSON Lines or CSV with a header), best first.

    The criteria file holds an object: {"novelty": {"weight": 2}, "risk": {"better": "lower", "threshold": 0.7}}; each
    criterion may have better, low, high, weight and threshold. Scores are fields of a record, or of its field "scores".
    A missing or impossible score is refused, never filled in.
    """
    try:
        declared = read_criteria(_read_object(criteria))
        scores: dict[str, dict[str, Any]] = {}
        for record in read_records(file):
            item = str(record.fields.get(name, f"line {record.line}"))
            if item in scores:
                raise RecordError(f"{file}:{record.line}", f"{name} {item!r} is used twice", "one record a name")
            fields = _get_scores(record)
            scores[item] = {criterion.name: _read_score(fields.get(criterion.name)) for criterion in declared}
        ranked = rank_items(scores, declared, tie_break=tie_break)
    except TransitableError as error:
        raise click.ClickException(str(error)) from error
    for place in ranked:
        if as_json:
            shown = asdict(place, filter=lambda attribute, _: not attribute.name.startswith("_"))
            click.echo(json.dumps(shown, ensure_ascii=False))
        else:
            click.echo(str(place))


def _get_scores(record: Record) -> dict[str, Any]:
    nested = record.fields.get("scores")
    return cast("dict[str, Any]", nested) if isinstance(nested, dict) else record.fields


def _read_object(path: Path) -> dict[str, object]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RecordError(str(path), f"not JSON ({error})", "a JSON object of criteria") from None
    if not isinstance(value, dict):
        raise RecordError(str(path), f"a JSON {type(value).__name__}", "a JSON object of criteria")
    return {str(key): item for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - JSON


def _read_score(value: Any) -> Any:
    """Turn the text of a CSV cell into a number; anything else is left for the ranking to judge."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value or None
