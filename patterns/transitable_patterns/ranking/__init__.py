"""Ranking: weighted sums on declared scales, tournaments of pairwise judgements, disagreement between raters.

Plain Python and deterministic. Duplicates are found by `transitable_patterns.similarity`.
"""

from transitable_patterns.ranking.bradley_terry import Strengths, fit_strengths
from transitable_patterns.ranking.criteria import Criterion, Direction, read_criteria
from transitable_patterns.ranking.disagreement import Spread, disagreement
from transitable_patterns.ranking.elo import EloRatings
from transitable_patterns.ranking.errors import CriterionError, EntrantError, RankingError, ScheduleError, ScoreError
from transitable_patterns.ranking.judgement import Game, Judge, Verdict, judge_pair
from transitable_patterns.ranking.schedule import choose_informative, pair_all, pair_swiss
from transitable_patterns.ranking.tournament import Result, Schedule, Standing, tournament
from transitable_patterns.ranking.weighted import Contribution, Ranked, rank_items

__all__ = [
    "Contribution",
    "Criterion",
    "CriterionError",
    "Direction",
    "EloRatings",
    "EntrantError",
    "Game",
    "Judge",
    "Ranked",
    "RankingError",
    "Result",
    "Schedule",
    "ScheduleError",
    "ScoreError",
    "Spread",
    "Standing",
    "Strengths",
    "Verdict",
    "choose_informative",
    "disagreement",
    "fit_strengths",
    "judge_pair",
    "pair_all",
    "pair_swiss",
    "rank_items",
    "read_criteria",
    "tournament",
]
