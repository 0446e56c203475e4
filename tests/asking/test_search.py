import numpy as np
import pytest
from scipy.spatial.distance import cdist

import resemblance as rs
from resemblance.asking import _loops
from resemblance.asking.search import Pool
from resemblance.errors import SettingError, UnknownQuestionError
from resemblance.fitting.laplace import Noise

SPACE = 3 * np.random.default_rng(0).normal(size=(40, 2))
MODEL = rs.STE(2).set_positions(SPACE)
WIDE = rs.CKL(3).set_positions(np.random.default_rng(0).normal(size=(400, 3)))


def test_posterior_is_the_product_of_choice_probabilities():
    search = rs.Search(MODEL, 4, missed=1.0)
    shown = search.show()
    search.choose(shown[2])
    d = ((SPACE[:, None] - SPACE[list(shown)]) ** 2).sum(axis=2)
    expected = np.exp(-d[:, 2]) / np.exp(-d).sum(axis=1)
    np.testing.assert_allclose(search.posterior(), expected / expected.sum())
    search.back()
    np.testing.assert_allclose(search.posterior(), 1 / 40)


def test_an_item_that_was_shown_and_passed_over_is_less_likely_by_m():
    said, silent = (rs.Search(MODEL, 4, missed=missed) for missed in (0.1, 1.0))
    shown = said.show()
    for search in (said, silent):
        search.choose(shown[0], shown)
    ratio = said.posterior() / silent.posterior()
    passed = np.isin(np.arange(40), shown)
    np.testing.assert_allclose(ratio[passed] / ratio[~passed][0], 0.1)
    np.testing.assert_allclose(ratio[~passed], ratio[~passed][0])


@pytest.mark.parametrize("choice", [c for c in rs.choice.MODELS if c.one_of_many])
def test_many_items_are_weighed_alike_in_single_precision(choice, monkeypatch):
    X = np.random.default_rng(1).normal(size=(700, 3)) + 5.0
    model = rs.OrdinalEmbedding(choice(), 3).set_positions(X)
    noise = Noise(temperature=1.3, lapse=0.1)
    exact = rs.Search(model, noise=noise)
    monkeypatch.setattr("resemblance.asking.search.MANY", 300)
    tall = rs.Search(model, noise=noise)
    for search in (exact, tall):
        search.choose(7, (5, 7, 11, 600))
        search.choose(8, (8, 7))
    assert tall.columns.dtype == np.float32
    np.testing.assert_allclose(tall.posterior(), exact.posterior(), rtol=5e-4, atol=1e-12)


def test_shares_of_a_pool_sum_to_its_size():
    tau, out = np.array([0.6, 0.2, 0.1, 0.1]), np.empty(5, int)
    count, scale = _loops.drawn(tau, 3, 0.2, out)
    np.testing.assert_allclose(np.minimum(scale * tau, 1.0), [1.0, 1.0, 0.5, 0.5])
    assert out[:count].tolist() == [0, 1, 3]  # .2 and 1, 2, 2.5, 3
    assert _loops.drawn(tau, 4, 0.2, out) == (4, np.inf)


def test_a_map_by_features_is_searched_too():
    """An item that no answer was about lies, and is found, where its features put it."""
    features = np.random.default_rng(3).normal(size=(40, 2))
    person = rs.SpaceObserver(2 * features, random_state=0)
    asked = np.random.default_rng(1).permuted(np.tile(np.arange(39), (900, 1)), axis=1)[:, :3]
    answers = person.answer(rs.Triplets(asked, rs.Items(features=features)))
    model = rs.STE(2, form=rs.FeaturePrior(share=0.9), penalty=1.0, random_state=0).fit(answers)
    places = model.embedding_.copy()
    places[39] = model.transform(features[39:])[0]
    search = rs.Search(model, 4, missed=1.0)
    shown = search.show()
    search.choose(shown[1])
    p = np.exp(-cdist(places, places[list(shown)], "sqeuclidean"))
    expected = p[:, 1] / p.sum(axis=1)
    np.testing.assert_allclose(search.posterior(), expected / expected.sum(), rtol=0.02)


@pytest.mark.parametrize("n_options", [2, 9])
def test_shown_items_differ_and_find_the_target(n_options):
    """Or a neighbour that is hardly elsewhere: 9 of 360 times, five of ten by a chance of 1e-5."""
    found = 0
    for target in range(0, 40, 4):
        search = rs.Search(MODEL, n_options, missed=1.0)
        away = ((SPACE - SPACE[target]) ** 2).sum(axis=1)
        for _ in range(14):
            shown = search.show()
            assert len(set(shown)) == n_options
            search.choose(min(shown, key=away.__getitem__))
        found += search.ranking()[0] == target
    assert found >= 6


def test_a_page_follows_from_the_answers_alone():
    search, again = (rs.Search(WIDE, max_candidates=50) for _ in range(2))
    first = search.show()
    search.choose(first[3])
    second = search.show()
    again.choose(first[3], first)
    assert again.show() == second
    search.back()
    assert search.show() == first


