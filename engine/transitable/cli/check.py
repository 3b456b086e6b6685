"""`transitable check`: what is wrong with a graph, what is proved of it, and how long it can run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from transitable.check.claims import prove
from transitable.cli.references import find_graph
from transitable.errors import TableError, TransitableError

if TYPE_CHECKING:
    from transitable.check.findings import Finding
    from transitable.graph import Graph

SOUND, UNSOUND, UNUSABLE = 0, 1, 2
"""Exit codes: no errors; errors; the reference leads to no graph."""


@click.command()
@click.argument("reference", metavar="MODULE:GRAPH")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.pass_context
def check(ctx: click.Context, reference: str, as_json: bool) -> None:
    """Check a graph: all findings, every claim, the longest run.

    Exit code 0: the graph is sound (warnings do not count); 1: it has errors; 2: there is no such graph.
    """
    try:
        report = report_graph(find_graph(reference))
    except TableError as error:
        report = {
            "graph": error.graph,
            "sound": False,
            "findings": list(error.findings),
            "claims": None,
            "longest_run": None,
        }
    except TransitableError as error:
        click.echo(f"error: {error}", err=True)
        ctx.exit(UNUSABLE)
    click.echo(json.dumps(report, default=show_finding, ensure_ascii=False) if as_json else word_report(report))
    ctx.exit(SOUND if report["sound"] else UNSOUND)


def report_graph(graph: Graph[Any]) -> dict[str, Any]:
    """Collect what is known of a graph that could be built; its claims are proved once more, not taken on trust."""
    claims = [(str(claim), prove(graph.table, claim)) for claim in graph.claims]
    return {
        "graph": graph.name,
        "sound": all(path is None for _, path in claims),
        "findings": list(graph.warnings),
        "claims": [
            {"claim": claim, "holds": path is None, "path": list(map(str, path or ()))} for claim, path in claims
        ],
        "longest_run": graph.longest_run,
        "places": len(graph.table.places),
        "rows": len(graph.rows),
    }


def show_finding(finding: Finding) -> dict[str, Any]:
    """Turn a finding into JSON."""
    names = ("code", "level", "places", "found", "fix")
    return {name: getattr(finding, name) for name in names} | {"path": list(map(str, finding.path))}


def word_report(report: dict[str, Any]) -> str:
    """Word a report in lines, the verdict first."""
    findings = report["findings"]
    errors = sum(finding.level == "error" for finding in findings)
    lines = [f"{report['graph']}: {'sound' if report['sound'] else f'{errors} error' + 's' * (errors != 1)}"]
    if report["longest_run"] is not None:
        lines.append(f"  {report['places']} places, {report['rows']} rows, longest run {report['longest_run']} steps")
    for each in report["claims"] or ():
        lines.append(f"  {'holds ' if each['holds'] else 'broken'}  {each['claim']}")
        lines.extend(f"      {row}" for row in each["path"])
    lines.extend(f"  {finding}" for finding in findings)
    return "\n".join(lines)
