"""Figures of a routing graph on labelled requests: accuracy, questions, wrong specialists, hand-overs, by group.

`python -m transitable_patterns.routing.measure FILE` prints the table of docs/reference/routing.md, for JSON Lines with
`text`, `route`, `lang` and `kind`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from .graph import routing_graph
from .state import Route, RoutingState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from transitable import Graph


@frozen
class Figures:
    """Counts of one group of requests, and the shares that follow from them."""

    requests: int
    """Requests of the group."""
    right: int
    """Those that took the route of their label."""
    asked: int
    """Those of a specialist that were clarified."""
    wrong: int
    """Those that went to a specialist that is not their label."""
    handed: int
    """Those that a person takes over."""

    @property
    def accuracy(self) -> float:
        """Share that took the route of the label."""
        return self.right / self.requests

    @property
    def question(self) -> float:
        """Share that was asked instead of answered."""
        return self.asked / self.requests

    @property
    def wrong_specialist(self) -> float:
        """Share that went to a wrong specialist."""
        return self.wrong / self.requests

    @property
    def review(self) -> float:
        """Share that a person takes over."""
        return self.handed / self.requests


def read_labelled(path: Path) -> list[dict[str, Any]]:
    """Read labelled requests from JSON Lines; blank lines are skipped."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def measure(graph: Graph[RoutingState], requests: Iterable[Mapping[str, Any]]) -> dict[str, Figures]:
    """Run each request, and count by group: all, then each language, route and kind, each sorted by name."""
    outcomes: dict[str, list[tuple[bool, bool, bool, bool]]] = {}
    for request in requests:
        state = graph.run(RoutingState(request=request["text"])).state
        right = state.route == request["route"]
        asked = not right and state.route is Route.CLARIFY
        outcome = (right, asked, not right and not asked, state.requires_human_review)
        for group in ("all", *(f"{name} {request[name]}" for name in ("lang", "route", "kind"))):
            outcomes.setdefault(group, []).append(outcome)
    order = {"all": 0, "lang": 1, "route": 2, "kind": 3}
    names = sorted(outcomes, key=lambda name: (order[name.split()[0]], name))
    return {
        name: Figures(len(outcomes[name]), *(sum(column) for column in zip(*outcomes[name], strict=True)))
        for name in names
    }


def tabulate(figures: Mapping[str, Figures]) -> str:
    """Write the figures as a Markdown table, a line for each group."""
    lines = [
        "| group | requests | accuracy | asked instead | wrong specialist | to a person |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, each in figures.items():
        shares = (each.accuracy, each.question, each.wrong_specialist, each.review)
        lines.append(f"| {name} | {each.requests} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(tabulate(measure(routing_graph(), read_labelled(Path(sys.argv[1])))) + "\n")
