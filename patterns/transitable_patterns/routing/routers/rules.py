"""The rules router: a rule book's reading of a text, turned into a decision with a confidence.

The confidence of a route is its share of all points, with the points of "none of these" among them, so it is 1.0 only for a
text that the book knows as a whole and falls with every piece of evidence for something else. It is not calibrated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..decisions import Candidate, Decision
from ..reading import TextReader
from ..rulebook import read_rule_book
from ..state import Route

if TYPE_CHECKING:
    from ..ports import RouterQuery, Signals
    from ..reading import Reading
    from ..rulebook import RuleBook

_REASONS = 3
"""Rules that a reason names at most."""


class RulesRouter:
    """Routes by rules; also reads the signals of a text.

    Args:
        book: The rules; the shipped ones where none are given.
        name: Name for the trace.
    """

    def __init__(self, book: RuleBook | None = None, *, name: str = "rules") -> None:
        self.book = read_rule_book() if book is None else book
        """The rules."""
        self._name = name
        self._reader = TextReader(self.book)

    @property
    def name(self) -> str:
        """Name for the trace."""
        return self._name

    def decide(self, query: RouterQuery) -> Decision:
        """Decide on a route; the same text always gives the same decision."""
        return self._decide(self._reader.read(query.text))

    def read_signals(self, text: str) -> Signals:
        """Read a wish for a person, and danger."""
        return self._reader.read_signals(text)

    def _decide(self, reading: Reading) -> Decision:
        if reading.exact is not None:
            return Decision(reading.exact, 1.0, "the whole text is known")
        points = reading.points
        total = sum(points.values()) + self.book.settings.nothing
        ranking = sorted([route for route in points if points[route]], key=points.__getitem__, reverse=True)
        candidates = tuple(Candidate(route, points[route] / total) for route in ranking)
        if reading.signals.person_wish and not reading.signals.danger:
            return Decision(Route.CLARIFY, 1.0, "a wish for a person", candidates)
        if not candidates:
            return Decision(Route.CLARIFY, 1.0, "no rule fired")
        best = candidates[0]
        reason = "; ".join([rule.why for rule in reading.fired if rule.route is best.route][:_REASONS])
        intents = reading.intents if len(reading.intents) > 1 else ()
        unsupported = best.route is Route.CLARIFY and reading.off_topic
        return Decision(best.route, best.score, reason, candidates, intents, unsupported)
