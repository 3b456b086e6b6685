"""The rule book: rules as data in a file that people can write, checked and compiled.

A book has concepts (words and phrases of one meaning, in both languages) and rules (which concepts, standing together in
one sentence, speak for which route, with how many points). How a text is measured against it is in `reading`; the shipped
book, `data/rules.toml`, says at its top how one is written.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from .datafile import Faults, read_toml, suggest
from .errors import FileFault, RuleFileError
from .jsontypes import is_items, is_table
from .lexicon import Lexicon, is_phrase
from .state import Route

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SIGNALS: Final = ("person_wish", "danger", "permission")
"""Concepts that ask for a person, and that a rule may give as a signal."""
VERSION: Final = 1
"""Version of the file's format."""
RESERVED: Final = ("idiom", "routing_talk", "ask", "join", "background", *SIGNALS, "off_topic")
"""Concepts with a meaning of their own, which every book has, if only empty."""
SHIPPED: Final = "rules.toml"
"""Name of the shipped book."""
_HEAVIEST: Final = 100.0
"""Largest weight of a rule."""


@frozen(eq=False)
class Rule:
    """One rule; it fires in a sentence that shows all, any and none of its concepts, as named."""

    route: Route
    """The route that it speaks for."""
    weight: float
    """Points."""
    why: str
    """What it has understood, as `route_reason` says it."""
    needs: int
    """Bits of the concepts that must all be there."""
    any: int
    """Bits of the concepts of which one must be there; 0 where there is no such list."""
    none: int
    """Bits of the concepts that must not be there."""
    signals: int
    """Bits of the signals that it gives where it fires, as if their own words stood there; usually 0."""


@frozen
class Settings:
    """Numbers of a rule book."""

    nothing: float
    """Points of "none of these", against which every route has to stand."""
    told: float
    """Factor for a sentence that tells, where another one asks."""
    wish: float
    """Points from which a clause counts as a wish of its own."""


