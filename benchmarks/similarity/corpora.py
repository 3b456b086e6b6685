"""Texts for the benchmarks: real short texts, repeated with edits to reach n; synthetic ones where the files are absent."""

from __future__ import annotations

import json
import random
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = {
    "english": (("clinc150_dev.jsonl", ("text",)), ("banking77_dev.jsonl", ("text",))),
    "korean": (("chatbot_ko_dev.jsonl", ("text", "answer")), ("korsts_dev.jsonl", ("text", "text2"))),
    "long": (("ai_scientist_ideas_dev.jsonl", ("text",)),),
}
SYLLABLES = {
    "english": "ba ke li mo ru sa te vi no pa",
    "korean": "가 너 도 루 미 부 서 지 호 라",
    "long": "ba ke li mo ru sa te vi no",
}


def read_texts(kind: str) -> tuple[list[str], str]:
    """Read all texts of a kind, and say where they are from: `real` or `synthetic`."""
    texts: list[str] = []
    for name, fields in FILES[kind]:
        path = DATA / name
        if not path.exists():
            return make_texts(kind), "synthetic"
        with path.open(encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        texts += [record[field] for record in records for field in fields if record.get(field)]
    return texts, "real"


def make_texts(kind: str, count: int = 20_000) -> list[str]:
    """Make texts whose words are as unevenly frequent as those of a language (Zipf)."""
    source = random.Random(11)  # noqa: S311 - benchmark data
    parts = SYLLABLES[kind].split()
    vocabulary = ["".join(source.choices(parts, k=source.randrange(1, 5))) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    length = 77 if kind == "long" else 9
    return [
        " ".join(source.choices(vocabulary, weights, k=max(2, round(source.gauss(length, 3))))) for _ in range(count)
    ]


def edit_text(text: str, vocabulary: list[str], source: random.Random) -> str:
    """Edit a text: drop, replace or insert a word, or shuffle the words; one in ten stays as it is."""
    words = text.split()
    place = source.randrange(len(words))
    kind = source.random()
    if kind < 0.25 and len(words) > 2:
        del words[place]
    elif kind < 0.5:
        words[place] = source.choice(vocabulary)
    elif kind < 0.75:
        words.insert(place, source.choice(vocabulary))
    elif kind < 0.9:
        source.shuffle(words)
    return " ".join(words)


def load_corpus(kind: str, n: int) -> list[str]:
    """Load n texts of a kind, the same ones each time."""
    source = random.Random(7)  # noqa: S311 - benchmark data
    texts, _ = read_texts(kind)
    source.shuffle(texts)
    vocabulary = sorted({word for text in texts for word in text.split()})
    real = len(texts)
    while len(texts) < n:
        texts.append(edit_text(texts[source.randrange(real)], vocabulary, source))
    return texts[:n]
