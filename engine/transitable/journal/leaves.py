"""How values without parts are written as JSON: text for what JSON has no form for, refusal for what would come back changed.

Responsible for: one writer and one reader for each plain type of DESIGN's state fields; readers take exactly what the
writers make (and a few spellings that mean the same and people write by hand, such as `Z` for UTC). Not for: types with
parts, closed types and unions; see `transitable.journal.codec`.

| type | JSON |
| --- | --- |
| `str`, `int`, `bool`, `None` | themselves |
| `float` | a number; `{"float": "NaN"}`, `"Infinity"`, `"-Infinity"` |
| `bytes` | base64 text |
| `Decimal` | its digits as text, `"1.50"`, `"1E+3"`, `"NaN"` |
| `UUID` | `"12345678-1234-5678-1234-567812345678"` |
| `date` | `"2024-02-29"` |
| `datetime` | `"2024-02-29T12:00:00.000001"`, with `+09:00` for a fixed offset or `[Asia/Seoul]` for a zone by name, `[fold=1]` before it for the second of two equal wall times; a fixed offset with a name of its own has it last, `+09:00[KST]` |
| `timedelta` | seconds, exactly: `"-86400.000001s"` |
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import decimal
import math
import re
import uuid
import zoneinfo
from typing import TYPE_CHECKING, Any

from transitable.model.frozen import FrozenDict
from transitable.model.shapes import Fault, JsonShape, show_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_BITS = 14_000
"""The longest int that is written: Python refuses to read ints of more than 4,300 digits (some 14,280 bits) from text."""
SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
"""Two lone surrogates side by side: JSON would read them back as one character."""
SPECIAL_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DATETIME = re.compile(
    r"(?P<wall>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?P<fraction>\.[0-9]{1,6})?"
    r"(?P<offset>Z|[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{6})?)?)?(?P<fold>\[fold=1\])?(?:\[(?P<zone>.*)\])?",
    re.DOTALL,
)
TIMEDELTA = re.compile(r"(-?)([0-9]{1,20})(?:\.([0-9]{1,6}))?s")
DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|-?(?:Infinity|s?NaN[0-9]*)")
ZONE_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*(?:/[A-Za-z0-9][A-Za-z0-9_+-]*)*")
"""What a zone's name may be; nothing that could lead out of the folder of zones."""


