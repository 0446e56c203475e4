"""RDMs of fitted models: one space, each person, each group."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import NotFittedError

import resemblance as rs
from resemblance.errors import RDMError, SettingError, UnmentionedWarning

PEOPLE = ["ann", "bob", "cyd", "dan"]


def answers(seed=0, n=10, m=400):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    crowd = rs.Crowd([rs.SpaceObserver(points, random_state=i) for i in range(4)], PEOPLE)
    asked = np.array([rng.choice(n, 3, replace=False) for _ in range(m)])
    items = rs.Items([f"item{i}" for i in range(n)])
    return crowd.answer(rs.Triplets(asked, items, observer=np.repeat(PEOPLE, m // 4)))


@pytest.fixture(scope="module")
def told():
    return answers()


@pytest.mark.parametrize(
    "model", [rs.STE(random_state=0), rs.TSTE(3, random_state=0), rs.CKL(2, form="gram")], ids=repr
)
def test_of_a_space(model, told):
    model.fit(told)
    made = rs.rdm(model)
    assert made.items == model.items_
    assert made.names == (type(model).__name__,)
    np.testing.assert_allclose(made.dissimilarities[0], pdist(model.embedding_))
    np.testing.assert_allclose(rs.rdm(model, "squared").dissimilarities, made.dissimilarities**2)


def test_of_each_person(told):
    spaces = rs.IndividualSpaces(strength=1.0, cv=0).fit(told)
    made = rs.rdm(spaces)
    assert made.names == tuple(PEOPLE)
    for person in PEOPLE:
        np.testing.assert_allclose(made[person].squares()[0], spaces.rdm(person), atol=1e-12)


def test_of_each_group(told):
    groups = {"ann": "old", "bob": "old", "cyd": "young", "dan": "young"}
    found = rs.compare_groups(told, groups, n_permutations=99, n_resamples=10, random_state=0)
    made = rs.rdm(found)
    assert made.names == ("old", "young")
    np.testing.assert_allclose(squareform(made["old"].dissimilarities[0]), found.space.rdm("old"))


def test_items_that_nobody_judged_are_told():
    index = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = rs.STE(1, penalty=0.1, random_state=0).fit(rs.Triplets(index, list("abcd")))
    with pytest.warns(UnmentionedWarning, match="d"):
        rs.rdm(model)


def test_what_is_refused(told):
    model = rs.STE(random_state=0)
    with pytest.raises(NotFittedError):
        rs.rdm(model)
    model.fit(told)
    with pytest.raises(SettingError) as raised:
        rs.rdm(model, "far")
    assert raised.value.setting == "distances"
    with pytest.raises(SettingError) as raised:
        rs.rdm(model, items=list("abc"))
    assert raised.value.setting == "items"
    with pytest.raises(RDMError):
        rs.rdm([[1.0, 2.0]])
    with pytest.raises(RDMError, match="b"):
        rs.rdm([[1.0, 2.0], [0.0, 0.0]], "cosine", items=["a", "b"])
    with pytest.raises(RDMError, match="a"):
        rs.rdm([[3.0, 3.0], [0.0, 1.0]], "correlation", items=["a", "b"])
    with pytest.raises(RDMError, match="row 1"):
        rs.rdm([[3.0, 3.0], [0.0, np.nan]])
    with pytest.raises(RDMError, match="from_squares"):
        rs.rdm(rs.rdm(model).squares()[0])
    for no_positions in (told, rs.rdm(model)):
        with pytest.raises(SettingError):
            rs.rdm(no_positions)
    with pytest.raises(RDMError, match="STE"):
        rs.compare_rdms(rs.rdm(model), model)
