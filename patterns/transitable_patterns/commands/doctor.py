"""`transitable doctor`: advice on a set-up before it is used; so far on routing.

Exit codes: 0 no advice; 1 there is advice; 2 wrong usage or a file that cannot be used.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

import click

from transitable_patterns.routing import RoutingError, RulesRouter, read_policy, read_rule_book
from transitable_patterns.routing.doctor import diagnose, read_examples

ADVICE: Final = 1
"""Exit code where there is advice."""
BAD_FILE: Final = 2
"""Exit code where a file that was named cannot be used, so that nothing could be started."""
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def doctor() -> None:
    """Look for what makes a set-up likely to go wrong."""


@doctor.command()
@click.option("--rules", type=_FILE, help="Rule book in TOML instead of the shipped one.")
@click.option("--config", type=_FILE, help="Thresholds and limits, in TOML or JSON.")
@click.option(
    "--examples", type=_FILE, help="Labelled requests as JSON Lines (text, route) instead of the shipped ones."
)
@click.option("--json", "as_json", is_flag=True, help="Print the advice as JSON.")
def routing(rules: Path | None, config: Path | None, examples: Path | None, as_json: bool) -> None:
    """Warn where routes overlap, where a category is not stable, and where a threshold invites wrong visits.

    Exit codes: 0 no advice, 1 there is advice, 2 wrong usage or a file that cannot be used.
    """
    try:
        advice = diagnose(RulesRouter(read_rule_book(rules)), read_policy(config), read_examples(examples))
    except RoutingError as problem:
        click.echo(f"error: {problem}", err=True)
        sys.exit(BAD_FILE)
    if as_json:
        click.echo(
            json.dumps([{"code": each.code, "message": each.message} for each in advice], ensure_ascii=False, indent=2)
        )
    else:
        for each in advice:
            click.echo(f"{each.code}: {each.message}")
        click.echo(f"{len(advice)} warnings" if advice else "no warnings")
    if advice:
        sys.exit(ADVICE)
