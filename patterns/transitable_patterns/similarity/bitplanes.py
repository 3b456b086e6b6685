"""Counting in parallel on big integers: bit `k` of the columns belongs to item `k`, and all items are counted at once.

A plane holds one binary digit of every item's count. Three planes of one weight become one of that weight and one of twice
that weight (a full adder: five operations on whole integers), as in the Harley-Seal population count; see Mula, Kurz
and Lemire, "Faster Population Counts Using AVX2 Instructions" (2018).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_find_set_bytes: Final = re.compile(rb"[^\x00]", re.DOTALL).finditer
_PLACES: Final = tuple(tuple(place for place in range(8) if byte >> place & 1) for byte in range(256))


def count_columns(columns: list[int]) -> list[int]:
    """Add up columns of bits; the answer is the planes of the counts, weight 1 first. The list handed in is used up."""
    planes: list[int] = []
    while columns:
        carries: list[int] = []
        while len(columns) > 2:
            a, b, c = columns.pop(), columns.pop(), columns.pop()
            half = a ^ b
            columns.append(half ^ c)
            carries.append(a & b | half & c)
        if len(columns) == 2:
            a, b = columns
            planes.append(a ^ b)
            carries.append(a & b)
        else:
            planes.append(columns[0])
        columns = carries
    return planes


def select_at_least(columns: list[int], count: int) -> int:
    """Select the items that are set in at least `count` columns (from 1), as one integer. The list handed in is used up."""
    if count == 1 or count >= len(columns):
        return _combine(columns, count)
    planes = count_columns(columns)
    if count >> len(planes):
        return 0
    # Compare from the highest digit: above is decided, level is still equal (None: all items).
    above, level = 0, None
    for weight in range(len(planes) - 1, -1, -1):
        plane = planes[weight]
        if count >> weight & 1:
            level = plane if level is None else level & plane
        elif level is None:
            above |= plane
        else:
            above |= level & plane
    return above if level is None else above | level


def _combine(columns: list[int], count: int) -> int:
    """Select for the two counts that need no adding: any column, or every one."""
    if count > len(columns):
        return 0
    selected = columns[0]
    for column in columns:
        selected = selected & column if count > 1 else selected | column
    return selected


def list_places(bits: int) -> Iterator[int]:
    """List the places of the bits that are set, ascending; linear in the length and in the number of bits."""
    data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    for match in _find_set_bytes(data):
        start = match.start() * 8
        for place in _PLACES[data[match.start()]]:
            yield start + place
