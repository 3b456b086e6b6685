"""Every threshold and limit of the routing pattern, in one frozen class, each with its source.

The numbers are starting points, not findings: a threshold is worth what it was fitted on. Nothing in a request can change
one; only the operator who builds the graph can.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from attrs import field, fields, frozen

from transitable import FrozenDict

from .datafile import Faults, read_text_file, suggest
from .decisions import normalise_label
from .errors import FileFault, PolicyFileError
from .jsontypes import is_items, is_table
from .state import Language, Route

if TYPE_CHECKING:
    from pathlib import Path

SHORTEST_SECRET: Final = 8
"""Characters below which a secret is refused: masking it would mask ordinary words."""

_NO_ALIASES: Final[FrozenDict[str, Route]] = FrozenDict()
_NO_NUMBERS: Final[FrozenDict[Route, float]] = FrozenDict()


def _by_route(values: Mapping[Any, float]) -> Mapping[Route, float]:
    return FrozenDict({_as_route(key): value for key, value in values.items()})


def _by_alias(values: Mapping[str, Any]) -> Mapping[str, Route]:
    return FrozenDict({normalise_label(alias): _as_route(route) for alias, route in values.items()})


def _as_route(value: Any) -> Any:
    """Read a label where it is one; leave anything else for the check, which names it."""
    return Route(value) if value in tuple(Route) else value


def _as_routes(values: Any) -> Any:
    return tuple(_as_route(value) for value in values) if is_items(values) else values


@frozen
class RoutingPolicy:
    """Thresholds, limits and permissions of a routing graph.

    Raises:
        PolicyFileError: If values are out of range; all of them at once.
    """

    confidence_threshold: float = 0.6
    """Confidence from which a route is taken. A placeholder to be fitted: peers ship 0.3 to 0.82 (RA-01)."""
    thresholds: Mapping[Route, float] = field(default=_NO_NUMBERS, converter=_by_route)
    """Thresholds of single routes; an explicit 0.0 is 0.0. None by default (RF-P1)."""
    misroute_cost: Mapping[Route, float] = field(default=_NO_NUMBERS, converter=_by_route)
    """What a wrong visit of a route costs, in clarifying questions; raises its threshold to cost / (1 + cost) (RA-35)."""
    margin: float = 0.1
    """Gap between the two best candidates below which they are too close; Rasa's `ambiguity_threshold` (RA-20)."""
    multi_intent: Literal["clarify", "priority"] = "clarify"
    """What two wishes in one request lead to; a question by default, as in the first implementation (RA-19)."""
    priority: tuple[Route, ...] = field(default=(), converter=_as_routes)
    """Order of routes for `multi_intent="priority"`; there is no built-in one (RA-19)."""
    max_route_retries: int = 2
    """Attempts to classify after the first, for bad output and failures together (RA-07, RA-08)."""
    max_invalid_retries: int = 1
    """How many of them may be spent on outputs that are no decision (RA-08)."""
    max_input_chars: int = 8_000
    """Characters of a request above which it is not classified (RA-31)."""
    allow_route_override: bool = False
    """Whether `metadata.route_override` of a request is honoured; for tests only (RA-22)."""
    disabled_routes: tuple[Route, ...] = field(default=(), converter=_as_routes)
    """Routes that lead to clarification whatever the router says (RF-P10, RA-38)."""
    label_aliases: Mapping[str, Route] = field(default=_NO_ALIASES, converter=_by_alias)
    """Further spellings of labels that routers may use, normalised as labels are (RA-04)."""
    person_after_turns: int | None = None
    """Clarifying turns of one conversation after which a person takes over; `None` for never (RA-18, RF-P7)."""
    max_options: int = 3
    """Choices that a clarifying question or a list offers at most (RA-34)."""
    default_language: Language = Language.EN
    """Language of a reply to a text without letters (RA-32)."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts that appear in no error and no trace, such as keys; 8 characters and more (EA-06)."""

    def __attrs_post_init__(self) -> None:
        """Check every value and report all that are out of range."""
        faults = _check_policy(self)
        if faults:
            raise PolicyFileError("RoutingPolicy", faults)

    def threshold_of(self, route: Route) -> float:
        """Tell the confidence from which a route is taken, its cost included."""
        threshold = self.thresholds.get(route, self.confidence_threshold)
        cost = self.misroute_cost.get(route, 0.0)
        return max(threshold, cost / (1 + cost))


