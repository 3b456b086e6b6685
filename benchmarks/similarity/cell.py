"""Measure one cell in this fresh process and print it as JSON: processor seconds (all threads), wall seconds, extra memory, pairs and their digest.

Usage: python benchmarks/similarity/cell.py CONTENDER KIND TOKENS N
Imports of the contender are not counted; building its sketches or matrix from the token sets is.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time

from contenders import CONTENDERS
from corpora import load_corpus

from transitable_patterns.similarity import find_tokens


def main(contender: str, kind: str, tokens: str, n: str) -> None:
    """Measure and print."""
    run = CONTENDERS[contender]
    run([frozenset(("a", "b")), frozenset(("a", "c"))] * 2)  # imports
    texts = load_corpus(kind, int(n))
    split = find_tokens(tokens)
    start = time.process_time()
    sets = [split(text) for text in texts]
    split_seconds = time.process_time() - start
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, processor = time.perf_counter(), time.process_time()
    pairs = run(sets)
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    digest = hashlib.sha256(repr(sorted(pairs)).encode()).hexdigest()[:16]
    answer = {"seconds": processor, "wall": seconds, "split": split_seconds, "extra_mb": extra}
    print(json.dumps({**answer, "pairs": len(pairs), "digest": digest}))


if __name__ == "__main__":
    main(*sys.argv[1:])
