"""Tournaments: seats, voids, schedules, ratings."""

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.ranking import (
    EloRatings,
    EntrantError,
    Game,
    Schedule,
    ScheduleError,
    Verdict,
    choose_informative,
    fit_strengths,
    judge_pair,
    pair_all,
    pair_swiss,
    tournament,
)

NAMES = ["a", "b", "c", "d", "e"]


def make_source(seed):
    """A random source of its own."""
    return random.Random(seed)  # noqa: S311 - for pairing, not for secrets


def judge_by_name(first, second):
    """The earlier letter is better."""
    return Verdict.FIRST if first < second else Verdict.SECOND


def judge_by_seat(first, second):
    """Whoever sits first."""
    return Verdict.FIRST


def judge_nothing(first, second):
    """Never usable."""
    return Verdict.VOID


@pytest.mark.parametrize("schedule", list(Schedule))
def test_schedules_find_the_order(schedule):
    """A consistent judge gives the same order under each schedule, with confidence between neighbours."""
    result = tournament(NAMES, judge_by_name, schedule=schedule, rounds=4, games=12, seed=3)
    assert [standing.name for standing in result.standings] == NAMES
    assert all(0.5 < standing.confidence < 1 for standing in result.standings[:-1])
    assert result.standings[-1].confidence is None
    assert sum(standing.games for standing in result.standings) == 2 * len(result.games)
    assert (result.voids, result.splits) == (0, 0)


@pytest.mark.parametrize("schedule", list(Schedule))
def test_every_pair_is_judged_in_both_seats(schedule):
    """Each item sits first as often as second, against each opponent."""
    asked = []

    def judge(first, second):
        asked.append((first, second))
        return Verdict.DRAW

    tournament(NAMES, judge, schedule=schedule, games=15, seed=1)
    assert all(asked.count((a, b)) == asked.count((b, a)) for a, b in asked)
    assert all(first != second for first, second in asked)


def test_a_seat_bound_judge_ranks_nobody_above_another():
    """Splits are draws: all strengths are equal, the order is by name, confidence is a coin."""
    result = tournament(NAMES, judge_by_seat)
    assert result.splits == len(result.games) == 10
    assert {round(standing.strength, 9) for standing in result.standings} == {1.0}
    assert result.standings[0].confidence == 0.5
    assert set(result.elo.values()) == {1500.0}


@pytest.mark.parametrize("schedule", list(Schedule))
def test_a_void_judge_gives_no_ranking(schedule):
    """All void is "no ranking"; the games are counted."""
    result = tournament(NAMES, judge_nothing, schedule=schedule, games=4)
    assert result.standings is None
    assert result.voids == len(result.games) > 0
    assert set(result.elo.values()) == {1500.0}


def test_a_void_game_changes_nothing():
    """Leaving the void games out gives the same standings."""

    def judge(first, second):
        return Verdict.VOID if "e" in (first, second) else judge_by_name(first, second)

    result = tournament(NAMES, judge)
    counted = [(game.left, game.right, game.points) for game in result.games if game.points is not None]
    fitted = fit_strengths(NAMES, counted)
    assert result.voids == 4
    assert {standing.name: standing.strength for standing in result.standings} == pytest.approx(fitted.values)


@pytest.mark.parametrize(
    ("verdicts", "points", "split"),
    [
        (("first", "second"), 1.0, False),
        (("second", "first"), 0.0, False),
        (("first", "first"), 0.5, True),
        (("second", "second"), 0.5, True),
        (("draw", "draw"), 0.5, False),
        (("first", "draw"), 1.0, False),
        (("draw", "first"), 0.0, False),
        (("first", "void"), None, False),
        (("void", "void"), None, False),
    ],
)
def test_points_of_a_game(verdicts, points, split):
    """A split is a draw; one void verdict makes the game void."""
    game = Game("a", "b", tuple(map(Verdict, verdicts)))
    assert (game.points, game.is_split) == (points, split)


def test_unknown_verdicts_are_refused():
    """A judge that says something else is an error, not a draw."""
    with pytest.raises(ValueError, match="maybe"):
        judge_pair(lambda first, second: "maybe", "a", "b")


@given(st.integers(0, 2**32), st.sampled_from(list(Schedule)))
def test_same_seed_same_result_and_global_random_untouched(seed, schedule):
    """The tournament has a random source of its own."""
    state = random.getstate()
    one = tournament(NAMES, judge_by_name, schedule=schedule, games=6, seed=seed)
    assert one == tournament(NAMES[::-1], judge_by_name, schedule=schedule, games=6, seed=seed)
    assert random.getstate() == state


def test_bad_tournaments_are_refused():
    """An entrant twice, no rounds, no games, no prior."""
    with pytest.raises(EntrantError, match="new entrant"):
        tournament(["a", "a"], judge_by_name)
    with pytest.raises(ScheduleError, match="rounds is 0"):
        tournament(NAMES, judge_by_name, schedule=Schedule.SWISS, rounds=0)
    with pytest.raises(ScheduleError, match="games is 0"):
        tournament(NAMES, judge_by_name, schedule=Schedule.ACTIVE, games=0)
    with pytest.raises(ScheduleError, match="prior is 0"):
        tournament(NAMES, judge_by_name, prior=0)


