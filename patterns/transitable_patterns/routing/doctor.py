"""When not to route: warnings about routes, rules and thresholds that make wrong visits likely.

The advice of the specification ("avoid routing where categories are unstable, where everything takes the same workflow, or
where a wrong route is worse than a question") turned into checks of labelled examples, a rule book and a policy. Nothing
here changes anything.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from .datafile import Faults, read_shipped, read_text_file, suggest
from .errors import ExampleFileError
from .jsontypes import is_table
from .lexicon import split_words
from .ports import RouterQuery
from .rulebook import RESERVED, find_unused
from .scores import compare_scores
from .state import SPECIALISTS, Route
from .text import detect_language, normalise_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .policy import RoutingPolicy
    from .routers import RulesRouter
    from .rulebook import RuleBook

SHIPPED: Final = "examples.jsonl"
"""Name of the shipped examples."""
OVERLAP: Final = 0.6
"""Share of words in common from which two examples of different routes are too alike. Ours; at 0.6 three of four words agree."""
FEWEST: Final = 5
"""Examples below which a route's category is not yet known. Ours."""
LONELY_SHARE: Final = 0.95
"""Share of all examples from which one route makes routing needless. Ours."""


@frozen
class Example:
    """One labelled request."""

    text: str
    """The request, normalised."""
    route: Route
    """Where it belongs."""
    line: int
    """Line of the file, from 1."""


@frozen
class Advice:
    """One thing that makes wrong visits likely."""

    code: str
    """Stable name of the check."""
    message: str
    """What was found and what to do."""


def read_examples(path: Path | None = None) -> tuple[Example, ...]:
    """Read labelled examples from JSON Lines with `text` and `route`; `None` reads the shipped ones.

    Raises:
        ExampleFileError: If lines are bad; all of them at once.
    """
    source = SHIPPED if path is None else str(path)
    text = read_shipped(SHIPPED) if path is None else read_text_file(path, ExampleFileError)
    faults = Faults()
    examples: list[Example] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            example = _read_example(line, number, faults)
            if example is not None:
                examples.append(example)
    if not examples and not faults.found:
        faults.add("the file", "no examples", "a JSON object with text and route on each line")
    if faults.found:
        raise ExampleFileError(source, faults.found)
    return tuple(examples)


def diagnose(router: RulesRouter, policy: RoutingPolicy, examples: Sequence[Example]) -> tuple[Advice, ...]:
    """Run every check, in a fixed order."""
    return (
        *check_shares(examples),
        *check_overlap(examples),
        *check_labels(router, policy, examples),
        *check_book(router.book),
        *check_policy(policy),
    )


def check_shares(examples: Sequence[Example]) -> tuple[Advice, ...]:
    """Warn where one route takes everything, and where a route has too few examples to be a category."""
    counts = Counter(example.route for example in examples)
    total = len(examples)
    lonely = [
        Advice(
            "one-route", f"{count} of {total} examples are {route}: routing adds a risk and no choice; use one workflow"
        )
        for route, count in counts.items()
        if total and compare_scores(count / total, LONELY_SHARE) >= 0
    ]
    few = [
        Advice("few-examples", f"{route} has {counts[route]} examples, fewer than {FEWEST}: is it a stable category?")
        for route in Route
        if counts[route] < FEWEST
    ]
    return (*lonely, *few)


def check_overlap(examples: Sequence[Example]) -> tuple[Advice, ...]:
    """Warn where examples of two routes have most of their words in common."""
    worded = [(example, frozenset(split_words(example.text))) for example in examples]
    return tuple(
        Advice(
            "overlap",
            f"line {left.line} ({left.route}) and line {right.line} ({right.route}) are almost the same request: "
            f"{left.text!r:.60} / {right.text!r:.60}; merge the routes or tell them apart",
        )
        for (left, words), (right, others) in itertools.combinations(worded, 2)
        if left.route is not right.route and words and others
        if compare_scores(len(words & others) / len(words | others), OVERLAP) >= 0
    )


def check_labels(router: RulesRouter, policy: RoutingPolicy, examples: Sequence[Example]) -> tuple[Advice, ...]:
    """Warn where the rules take an example, with enough confidence, to a specialist that it does not belong to."""
    found: list[Advice] = []
    for example in examples:
        decision = router.decide(RouterQuery(example.text, detect_language(example.text, policy.default_language)))
        wrong = decision.route in SPECIALISTS and decision.route is not example.route and len(decision.intents) < 2
        if wrong and compare_scores(decision.confidence, policy.threshold_of(decision.route)) >= 0:
            found.append(
                Advice(
                    "wrong-specialist",
                    f"line {example.line} is {example.route}, and the rules say {decision.route} at "
                    f"{decision.confidence:.2f} ({decision.reason}): {example.text!r:.80}",
                )
            )
    return tuple(found)


def check_book(book: RuleBook) -> tuple[Advice, ...]:
    """Warn of phrases that alone give a point and more to different routes, and of concepts and rules without effect."""
    routes: dict[str, set[Route]] = {}
    for name, bit in book.lexicon.bit.items():
        if name not in RESERVED:
            alone = [rule for rule in book.rules if rule.needs == bit and not rule.any and rule.weight >= 1]
            routes[name] = {rule.route for rule in alone}
    homes: dict[str, set[str]] = {}
    for name in routes:
        for phrase in book.concepts[name]:
            homes.setdefault(phrase, set()).add(name)
    shared = [
        Advice(
            "shared-phrase",
            f"{phrase!r} speaks for {' and '.join(sorted(claimed))} (concepts {', '.join(sorted(names))})",
        )
        for phrase, names in sorted(homes.items())
        if len(claimed := {route for name in names for route in routes[name]}) > 1
    ]
    unused = [Advice("no-effect", str(fault)) for fault in find_unused(book)]
    return (*shared, *unused)


def check_policy(policy: RoutingPolicy) -> tuple[Advice, ...]:
    """Warn of thresholds that let everything or nothing through, and of routes without a cost of a wrong visit."""
    found: list[Advice] = []
    for route in SPECIALISTS:
        threshold = policy.threshold_of(route)
        if compare_scores(threshold, 0.5) < 0:
            found.append(
                Advice(
                    "low-threshold",
                    f"{route} is taken from a confidence of {threshold:.2f}: more often wrong than right",
                )
            )
        if compare_scores(threshold, 1.0) == 0:
            found.append(Advice("closed-route", f"{route} asks for a confidence of 1: hardly a request will reach it"))
    if policy.allow_route_override:
        found.append(
            Advice("open-override", "allow_route_override lets every caller pick a specialist; for tests only")
        )
    if compare_scores(policy.margin, 0.0) == 0:
        found.append(Advice("no-margin", "margin is 0: two routes that are equally likely are never asked about"))
    return tuple(found)


def _read_example(line: str, number: int, faults: Faults) -> Example | None:
    where = f"line {number}"
    try:
        row: Any = json.loads(line)
    except ValueError as broken:
        faults.add(where, str(broken), "a JSON object with text and route")
        return None
    if not is_table(row):
        faults.add(where, type(row).__name__, "a JSON object with text and route")
        return None
    text = normalise_text(faults.text(row, "text", f"{where}.text"))
    label: Any = row.get("route")
    if label not in tuple(Route):
        faults.add(f"{where}.route", repr(label), f"one of {', '.join(Route)}{suggest(str(label), list(Route))}")
        return None
    return Example(text, Route(label), number)
