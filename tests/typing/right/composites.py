"""Composite places: `each` over functions and graphs, `together`, graphs of the same and of another state class."""

from __future__ import annotations

from collections.abc import Mapping  # the engine reads what a node is annotated to return
from typing import TypedDict

from attrs import evolve, frozen

from transitable import (
    END,
    Graph,
    Retry,
    again,
    always,
    at_most_one,
    each,
    ends_at,
    grows,
    inside,
    never,
    node,
    pause,
    subgraph,
    then,
    together,
)


@frozen
class Page:
    """One page to read."""

    address: str = ""
    words: int = 0
    tries: int = 0


@frozen
class Report:
    """What is known of all pages."""

    pages: tuple[str, ...] = ()
    read: tuple[Page, ...] = ()
    counts: tuple[int, ...] = ()
    longest: int = 0
    shortest: int = 0
    approved: bool | None = None
    tries: int = 0
    notes: tuple[str, ...] = grows()


class Fetched(TypedDict):
    """What `fetch` writes."""

    words: int


class Longest(TypedDict, total=False):
    """What `find_longest` writes."""

    longest: int
    notes: list[str]


class Shortest(TypedDict, total=False):
    """What `find_shortest` writes."""

    shortest: int
    notes: list[str]


class Summed(TypedDict):
    """What a graph inside hands back."""

    longest: int


def fetch(page: Page) -> Fetched:
    """Fetch a page."""
    return {"words": len(page.address)}


async def find_longest(state: Report) -> Longest:
    """Find the longest page."""
    return {"longest": max(state.counts, default=0)}


def find_shortest(state: Report) -> Shortest:
    """Find the shortest page."""
    return {"shortest": min(state.counts, default=0), "notes": ["done"]}


def count_words(page: Page) -> int:
    """Count the words of a page."""
    return page.words


def start_page(state: Report, item: str) -> Page:
    """Make the state that a page's graph starts from."""
    return Page(item, len(state.notes))


def take_page(state: Report, page: Page) -> Page:
    """Take a page's result from the final state."""
    return evolve(page, words=page.words + len(state.notes))


def enter_page(state: Report) -> Page:
    """Make the state that one graph starts from."""
    return Page(state.pages[0])


def leave_page(state: Report, page: Page) -> Summed:
    """Hand back what the graph found."""
    return {"longest": max(page.words, state.longest)}


reading = Graph(Page, start=fetch, table={fetch: END}, name="reading")
check = pause("check", question="publish?", answer=bool, into="approved", accepts=lambda state, answer: None)
read_all = each("pages", reading, into="read", at_once=4, enter=start_page, leave=take_page, name="read_all")
read_states = each("pages", reading, into="read", enter=start_page, name="read_states")
count_all = each("read", node(count_words, retry=Retry(2)), into="counts", name="count_all")
measure = together(find_longest, node(find_shortest, timeout=1.0), name="measure")
first_page = subgraph(reading, enter=enter_page, leave=leave_page, name="first_page")
inner = Graph(Report, start=find_shortest, table={find_shortest: END}, name="inner")
same_class = subgraph(inner, name="same_class")
wide = together(check, same_class, measure, name="wide", stop_early=True)

report = Graph(
    Report,
    start=read_all,
    table={
        read_all: read_states,
        read_states: count_all,
        count_all: then(measure),
        measure: first_page,
        first_page: inner,
        inner: same_class,
        same_class: check,
        check: END,
    },
    claims=[
        always(inside(first_page, fetch)),
        at_most_one(inner),
        ends_at(check),
        never(after=check, reach=measure),
    ],
)


def fail(state: Report) -> Mapping[str, object] | None:
    """Write anything, or nothing."""
    return None if state.notes else {"notes": ["failed"]}


short = Graph(
    Report,
    start=fail,
    table={fail: inner, inner: again(fail, count="tries", at_most=1, otherwise=END)},
    silence=["unnoted-errors"],
)
