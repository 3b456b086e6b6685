"""Errors of the similarity package.

```
TransitableError
└── SimilarityError
    ├── ThresholdError (ValueError)   a threshold is not a number from 0 to 1
    ├── TokensError (ValueError)      a tokeniser is asked for that does not exist
    ├── TextError (TypeError)         a text is neither a string nor a set of tokens
    ├── RankError (ValueError)        ranks or relevances do not fit the items
    └── KeyConflictError (LookupError)     a key is added twice, or is not in the index
```
"""

from __future__ import annotations

from transitable.errors import TransitableError


class SimilarityError(TransitableError):
    """The root of the errors of this package."""


class ThresholdError(SimilarityError, ValueError):
    """A threshold that is not a finite number from 0 to 1; `found` is its `repr`."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"at_least is {self.found}; expected a number from 0 to 1: pass for example 0.6 or Fraction(3, 5)"


class TokensError(SimilarityError, ValueError):
    """A tokeniser that does not exist; `found` is what was asked for, `known` the names there are."""

    def __init__(self, found: str, known: tuple[str, ...]) -> None:
        super().__init__(found, known)
        self.found = found
        self.known = known

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"there is no tokeniser {self.found!r}; expected one of {', '.join(self.known)}"


class TextError(SimilarityError, TypeError):
    """A text of a wrong type; `where` says which one, `found` is the name of its type."""

    def __init__(self, where: str, found: str) -> None:
        super().__init__(where, found)
        self.where = where
        self.found = found

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"{self.where} is of type {self.found}; expected a string or a set of strings: convert it first"


class RankError(SimilarityError, ValueError):
    """Ranks, relevances or an option of a choice that do not fit the items."""

    def __init__(self, what: str, found: str, expected: str) -> None:
        super().__init__(what, found, expected)
        self.what = what
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"{self.what} is {self.found}; expected {self.expected}"


class KeyConflictError(SimilarityError, LookupError):
    """A key that is already in an index, or that is not in it; `expected` says what to do."""

    def __init__(self, key: str, found: str, expected: str) -> None:
        super().__init__(key, found, expected)
        self.key = key
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"the key {self.key} is {self.found}; {self.expected}"
