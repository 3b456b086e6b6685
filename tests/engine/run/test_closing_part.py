"""A cancel in the closing part lets it finish: the work under way there is not interrupted, and a second cancel stops it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from attrs import frozen

from transitable import END, EventKind, Graph, Status, then

if TYPE_CHECKING:
    from transitable import Handle


@frozen
class State:
    """A state."""


class Closing:
    """A graph whose closing part waits until it is let go."""

    def __init__(self) -> None:
        self.went: list[str] = []
        self.let_go = asyncio.Event()
        self.graph = Graph(
            State,
            start=self.work,
            table={self.work: then(self.close), self.close: END},
            on_cancel=self.close,
        )

    async def work(self, state: State) -> None:
        self.went.append("work")

    async def close(self, state: State) -> None:
        self.went.append("close")
        await self.let_go.wait()
        self.went.append("closed")


async def cancel_while_closing(closing: Closing, times: int) -> Handle[State]:
    """Run to the closing part, cancel so many times while it is under way, then let it go."""
    handle = closing.graph.start(State())
    async for event in handle:
        if event.kind is EventKind.STARTED and event.place == "close":
            await asyncio.sleep(0)  # let the node start
            for _ in range(times):
                handle.cancel()
            closing.let_go.set()
    return handle


def test_a_cancel_lets_the_closing_part_finish() -> None:
    """The node under way is neither interrupted nor started anew, and the run is CANCELLED at END."""

    async def check() -> None:
        closing = Closing()
        handle = await cancel_while_closing(closing, 1)
        assert closing.went == ["work", "close", "closed"]
        assert (handle.run.status, handle.run.place) == (Status.CANCELLED, None)
        assert handle.run.places == ("work", "close")

    asyncio.run(check())


def test_a_second_cancel_stops_the_closing_part() -> None:
    """The node under way is interrupted, and the run rests where it is."""

    async def check() -> None:
        closing = Closing()
        handle = await cancel_while_closing(closing, 2)
        assert closing.went == ["work", "close"]
        assert (handle.run.status, handle.run.place) == (Status.CANCELLED, "close")

    asyncio.run(check())


@pytest.mark.parametrize("times", [1, 2])
def test_without_a_cancel_the_closing_part_is_a_part_like_others(times: int) -> None:
    """A run that nobody cancels there completes; cancelling a run at rest changes nothing."""

    async def check() -> None:
        closing = Closing()
        handle = await cancel_while_closing(closing, 0)
        for _ in range(times):
            handle.cancel()
        assert handle.run.status is Status.COMPLETED

    asyncio.run(check())
