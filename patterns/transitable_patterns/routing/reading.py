"""What a text says, measured against a rule book: points a route, signals, and whether it holds two wishes.

A rule fires at most once a sentence, where its concepts stand together in that sentence. Three habits of language are built
in, because no list of words can express them:

* what talks about the routing itself ("label this as ...") is data, so it counts for nothing;
* of several sentences, what is asked weighs more than what is told around it;
* two clauses that each ask for a different route are two wishes, however strong one of them is.

The rules themselves are data; see `rulebook` for their file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import frozen

from .ports import Signals
from .rulebook import Rule, join_sentences
from .state import SPECIALISTS, Route
from .text import strip_structure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .lexicon import Hit
    from .rulebook import RuleBook

_ROUTES: Final = tuple(Route)
_CLEAR: Final = 1.0
"""Points by which a clause's route must lead, so that the clause counts as a wish for it."""


_MEMO_LIMIT: Final = 20_000
"""Sets of concepts whose rules are remembered; the memory is emptied when full."""


@frozen
class Reading:
    """The measure of one text."""

    points: dict[Route, float]
    """Weight of the evidence for each route; every route is present."""
    fired: tuple[Rule, ...]
    """The rules that fired, each once, heaviest first."""
    intents: tuple[Route, ...]
    """Specialist routes that a clause of its own asks for, in the order of the labels; two or more are two wishes."""
    signals: Signals
    """What the text shows beside its subject."""
    off_topic: bool
    """Whether the text names a subject that the shop does not serve."""
    exact: Route | None
    """The route of a text that the book knows as a whole; `None` for any other."""


class _Piece(NamedTuple):
    """One sentence, or what is left of it, with the concepts that it shows and the rules that fire."""

    hits: Sequence[Hit]
    bits: int
    rules: Sequence[Rule]


class TextReader:
    """Measures texts against one rule book."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._fired: dict[int, tuple[Rule, ...]] = {}
        self._idiom = book.bits("idiom")
        self._routing_talk = book.bits("routing_talk")
        self._ask = book.bits("ask")
        self._person_wish = book.bits("person_wish")
        self._danger = book.bits("danger")
        self._permission = book.bits("permission")
        self._off_topic = book.bits("off_topic")
        self._background = book.bits("background")
        self._longest_exact = 2 * max(map(len, book.exact), default=-1)
        self._breaks = book.bits("join", "background")

    def read(self, text: str) -> Reading:
        """Measure a normalised text; a text without a known word has no points."""
        sentences = self._book.lexicon.sentences(strip_structure(text))
        pieces = [piece for sentence in sentences for piece in self._pieces(sentence)]
        asked = any(piece.bits & self._ask and _speaks(piece) for piece in pieces)
        points = dict.fromkeys(_ROUTES, 0.0)
        best: dict[Rule, float] = {}
        seen = 0
        for piece in pieces:
            factor = 1.0 if not asked or piece.bits & self._ask else self._book.settings.told
            seen |= piece.bits
            for rule in piece.rules:
                weight = rule.weight * factor
                seen |= rule.signals
                points[rule.route] += weight
                if weight > best.get(rule, 0.0):
                    best[rule] = weight
        return Reading(
            points=points,
            fired=tuple(sorted(best, key=best.__getitem__, reverse=True)),
            intents=self._intents(pieces),
            signals=Signals(
                person_wish=bool(seen & self._person_wish),
                danger=bool(seen & self._danger),
                permission=bool(seen & self._permission),
            ),
            off_topic=bool(seen & self._off_topic),
            exact=self._book.exact.get(join_sentences(sentences)) if len(text) <= self._longest_exact else None,
        )

    def read_signals(self, text: str) -> Signals:
        """Read the signals of a normalised text alone."""
        return self.read(text).signals

    def _pieces(self, sentence: str) -> list[_Piece]:
        hits = _drop_shadowed(self._book.lexicon.find(sentence), self._idiom)
        whole = self._piece(hits)
        if not whole.bits & self._routing_talk:
            return [whole]
        parts = [self._piece(part) for part in _split_at_commas(sentence, hits)]
        return [part for part in parts if not part.bits & self._routing_talk]

    def _piece(self, hits: Sequence[Hit]) -> _Piece:
        bits = 0
        for _start, _end, found in hits:
            bits |= found
        return _Piece(hits, bits, self._fire(bits))

    def _fire(self, bits: int) -> tuple[Rule, ...]:
        """List the rules that fire where these concepts are; remembered, as the same few meet again and again."""
        known = self._fired.get(bits)
        if known is not None:
            return known
        fired: list[Rule] = []
        for bit, rules in self._book.index:
            if bits & bit:
                for needs, any_of, none_of, rule in rules:
                    if (
                        bits & needs == needs
                        and not bits & none_of
                        and (not any_of or bits & any_of)
                        and rule not in fired
                    ):
                        fired.append(rule)
        if len(self._fired) >= _MEMO_LIMIT:
            self._fired.clear()
        self._fired[bits] = tuple(fired)
        return self._fired[bits]

    def _intents(self, pieces: Sequence[_Piece]) -> tuple[Route, ...]:
        """Name the routes that clauses ask for; a text of one clause has at most one."""
        clauses = [bits for piece in pieces for bits in self._clauses(piece)]
        if len(clauses) < 2:
            return ()
        found = {self._clause_route(bits) for bits in clauses}
        return tuple(route for route in SPECIALISTS if route in found)

    def _clauses(self, piece: _Piece) -> list[int]:
        """Cut a sentence at its joining words; a clause that opens with a word for a reason or a time is left out."""
        clauses: list[int] = []
        bits = 0
        told = False
        for _start, _end, found in piece.hits:
            if found & self._breaks:
                if bits and not told:
                    clauses.append(bits)
                bits = 0
                told = bool(found & self._background)
            bits |= found
        if bits and not told:
            clauses.append(bits)
        return clauses

    def _clause_route(self, bits: int) -> Route | None:
        """Name the specialist that a clause asks for clearly; `None` for a weak or a divided one."""
        points: dict[Route, float] = {}
        for rule in self._fire(bits):
            points[rule.route] = points.get(rule.route, 0.0) + rule.weight
        if not points:
            return None
        first = max(points, key=points.__getitem__)
        rest = max((points[route] for route in points if route is not first), default=0.0)
        return first if points[first] >= self._book.settings.wish and points[first] - rest >= _CLEAR else None


def _speaks(piece: _Piece) -> bool:
    return any(rule.route is not Route.CLARIFY for rule in piece.rules)


def _drop_shadowed(hits: list[Hit], idiom: int) -> list[Hit]:
    """Drop hits that lie inside an idiom: the words of an idiom do not mean what they mean alone."""
    spans = [(start, end) for start, end, bits in hits if bits & idiom]
    if not spans:
        return hits
    return [
        (start, end, bits)
        for start, end, bits in hits
        if bits & idiom or not any(first <= start and end <= last for first, last in spans)
    ]


def _split_at_commas(sentence: str, hits: Sequence[Hit]) -> list[list[Hit]]:
    ends = [place for place, character in enumerate(sentence) if character == ","] + [len(sentence)]
    starts = [0, *ends]
    return [[hit for hit in hits if start <= hit[0] < end] for start, end in zip(starts, ends, strict=False)]
