"""One space and the people in it: weights found again, controls, and what is refused."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.objective.objective import Batch, Objective, batches
from resemblance.fitting.weight_descent import Weighed
from resemblance.forms import Coordinates, Individual, Known, NonNegative

N, G = 24, 12
PEOPLE = [f"p{g:02d}" for g in range(G)]


def answers(seed=0, spread=0.7, m=200, choice=None, points=None):
    """People who weigh two dimensions differently; the weights, and what they answer."""
    rng = np.random.default_rng(seed)
    points = 1.2 * rng.normal(size=(N, 2)) if points is None else points
    weights = np.exp(spread * rng.normal(size=(G, 2)))
    questions = np.array([rng.choice(N, 3, replace=False) for _ in range(G * m)])
    crowd = rs.Crowd(
        [rs.SpaceObserver(points, choice, weights=w, random_state=seed) for w in weights],
        PEOPLE,
        random_state=seed,
    )
    asked = rs.Triplets(questions, items=N, observer=np.repeat(PEOPLE, m))
    return points, weights, crowd.answer(asked)


@pytest.fixture(scope="module")
def fitted():
    points, weights, told = answers()
    return points, weights, told, rs.IndividualSpaces(random_state=0).fit(told)


class TestForm:
    @pytest.mark.parametrize("choice", [rs.choice.Softmax(), rs.choice.Logistic()], ids=repr)
    @pytest.mark.parametrize("own", [Coordinates(), NonNegative(0.3)], ids=lambda f: f.name)
    @pytest.mark.parametrize("even", [False, True])
    def test_the_gradient_is_that_of_the_loss(self, choice, own, even):
        rng = np.random.default_rng(0)
        index = np.array([rng.choice(7, 3, replace=False) for _ in range(40)])
        who = rng.integers(3, size=40)
        form = Individual(own, (7, 3), 0.2, 0.7, 0.1, even)
        (batch,) = batches(rs.OddOneOuts(index, index[:, 0], items=7))
        data = [Batch([form.pairs_of(p, who) for p in batch.pairs], batch.weight, batch.layout)]
        objective = Objective(data, choice, form, 1.0)
        at = np.concatenate([rng.uniform(0.2, 1.0, (7, 2)), 0.3 * rng.normal(size=(3, 2))])
        expected = np.zeros_like(at)
        for place in np.ndindex(at.shape):
            step = np.zeros_like(at)
            step[place] = 1e-6
            expected[place] = (objective(at + step)[0] - objective(at - step)[0]) / 2e-6
        np.testing.assert_allclose(objective(at)[1], expected, atol=1e-5)

    def test_people_who_weigh_alike_see_what_all_see(self):
        _, _, told = answers(m=20)
        X = np.random.default_rng(1).normal(size=(N, 3))
        (batch,) = batches(told)
        who = np.random.default_rng(2).integers(G, size=len(told))
        form = Individual(Known(X), (N, G), 0.0, 1.0, 0.1)
        pairs = [form.pairs_of(pair, who) for pair in batch.pairs]
        seen = Objective([Batch(pairs, batch.weight, batch.layout)], rs.choice.Softmax(), form, 1.0)
        plain = Objective([batch], rs.choice.Softmax(), Coordinates())
        assert seen(np.zeros((G, 3)))[0] == pytest.approx(plain(X)[0], rel=1e-12)


class TestPeopleWhoDiffer:
    def test_weights_and_axes_are_found_again(self, fitted):
        """In 24 worlds .94 (deviation .04), 3.9 standard errors (.9), -.14 of the gain."""
        points, weights, _, model = fitted
        C = np.corrcoef(np.log(model.weights_).T, np.log(weights).T)[:2, 2:]
        assert np.abs(C).max(axis=0).min() > 0.75
        axes = np.corrcoef(model.embedding_[:, np.abs(C).argmax(axis=0)].T, points.T)
        assert np.abs(np.diag(axes[:2, 2:])).min() > 0.95  # .98 or more in 15 worlds
        assert model.gain_[0] > 1.5 * model.gain_[1]
        assert model.shuffled_gain_[0] < model.gain_[0] / 3

    def test_the_lowest_of_several_descents_is_kept(self, monkeypatch):
        _, _, told = answers(m=20)
        shared = rs.STE(2, penalty=0.1, random_state=0)
        ends, descended = [], Weighed.descended
        monkeypatch.setattr(
            Weighed, "descended", lambda *args: ends.append(descended(*args)) or ends[-1]
        )
        model = rs.IndividualSpaces(shared, strength=1.0, cv=0, random_state=0).fit(told)
        _, *tried = ends  # the first one is that of the crowd
        assert len({end.loss for end in tried}) == 5
        best = min(tried, key=lambda end: end.loss)
        np.testing.assert_array_equal(model.embedding_, best.points)
        np.testing.assert_array_equal(model.weights_, best.weights)

    def test_from_inner_products_too(self):
        points = np.random.default_rng(5).uniform(0, 1.5, (N, 2))
        _, _, told = answers(1, 1.2, choice=rs.choice.Logistic(), points=points)
        model = rs.IndividualSpaces(rs.SPoSE(4, penalty=1.0, random_state=0), random_state=0)
        assert model.fit(told).gain_[0] > 0
        assert (model.embedding_ >= 0).all()

    def test_in_a_space_that_is_kept(self):
        """The correlation is .98 in 30 worlds (deviation .01, .956 at least)."""
        points, weights, told = answers(3)
        known = rs.STE(2).set_positions(points)
        model = rs.IndividualSpaces(known, keep_space=True, random_state=0).fit(told)
        np.testing.assert_array_equal(model.embedding_, points)
        own, true = (np.diff(np.log(w)).ravel() for w in (model.weights_, weights))
        assert np.corrcoef(own, true)[0, 1] > 0.94

    def test_halves_agree(self, fitted):
        *_, told, model = fitted
        assert model.reliability(told, 0).min() > 0.6

    def test_what_is_told_of_a_person(self, fitted):
        *_, model = fitted
        table = model.table_
        assert list(table["observer"]) == PEOPLE
        assert (table["answers"] == 200).all()
        space = model.space("p03")
        np.testing.assert_allclose(space, model.embedding_ * np.sqrt(model.weights_[3]))
        rdm = model.rdm("p03")
        assert rdm[1, 2] == pytest.approx(np.linalg.norm(space[1] - space[2]))
        np.testing.assert_allclose(model.weights_.prod(axis=0), 1.0)

    def test_predictions_are_of_whoever_answers(self, fitted):
        *_, told, model = fitted
        p = model.predict_proba(told)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        one = rs.STE(2).set_positions(model.space("p05"), told.items)
        rows = told.observer == "p05"
        np.testing.assert_allclose(p[rows], one.predict_proba(told[rows]), atol=1e-9)
        assert model.log_loss(told) == pytest.approx(-np.log(p[:, 0]).mean())
        assert model.score(told) == pytest.approx((model.predict(told) == 0).mean(), abs=0.01)

    def test_saved_and_loaded(self, fitted, tmp_path):
        *_, told, model = fitted
        again = rs.load(rs.save(model, tmp_path / "people.npz"))
        assert again.log_loss(told) == model.log_loss(told)
        assert again.gain_ == model.gain_
        assert again.people_ == model.people_
        np.testing.assert_array_equal(again.rdm("p02"), model.rdm("p02"))

    def test_groups_by_another_column(self):
        _, _, told = answers()
        side = np.where(told.observer < "p06", "left", "right")
        told = rs.Triplets(told.index, items=N, extra={"side": side})
        model = rs.IndividualSpaces(by="side", strength=1.0, cv=0).fit(told)
        assert model.people_ == ("left", "right")
        assert model.comparison_ is None
        with pytest.raises(SettingError):
            model.gain_  # noqa: B018


class TestPeopleWhoDoNot:
    def test_no_weights_of_their_own_are_claimed(self):
        _, _, told = answers(spread=0.0)
        model = rs.IndividualSpaces(random_state=0).fit(told)
        assert model.gain_[0] < 0.01
        assert np.log(model.weights_).std() < 0.25

    def test_a_space_of_another_scale_makes_nobody_differ(self):
        """What all weigh is found (deviation .08 in 30 worlds), and is no gain (.0005)."""
        points, _, told = answers(1, spread=0.0)
        larger = rs.STE(2).set_positions(1.5 * points)
        model = rs.IndividualSpaces(larger, keep_space=True, random_state=0).fit(told)
        assert model.gain_[0] < 0.005
        assert np.log(model.weights_).mean() == pytest.approx(-2 * np.log(1.5), abs=0.4)
        assert np.log(model.weights_).std(axis=0).max() < 0.4

    def test_then_all_weigh_one(self):
        _, _, told = answers(1, spread=0.0)
        model = rs.IndividualSpaces(strength=np.inf, cv=0).fit(told)
        assert (model.weights_ == 1.0).all()
        assert np.isnan(model.reliability(told)).all()


class TestPeopleWhoDifferInClarityAlone:
    def test_they_are_not_said_to_look_at_other_things(self):
        """Relative gains were .0001 (deviation .0005) in 80 worlds."""
        rng = np.random.default_rng(0)
        points = 1.2 * rng.normal(size=(N, 2))
        clear = np.exp(0.7 * rng.normal(size=G))
        people = [rs.SpaceObserver(points, weights=[c, c], random_state=0) for c in clear]
        asked = np.argsort(rng.random((G * 200, N)), axis=1)[:, :3]
        asked = rs.Triplets(asked, items=N, observer=np.repeat(PEOPLE, 200))
        told = rs.Crowd(people, PEOPLE, random_state=0).answer(asked)
        model = rs.IndividualSpaces(random_state=0).fit(told)
        assert model.relative_gain_[0] < 0.005

    def test_each_person_then_weighs_all_dimensions_alike(self):
        _, _, told = answers(m=60)
        who = np.unique(told.observer, return_inverse=True)[1]
        shared = rs.STE(2, penalty=0.5, random_state=0).fit(told)
        even = Weighed.shared(shared, G, 2.0).descended(told, who, 1.0, 1.0, even=True)
        np.testing.assert_allclose(even.weights[:, 0], even.weights[:, 1])
        assert np.log(even.weights[:, 0]).std() > 0.01

    def test_what_is_gained_beyond_clarity(self, fitted):
        *_, model = fitted
        gain, error = model.relative_gain_
        means = model.comparison_.mean()
        assert gain == pytest.approx(means["clarity"] - means["own"])
        assert gain > 2 * error > 0


def test_progress_is_told():
    heard = []
    _, _, told = answers(m=30)
    rs.IndividualSpaces(strength=5.0, cv=2, callback=lambda *done: heard.append(done)).fit(told)
    assert heard == [(step, 6) for step in range(1, 7)]


def test_people_with_one_answer_are_near_the_crowd():
    _, _, told = answers()
    first = np.searchsorted(told.observer, PEOPLE[6:])
    few = told[np.r_[: first[0], first]]
    model = rs.IndividualSpaces(strength=5.0, cv=0, random_state=0).fit(few)
    apart = np.log(model.weights_)  # all have a mean of 0, which is not that of the crowd
    # .09 in 32 worlds, with a standard deviation of .06 of single ones and .34 at most
    assert apart[6:].std() < 0.6 * apart[:6].std()
    assert (model.table_["answers"].iloc[6:] == 1).all()


class TestBadInput:
    def test_nobody_named(self):
        with pytest.raises(JudgmentError):
            rs.IndividualSpaces().fit(rs.Triplets([[0, 1, 2], [1, 2, 0]]))
        with pytest.raises(JudgmentError):
            rs.IndividualSpaces(by="group of people").fit(answers(m=5)[2])

    def test_one_person(self):
        told = rs.Triplets([[0, 1, 2], [1, 2, 0]], observer=["ann", "ann"])
        with pytest.raises(JudgmentError):
            rs.IndividualSpaces().fit(told)

    def test_somebody_unknown(self, fitted):
        *_, model = fitted
        with pytest.raises(JudgmentError):
            model.space("nobody")
        stranger = rs.Triplets([[0, 1, 2]], items=N, observer=["nobody"])
        with pytest.raises(JudgmentError):
            model.predict_proba(stranger)

    @pytest.mark.parametrize(
        ("settings", "name"),
        [
            ({"strength": -1.0}, "strength"),
            ({"strength": "much"}, "strength"),
            ({"cv": 0}, "cv"),
            ({"cv": 1}, "cv"),
            ({"clarity": 0.0}, "clarity"),
            ({"keep_space": True}, "estimator"),
            ({"estimator": rs.STE(form="gram")}, "form"),
        ],
    )
    def test_settings(self, settings, name):
        with pytest.raises(SettingError) as told:
            rs.IndividualSpaces(**settings).fit(answers(m=20)[2])
        assert told.value.setting == name
