"""EI-12, EA-02: one comparison for all scores."""

from __future__ import annotations

import ast
import math
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import transitable_patterns.routing as package
from transitable_patterns.routing import ScoreError, compare_scores

SCORE_WORDS = {"confidence", "threshold", "margin", "score"}


def test_ei_12_the_boundaries_of_the_specification() -> None:
    """EI-12: sums that floating point puts on the wrong side compare as printed."""
    assert compare_scores(0.1 * 3, 0.3) == 0
    assert compare_scores(0.7 + 0.1, 0.8) == 0
    assert compare_scores(0.75 - 0.65, 0.1) == 0
    assert compare_scores(0.599999, 0.6) == -1
    assert compare_scores(1, 0.999999) == 1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, False, -1e-9, 1.0000001, "0.5", None, [0.5]])
def test_ei_12_what_is_no_score_is_refused(value: object) -> None:
    """EI-12: NaN, infinities, bools, texts and numbers out of range are refused on either side."""
    with pytest.raises(ScoreError, match="expected a finite number from 0 to 1"):
        compare_scores(value, 0.5)
    with pytest.raises(ScoreError):
        compare_scores(0.5, value)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_ei_12_an_order(a: float, b: float, c: float) -> None:
    """EI-12: comparing is antisymmetric and transitive."""
    assert compare_scores(a, b) == -compare_scores(b, a)
    if compare_scores(a, b) <= 0 and compare_scores(b, c) <= 0:
        assert compare_scores(a, c) <= 0


def test_ei_12_no_other_comparison_of_scores() -> None:
    """EI-12: no module of the package compares a confidence, threshold, margin or score with an operator."""
    folder = Path(package.__file__).parent
    bad = [
        f"{path.name}:{node.lineno}"
        for path in folder.rglob("*.py")
        if path.name not in ("scores.py", "policy.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
        for side in [node.left, *node.comparators]
        if (side.attr if isinstance(side, ast.Attribute) else side.id if isinstance(side, ast.Name) else "")
        in SCORE_WORDS
    ]
    assert bad == []


def test_errors_pickle() -> None:
    """Errors keep their facts over a pickle."""
    error = pickle.loads(pickle.dumps(ScoreError("float nan")))  # noqa: S301 - our own bytes
    assert error.found == "float nan"
