"""Measure `SimilarityIndex`, `representatives` and Bradley-Terry, each in this process; prints Markdown rows.

Usage: python benchmarks/similarity/single.py index KIND TOKENS N | representatives N | bradley-terry [choix]
Medians over 1,000 questions, in microseconds of processor time; texts are split beforehand, as `split` says beside it.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time

from corpora import load_corpus

from transitable_patterns.ranking import fit_strengths
from transitable_patterns.similarity import SimilarityIndex, contrast, find_tokens, representatives, similar_pairs


def measure_index(kind: str, tokens: str, n: str) -> None:
    """Print what an addition, a question, and a question with the addition of the same text after it take."""
    split = find_tokens(tokens)
    texts = load_corpus(kind, int(n) + 1000)
    start = time.process_time()
    sets = [split(text) for text in texts]
    splitting = (time.process_time() - start) / len(texts)
    index = SimilarityIndex[int](0.6, tokens=split)
    start = time.process_time()
    for number, tokens_of_text in enumerate(sets[: int(n)]):
        index.add(number, tokens_of_text)
    adding = (time.process_time() - start) / int(n)
    asking: list[float] = []
    found = 0
    for tokens_of_text in sets[int(n) :]:
        start = time.process_time()
        found += len(index.query(tokens_of_text))
        asking.append(time.process_time() - start)
    both: list[float] = []
    for number, tokens_of_text in enumerate(sets[int(n) :], int(n)):
        start = time.process_time()
        index.query(tokens_of_text)
        index.add(number, tokens_of_text)
        both.append(time.process_time() - start)
    print(
        f"| {kind}, {tokens} | {int(n):,} | {adding * 1e6:.1f} | {statistics.median(asking) * 1e6:.1f} "
        f"| {statistics.mean(asking) * 1e6:.1f} | {statistics.median(both) * 1e6:.1f} | {splitting * 1e6:.1f} | {found / 1000:.1f} |"
    )


def measure_representatives(n: str) -> None:
    """Print what choosing representatives takes beside the join."""
    texts = load_corpus("english", int(n))
    ranks = list(range(len(texts)))
    start = time.process_time()
    pairs = similar_pairs(texts)
    joined = time.process_time()
    chosen = representatives(texts, ranks, pairs=pairs)
    grouped = time.process_time()
    representatives(texts, ranks, pairs=pairs, apart=contrast)
    apart = time.process_time()
    print(
        f"join {joined - start:.2f} s, representatives {grouped - joined:.2f} s = {(grouped - joined) / (joined - start):.2f} x,"
    )
    print(f"with contrast {apart - grouped:.2f} s; {len(chosen.standing):,} of {len(texts):,} stand")


def measure_bradley_terry(peer: str = "") -> None:
    """Print what fitting 1,000 entrants and 20,000 games takes, and whether choix has the same order."""
    source = random.Random(3)  # noqa: S311 - benchmark data
    true = [math.exp(source.gauss(0, 0.6)) for _ in range(1000)]
    games: list[tuple[int, int]] = []
    for _ in range(20_000):
        one, other = source.sample(range(1000), 2)
        games.append((one, other) if source.random() < true[one] / (true[one] + true[other]) else (other, one))
    names = [f"{number:04}" for number in range(1000)]
    results = [(names[one], names[other], 1.0) for one, other in games]
    start = time.process_time()
    fitted = fit_strengths(names, results, prior=1e-6, tolerance=1e-9)
    print(f"transitable {time.process_time() - start:.3f} s, {fitted.rounds} rounds")
    if not peer:
        return
    import choix
    import numpy

    print("worst entrant: won", min(sum(winner == number for winner, _ in games) for number in range(1000)), "games")
    for name in ("ilsr_pairwise", "mm_pairwise", "opt_pairwise"):
        start = time.process_time()
        try:
            parameters = getattr(choix, name)(1000, games)
        except RuntimeError as error:
            print(f"choix.{name} {time.process_time() - start:.1f} s: {error}")
            continue
        taken = time.process_time() - start
        order = [names[number] for number in numpy.argsort(-parameters, kind="stable")]
        moved = sum(one != other for one, other in zip(order, fitted.order, strict=True))
        print(f"choix.{name} {taken:.2f} s; places that differ: {moved} of 1000", flush=True)


def main(what: str, *arguments: str) -> None:
    """Measure one thing."""
    {"index": measure_index, "representatives": measure_representatives, "bradley-terry": measure_bradley_terry}[what](
        *arguments
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
