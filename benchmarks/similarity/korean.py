"""Measure what each tokeniser does to inflected Korean: KorSTS pairs with a human similarity from 0 to 5.

Usage: python benchmarks/similarity/korean.py
Positive pairs are those at 3 and above, negative ones those below (also 4 and above against below 2). AUC is the chance that a
positive pair is rated above a negative one; the other columns are the share of pairs that count as similar.
"""

from __future__ import annotations

import json
import sys
from bisect import bisect_left, bisect_right

from corpora import DATA

from transitable_patterns.similarity import characters, jaccard, ko_light, mixed, words


def measure_auc(positive: list[float], negative: list[float]) -> float:
    """Give the chance that a positive value is above a negative one; ties count half."""
    below = sorted(negative)
    won = sum((bisect_left(below, value) + bisect_right(below, value)) / 2 for value in positive)
    return won / len(positive) / len(below)


def main() -> int:
    """Print a table."""
    path = DATA / "korsts_dev.jsonl"
    if not path.exists():
        print("KorSTS is not here")
        return 0
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    print(
        "| tokeniser | AUC 3+ v below | AUC 4+ v below 2 | 4+ similar at 0.6 | at 0.5 | below 2 similar at 0.6 | at 0.5 |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for tokens in (words, mixed, ko_light, characters(2)):
        rated = [
            (record["score"], float(jaccard(record["text"], record["text2"], tokens=tokens))) for record in records
        ]
        auc = measure_auc([v for s, v in rated if s >= 3], [v for s, v in rated if s < 3])
        high, low = [v for s, v in rated if s >= 4], [v for s, v in rated if s < 2]
        shares = [f"{sum(v >= limit for v in side) / len(side):.1%}" for side in (high, low) for limit in (0.6, 0.5)]
        print(f"| {tokens.name} | {auc:.3f} | {measure_auc(high, low):.3f} | {' | '.join(shares)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