class Misfit(Exception):  # noqa: N818  # never leaves this package: the codec turns it into a StateError
    """Something cannot be written or read; the faults' paths start at the value that was handed in."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(*faults)
        self.faults = faults

    def below(self, part: object) -> list[Fault]:
        """Give the faults with their paths one level down."""
        return [fault._replace(path=(part, *fault.path)) for fault in self.faults]


def refuse(value: object, expected: str) -> Misfit:
    """Make the misfit of one value."""
    return Misfit(Fault((), show_value(value), expected))


def write_str(value: str) -> str:
    """Write a text; lone surrogates are fine, two that JSON would join are refused."""
    if not value.isascii() and SURROGATE_PAIR.search(value):
        raise refuse(value, "text without two surrogates side by side, which JSON reads back as one character")
    return value


def write_int(value: int) -> int:
    """Write an int, unless it is too long to be read back."""
    if value.bit_length() > MOST_BITS:
        raise Misfit(
            Fault(
                (),
                f"an int of {value.bit_length()} bits",
                f"an int of at most {MOST_BITS} bits, which JSON can read back",
            )
        )
    return value


def write_float(value: float) -> float | dict[str, str]:
    """Write a float; what is no number is tagged text."""
    if math.isfinite(value):
        return value
    return {"float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}


def write_bytes(value: bytes) -> str:
    """Write bytes as base64."""
    return base64.b64encode(value).decode("ascii")


def write_datetime(value: dt.datetime) -> str:
    """Write the wall time, the zone and which of two equal wall times it is; a zone that text cannot name is refused."""
    wall = value.replace(tzinfo=None, fold=0).isoformat()
    fold = "[fold=1]" if value.fold else ""
    zone = value.tzinfo
    if zone is None:
        return wall + fold
    if type(zone) is dt.timezone:
        offset = value.replace(fold=0).isoformat()[len(wall) :]
        plain = dt.timezone(zone.utcoffset(None))
        name = "" if zone.tzname(None) == plain.tzname(None) else f"[{write_str(zone.tzname(None))}]"
        return wall + offset + fold + name
    if type(zone) is zoneinfo.ZoneInfo and _is_known(value, zone.key):
        return f"{wall}{fold}[{zone.key}]"
    raise refuse(
        value, "a datetime without a zone, with a datetime.timezone, or with a ZoneInfo that its key finds again"
    )


def _is_known(value: dt.datetime, key: str | None) -> bool:
    try:
        return key is not None and value == value.replace(tzinfo=_find_zone(key))
    except Misfit:
        return False


def write_timedelta(value: dt.timedelta) -> str:
    """Write exact seconds."""
    total = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    seconds, rest = divmod(abs(total), 1_000_000)
    fraction = f".{rest:06}".rstrip("0") if rest else ""
    return f"{'-' if total < 0 else ''}{seconds}{fraction}s"


def write_json(value: Any) -> Any:
    """Write a JSON value: tuples as lists, mappings as objects, the rest as it is."""
    kind = exact_type(value)
    if kind is str:
        return write_str(value)
    if kind is int:
        return write_int(value)
    if kind is tuple:
        return [write_json(item) for item in value]
    if kind is FrozenDict:
        return {write_str(key): write_json(item) for key, item in value.items()}
    return value


def exact_type(value: object) -> type[Any]:
    """Give the exact type of a value."""
    return type(value)


def take_list(data: Any, expected: str) -> list[Any]:
    """Take a list as it is.

    Raises:
        Misfit: If it is none.
    """
    if exact_type(data) is not list:
        raise refuse(data, expected)
    return data  # type: ignore[no-any-return]  # just checked, in a way that a type checker does not follow


def take_object(data: Any, expected: str) -> dict[Any, Any]:
    """Take a dict as it is.

    Raises:
        Misfit: If it is none.
    """
    if exact_type(data) is not dict:
        raise refuse(data, expected)
    return data  # type: ignore[no-any-return]  # as above


def _expect(data: object, kind: type, expected: str) -> Any:
    if type(data) is not kind:
        raise refuse(data, expected)
    return data


def read_str(data: object) -> str:
    """Read a text."""
    text: str = _expect(data, str, "str")
    return text


def read_int(data: object) -> int:
    """Read an int; a bool is none, nor is a text of digits."""
    number: int = _expect(data, int, "int")
    return number


def read_float(data: object) -> float:
    """Read a float, from a number or a tagged text; an int becomes a float."""
    if type(data) is int:
        try:
            return float(data)
        except OverflowError:
            raise Misfit(
                Fault((), f"an int of {data.bit_length()} bits", "float; this int is too large for one")
            ) from None
    if type(data) is float:
        return data
    for text, special in SPECIAL_FLOATS.items():
        if data == {"float": text}:
            return special
    raise refuse(data, 'float: a number, or {"float": "NaN"}, "Infinity" or "-Infinity"')


def read_bytes(data: object) -> bytes:
    """Read base64 text."""
    text = _expect(data, str, "bytes, as base64 text")
    try:
        made = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise refuse(data, "bytes, as base64 text") from None
    if write_bytes(made) != text:
        raise refuse(data, f"bytes, as base64 text; {write_bytes(made)!r} is how these bytes are written")
    return made


def read_decimal(data: object) -> decimal.Decimal:
    """Read digits; a number would already have lost some."""
    expected = 'Decimal, as text such as "1.50"'
    text = _expect(data, str, expected)
    try:
        if DECIMAL.fullmatch(text):
            return decimal.Decimal(text)
    except ArithmeticError:  # an exponent beyond what this machine's decimals hold
        pass
    raise refuse(data, expected)


def read_uuid(data: object) -> uuid.UUID:
    """Read a UUID in its usual form, in small or capital letters."""
    expected = "UUID, as text of 32 hexadecimal digits and 4 hyphens"
    text = _expect(data, str, expected)
    try:
        made = uuid.UUID(text)
    except ValueError:
        raise refuse(data, expected) from None
    if str(made) != text.lower():
        raise refuse(data, expected)
    return made


def read_date(data: object) -> dt.date:
    """Read a date."""
    expected = 'date, as text such as "2024-02-29"'
    text = _expect(data, str, expected)
    try:
        if DATE.fullmatch(text):
            return dt.date.fromisoformat(text)
    except ValueError as error:
        raise refuse(data, f"{expected} ({error})") from None
    raise refuse(data, expected)


def read_datetime(data: object) -> dt.datetime:
    """Read a wall time with its zone and fold."""
    expected = 'datetime, as text such as "2024-02-29T12:00:00", with "+09:00" or "[Asia/Seoul]" behind it for a zone'
    text = _expect(data, str, expected)
    found = DATETIME.fullmatch(text)
    if found is None:
        raise refuse(data, expected)
    try:
        wall = dt.datetime.fromisoformat(found["wall"] + (found["fraction"] or "").ljust(7, "0").replace("0000000", ""))
        zone = _read_zone(found["offset"], found["zone"])
    except ValueError as error:
        raise refuse(data, f"{expected} ({error})") from None
    return wall.replace(tzinfo=zone, fold=1 if found["fold"] else 0)


def _read_zone(offset: str | None, name: str | None) -> dt.tzinfo | None:
    if offset is None:
        return None if name is None else _find_zone(name)
    moment = dt.datetime.fromisoformat(f"2000-01-01T00:00:00{offset}")
    zone = moment.tzinfo
    return zone if name is None else dt.timezone(moment.utcoffset() or dt.timedelta(0), name)


def _find_zone(key: str) -> zoneinfo.ZoneInfo:
    try:
        if ZONE_KEY.fullmatch(key):
            return zoneinfo.ZoneInfo(key)
    except (KeyError, ValueError, OSError):  # not found, not a zone's file, or a folder
        pass
    raise refuse(key, "the name of a time zone that this machine knows, such as Asia/Seoul")


def read_timedelta(data: object) -> dt.timedelta:
    """Read exact seconds."""
    expected = 'timedelta, as text of seconds such as "90s" or "-0.5s"'
    text = _expect(data, str, expected)
    found = TIMEDELTA.fullmatch(text)
    if found is None:
        raise refuse(data, expected)
    sign, seconds, fraction = found.groups()
    total = int(seconds) * 1_000_000 + int((fraction or "").ljust(6, "0"))
    try:
        return dt.timedelta(microseconds=-total if sign else total)
    except OverflowError:
        raise refuse(data, f"{expected}, within what a timedelta holds") from None


JSON = JsonShape()


def read_json(data: Any) -> Any:
    """Freeze a JSON value as a state holds it under `Any`."""
    faults: list[Fault] = []
    made = JSON.admit(data, None, (), faults)
    if faults:
        raise Misfit(*faults)
    return made


def keep(value: Any) -> Any:
    """Give back the value: it is JSON already."""
    return value


WRITERS: Mapping[type, Callable[[Any], Any]] = {
    str: write_str,
    bytes: write_bytes,
    bool: keep,
    int: write_int,
    float: write_float,
    decimal.Decimal: str,
    uuid.UUID: str,
    dt.datetime: write_datetime,
    dt.date: dt.date.isoformat,
    dt.timedelta: write_timedelta,
    type(None): keep,
}
"""How a value of each plain type is written."""
READERS: Mapping[type, Callable[[Any], Any]] = {
    str: read_str,
    bytes: read_bytes,
    int: read_int,
    float: read_float,
    decimal.Decimal: read_decimal,
    uuid.UUID: read_uuid,
    dt.datetime: read_datetime,
    dt.date: read_date,
    dt.timedelta: read_timedelta,
    bool: lambda data: _expect(data, bool, "bool"),
    type(None): lambda data: _expect(data, type(None), "None (null)"),
}
"""How data for each plain type is read; each raises `Misfit`."""
