"""A head on features, learned from answers, and the same as an ONNX network."""

import json

import numpy as np
import onnxruntime
import pytest

import resemblance as rs
from resemblance.errors import ConstantFeatureWarning, JudgmentError, SettingError
from resemblance.forms import KernelMap, LinearMap

N = 60
UNITS = np.array([1.0, 20.0, 3.0, 1.0, 1.0, 50.0])


def answers(n=1500, seed=0, scale=2.0):
    """People who look at the first two of six features, in other units and around 7."""
    rng = np.random.default_rng(seed)
    plain = rng.normal(size=(N, len(UNITS)))
    person = rs.SpaceObserver(scale * plain[:, :2], random_state=seed)
    asked = np.array([rng.choice(N, 3, replace=False) for _ in range(n)])
    return person.answer(rs.Triplets(asked, rs.Items(features=7 + UNITS * plain)))


@pytest.fixture(scope="module")
def told():
    return answers()


def test_what_people_look_at_places_items_that_were_held_out(told):
    found = rs.distil(told, 2, cv=2)
    right = found.table["accuracy"]
    assert right[found.head] > right["features as they are"] + 0.2  # .94 and .5
    assert found.table["log_loss"][found.head] == found.table["log_loss"].iloc[1:].min()
    assert found.table["answers"].nunique() == 1
    assert right["linear"] > right["features as they are"] + 0.2
    there, moved = (found.model.transform(at) for at in (np.full((1, 6), 7.0), 7 + np.diag(UNITS)))
    far = np.linalg.norm(moved - there, axis=1)
    assert far[:2].min() > 3 * far[2:].max()  # 18 times and more in 25 worlds


FORMS = {
    "linear": LinearMap(),
    "kernel": KernelMap(bandwidth=60.0),
    "prior": rs.FeaturePrior(share=0.7),
    "standardised kernel": rs.FeaturePrior(KernelMap(bandwidth=3.0), 0.9, standardised=True),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_an_onnx_network_gives_the_positions_of_transform(told, form, tmp_path):
    model = rs.STE(2, form=form, penalty=0.1).fit(told)
    path = rs.save_onnx(model, tmp_path / "head.onnx", {"by": "us"})
    session = onnxruntime.InferenceSession(path)
    new = (7 + UNITS * np.random.default_rng(1).normal(size=(9, len(UNITS)))).astype(np.float32)
    (placed,) = session.run(None, {"features": new})
    expected = model.transform(new)
    assert np.abs(placed - expected).max() < 1e-5 * np.abs(expected).max()
    card = json.loads(session.get_modelmeta().custom_metadata_map["resemblance"])
    assert (card["model"], card["by"]) == ("STE", "us")


@pytest.mark.parametrize(
    "model", [rs.STE(2), rs.STE(2, form=LinearMap()), rs.STE(2, form=KernelMap("linear"))]
)
def test_what_maps_no_features_or_by_another_kernel_is_refused(told, model, tmp_path):
    if not isinstance(model.form, LinearMap):
        model.fit(told)
    with pytest.raises(SettingError):
        rs.save_onnx(model, tmp_path / "head.onnx")
    assert not (tmp_path / "head.onnx").exists()


@pytest.mark.parametrize("features", [None, np.ones((3, 2))])
def test_items_without_features_are_refused(features):
    with pytest.raises(SettingError, match="features"):
        rs.distil(rs.Triplets([[0, 1, 2], [1, 2, 0]], rs.Items(3, features)))
    with pytest.raises(JudgmentError, match="ndarray"):
        rs.distil(np.array([[0, 1, 2], [1, 2, 0]]))


def test_thousands_of_features_of_which_some_are_constant():
    """Each way takes them; a fit, however many it is made of, tells the constant ones once."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(12, 3000))
    vectors[:, ::10] = 3.0
    rows = rng.permuted(np.tile(np.arange(12), (150, 1)), axis=1)[:, :3]
    person = rs.ModelObserver(vectors, "euclidean", temperature=2.0, random_state=0)
    told = person.answer(rs.Triplets(rows, rs.Items(features=vectors)))
    models = {"all": person, "few": rs.ModelObserver(vectors[:, :5], "euclidean")}
    shares = {name: rs.explained(model, told, 0.95).share for name, model in models.items()}
    assert shares["all"] > shares["few"]
    assert rs.model_recovery(models, told, n_simulations=5).best == "all"
    with pytest.warns(ConstantFeatureWarning, match="column 0, 10, .* and 295 more") as warned:
        heads = rs.distil(told, 2, cv=2)
    assert len(warned) == 1
    assert heads.model.transform(vectors).shape == (12, 2)
    assert np.isfinite(heads.table.to_numpy(float)).all()
    with pytest.raises(SettingError):
        rs.distil(rs.Triplets(told.index, rs.Items(features=np.ones((12, 3000)))))
