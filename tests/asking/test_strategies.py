"""The promises of every strategy."""

import numpy as np
import pytest

from resemblance import (
    ControversialQuestions,
    InformationGain,
    ModelObserver,
    PredictiveGain,
    RandomQuestions,
    UncertainQuestions,
)
from resemblance.asking import Belief
from resemblance.asking.question import MostSimilar, OddOneOut, question_type, random_rows
from resemblance.choice import Hinge, Relative, StudentT
from resemblance.errors import SettingError

N = 12
POINTS = np.random.default_rng(0).normal(size=(N, 2))
MODELS = {f"{axis}": ModelObserver(POINTS[:, [axis]], "euclidean") for axis in (0, 1)}
STRATEGIES = [
    RandomQuestions(),
    RandomQuestions(repeats=False),
    UncertainQuestions(),
    ControversialQuestions(MODELS),
    InformationGain(),
    InformationGain(prior="gaussian", power=0.5, max_pairs=50),
    PredictiveGain(max_candidates=300, n_targets=30),
    PredictiveGain(max_candidates=300, n_targets=30, max_parameters=0, repeats=False),
]
TRIPLETS = MostSimilar(2)
TYPES = [TRIPLETS, MostSimilar(4, picks=3), OddOneOut(4)]
CELLS = [
    pytest.param(strategy, asks, id=f"{type(strategy).__name__}-{asks}")
    for strategy in STRATEGIES
    for asks in TYPES
    if asks.heads or not strategy.needs_head
]


def belief(asks=TRIPLETS, offer=None):
    rng = np.random.default_rng(1)
    answered, pending = asks.random(rng, 60, N), asks.random(rng, 8, N)
    return Belief(POINTS, StudentT(1.0), answered, pending, asks=asks, offer=offer)


@pytest.mark.parametrize(("strategy", "asks"), CELLS)
class TestEveryStrategy:
    def test_questions_are_valid_and_differ(self, strategy, asks):
        rows = strategy.propose(belief(asks), 40, np.random.default_rng(0))
        assert rows.shape == (40, asks.width)
        assert all(len(set(row)) == asks.width for row in rows.tolist())
        assert rows.min() >= 0
        assert rows.max() < N
        assert len(set(asks.keys(rows, N).tolist())) == 40

    def test_a_question_that_is_out_is_not_asked(self, strategy, asks):
        known = belief(asks)
        rows = strategy.propose(known, 60, np.random.default_rng(0))
        assert not np.isin(known.keys(rows), known.keys(known.pending)).any()

    def test_answered_questions_come_again_only_where_allowed(self, strategy, asks):
        known = belief(asks)
        rows = strategy.propose(known, 60, np.random.default_rng(0))
        again = np.isin(known.keys(rows), known.keys(known.answered)).any()
        assert strategy.repeats or not again

    def test_one_seed_gives_one_result(self, strategy, asks):
        first, again = (
            strategy.propose(belief(asks), 10, np.random.default_rng(5)) for _ in range(2)
        )
        np.testing.assert_array_equal(first, again)

    def test_only_what_is_on_offer_is_asked(self, strategy, asks):
        known = belief(asks)
        used = np.concatenate([known.keys(known.answered), known.keys(known.pending)])
        drawn = asks.random(np.random.default_rng(9), 60, N)
        once = np.unique(known.keys(drawn), return_index=True)[1]
        fresh = drawn[once][~np.isin(known.keys(drawn[once]), used)]
        offer = np.concatenate([fresh, known.answered[:5]])  # the five have been asked
        known = belief(asks, offer)
        rows = strategy.propose(known, 100, np.random.default_rng(0))
        assert 0 < len(rows) <= len(fresh)
        assert np.isin(known.keys(rows), known.keys(offer)).all()
        assert not np.isin(known.keys(rows), used).any()

    def test_it_ends_where_nothing_is_left(self, strategy, asks):
        used_up = belief(asks, belief(asks).answered[:5])
        assert strategy.propose(used_up, 3, np.random.default_rng(0)).shape == (0, asks.width)


