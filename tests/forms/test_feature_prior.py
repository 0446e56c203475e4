import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.penalty import SHARES, choose_share

N, KNOWN = 60, 50


def world(share=0.9, seed=0):
    """Positions that are partly a map of features."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(N, 8))
    mapped = features @ rng.normal(size=(8, 2)) / np.sqrt(8)
    return features, 2.0 * (np.sqrt(share) * mapped + np.sqrt(1 - share) * rng.normal(size=(N, 2)))


def answers(features, points, m, among=KNOWN, seed=1):
    rng = np.random.default_rng(seed)
    shown = np.array([rng.choice(among, 3, replace=False) for _ in range(m)])
    person = rs.SpaceObserver(points, random_state=seed)
    return person.answer(rs.OddOneOuts(shown, shown[:, 0], rs.Items(features=features)))


@pytest.fixture(scope="module")
def partly():
    features, points = world()
    return features, points, answers(features, points, 300)


def test_better_than_either_part_alone():
    """By .112 (standard deviation .074 of single worlds) and .162 (.047) in 60 others.

    So the first mean of three is below .005 by a chance of 6 in 1,000.
    """
    gains = []
    for seed in range(3):
        features, points = world(seed=seed)
        told = answers(features, points, 300, seed=2 * seed)
        new = answers(features, points, 4000, seed=2 * seed + 1)
        plain, both, mapped = (
            rs.STE(2, form=rs.FeaturePrior(share=share), penalty="auto", random_state=0)
            .fit(told)
            .log_loss(new)
            for share in (0.0, "auto", 1.0)
        )
        gains.append([plain - both, mapped - both])
    assert (np.mean(gains, axis=0) > 0.005).all()


def test_new_items_lie_where_the_map_puts_them(partly):
    features, points, told = partly
    model = rs.STE(2, form=rs.FeaturePrior(share=0.9), penalty=2.0, random_state=0).fit(told)
    of_new = answers(features, points, 3000, among=np.arange(KNOWN, N), seed=3)
    guess = rs.STE(2).set_positions(model.transform(features), told.items)
    # of three, chance is 0.33; in 12 worlds .74, with a standard deviation of .07
    assert guess.score(of_new) > 0.4
    unseen = model.embedding_[KNOWN:]  # which nobody judged, and so have no part of their own
    assert unseen == pytest.approx(model.transform(features[KNOWN:]), abs=1e-3)
    assert not np.allclose(model.embedding_[:KNOWN], model.transform(features[:KNOWN]), atol=0.1)


def test_with_no_share_it_is_coordinates_and_with_all_of_it_a_map(partly):
    features, _, told = partly
    settings = {"penalty": 3.0, "random_state": 0, "tol": 1e-9}
    plain = rs.STE(2, **settings).fit(told)
    none = rs.STE(2, form=rs.FeaturePrior(share=0.0), **settings).fit(told)
    assert none.loss_ == pytest.approx(plain.loss_, rel=1e-4)
    Z = features - features.mean(axis=0)
    scaled = rs.Items(features=Z / np.sqrt((Z**2).sum(axis=1).mean()))
    as_map = rs.OddOneOuts(told.index, told.index[:, 0], scaled)
    mapped = rs.STE(2, form=rs.forms.LinearMap(), **settings).fit(as_map)
    whole = rs.STE(2, form=rs.FeaturePrior(share=1.0), **settings).fit(told)
    assert whole.loss_ == pytest.approx(mapped.loss_, rel=1e-4)


def test_start_has_the_positions_it_is_given():
    features, points = world()
    for share in (0.0, 0.3, 0.99):
        form = rs.FeaturePrior(share=share).bound(features, 1.0)
        assert form.expand(form.start(points)) == pytest.approx(points)


def test_columns_of_other_units_together_have_length_one():
    features = np.random.default_rng(0).normal(5.0, 3.0, size=(N, 4))
    for form in (rs.forms.LinearMap(), rs.forms.KernelMap(bandwidth=4.0)):
        design = rs.FeaturePrior(form, 0.5).bound(features, 1.0).design
        assert design.mean(axis=0) == pytest.approx(0.0, abs=1e-9)
        assert (design**2).sum(axis=1).mean() == pytest.approx(1.0)


def test_the_share_that_was_chosen_is_kept_for_folds(partly):
    *_, told = partly
    model = rs.STE(2, form=rs.FeaturePrior(), penalty=1.0, random_state=0).fit(told)
    assert model.chosen_["form"].share == model.form_.share
    assert model.form_.share in SHARES
    assert model.penalty_ == 1.0


@pytest.mark.parametrize("share", [-0.1, 1.2, "much", float("nan")])
def test_refuses_what_is_no_share(share):
    with pytest.raises(SettingError, match="share is"):
        rs.FeaturePrior(share=share)


def test_refuses_what_it_cannot_do(partly):
    features, points, told = partly
    bare = rs.OddOneOuts(told.index, told.index[:, 0], N)
    with pytest.raises(SettingError, match="the items have none"):
        rs.STE(2, form=rs.FeaturePrior(), penalty="auto").fit(bare)
    with pytest.raises(SettingError, match="map is"):
        rs.FeaturePrior(rs.forms.Coordinates())
    with pytest.raises(SettingError, match="a likelihood of squared distances"):
        rs.GNMDS(2, form=rs.FeaturePrior(), penalty="auto").fit(told)
    with pytest.raises(SettingError, match="batch_size"):
        rs.STE(2, form=rs.FeaturePrior(share=0.5), batch_size=32).fit(told)
    with pytest.raises(SettingError, match="penalty is"):
        rs.STE(2, form=rs.FeaturePrior(), penalty="some").fit(told)
    with pytest.raises(SettingError, match="which a fit chooses"):
        rs.FeaturePrior().bound(features, 1.0).start(points)
    model = rs.STE(2, form=rs.FeaturePrior(share=0.5), penalty=1.0).fit(told)
    with pytest.raises(SettingError, match="features, those of the fit"):
        model.transform(features[:, :3])
    other = rs.Items([f"other {i}" for i in range(N)], features=features)
    with pytest.raises(JudgmentError, match="other items"):
        model.score(rs.OddOneOuts(told.index, told.index[:, 0], other))


def test_nothing_to_hold_out():
    features, points = world()
    one = answers(features, points, 1)
    model = rs.STE(2, form=rs.FeaturePrior(), random_state=0)
    form = model.form.bound(features, 0.0)
    chosen, penalty, losses = choose_share(model, [form], one, [], rs.choice.Softmax(), 1.0)
    assert (penalty, chosen.share, len(losses)) == (1.0, 0.5, 0)


def test_people_weigh_dimensions_that_features_suggest(partly):
    *_, told = partly
    shown = rs.OddOneOuts(
        told.index, told.index[:, 0], told.items, observer=np.arange(len(told)) % 3
    )
    prior = rs.STE(2, form=rs.FeaturePrior(), penalty=2.0, random_state=0)
    model = rs.IndividualSpaces(prior, strength=1.0, cv=0).fit(shown)
    assert model.embedding_.shape == (N, 2)


def test_the_uncertainty_of_a_map_is_not_that_of_own_parts():
    x = np.linspace(-1, 1, 6)[:, None]
    pairs = np.column_stack(np.triu_indices(6, 1))
    counts = rs.Confusions(pairs, [2] * 15, 10, rs.Items(features=x))
    model = rs.fitting.OrdinalEmbedding(
        rs.choice.Gaussian(), 1, form=rs.FeaturePrior(share=0.5), penalty=1.0
    ).fit(counts)
    with pytest.raises(SettingError, match="adds a deviation of each item"):
        rs.fitting.MapUncertainty(model, counts)


def test_a_thousand_features_of_ten_items_cost_little():
    """There features say of each item that it is itself: as little as own parts do."""
    X = 2 * np.random.default_rng(0).normal(size=(10, 2))
    items = rs.Items(features=np.random.default_rng(1).normal(size=(10, 1000)))
    rows = np.random.default_rng(2).permuted(np.tile(np.arange(10), (300, 1)), axis=1)[:, :3]
    answers = rs.SpaceObserver(X, random_state=0).answer(rs.Triplets(rows, items))
    model = rs.STE(2, form=rs.FeaturePrior(), penalty=0.1, random_state=0).fit(answers[:200])
    plain = rs.STE(2, penalty=0.1, random_state=0).fit(answers[:200])
    assert model.score(answers[200:]) >= plain.score(answers[200:]) - 0.1


@pytest.mark.parametrize(("n", "columns"), [(30, 30), (20_001, 200)])
def test_the_kernel_among_which_is_chosen_is_taken_with_some_of_many_items(n, columns):
    features = np.random.default_rng(0).normal(size=(n, 6))
    _, kernel = rs.FeaturePrior("auto").alternatives()
    assert kernel.features_map.prepared(features).describe(features[:5]).shape == (5, columns)


def test_the_map_is_chosen_that_answers_ask_for():
    """Items lie on a ring along which the one feature runs: no linear map of it makes a ring."""
    turn = np.linspace(0, 2 * np.pi, N, endpoint=False)[:, None]
    told = answers(turn, 1.5 * np.column_stack([np.cos(turn), np.sin(turn)]), 1000)
    form = rs.FeaturePrior("auto", standardised=True)
    model = rs.STE(2, form=form, penalty="auto", random_state=0).fit(told)
    assert isinstance(model.form_.map, rs.forms.KernelMap)
    assert isinstance(form.taken(model.form_.map.name, 0.5).map, rs.forms.KernelMap)


@pytest.mark.parametrize("map", [None, "auto"])
def test_standardised_features_have_no_units(map):
    features = world()[0]
    scaled = np.column_stack([features * np.logspace(-3, 3, features.shape[1]), np.ones(N)])
    features = features / features.std(axis=0)
    plain = rs.FeaturePrior(map).alternatives()
    others = rs.FeaturePrior(map, standardised=True).alternatives()
    for one, other in zip(plain, others, strict=True):
        design, same = one.bound(features, 0.0).design, other.bound(scaled, 0.0)
        np.testing.assert_allclose(same.design @ same.design.T, design @ design.T, atol=1e-9)
        np.testing.assert_allclose(same.describe(scaled[:3]), same.design[:3], atol=1e-9)
        with pytest.raises(SettingError, match="columns"):
            same.describe(scaled[:, :2])


def two_views(seed, m=300, **views):
    """Answers about items with a view that tells of them and one of noise, or with given ones."""
    features, points = world(share=0.95, seed=seed)
    noise = np.random.default_rng([9, seed]).normal(size=features.shape)
    told = answers(features, points, m, among=N, seed=seed)
    new = answers(features, points, 3000, among=N, seed=seed + 50)
    views = views or {"good": features, "noise": noise}
    items = rs.Items([f"i{k}" for k in range(N)], features=views)
    return [rs.OddOneOuts(one.index, one.index[:, 0], items) for one in (told, new)]


def test_views_count_alike():
    told, _ = two_views(2)
    form = rs.FeaturePrior(share=0.9).bound(told.items.features, 0.0)
    good, noise = (form.design[:, k : k + 8] for k in (0, 8))
    assert (good**2).sum() == pytest.approx((noise**2).sum()) == pytest.approx(N / 2)
    model = rs.STE(2, form=form, penalty="auto", random_state=0).fit(told)
    assert model.form_.share == 0.9


def test_views_place_new_items_and_are_kept(tmp_path):
    told, _ = two_views(0)
    views = told.items.features
    form = rs.FeaturePrior(rs.forms.KernelMap(bandwidth=None), 0.9, standardised=True)
    model = rs.STE(2, form=form, penalty=1.0, random_state=0).fit(told)
    again = rs.load(rs.save(model, tmp_path / "model.npz"))
    some = {view: part[:3] for view, part in views.items()}
    np.testing.assert_allclose(again.transform(some), model.transform(views)[:3])
    with pytest.raises(SettingError, match="good, noise"):
        model.transform({"good": some["good"]})
    with pytest.raises(SettingError, match="columns"):
        model.transform(some | {"good": some["good"][:, :2]})
