from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import resemblance as rs
from resemblance.judgments import Choices, Quadruplets, Triplets, as_judgments
from resemblance.scores import NoiseCeiling, noise_ceiling
from resemblance.scores.ceiling import best_accuracy


def crowd(rng, a, n_questions=400, n_answers=5, n_options=2):
    """Let people choose among n_options, in shares that differ between questions: Dirichlet(a)."""
    shown = np.array([rng.permutation(20)[: n_options + 1] for _ in range(n_questions)])
    shown = shown[np.unique(np.sort(shown, axis=1), axis=0, return_index=True)[1]]
    shares = rng.dirichlet([a] * n_options, len(shown)).repeat(n_answers, axis=0)
    shown = shown.repeat(n_answers, axis=0)
    place = 1 + (rng.random(len(shown))[:, None] > shares.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return shown[:, 0], rng.permuted(shown[:, 1:], axis=1), shown[np.arange(len(shown)), place]


def best(a, n_options=2):
    """How often the answer that most people give comes, where shares are Dirichlet(a)."""
    return np.random.default_rng(1).dirichlet([a] * n_options, 10**6).max(axis=1).mean()


def as_triplets(head, options, chosen, **notes):
    far = np.where(options[:, 0] == chosen, options[:, 1], options[:, 0])
    return Triplets(np.column_stack([head, chosen, far]), items=20, **notes)


def sources(note, n_rows):
    """Three sources in turn, as the groups or the observers of triplets."""
    labels = {
        "response_id": np.arange(n_rows) % 3,
        "observer": np.array(list("abc"))[np.arange(n_rows) % 3],
    }
    return {} if note is None else {note: labels[note]}


def naive_agreement(triplets):
    """Share of agreeing pairs of rows of each question, not of one source, by plain loops.

    Questions count by the weight of their answers.
    """
    source = triplets.response_id if triplets.observer is None else triplets.observer
    agreeing, pairs, answers = (defaultdict(float) for _ in range(3))
    for (h, *a), weight in zip(triplets.index, triplets.weights, strict=True):
        answers[h, frozenset(a)] += weight
    for i, j in combinations(range(len(triplets)), 2):
        (h, *a), (k, *b) = triplets.index[i], triplets.index[j]
        if h == k and set(a) == set(b) and (source is None or source[i] != source[j]):
            weight = triplets.weights[i] * triplets.weights[j]
            pairs[h, frozenset(a)] += weight
            agreeing[h, frozenset(a)] += weight * (a == b)
    shares = [agreeing[question] / pairs[question] for question in pairs]
    return np.average(shares, weights=[answers[q] for q in pairs]), sum(pairs.values())


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(("a", "n_options"), [(0.2, 2), (4.0, 2), (1.0, 5)])
def test_recovers_the_best_accuracy(a, n_options):
    crowds = [crowd(np.random.default_rng(seed), a, n_options=n_options) for seed in range(12)]
    found = [noise_ceiling(Choices(*answers)) for answers in crowds]
    sigma = np.std([ceiling.accuracy for ceiling in found], ddof=1)
    truth = best(a, n_options)
    assert sigma < 0.03
    assert np.mean([c.accuracy for c in found]) == pytest.approx(truth, abs=4 * sigma / 12**0.5)
    assert sum(c.interval[0] < truth < c.interval[1] for c in found) >= 8  # 11.4 are meant to
    assert all(c.error == 1 - c.accuracy for c in found)
    agreement = np.mean([ceiling.agreement for ceiling in found])
    assert agreement == pytest.approx((a + 1) / (n_options * a + 1), abs=0.02)


@pytest.mark.parametrize(("n_options", "agreement"), [(2, 0.7), (5, 0.85)])
def test_the_bounds_are_reached_by_ties_and_by_questions_that_are_equally_hard(
    agreement, n_options
):
    """A tie of all options, or the same share of the most frequent answer everywhere."""
    ties = (1 - agreement) / (1 - 1 / n_options)  # the share of questions that are
    tied, equal = np.ones((2, 4000, n_options))
    tied[int(4000 * ties) :, 1:] = 1e-9
    share = (1 + np.sqrt((n_options - 1) * (n_options * agreement - 1))) / n_options
    equal[:, 1:] = (1 - share) / share / (n_options - 1)
    for odds, end in ((tied, 0), (equal, 1)):
        p = odds / odds.sum(axis=1, keepdims=True)
        told = noise_ceiling(answers_by(p, 3, np.random.default_rng(0)))
        assert told.agreement == pytest.approx(agreement, abs=0.02)
        if end or n_options == 2:  # ties of more options do not reach it
            assert told.bounds[end] == pytest.approx(p.max(axis=1).mean(), abs=0.02)
        assert told.interval[0] < p.max(axis=1).mean() < told.interval[1]
        assert told.interval[0] < told.bounds[0] < told.accuracy < told.bounds[1] < told.interval[1]


def answers_by(p, n_answers, rng):
    """Answers to as many questions as there are rows of shares, each given several times."""
    n, n_options = p.shape
    head = np.zeros(n * n_answers, dtype=int)
    options = np.tile(1 + np.arange(n * n_options).reshape(n, n_options), (n_answers, 1))
    drawn = (rng.random((n_answers * n, 1)) > np.tile(p.cumsum(axis=1), (n_answers, 1))).sum(axis=1)
    return Choices(head, options, options[np.arange(len(head)), drawn])


def test_recovers_it_from_choices_of_mixed_widths(rng):
    two, four = crowd(rng, 0.5), crowd(rng, 0.5, n_options=4)
    options = np.vstack([np.pad(two[1], ((0, 0), (0, 2)), constant_values=-1), four[1]])
    head, chosen = (np.append(two[i], four[i]) for i in (0, 2))
    ceiling = noise_ceiling(Choices(head, options, chosen))
    parts = [noise_ceiling(Choices(*part)) for part in (two, four)]
    assert parts[1].accuracy < ceiling.accuracy < parts[0].accuracy
    assert ceiling.n_questions == sum(part.n_questions for part in parts)


@pytest.mark.parametrize("agreement", [0.501, 1 - 1e-12, 1.0])
def test_two_options_are_the_limit_of_some_more(agreement):
    assert best_accuracy(agreement, 2.0) == pytest.approx(best_accuracy(agreement, 2 + 1e-9))


def test_agreement_of_all_is_not_certainty():
    """Thirty questions on which both people agreed: the interval does not close."""
    answers = [[h, a, b] for h, a, b in combinations(range(7), 3)][:30] * 2
    ceiling = noise_ceiling(answers)
    assert ceiling.accuracy == ceiling.interval[1] == 1
    assert ceiling.interval[0] < 0.95


@pytest.mark.parametrize("note", [None, "response_id", "observer"])
def test_against_plain_loops(rng, note):
    head, options, chosen = crowd(rng, 0.7, n_questions=40, n_answers=4)
    weight = rng.uniform(0, 1, len(head))
    triplets = as_triplets(head, options, chosen, weight=weight, **sources(note, len(head)))
    ceiling = noise_ceiling(triplets)
    assert (ceiling.agreement, ceiling.n_pairs) == pytest.approx(naive_agreement(triplets))


@pytest.mark.parametrize("note", [None, "response_id", "observer"])
def test_weights_equal_repeats(rng, note):
    head, options, chosen = crowd(rng, 0.7, n_questions=50)
    weight = rng.integers(1, 4, len(head))
    triplets = as_triplets(head, options, chosen, weight=weight, **sources(note, len(head)))
    repeated = noise_ceiling(triplets.expand_repeats())
    assert noise_ceiling(triplets) == repeated


def test_triplets_are_quadruplets_and_choices_of_two(rng):
    head, options, chosen = crowd(rng, 0.7)
    triplets = as_triplets(head, options, chosen)
    ceiling = noise_ceiling(triplets)
    swapped = triplets.index[:, [1, 0, 0, 2]]
    assert noise_ceiling(Quadruplets(swapped)) == ceiling
    assert noise_ceiling(Choices(head, options, chosen)) == ceiling


def test_answers_from_one_source_never_pair():
    index = [[0, 1, 2], [0, 2, 1]]
    assert noise_ceiling(Triplets(index, response_id=[4, 4])) is None
    own = Triplets(index, observer=["ann", "ann"], response_id=[4, 4])
    assert noise_ceiling(own) is None
    assert noise_ceiling(Triplets(index * 20, response_id=[4] * 40, weight=[0.1, 0.7] * 20)) is None
    assert noise_ceiling(Triplets(index, weight=[1, 0])) is None
    assert noise_ceiling(Triplets(index)).n_pairs == 1
    assert noise_ceiling(Triplets(index)[:0]) is None
    assert noise_ceiling(Choices([0], [[1, 2]], [1])[:0]) is None


def test_people_who_disagree_leave_guessing():
    ceiling = noise_ceiling([[0, 1, 2], [0, 2, 1]])
    assert (ceiling.agreement, ceiling.accuracy, ceiling.majority_accuracy) == (0, 0.5, 0.5)
    three = noise_ceiling(Choices([0, 0], [[1, 2, 3]] * 2, [1, 2]))
    assert three.accuracy == pytest.approx(1 / 3)


def test_majority_accuracy_by_hand():
    answers = [[0, 1, 2]] * 3 + [[0, 2, 1]] + [[3, 4, 5]]
    assert noise_ceiling(answers).majority_accuracy == 4 / 5
    assert noise_ceiling(Triplets(answers, weight=[1, 1, 1, 5, 2])).majority_accuracy == 7 / 10


def asked(*groups):
    """Make answers: of each (questions, times, share) so many, of which a share is turned round."""
    rows, new = [], iter(combinations(range(16), 3))
    for n_questions, times, share in groups:
        for _ in range(n_questions):
            h, a, b = next(new)
            turned = round(times * share)
            rows += [(h, a, b)] * (times - turned) + [(h, b, a)] * turned
    return rows


@pytest.mark.parametrize(
    "groups",
    [
        [(100, 3, 0.0), (3, 60, 0.5), (20, 12, 0.0)],
        [(200, 4, 0.5), (4, 100, 0.0)],
    ],
)
def test_questions_count_by_their_answers(groups):
    """Unanimous questions and toss-ups, asked as often as an adaptive study asks them."""
    n = sum(questions * times for questions, times, _ in groups)
    least = sum(questions * times * share for questions, times, share in groups) / n
    ceiling = noise_ceiling(asked(*groups))
    assert ceiling.error == pytest.approx(least, abs=0.04)
    assert ceiling.interval[0] <= 1 - least <= ceiling.interval[1]


def test_the_order_and_the_split_of_questions_do_not_matter(rng):
    rows = np.array(asked((50, 3, 1 / 3), (40, 9, 1 / 3), (3, 60, 0.5)))
    one, other = noise_ceiling(rows), noise_ceiling(rows[rng.permutation(len(rows))])
    assert (one.agreement, one.error) == pytest.approx((other.agreement, other.error))
    assert one.interval == pytest.approx(other.interval)


@pytest.mark.parametrize("people", ["ann", "each their own questions"])
def test_one_person_who_repeats_questions_has_a_ceiling(rng, people):
    head, options, chosen = crowd(rng, 0.7, n_questions=60, n_answers=4)
    each = np.arange(len(head)) // (len(head) if people == "ann" else 20)
    who = each.astype(str)
    alone = as_triplets(head, options, chosen)
    ceiling = noise_ceiling(as_triplets(head, options, chosen, observer=who))
    assert ceiling.of_same_people
    assert ceiling.error == noise_ceiling(alone).error
    two = np.where(np.arange(len(head)) % 2, "ann", "bob")
    assert not noise_ceiling(as_triplets(head, options, chosen, observer=two)).of_same_people


@pytest.mark.parametrize(
    ("measured", "told"),
    [(None, 0.2), (0.3, 0.2), (0.2, 0.2), (0.19, 0.19), (0.17, 0.17), (0.1, None)],
)
def test_a_ceiling_is_told_at_most_as_high_as_the_error(measured, told):
    ceiling = NoiseCeiling(0.7, 0.8, (0.77, 0.84), 0.8, 60, 100.0)
    assert ceiling.told(measured) == pytest.approx(told)
    for unsure in ({"interval": (0.7, 0.85)}, {"n_questions": 24}, {"agreement": 0.0}):
        assert replace(ceiling, **unsure).told(measured) is None


@pytest.mark.parametrize("kind", ["all alike or ties", "equally hard", "even"])
def test_a_model_places_the_ceiling_between_its_bounds(kind):
    """The three kinds of questions have one agreement, and least errors that differ."""
    rng = np.random.default_rng(0)
    p = {
        "all alike or ties": np.where(rng.random(4000) < 0.5, 1.0, 0.5),
        "equally hard": np.full(4000, 0.5 + np.sqrt(0.125)),
        "even": rng.beta(0.5, 0.5, 4000),
    }[kind]
    agreement, least = (p**2 + (1 - p) ** 2).mean(), np.minimum(p, 1 - p).mean()
    assert agreement == pytest.approx(0.75, abs=0.02)
    answers = np.where(rng.random((2, 4000)) < p, 1, 2)
    rows = [[2 * k, 2 * k + a, 2 * k + 3 - a] for one in answers for k, a in enumerate(one)]
    who = np.repeat(["ann", "bob"], 4000)
    ceiling = noise_ceiling(Triplets(rows, observer=who))
    placed = ceiling.placed_by(np.column_stack([p, 1 - p]))
    assert placed.error == pytest.approx(least, abs=0.02)
    assert placed.interval[0] <= 1 - least <= placed.interval[1]
    assert np.diff(placed.interval) < np.diff(ceiling.interval)


def test_a_question_is_one_in_any_order_of_its_options():
    assert rs.scores.n_questions(as_judgments([[0, 1, 2], [0, 2, 1], [1, 0, 2]])) == 2