ANY_MODEL = RandomQuestions, ControversialQuestions  # which do not ask the model of the map
OF_A_SPACE = [one for one in STRATEGIES if not isinstance(one, ANY_MODEL)]


@pytest.mark.parametrize("strategy", OF_A_SPACE, ids=lambda s: type(s).__name__)
def test_a_model_without_probabilities_is_refused(strategy):
    with pytest.raises(
        SettingError, match=r"Hinge gives no probability of answers.*CKL, STE or TSTE"
    ):
        strategy.check(Hinge())


def test_random_takes_any_model():
    RandomQuestions().check(Hinge())


@pytest.mark.parametrize(
    ("strategy", "settings"),
    [
        (InformationGain, {"prior": "flat"}),
        (InformationGain, {"power": 0.0}),
        (InformationGain, {"power": 1.5}),
        (InformationGain, {"max_pairs": 0}),
        (InformationGain, {"max_items": -1}),
        (PredictiveGain, {"max_candidates": 0}),
        (PredictiveGain, {"n_targets": 2.5}),
        (UncertainQuestions, {"max_candidates": 0}),
    ],
)
def test_settings_out_of_range(strategy, settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        strategy(**settings)


@pytest.mark.parametrize("n_options", [2, 3])
def test_greedy_gain_is_the_fall_of_the_targets_variance(n_options):
    """Against inverting the information afresh for every candidate, with batches taken in turn."""
    from resemblance.asking.gain import GreedyChoice
    from resemblance.fitting import PositionUncertainty
    from resemblance.judgments import Comparison

    rng = np.random.default_rng(2)
    asked = lambda m, n_options: Comparison.of_heads(random_rows(rng, m, N, n_options))  # noqa: E731
    belief = PositionUncertainty(POINTS, Relative(0.3), [asked(40, n_options)])
    J = belief.information_rows(asked(25, n_options))
    J_t = belief.information_rows(asked(15, 2))
    per = n_options - 1
    greedy, covariance = GreedyChoice(belief.covariance, J, J_t, per), belief.covariance
    for _ in range(4):
        after = [
            np.linalg.inv(np.linalg.inv(covariance) + (rows.T @ rows).toarray())
            for rows in (J[c * per : (c + 1) * per] for c in range(25))
        ]
        expected = [np.trace(J_t @ (covariance - S) @ J_t.T) for S in after]
        gain = greedy.gain()
        np.testing.assert_allclose(gain[greedy.open], np.array(expected)[greedy.open], rtol=1e-7)
        assert greedy.take() == int(gain.argmax())
        covariance = after[int(gain.argmax())]


@pytest.mark.parametrize("max_parameters", [3000, 0])
@pytest.mark.parametrize(("picks", "ordered"), [(1, True), (2, True), (2, False)])
def test_an_answer_tells_what_all_its_picks_tell(picks, ordered, max_parameters):
    """Of one the first pick is sure and the rest a toss-up; of the other the first tells more."""
    points = np.array([[0, 0], [0.1, 0], [3, 0], [0, 3], [1, 0], [0, 2.5], [-4, 0]], float)
    rest_open, first_open = [0, 1, 2, 3], [0, 4, 5, 6]
    belief = Belief(
        points,
        answered=np.empty((0, 4), np.int32),
        pending=np.empty((0, 4), np.int32),
        asks=question_type(3, picks=picks, ordered=ordered),
        offer=np.array([rest_open, first_open], np.int32),
    )
    strategy = PredictiveGain(max_parameters=max_parameters)
    best = strategy.propose(belief, 1, np.random.default_rng(0))[0].tolist()
    assert best == (first_open if picks == 1 else rest_open)


def test_questions_of_a_type_are_counted_and_known_by_their_options():
    assert (TRIPLETS.count(10), TRIPLETS.key((4, 2, 1))) == (360, (4, 1, 2))
    assert (OddOneOut(3).count(10), OddOneOut(3).key((4, 2, 1))) == (120, (1, 2, 4))