def read_policy(path: Path | None) -> RoutingPolicy:
    """Read a policy from a TOML or JSON file with the fields of `RoutingPolicy` as keys; `None` gives the defaults.

    Raises:
        PolicyFileError: If the file cannot be read, is not TOML or JSON, names an unknown setting or holds a bad value.
    """
    if path is None:
        return RoutingPolicy()
    source = str(path)
    text = read_text_file(path, PolicyFileError)
    try:
        data: Any = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as broken:
        raise PolicyFileError(source, (FileFault("the file", str(broken), "TOML or JSON"),)) from broken
    if not is_table(data):
        raise PolicyFileError(source, (FileFault("the file", type(data).__name__, "a table of settings"),))
    known = [each.name for each in fields(RoutingPolicy)]
    settings = dict(data)
    unknown = tuple(
        FileFault(name, "an unknown setting", f"one of the fields of RoutingPolicy{suggest(name, known)}")
        for name in settings
        if name not in known
    )
    if unknown:
        raise PolicyFileError(source, unknown)
    if settings.get("default_language") in tuple(Language):
        settings["default_language"] = Language(settings["default_language"])
    secrets: Any = settings.get("secrets")
    if is_items(secrets):
        settings["secrets"] = tuple(secrets)
    try:
        return RoutingPolicy(**settings)
    except PolicyFileError as bad:
        raise PolicyFileError(source, bad.faults) from bad
    except (TypeError, AttributeError) as bad:
        raise PolicyFileError(source, (FileFault("the file", str(bad), "tables for settings by route"),)) from bad


def _check_policy(policy: RoutingPolicy) -> tuple[FileFault, ...]:
    faults = Faults()
    _check_scores(policy, faults)
    _check_counts(policy, faults)
    _check_labels(policy, faults)
    if policy.multi_intent not in ("clarify", "priority"):
        faults.add("multi_intent", repr(policy.multi_intent), '"clarify" or "priority"')
    if policy.multi_intent == "priority" and not policy.priority:
        faults.add("priority", "no order", 'the routes in their order, as multi_intent is "priority"')
    if type(policy.allow_route_override) is not bool:
        faults.add("allow_route_override", repr(policy.allow_route_override), "true or false")
    if policy.default_language not in tuple(Language):
        faults.add("default_language", repr(policy.default_language), "one of " + ", ".join(Language))
    for place, secret in enumerate(policy.secrets):
        if type(secret) is not str or len(secret) < SHORTEST_SECRET or "*" in secret:
            faults.add(
                f"secrets[{place}]", "a secret that cannot be masked", f"{SHORTEST_SECRET} characters or more, none a *"
            )
    return faults.found


def _check_scores(policy: RoutingPolicy, faults: Faults) -> None:
    numbers: dict[str, Any] = {"confidence_threshold": policy.confidence_threshold, "margin": policy.margin}
    numbers |= {f"thresholds.{route}": number for route, number in policy.thresholds.items()}
    for where, number in numbers.items():
        if not _is_number(number) or not 0 <= number <= 1:
            faults.add(where, repr(number), "a number from 0 to 1")
    for route, cost in policy.misroute_cost.items():
        if not _is_number(cost) or cost < 0:
            faults.add(f"misroute_cost.{route}", repr(cost), "a number of 0 or more")


def _check_counts(policy: RoutingPolicy, faults: Faults) -> None:
    counts: dict[str, tuple[Any, int]] = {
        "max_route_retries": (policy.max_route_retries, 0),
        "max_invalid_retries": (policy.max_invalid_retries, 0),
        "max_input_chars": (policy.max_input_chars, 1),
        "max_options": (policy.max_options, 1),
    }
    if policy.person_after_turns is not None:
        counts["person_after_turns"] = (policy.person_after_turns, 1)
    for where, (count, least) in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < least:
            faults.add(where, repr(count), f"a whole number of {least} or more")


def _check_labels(policy: RoutingPolicy, faults: Faults) -> None:
    labels: dict[str, Any] = {f"thresholds.{route}": route for route in policy.thresholds}
    labels |= {f"misroute_cost.{route}": route for route in policy.misroute_cost}
    labels |= {f"priority[{place}]": route for place, route in enumerate(policy.priority)}
    labels |= {f"disabled_routes[{place}]": route for place, route in enumerate(policy.disabled_routes)}
    labels |= {f"label_aliases.{alias}": route for alias, route in policy.label_aliases.items()}
    for where, label in labels.items():
        if not isinstance(label, Route):
            faults.add(where, repr(label), f"a label{suggest(str(label), list(Route))}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