class RuleBook:
    """A checked, compiled rule book; make one with `read_rule_book` or `parse_rule_book`."""

    def __init__(
        self,
        lexicon: Lexicon,
        rules: tuple[Rule, ...],
        settings: Settings,
        exact: Mapping[str, Route],
        concepts: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.lexicon = lexicon
        """Words and phrases by concept."""
        self.rules = rules
        """The rules, in the order of the file."""
        self.settings = settings
        """Its numbers."""
        self.exact = exact
        """Route by whole text, prepared; a text that is one of these needs no rule."""
        self.concepts = concepts
        """Phrases by concept, as written."""
        index: dict[int, list[Rule]] = {}
        for rule in rules:
            for bit in _index_bits(rule):
                index.setdefault(bit, []).append(rule)
        self.index = tuple(
            (bit, tuple((rule.needs, rule.any, rule.none, rule) for rule in found)) for bit, found in index.items()
        )
        """Rules, with their bits beside them, by a concept without which they cannot fire."""

    def bits(self, *names: str) -> int:
        """Join the bits of concepts."""
        return sum(self.lexicon.bit[name] for name in names)


def read_rule_book(path: Path | None = None) -> RuleBook:
    """Read a rule book from a TOML file; `None` reads the shipped one.

    Raises:
        RuleFileError: If the file cannot be read or has faults; all of them at once.
    """
    data, source = read_toml(path, SHIPPED, RuleFileError)
    return parse_rule_book(data, source)


def parse_rule_book(data: Mapping[str, Any], source: str) -> RuleBook:
    """Check and compile a rule book.

    Args:
        data: The file's table.
        source: Its name, for messages.

    Raises:
        RuleFileError: If it has faults; all of them at once.
    """
    faults = Faults()
    faults.known_keys(data, ("version", "settings", "spelling", "words", "concepts", "rules", "exact"), "")
    if data.get("version") != VERSION:
        faults.add("version", repr(data.get("version")), f"{VERSION}")
    settings = _parse_settings(data, faults)
    spelling = _parse_spelling(data, faults)
    words = faults.table(data, "words", "words", required=False)
    faults.known_keys(words, ("known",), "words")
    known = faults.texts(words, "known", "words.known")
    concepts = _parse_concepts(data, faults)
    lexicon = Lexicon(concepts, spelling=spelling, known=known)
    rules = _parse_rules(data, lexicon.bit, faults)
    exact = _parse_exact(data, lexicon, faults)
    if faults.found:
        raise RuleFileError(source, faults.found)
    return RuleBook(lexicon, rules, settings, exact, concepts)


def find_unused(book: RuleBook) -> tuple[FileFault, ...]:
    """Find concepts that no rule reads, and rules that can never fire; for `doctor`, as neither is a fault."""
    used = sum({bit for rule in book.rules for bit in _all_bits(rule)})
    idle = [
        FileFault(f"concepts.{name}", "a concept that no rule reads", "a rule that reads it, or no such concept")
        for name, bit in book.lexicon.bit.items()
        if name not in RESERVED and not bit & used
    ]
    dead = [
        FileFault(f"rules[{place}]", f"a rule that can never fire ({rule.why})", "no concept both wanted and unwanted")
        for place, rule in enumerate(book.rules)
        if rule.needs & rule.none or (rule.any and not rule.any & ~rule.none)
    ]
    return (*idle, *dead)


def _index_bits(rule: Rule) -> list[int]:
    """List the bits under which a rule is found: one that it needs, or each of which it needs one."""
    return _split_bits(rule.needs)[:1] or _split_bits(rule.any)


def _all_bits(rule: Rule) -> list[int]:
    return _split_bits(rule.needs | rule.any | rule.none)


def _split_bits(bits: int) -> list[int]:
    return [1 << place for place in range(bits.bit_length()) if bits >> place & 1]


def _parse_settings(data: Mapping[str, Any], faults: Faults) -> Settings:
    table = faults.table(data, "settings", "settings")
    names = ("nothing", "told", "wish")
    faults.known_keys(table, names, "settings")
    numbers: dict[str, float] = {}
    for name in names:
        value: Any = table.get(name)
        if _is_number(value) and value > 0:
            numbers[name] = float(value)
        else:
            faults.add(f"settings.{name}", "nothing" if value is None else repr(value), "a number above 0")
    return Settings(**{name: numbers.get(name, 1.0) for name in names})


def _parse_spelling(data: Mapping[str, Any], faults: Faults) -> dict[str, str]:
    table = faults.table(data, "spelling", "spelling", required=False)
    return {word: faults.text(table, word, f"spelling.{word}") for word in table}


def _parse_concepts(data: Mapping[str, Any], faults: Faults) -> dict[str, tuple[str, ...]]:
    table = faults.table(data, "concepts", "concepts")
    concepts: dict[str, tuple[str, ...]] = {}
    for name in table:
        where = f"concepts.{name}"
        entry = faults.table(table, name, where)
        faults.known_keys(entry, ("en", "ko"), where)
        phrases = [
            (f"{where}.{language}[{place}]", phrase)
            for language in ("en", "ko")
            for place, phrase in enumerate(faults.texts(entry, language, f"{where}.{language}"))
        ]
        for place, phrase in phrases:
            if not is_phrase(phrase):
                faults.add(
                    place,
                    repr(phrase),
                    "a phrase with a letter, a number or a question mark in it, and * at its end only",
                )
        if entry and not phrases and name not in RESERVED:
            faults.add(where, "no phrases", "a list en or ko with phrases")
        concepts[name] = tuple(phrase for _, phrase in phrases)
    return {**concepts, **{name: () for name in RESERVED if name not in concepts}}


def _parse_rules(data: Mapping[str, Any], bit: Mapping[str, int], faults: Faults) -> tuple[Rule, ...]:
    entries: Any = data.get("rules", [])
    if not is_items(entries):
        faults.add("rules", type(entries).__name__, "[[rules]] tables")
        return ()
    found: list[Rule] = []
    for place, entry in enumerate(entries):
        where = f"rules[{place}]"
        if is_table(entry):
            found.append(_parse_rule(entry, where, bit, faults))
        else:
            faults.add(where, type(entry).__name__, "a table")
    if not found:
        faults.add("rules", "no rules", "at least one [[rules]] table")
    return tuple(found)


def _parse_rule(entry: Mapping[str, Any], where: str, bit: Mapping[str, int], faults: Faults) -> Rule:
    faults.known_keys(entry, ("why", "route", "weight", "all", "any", "none", "signal"), where)
    weight: Any = entry.get("weight")
    if not _is_number(weight) or not 0 < weight <= _HEAVIEST:
        faults.add(
            f"{where}.weight", "nothing" if weight is None else repr(weight), f"a number above 0, at most {_HEAVIEST:g}"
        )
        weight = 1.0
    bits: dict[str, int] = {}
    for key in ("all", "any", "none"):
        names = faults.texts(entry, key, f"{where}.{key}")
        for name in names:
            if name not in bit:
                faults.add(f"{where}.{key}", repr(name), f"the name of a concept{suggest(name, bit)}")
        bits[key] = sum(bit[name] for name in set(names) if name in bit)
    if not entry.get("all") and not entry.get("any"):
        faults.add(where, "neither all nor any", "concepts that the rule needs")
    why = faults.text(entry, "why", f"{where}.why")
    signal: Any = entry.get("signal")
    if signal is not None and signal not in SIGNALS:
        faults.add(f"{where}.signal", repr(signal), f"one of {', '.join(SIGNALS)}")
    given = bit.get(signal, 0) if isinstance(signal, str) else 0
    return Rule(_parse_route(entry, where, faults), float(weight), why, bits["all"], bits["any"], bits["none"], given)


def _parse_exact(data: Mapping[str, Any], lexicon: Lexicon, faults: Faults) -> dict[str, Route]:
    entries: Any = data.get("exact", [])
    if not is_items(entries):
        faults.add("exact", type(entries).__name__, "[[exact]] tables")
        return {}
    exact: dict[str, Route] = {}
    for place, entry in enumerate(entries):
        where = f"exact[{place}]"
        if not is_table(entry):
            faults.add(where, type(entry).__name__, "a table")
            continue
        faults.known_keys(entry, ("route", "texts"), where)
        route = _parse_route(entry, where, faults)
        for text in faults.texts(entry, "texts", f"{where}.texts", required=True):
            whole = join_sentences(lexicon.sentences(text))
            if exact.setdefault(whole, route) is not route:
                faults.add(f"{where}.texts", repr(text), f"a text that does not already mean {exact[whole]}")
    return exact


def join_sentences(sentences: Iterable[str]) -> str:
    """Join prepared sentences to one key, marks left out."""
    return " ".join(word for sentence in sentences for word in sentence.split() if word not in "^?")


def _parse_route(entry: Mapping[str, Any], where: str, faults: Faults) -> Route:
    label: Any = entry.get("route")
    if label in tuple(Route):
        return Route(label)
    faults.add(
        f"{where}.route",
        "nothing" if label is None else repr(label),
        f"one of {', '.join(Route)}{suggest(str(label), list(Route))}",
    )
    return Route.CLARIFY


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
