"""Errors of the ranking package.

```
TransitableError
└── RankingError
    ├── CriterionError (ValueError)   a criterion, or a set of them, that cannot be used
    ├── ScoreError (ValueError)       scores that are missing, not finite or out of range; all of them at once
    ├── EntrantError (ValueError)     an entrant that is unknown, entered twice, or meets itself
    └── ScheduleError (ValueError)    an option of a schedule or of a fit that is out of range
```
"""

from __future__ import annotations

from transitable.errors import TransitableError


class RankingError(TransitableError):
    """The root of the errors of this package."""


class CriterionError(RankingError, ValueError):
    """A criterion that cannot be used: `name` is its name, `found` and `expected` say why."""

    def __init__(self, name: str, found: str, expected: str) -> None:
        super().__init__(name, found, expected)
        self.name = name
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"criterion {self.name!r}: {self.found}; expected {self.expected}"


class ScoreError(RankingError, ValueError):
    """Scores that are refused; `problems` holds all of them, in order of items. Nothing is filled in or clamped."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def describe(self) -> str:
        """List every problem, a line each."""
        head = f"{len(self.problems)} score(s) cannot be used; give each item a finite score in range, or leave the item out:"
        return "\n".join([head, *(f"  {problem}" for problem in self.problems)])


class EntrantError(RankingError, ValueError):
    """An entrant that is unknown, entered twice, or meets itself."""

    def __init__(self, entrant: str, found: str, expected: str) -> None:
        super().__init__(entrant, found, expected)
        self.entrant = entrant
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"entrant {self.entrant!r} is {self.found}; {self.expected}"


class ScheduleError(RankingError, ValueError):
    """An option of a schedule or of a fit that is out of its range."""

    def __init__(self, option: str, found: str, expected: str) -> None:
        super().__init__(option, found, expected)
        self.option = option
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"{self.option} is {self.found}; expected {self.expected}"