@pytest.mark.parametrize("schedule", list(Schedule))
def test_one_entrant_has_nobody_to_meet(schedule):
    """No games, no ranking."""
    result = tournament(["a"], judge_by_name, schedule=schedule)
    assert (result.games, result.standings) == ((), None)


def test_round_robin_pairs_everybody_once():
    """All pairs, none twice, in an order of the random source."""
    pairs = pair_all(NAMES, make_source(1))
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in itertools.combinations(NAMES, 2)}
    assert len(pairs) == 10
    assert pairs != pair_all(NAMES, make_source(2))


@given(st.integers(0, 1000))
def test_swiss_never_repeats_a_pair(seed):
    """Nobody meets the same one twice or plays twice in a round; when all have met, the round is empty."""
    source = make_source(seed)
    met = []
    for _ in range(12):
        pairs = pair_swiss(dict.fromkeys(NAMES, 0.0), met, source)
        names = [name for pair in pairs for name in pair]
        assert len(set(names)) == len(names)
        met += pairs
    assert len({frozenset(pair) for pair in met}) == len(met) == 10


def test_active_asks_about_the_least_known():
    """After a vs b was played, a pair with c is next."""
    strengths = fit_strengths(["a", "b", "c"], [("a", "b", 1.0)])
    assert "c" in choose_informative(strengths, [("a", "b")], make_source(0))
    assert choose_informative(fit_strengths(["a"], []), [], make_source(0)) is None


GAMES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([0, 0.5, 1])), max_size=30)


@given(GAMES)
def test_elo_conserves_the_sum_exactly(games):
    """What one gains the other loses, to the last bit, whatever is played."""
    ratings = EloRatings(NAMES)
    for left, right, points in games:
        if left != right:
            ratings.record(left, right, points)
    assert sum(ratings.values.values()) == 1500 * len(NAMES)


def test_elo_counts_voids_and_orders():
    """A void moves nothing; the order is by rating, then by name; who enters later starts at 1500."""
    ratings = EloRatings(["b", "a"])
    ratings.record("b", "a", None)
    assert (ratings.voids, ratings.order) == (1, ("a", "b"))
    ratings.record("b", "a", 1)
    ratings.enter("c")
    assert (ratings.order, ratings.values["c"]) == (("b", "c", "a"), 1500)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: EloRatings(["a", "a"]), EntrantError, "entered already"),
        (lambda: EloRatings(factor=0), ScheduleError, "factor is 0"),
        (lambda: EloRatings("ab").record("a", "z", 1), EntrantError, "'z' is not an entrant"),
        (lambda: EloRatings("ab").record("a", "a", 1), EntrantError, "its own opponent"),
        (lambda: EloRatings("ab").record("a", "b", 2), ScheduleError, "points is 2"),
        (lambda: fit_strengths("ab", [("a", "z", 1)]), EntrantError, "'z' is not an entrant"),
        (lambda: fit_strengths("ab", [("a", "a", 1)]), EntrantError, "its own opponent"),
        (lambda: fit_strengths("ab", [("a", "b", -1)]), ScheduleError, "expected 0 to 1"),
        (lambda: fit_strengths("aa", []), EntrantError, "listed twice"),
        (lambda: fit_strengths("ab", [], tolerance=0), ScheduleError, "tolerance is 0"),
    ],
)
def test_bad_games_are_refused(act, error, message):
    """Each refusal names the entrant or the option."""
    with pytest.raises(error) as caught:
        act()
    assert message in str(caught.value)


@given(GAMES)
def test_strengths_solve_the_equations(games):
    """At the fit, each entrant's points equal the points that the strengths expect, imagined games included."""
    results = [game for game in games if game[0] != game[1]]
    fitted = fit_strengths(NAMES, results, prior=0.5, tolerance=1e-12)
    assert fitted.converged
    for name in NAMES:
        own = fitted.values[name]
        won, expected = 0.5, 2 * 0.5 * own / (own + 1)
        for left, right, points in results:
            if name in (left, right):
                rival = fitted.values[right if name == left else left]
                won += points if name == left else 1 - points
                expected += own / (own + rival)
        assert math.isclose(won, expected, abs_tol=1e-6)


def test_strengths_without_games_are_equal():
    """Nothing played, nothing claimed; nobody entered, nothing fitted."""
    assert fit_strengths(NAMES, []).values == pytest.approx(dict.fromkeys(NAMES, 1.0))
    assert fit_strengths([], []).order == ()


def test_a_fit_that_does_not_end_says_so(monkeypatch):
    """Too few rounds for the tolerance: converged is False."""
    monkeypatch.setattr("transitable_patterns.ranking.bradley_terry.MOST_ROUNDS", 1)
    assert not fit_strengths("ab", [("a", "b", 1)]).converged