def test_a_page_adds_the_definition_of_information_item_by_item():
    search = rs.Search(MODEL, 4, missed=0.0)
    search.choose(3, (3, 8, 20))
    tau = search.posterior()
    d = ((SPACE[:, None] - SPACE) ** 2).sum(axis=2)

    def told(page):  # entropy before less entropy after: seen, or one of the page chosen
        p = np.exp(-d[:, page]) / np.exp(-d[:, page]).sum(axis=1, keepdims=True)
        unseen = ~np.isin(np.arange(40), page)
        joint = tau[unseen, None] * p[unseen]
        P = joint.sum(axis=0)
        return entropy(tau) - (P * entropy(joint / P)).sum()

    page, pool = [], Pool(SPACE, MODEL.choice_, tau, 40, np.random.default_rng(0))
    for item in search.show():
        gains = {new: told([*page, new]) for new in range(40) if new not in page}
        above = pool.gains(page, 0.0)[list(gains)] - list(gains.values())
        assert np.ptp(above) < 1e-9  # the same, up to what all have in common
        assert gains[item] == pytest.approx(max(gains.values()), abs=1e-9)
        page.append(item)


def entropy(p):
    return -(p * np.log(np.maximum(p, 1e-300))).sum(axis=0)


@pytest.mark.parametrize("missed", [0.0, 1.0])
def test_no_page_shows_near_duplicates_alone(missed):
    """Twenty places, fifty items at each, a hair apart: a page is as wide as the likely items."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(20, 3)), 50, axis=0) + 1e-4 * rng.normal(size=(1000, 3))
    search = rs.Search(rs.CKL(3).set_positions(X), missed=missed)
    for _ in range(15):
        page, tau = search.show(), search.posterior()
        variance = tau @ ((X - tau @ X) ** 2).sum(axis=1)
        apart = [((X[i] - X[[j for j in page if j != i]].mean(axis=0)) ** 2).sum() for i in page]
        assert max(apart) >= variance
        assert len(set(page)) == 9
        search.choose(min(page, key=lambda item: ((X[item] - X[123]) ** 2).sum()))


def test_a_pool_estimates_sums_over_all_items():
    rng = np.random.default_rng(0)
    tau = rng.pareto(1.0, size=3000)
    tau /= tau.sum()
    points, values = rng.normal(size=(3000, 2)), rng.normal(size=3000) + 1
    pools = [Pool(points, rs.choice.Relative(), tau, 100, rng) for _ in range(60)]
    assert {len(pool.items) for pool in pools} <= {99, 100, 101}
    mean = np.mean([pool.weight @ values[pool.items] for pool in pools])
    assert mean == pytest.approx(tau @ values, abs=0.05)
    assert all(np.isin(tau.argsort()[-5:], pool.items).all() for pool in pools)


@pytest.mark.parametrize("max_candidates", [64, 433])
def test_a_search_is_short(max_candidates):
    """At most 8 clicks, which the best of 120 random pages needs at 433, by the same posterior.

    In 70 worlds so short were .78 of the searches (standard deviation .11 of eight in one world);
    of those by random pages .08.
    """
    counts = []
    for seed in range(2):
        X = np.random.default_rng(seed).normal(size=(433, 3))
        person = rs.SpaceObserver(X, rs.choice.Relative(0.05), random_state=seed)
        model = rs.CKL(3, mu=0.05).set_positions(X)
        counts += [search_for(model, person, target, max_candidates) for target in range(8)]
    assert np.mean(np.array(counts) <= 8) > 0.5


def search_for(model, person, target, max_candidates):
    search = rs.Search(model, max_candidates=max_candidates)
    while target not in (shown := search.show()) and len(search.answers) < 50:
        question = rs.Choices([target], [shown], [shown[0]])
        search.choose(int(person.answer(question).index[0, 1]))
    return len(search.answers)


def test_adaptive_questions_find_sooner_than_random_ones():
    person = rs.SpaceObserver(SPACE, random_state=0)
    rank = {
        adaptive: rs.asking.twenty_questions(MODEL, person, n_questions=8, adaptive=adaptive).mean()
        for adaptive in (True, False)
    }
    assert rank[True] < rank[False] - 0.3


def test_bad_use():
    with pytest.raises(SettingError, match="from 2 to 40"):
        rs.Search(MODEL, 41)
    with pytest.raises(SettingError, match="Hinge"):
        rs.Search(rs.GNMDS(2).set_positions(SPACE))
    search = rs.Search(MODEL, 3)
    with pytest.raises(UnknownQuestionError, match="not among those shown"):
        search.choose(1)
    with pytest.raises(SettingError, match="targets is"):
        rs.asking.twenty_questions(MODEL, rs.SpaceObserver(SPACE), targets=[0.5])


def test_positions_are_no_model():
    with pytest.raises(SettingError) as caught:
        rs.Search(np.eye(9))
    assert caught.value.setting == "model"


def test_a_search_like_an_item_begins_with_the_nearest_others():
    X = np.random.default_rng(0).normal(size=(40, 2))
    search = rs.Search(rs.CKL(2).set_positions(X), 5)
    begun = search.like(12)
    nearest = np.argsort(((X - X[12]) ** 2).sum(axis=1))[1:6].tolist()
    assert list(begun.show()) == nearest
    begun.choose(nearest[2])
    assert begun.posterior()[nearest[2]] < begun.posterior().max()  # it was shown, and not said
    assert begun.ranking()[-1] != nearest[0]
    begun.back()
    assert list(begun.show()) == nearest
    assert search.begun is None
    assert search.posterior() == pytest.approx(1 / 40)
    with pytest.raises(SettingError):
        search.like(40)
