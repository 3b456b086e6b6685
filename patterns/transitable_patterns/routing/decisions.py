"""From a router's raw output to a decision, or to the reason why it is none.

Nothing is guessed: a label is exact after normalisation, a confidence is a number, and what is missing stays missing. What a
decision leads to is for `validation` to say.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from attrs import frozen

from .errors import ScoreError, clip
from .jsontypes import is_items, is_mapping
from .scores import fix_score
from .state import Code, Route

_LABELS: Final[Mapping[str, Route]] = {route.value: route for route in Route}
_DEEPEST: Final = 6
"""Levels of a raw output that are kept."""
_LONGEST: Final = 2_000
"""Characters of one text, and items of one list, of a raw output that are kept."""


@frozen
class Candidate:
    """One route that the router weighed."""

    route: Route
    """The label."""
    score: float
    """Its score, from 0 to 1; scores need not add up to 1."""


@frozen
class Decision:
    """What a router decided."""

    route: Route
    """The label it chose."""
    confidence: float
    """Its confidence in that label, from 0 to 1."""
    reason: str = ""
    """Short explanation; `""` where it gave none."""
    candidates: tuple[Candidate, ...] = ()
    """What else it weighed, in its order; none where it does not say."""
    intents: tuple[Route, ...] = ()
    """Wishes that it saw, in its order; two and more are several wishes in one request."""
    unsupported: bool = False
    """Whether it knows the request to be outside of what the labels cover."""


@frozen
class Rejection:
    """Why a raw output is not a decision."""

    code: Code
    """`unknown_label` for a readable output with a wrong label, else `invalid_decision`."""
    field: str
    """The field of the output that is wrong; `decision` for the whole."""
    found: str
    """What stands there."""


@frozen
class Usage:
    """What one attempt cost, as far as the router says."""

    tokens: int | None = None
    """Tokens in and out; `None` where unknown."""
    cost: float | None = None
    """Money, in the router's currency; `None` where unknown."""


@frozen
class _Reader:
    """Reads one mapping; `aliases` are further spellings of labels."""

    aliases: Mapping[str, Route]

    def read(self, raw: Mapping[str, Any]) -> Decision | Rejection:
        label = self.label(raw.get("route"), "route")
        if isinstance(label, Rejection):
            return label
        confidence = _read_score(raw.get("confidence"), "confidence")
        if isinstance(confidence, Rejection):
            return confidence
        candidates = self.candidates(raw.get("candidates"))
        if isinstance(candidates, Rejection):
            return candidates
        intents = self.intents(raw.get("intents"))
        if isinstance(intents, Rejection):
            return intents
        reason = raw.get("reason")
        return Decision(
            label,
            confidence,
            reason if isinstance(reason, str) else "",
            candidates,
            intents,
            raw.get("unsupported") is True,
        )

    def label(self, value: object, where: str) -> Route | Rejection:
        if not isinstance(value, str):
            return Rejection(Code.UNKNOWN_LABEL, where, _show(value))
        label = normalise_label(value)
        route = _LABELS.get(label) or self.aliases.get(label)
        return Rejection(Code.UNKNOWN_LABEL, where, repr(value)) if route is None else route

    def candidates(self, value: Any) -> tuple[Candidate, ...] | Rejection:
        if value is None:
            return ()
        if not is_items(value):
            return Rejection(Code.INVALID_DECISION, "candidates", _show(value))
        found: list[Candidate] = []
        for place, item in enumerate(value):
            where = f"candidates[{place}]"
            if not is_mapping(item):
                return Rejection(Code.INVALID_DECISION, where, _show(item))
            route = self.label(item.get("route"), f"{where}.route")
            if isinstance(route, Rejection):
                return route
            score = _read_score(item.get("score"), f"{where}.score")
            if isinstance(score, Rejection):
                return score
            found.append(Candidate(route, score))
        return tuple(found)

    def intents(self, value: Any) -> tuple[Route, ...] | Rejection:
        if value is None:
            return ()
        if not is_items(value):
            return Rejection(Code.INVALID_DECISION, "intents", _show(value))
        found: list[Route] = []
        for place, item in enumerate(value):
            route = self.label(item, f"intents[{place}]")
            if isinstance(route, Rejection):
                return route
            found.append(route)
        return tuple(dict.fromkeys(found))


def normalise_label(label: str) -> str:
    """Bring a label to its one spelling: NFKC, stripped, case-folded, spaces and hyphens to `_`."""
    return unicodedata.normalize("NFKC", label).strip().casefold().replace(" ", "_").replace("-", "_")


def read_decision(raw: object, aliases: Mapping[str, Route]) -> Decision | Rejection:
    """Read a raw output, as `to_json` left it.

    Only a mapping can be a decision: a bare label has no confidence, and a sentence is not a label.
    """
    if not is_mapping(raw):
        return Rejection(Code.INVALID_DECISION, "decision", _show(raw))
    return _Reader(aliases).read(raw)


def read_usage(raw: object) -> Usage:
    """Read what an attempt cost; unknown where the output does not say it in numbers."""
    usage: Any = raw.get("usage") if is_mapping(raw) else None
    if not is_mapping(usage):
        return Usage()
    tokens, cost = usage.get("tokens"), usage.get("cost")
    return Usage(
        tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None,
        float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0 else None,
    )


def to_json(raw: object, *, depth: int = 0) -> Any:
    """Copy a raw output into JSON values, so that the state can hold it whatever a router gave back.

    A `Decision` becomes its mapping. What JSON has no value for (objects, NaN, deep or endless nesting) becomes a text that
    names it, and so can never be taken for a label or a confidence.
    """
    if raw is None or isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        return clip(str(raw).encode("utf-8", "replace").decode("utf-8"), _LONGEST)
    if isinstance(raw, int):
        return int(raw) if abs(raw) < 1 << 63 else f"int of {raw.bit_length()} bits"
    if isinstance(raw, float):
        return float(raw) if raw - raw == 0 else f"float {raw!r}"
    if isinstance(raw, Decision):
        return _decision_to_json(raw)
    if depth < _DEEPEST and is_mapping(raw):
        pairs = list(raw.items())[:_LONGEST]
        return {_key_to_json(key): to_json(value, depth=depth + 1) for key, value in pairs}
    if depth < _DEEPEST and is_items(raw):
        return [to_json(item, depth=depth + 1) for item in raw[:_LONGEST]]
    return f"object of type {type(raw).__qualname__}"


def show_raw(raw: object) -> str:
    """Write a raw output, as `to_json` left it, on one line."""
    return json.dumps(raw, ensure_ascii=False, default=dict)


def _key_to_json(key: object) -> str:
    return to_json(key) if isinstance(key, str) else f"key of type {type(key).__qualname__}"


def _decision_to_json(decision: Decision) -> dict[str, Any]:
    return {
        "route": to_json(decision.route),
        "confidence": to_json(decision.confidence),
        "reason": to_json(decision.reason),
        "candidates": [{"route": str(each.route), "score": to_json(each.score)} for each in decision.candidates],
        "intents": [str(intent) for intent in decision.intents],
        "unsupported": decision.unsupported,
    }


def _read_score(value: object, where: str) -> float | Rejection:
    try:
        fix_score(value)
    except ScoreError:
        return Rejection(Code.INVALID_DECISION, where, _show(value))
    number: Any = value
    return float(number)


def _show(value: object) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {value!r:.80}"
