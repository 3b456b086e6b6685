"""The reference of findings and claims is true: its examples run, and give what their sections say."""

from pathlib import Path
from typing import Any

import pytest

from transitable import Graph, TableError
from transitable.check.claims import PROOFS
from transitable.check.findings import ERRORS, LEVELS, WARNINGS

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


def split_sections(page: str) -> tuple[str, dict[str, str]]:
    """Split a page into what stands before the first third-level heading, and the text under each."""
    first, *rest = (REFERENCE / page).read_text("utf-8").split("\n### ")
    return first, {section.split("\n", 1)[0]: section.split("\n", 1)[1] for section in rest}


def read_code(text: str) -> list[str]:
    """Give the Python blocks of a text."""
    return [block.split("\n```", 1)[0] for block in text.split("```python\n")[1:]]


def run_examples(*examples: str) -> dict[str, Any]:
    """Run blocks one after the other in one namespace, as a module of its own."""
    names: dict[str, Any] = {"__name__": "reference_example"}
    for example in examples:
        exec(compile(example, "reference", "exec"), names)  # noqa: S102  # the examples of our own documentation
    return names


INTRODUCTION, FINDINGS = split_sections("findings.md")
CLAIMS_INTRODUCTION, CLAIMS = split_sections("claims.md")


def test_every_code_has_a_section_and_every_section_a_code() -> None:
    """The page lists exactly the codes that there are, errors and warnings."""
    assert set(FINDINGS) == {*ERRORS, *WARNINGS}


def test_the_shared_definitions_are_sound() -> None:
    """What the examples start from has no finding, so each example is the only cause of its own."""
    graph = run_examples(*read_code(INTRODUCTION))["graph"]

    assert graph.warnings == ()


@pytest.mark.parametrize("code", FINDINGS)
def test_an_example_gives_exactly_its_finding(code: str) -> None:
    """Each section's example gives the finding of its heading and no other, and says how to mend it."""
    (example,) = read_code(FINDINGS[code])
    assert "\nFix: " in FINDINGS[code]
    example = example.replace("Graph(State", "made = Graph(State").replace("= made = ", "= ")

    if LEVELS[code] == "error":
        with pytest.raises(TableError) as caught:
            run_examples(*read_code(INTRODUCTION), example)
        assert set(caught.value.codes) == {code}
    else:
        made = run_examples(*read_code(INTRODUCTION), example)["made"]
        assert [finding.code for finding in made.warnings] == [code]


def test_every_claim_has_a_section() -> None:
    """The page of claims has a section for every kind of claim."""
    assert {heading.split("(")[0].strip("`") for heading in CLAIMS} == set(PROOFS)


@pytest.mark.parametrize("heading", CLAIMS)
def test_an_example_of_a_claim_holds(heading: str) -> None:
    """Each claim's example is a graph that constructs, so the claim is proved."""
    (example,) = read_code(CLAIMS[heading])

    graph = run_examples(*read_code(CLAIMS_INTRODUCTION), example)["graph"]

    assert isinstance(graph, Graph)
    assert graph.claims
