"""Contrast: similar texts that must not be merged, because they differ in a negation, a direction, a number or a named entity.

It knows only the words of `contrast_rules`; it finds no contrast of meaning. When in doubt it keeps two texts apart, which
costs a duplicate; merging opposites would lose one of them.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Final

from attrs import frozen

from transitable_patterns.similarity.contrast_rules import DEFAULT_RULES
from transitable_patterns.similarity.tokens import fold

if TYPE_CHECKING:
    from transitable_patterns.similarity.contrast_rules import Axis, ContrastRules


class Kind(StrEnum):
    """In what two texts differ."""

    NEGATION = "negation"
    DIRECTION = "direction"
    NUMBER = "number"
    ENTITY = "entity"


@frozen
class Difference:
    """One difference; the words of each side as they stand in the folded text, in order."""

    kind: Kind
    """What kind it is."""
    name: str
    """The axis of a direction; empty for the other kinds."""
    left: tuple[str, ...]
    """What the left text has."""
    right: tuple[str, ...]
    """What the right text has."""

    def __str__(self) -> str:
        label = f"{self.kind} ({self.name})" if self.name else str(self.kind)
        return f"{label}: {' '.join(self.left) or 'none'} / {' '.join(self.right) or 'none'}"


@frozen
class Contrast:
    """Why two texts are linked and not merged."""

    differences: tuple[Difference, ...]
    """At least one; in the order of `Kind`."""

    def __str__(self) -> str:
        return "; ".join(map(str, self.differences))


_find_numbers: Final = re.compile(r"\d+(?:[.,]\d+)*").findall
# Runs of letters and digits that carry a capital or a digit inside; a capital that only starts a sentence says nothing.
_find_names: Final = re.compile(r"(?<![^\W_])[A-Za-z][\w-]*").finditer
_STARTS: Final = ".!?:;\"'“‘([\n"


def contrast(a: str, b: str, *, rules: ContrastRules = DEFAULT_RULES) -> Contrast | None:
    """Find what keeps two similar texts apart; `None` when they may be merged. Symmetric but for the sides.

    - negation: they do not have equally many
    - direction: both go somewhere on an axis, and not the same way
    - number: they do not have the same numbers
    - entity: each names something that the other does not (words with a capital inside a sentence, acronyms, words with
      digits, and the `names` of the rules)

    Examples:
        >>> print(contrast("raise the limit to 5", "lower the limit to 5"))
        direction (more/less): raise / lower
        >>> contrast("reset my pin", "please reset my pin") is None
        True
    """
    left, right = _read_traits(a, rules), _read_traits(b, rules)
    differences = [*_compare_negations(left, right), *_compare_directions(left, right)]
    differences += _compare_numbers(left, right)
    differences += _compare_entities(left, right)
    return Contrast(tuple(differences)) if differences else None


@frozen
class _Traits:
    folded: str
    negations: tuple[str, ...]
    turns: dict[str, tuple[tuple[bool, str], ...]]
    numbers: tuple[str, ...]
    entities: frozenset[str]


@lru_cache(maxsize=65_536)
def _read_traits(text: str, rules: ContrastRules) -> _Traits:
    folded = fold(text)
    turns = {axis.name: _find_turns(axis, folded) for axis in rules.axes}
    return _Traits(
        folded,
        _find_all(rules.negations, folded),
        {name: taken for name, taken in turns.items() if taken},
        _list_numbers(folded, rules),
        _list_entities(text, rules),
    )


@lru_cache(maxsize=256)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _find_all(patterns: tuple[str, ...], text: str) -> tuple[str, ...]:
    return tuple(match[0].strip() for pattern in patterns for match in _compile(pattern).finditer(text))


def _compare_negations(left: _Traits, right: _Traits) -> list[Difference]:
    if len(left.negations) == len(right.negations):
        return []
    return [Difference(Kind.NEGATION, "", left.negations, right.negations)]


def _find_turns(axis: Axis, text: str) -> tuple[tuple[bool, str], ...]:
    """List the directions that a text takes on an axis, in order; the same one twice in a row counts once."""
    hits = [(match.start(), True, match[0]) for match in _compile(axis.one).finditer(text)]
    hits += [(match.start(), False, match[0]) for match in _compile(axis.other).finditer(text)]
    runs = groupby(sorted(hits), key=lambda hit: hit[1])
    return tuple((way, next(run)[2]) for way, run in runs)


def _compare_directions(left: _Traits, right: _Traits) -> list[Difference]:
    found: list[Difference] = []
    for name, one in left.turns.items():
        other = right.turns.get(name)
        if other and [way for way, _ in one] != [way for way, _ in other]:
            words = tuple(word for _, word in one), tuple(word for _, word in other)
            found.append(Difference(Kind.DIRECTION, name, *words))
    return found


def _list_numbers(text: str, rules: ContrastRules) -> tuple[str, ...]:
    """List the numbers of a text, sorted, without thousands separators and idle zeros."""
    found = [_simplify_number(number) for number in _find_numbers(text)]
    for pattern, digits in rules.number_words:
        found += [digits] * len(_compile(rf"(?<!\w)(?:{pattern})(?!\w)").findall(text))
    return tuple(sorted(found))


def _simplify_number(number: str) -> str:
    whole, _, part = re.sub(r",(?=\d{3}(?:\D|$))", "", number).partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"


def _compare_numbers(left: _Traits, right: _Traits) -> list[Difference]:
    if left.numbers == right.numbers:
        return []
    return [Difference(Kind.NUMBER, "", left.numbers, right.numbers)]


def _list_entities(text: str, rules: ContrastRules) -> frozenset[str]:
    """List the names in a text, folded."""
    found = {fold(match[0]) for match in _find_names(text) if _is_name(match[0], text[: match.start()].rstrip())}
    folded = fold(text)
    found.update(name for name in rules.names if name in folded)
    return frozenset(found)


def _is_name(word: str, before: str) -> bool:
    """Tell whether a word is written like a name: a capital or digit inside, or a capital that starts no sentence."""
    if any(char.isupper() or char.isdigit() for char in word[1:]):
        return True
    return word[0].isupper() and word != "I" and bool(before) and before[-1] not in _STARTS


def _compare_entities(left: _Traits, right: _Traits) -> list[Difference]:
    """Compare names: those that the other text does not hold at all, in whatever case."""
    one = tuple(sorted(name for name in left.entities if name not in right.folded))
    other = tuple(sorted(name for name in right.entities if name not in left.folded))
    return [Difference(Kind.ENTITY, "", one, other)] if one and other else []
