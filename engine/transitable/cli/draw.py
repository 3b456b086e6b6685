"""`transitable draw`: a graph as Markdown, Mermaid or Graphviz."""

from __future__ import annotations

import click

from transitable.cli.references import find_graph
from transitable.errors import TableError, TransitableError
from transitable.render import FORMS


@click.command()
@click.argument("reference", metavar="MODULE:GRAPH")
@click.option("--as", "form", type=click.Choice(list(FORMS)), default="table", show_default=True, help="The form.")
@click.pass_context
def draw(ctx: click.Context, reference: str, form: str) -> None:
    """Draw a graph from its table.

    Exit code 0: drawn; 1: the graph has errors; 2: there is no such graph.
    """
    try:
        graph = find_graph(reference)
    except TransitableError as error:
        click.echo(f"error: {error}", err=True)
        ctx.exit(1 if isinstance(error, TableError) else 2)
    click.echo(FORMS[form](graph.table), nl=False)
