"""Several maps: items with two places found again, and what is refused."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from two_places import answers


@pytest.fixture(scope="module")
def fitted():
    asked, two = answers(0)
    return asked, two, rs.fitting.MultipleMaps(rs.STE(2, penalty=0.5, random_state=0)).fit(asked)


class TestItemsWithTwoPlaces:
    def test_they_are_listed_and_predict_better(self, fitted):
        """In 20 worlds 33 of 40 such items were listed, one or two of each world, and no other."""
        asked, two, model = fitted
        assert set(model.several_.tolist()) & two
        assert len(set(model.several_.tolist()) - two) <= 1
        assert model.log_loss(asked) < model.single_.log_loss(asked)
        assert (model.gains_[model.several_] > 0).all()

    def test_others_have_one_place_and_equal_weights(self, fitted):
        _, _, model = fitted
        others = np.setdiff1d(np.arange(24), model.several_)
        np.testing.assert_array_equal(model.maps_[0, others], model.maps_[1, others])
        np.testing.assert_allclose(model.weights_[others], 0.5)
        np.testing.assert_allclose(model.weights_.sum(axis=1), 1.0)
        assert not model.gains_[others].any()

    def test_where_there_are_none_the_map_is_that_of_the_estimator(self):
        asked, _ = answers(1, n_two=0, per_item=40)
        model = rs.fitting.MultipleMaps(rs.TSTE(2, penalty=0.5, random_state=0)).fit(asked)
        assert len(model.several_) == 0
        np.testing.assert_array_equal(model.maps_, [model.single_.embedding_] * 2)
        p = model.single_.predict_proba(asked)
        np.testing.assert_allclose(model.predict_proba(asked), p, rtol=1e-9)
        assert model.score(asked) == pytest.approx(model.single_.score(asked))

    def test_one_seed_gives_one_result(self, fitted):
        asked, _, model = fitted
        again = rs.fitting.MultipleMaps(rs.STE(2, penalty=0.5, random_state=0)).fit(asked)
        np.testing.assert_array_equal(again.maps_, model.maps_)

    def test_a_third_map_is_possible(self):
        asked, _ = answers(2, per_item=60)
        model = rs.fitting.MultipleMaps(rs.STE(2, penalty=0.5, random_state=0), n_maps=3).fit(asked)
        assert model.maps_.shape == (3, 24, 2)
        assert model.weights_.shape == (24, 3)

    def test_a_saved_model_predicts_the_same(self, fitted, tmp_path):
        asked, _, model = fitted
        rs.save(model, tmp_path / "model.npz")
        loaded = rs.load(tmp_path / "model.npz")
        np.testing.assert_allclose(loaded.predict_proba(asked), model.predict_proba(asked))


class TestRefusals:
    @pytest.mark.parametrize(
        "estimator", [rs.SOE(2), rs.STE(2, form="gram"), rs.CKL(2, unit_norm=True)], ids=repr
    )
    def test_models_without_a_sum_of_similarities(self, estimator):
        with pytest.raises(SettingError):
            rs.fitting.MultipleMaps(estimator).fit([[0, 1, 2], [1, 2, 0]])

    @pytest.mark.parametrize("setting", [{"n_maps": 1}, {"cost": -1.0}])
    def test_settings_out_of_range(self, setting):
        with pytest.raises(SettingError) as caught:
            rs.fitting.MultipleMaps(**setting).fit([[0, 1, 2], [1, 2, 0]])
        assert caught.value.setting in setting

    def test_answers_about_other_items(self, fitted):
        with pytest.raises(JudgmentError):
            fitted[2].predict_proba(rs.Triplets([[0, 1, 2]], ["tie", "scarf", "rope"]))
