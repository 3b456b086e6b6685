"""Judgements of pairs: what a judge says, and what a pair judged in both seats comes to."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Callable


class Verdict(StrEnum):
    """What a judge says of two items shown in two seats."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"
    VOID = "void"
    """Nothing usable was said; it changes no rating."""


Judge: TypeAlias = "Callable[[str, str], Verdict]"
"""Asked with the names in the first and in the second seat."""


@frozen
class Game:
    """A pair that was judged once in each seat."""

    left: str
    """The item that had the first seat first."""
    right: str
    """The other one."""
    verdicts: tuple[Verdict, Verdict]
    """What was said with `left` in the first seat, and with `right` in the first seat."""

    @property
    def points(self) -> float | None:
        """Points of `left`: 1, 0, or 0.5 for a draw or a split; `None` when either verdict is void."""
        if Verdict.VOID in self.verdicts:
            return None
        score = {Verdict.FIRST: 1, Verdict.SECOND: -1, Verdict.DRAW: 0}
        balance = score[self.verdicts[0]] - score[self.verdicts[1]]
        return 0.5 if balance == 0 else float(balance > 0)

    @property
    def is_split(self) -> bool:
        """Whether the same seat won twice: the judge went by the seat, not by the item."""
        return self.verdicts[0] == self.verdicts[1] and self.verdicts[0] in (Verdict.FIRST, Verdict.SECOND)


def judge_pair(judge: Judge, left: str, right: str) -> Game:
    """Have a pair judged in both seats."""
    return Game(left, right, (Verdict(judge(left, right)), Verdict(judge(right, left))))
