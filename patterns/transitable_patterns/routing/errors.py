"""Errors of the routing pattern, and the one way in which an error becomes a line of `errors` in the state.

```
TransitableError
└── RoutingError
    ├── DataFileError (ValueError)        a file that people write has faults; all of them at once
    │   ├── RuleFileError                 rules of the rules router
    │   ├── GuideFileError                support guide
    │   ├── ReplyFileError                reply templates
    │   ├── PolicyFileError               thresholds and limits, also when given in code
    │   ├── ShopFileError                 order book and catalogue
    │   └── ExampleFileError              labelled examples
    ├── RequestError (ValueError)         a request that does not have the shape of one
    ├── ColumnMapError (ValueError)       a CSV of requests does not have the columns that the map names
    ├── ScoreError (ValueError)           a number that is not a score
    └── RouterUnavailable (RuntimeError)  a router cannot be asked at all; the chain takes the next one
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import frozen

from transitable import TransitableError

if TYPE_CHECKING:
    from collections.abc import Iterable

ERROR_CHARS: Final = 300
"""Longest entry of `errors` (EI-09)."""
RAW_CHARS: Final = 200
"""Longest piece of a router's own words in an entry of `errors` or in the trace (EA-06)."""
MASK: Final = "***"
"""What stands where a configured secret stood."""


@frozen
class FileFault:
    """One thing that is wrong in a file that people write."""

    where: str
    """The place in the file, as a path of keys and numbers: `rules[3].route`."""
    found: str
    """What stands there."""
    expected: str
    """What is expected there, and what to do."""

    def __str__(self) -> str:
        return f"{self.where}: found {self.found}; expected {self.expected}"


class RoutingError(TransitableError):
    """Root of the errors of the routing pattern."""


class DataFileError(RoutingError, ValueError):
    """A file that people write has faults; `faults` lists them all, in the order of the file."""

    def __init__(self, source: str, faults: tuple[FileFault, ...]) -> None:
        super().__init__(source, faults)
        self.source = source
        self.faults = faults

    def describe(self) -> str:
        """List every fault, a line each."""
        count = len(self.faults)
        head = f"{self.source} has {count} fault{'' if count == 1 else 's'}:"
        return "\n".join([head, *(f"  {fault}" for fault in self.faults)])


class RuleFileError(DataFileError):
    """The rules of the rules router have faults."""


class GuideFileError(DataFileError):
    """The support guide has faults."""


class ReplyFileError(DataFileError):
    """The reply templates have faults."""


class PolicyFileError(DataFileError):
    """A policy holds a value out of its range, or a key that is not a setting."""


class ShopFileError(DataFileError):
    """An order book or a catalogue cannot be used or loaded."""


class ExampleFileError(DataFileError):
    """A file of labelled examples has faults."""


class RequestError(RoutingError, ValueError):
    """A request does not have the shape of one; nothing was routed."""

    def __init__(self, code: str, field: str, found: str, expected: str) -> None:
        super().__init__(code, field, found, expected)
        self.code = code
        self.field = field
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Say which field, what came and what is expected."""
        return f"request field {self.field}: found {self.found}; expected {self.expected}"


class ColumnMapError(RoutingError, ValueError):
    """A CSV of requests lacks columns that the map names; `missing` are the columns, `present` those of the file."""

    def __init__(self, missing: tuple[str, ...], present: tuple[str, ...]) -> None:
        super().__init__(missing, present)
        self.missing = missing
        self.present = present

    def describe(self) -> str:
        """Say which columns are missing and which there are."""
        return (
            f"columns {', '.join(self.missing)} are not in the header; "
            f"it has {', '.join(self.present) or 'none'}; name them with --columns FIELD=COLUMN"
        )


class ScoreError(RoutingError, ValueError):
    """A value is not a score: a finite number from 0 to 1 that is not a bool."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found

    def describe(self) -> str:
        """Say what came."""
        return f"found {self.found}; expected a finite number from 0 to 1"


class RouterUnavailable(RoutingError, RuntimeError):  # noqa: N818 - the specification's name
    """A router cannot be asked at all: not configured, a model not loaded, a service that does not answer."""

    def __init__(self, router: str, reason: str) -> None:
        super().__init__(router, reason)
        self.router = router
        self.reason = reason

    def describe(self) -> str:
        """Say which router and why."""
        return f"router {self.router!r} is unavailable: {self.reason}"


def redact(text: str, secrets: Iterable[str]) -> str:
    """Put the mask in the place of every secret, longest first, until none is left."""
    ordered = sorted(secrets, key=len, reverse=True)
    while any(secret in text for secret in ordered):
        for secret in ordered:
            text = text.replace(secret, MASK)
    return text


def write_error(code: str, field: str, detail: str, secrets: Iterable[str] = ()) -> str:
    """Write one entry of `errors`: `code: field: detail`, on one line.

    Secrets are taken out before the cut, so that no cut leaves half of one, and once more at the end.

    Returns:
        At most `ERROR_CHARS` characters; of `detail` at most `RAW_CHARS`.
    """
    hidden = tuple(secrets)
    short = clip(redact(" ".join(detail.split()), hidden), RAW_CHARS)
    return clip(redact(f"{code}: {field}: {short}", hidden), ERROR_CHARS)


def clip(text: str, limit: int) -> str:
    """Cut a text to `limit` characters; the last one is then an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1]}\u2026"
