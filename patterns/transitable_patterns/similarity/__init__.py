"""Similarity of short texts: exact, explained, in plain Python.

`similar_pairs` joins a list with itself, `SimilarityIndex` is asked one text at a time, `representatives` groups duplicates,
`contrast` keeps opposites apart. Ranking is in `transitable_patterns.ranking`.
"""

from transitable_patterns.similarity.clusters import Clusters, Link, complete_link, families, representatives
from transitable_patterns.similarity.contrast import Contrast, Difference, Kind, contrast
from transitable_patterns.similarity.contrast_rules import DEFAULT_RULES, Axis, ContrastRules
from transitable_patterns.similarity.diversity import Pick, mmr
from transitable_patterns.similarity.errors import (
    KeyConflictError,
    RankError,
    SimilarityError,
    TextError,
    ThresholdError,
    TokensError,
)
from transitable_patterns.similarity.index import Match, SimilarityIndex
from transitable_patterns.similarity.overlap import Overlap, explain, jaccard, similar
from transitable_patterns.similarity.pairs import SimilarPairs, similar_pairs
from transitable_patterns.similarity.tokens import Tokens, TokenSet, characters, find_tokens, ko_light, mixed, words

__all__ = [
    "DEFAULT_RULES",
    "Axis",
    "Clusters",
    "Contrast",
    "ContrastRules",
    "Difference",
    "KeyConflictError",
    "Kind",
    "Link",
    "Match",
    "Overlap",
    "Pick",
    "RankError",
    "SimilarPairs",
    "SimilarityError",
    "SimilarityIndex",
    "TextError",
    "ThresholdError",
    "TokenSet",
    "Tokens",
    "TokensError",
    "characters",
    "complete_link",
    "contrast",
    "explain",
    "families",
    "find_tokens",
    "jaccard",
    "ko_light",
    "mixed",
    "mmr",
    "representatives",
    "similar",
    "similar_pairs",
    "words",
]
