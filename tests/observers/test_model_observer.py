import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import (
    ConstantFeatureWarning,
    EmptyError,
    FileError,
    JudgmentError,
    SettingError,
)

NAMES = ["rock", "jazz", "soul", "folk", "punk"]
VECTORS = np.random.default_rng(0).normal(size=(5, 3))
ASKED = [[0, 1, 2], [3, 4, 1], [2, 0, 4]]
ODD = rs.OddOneOuts(ASKED, [0, 1, 2], rs.Items(NAMES))


def shares(similarities):
    return np.exp(similarities) / np.exp(similarities).sum()


def test_probabilities_are_those_of_the_formula():
    X = VECTORS
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    gaps = np.linalg.norm(X[:, None] - X, axis=2)
    tables = {"dot": X @ X.T, "cosine": unit @ unit.T, "euclidean": -gaps}
    for similarity, S in tables.items():
        observer = rs.ModelObserver(X, similarity, temperature=0.5, lapse=0.3)
        for row, p in zip(ASKED, observer.probabilities(ASKED), strict=True):
            plain = shares(np.array([S[row[0], row[1]], S[row[0], row[2]]]) / 0.5)
            assert p == pytest.approx(0.7 * plain + 0.15)
        for row, p in zip(ODD.index, observer.probabilities(ODD), strict=True):
            left = [S[row[1], row[2]], S[row[0], row[2]], S[row[0], row[1]]]
            assert p == pytest.approx(0.7 * shares(np.array(left) / 0.5) + 0.1)


def test_vectors_distances_and_a_function_say_the_same():
    gaps = np.linalg.norm(VECTORS[:, None] - VECTORS, axis=2)
    by_vectors = rs.ModelObserver(VECTORS, "euclidean").probabilities(ODD)
    by_distances = rs.ModelObserver(distances=gaps).probabilities(ODD)
    by_function = rs.ModelObserver(function=lambda a, b: -gaps[a, b]).probabilities(ODD)
    assert by_distances == pytest.approx(by_vectors)
    assert by_function == pytest.approx(by_vectors)


def test_it_is_asked_a_batch_at_a_time(monkeypatch):
    sizes = []

    def function(a, b):
        sizes.append(len(a))
        return np.minimum(a, b)

    whole = rs.ModelObserver(function=function).probabilities(ASKED * 4)
    monkeypatch.setattr("resemblance.observers.model.BATCH", 5)
    assert rs.ModelObserver(function=function).probabilities(ASKED * 4) == pytest.approx(whole)
    assert max(sizes[2:]) == 5


def test_named_items_are_matched_by_name():
    turned = [4, 2, 0, 1, 3]
    whole = rs.ModelObserver(VECTORS, items=NAMES)
    other = rs.ModelObserver(VECTORS[turned], items=[NAMES[i] for i in turned])
    assert other.probabilities(ODD) == pytest.approx(whole.probabilities(ODD))
    assert whole.probabilities(ASKED).shape == (3, 2)  # rows of numbers, by number


def test_names_that_are_numbers_are_names():
    whole = rs.ModelObserver(VECTORS, items=5)
    other = rs.ModelObserver(VECTORS[::-1], items=list("43210"))
    assert other.probabilities(ASKED) == pytest.approx(whole.probabilities(ASKED))
    with pytest.raises(JudgmentError, match="lacks 1 of the items asked about"):
        rs.ModelObserver(VECTORS, items=list("12345")).probabilities(ASKED)


@pytest.mark.parametrize("kind", ["csv", "npy", "npz", "named npz"])
def test_reads_vectors(tmp_path, kind):
    path = tmp_path / f"vectors.{kind.split()[-1]}"
    if kind == "csv":
        rows = [
            ",".join([name, *map(repr, map(float, x))])
            for name, x in zip(NAMES, VECTORS, strict=True)
        ]
        path.write_text("\n".join(["item,a,b,c", *rows]))
    elif kind == "npy":
        np.save(path, VECTORS)
    elif kind == "npz":
        np.savez(path, VECTORS)
    else:
        np.savez(path, vectors=VECTORS, names=NAMES)
    observer = rs.ModelObserver.read(path, NAMES, similarity="cosine")
    expected = rs.ModelObserver(VECTORS, "cosine").probabilities(ODD)
    assert observer.probabilities(ODD) == pytest.approx(expected)
    if kind in ("csv", "named npz"):
        fewer = rs.ModelObserver.read(path, ["soul", "rock"])
        assert fewer.items.names == ("soul", "rock")
        with pytest.raises(FileError, match=r"no row for .*opera"):
            rs.ModelObserver.read(path, [*NAMES, "opera"])


def test_refuses_files_that_it_cannot_read(tmp_path):
    with pytest.raises(FileError, match="not there"):
        rs.ModelObserver.read(tmp_path / "none.csv")
    for name, text, message in [
        ("a.txt", "x", "not a file of vectors"),
        ("b.csv", "item\nrock\n", "no column of numbers"),
        ("c.csv", "item,x\nrock,1\njazz,much\n", r"c\.csv, line 3: x must be a number"),
        ("d.csv", "item,x\nrock,1\nrock,2\n", "several rows of .*rock"),
        ("e.npy", "x", "cannot be read as an array"),
        ("f.npz", "x", "cannot be read as an archive"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(FileError, match=message):
            rs.ModelObserver.read(tmp_path / name)
    np.savez(tmp_path / "two.npz", a=VECTORS, b=VECTORS)
    with pytest.raises(FileError, match="leave one"):
        rs.ModelObserver.read(tmp_path / "two.npz")
    np.savez(tmp_path / "few.npz", a=VECTORS, names=NAMES[:2])
    with pytest.raises(FileError, match="2 names for 5"):
        rs.ModelObserver.read(tmp_path / "few.npz")


@pytest.mark.parametrize(
    "settings",
    [
        {"vectors": np.full((5, 3), 0.1)},
        {"vectors": [[k] for k in range(1, 6)], "similarity": "cosine"},
        {"vectors": np.outer([3.0, 0.7, 0.1, 9.0, 2.0], [0.3, 0.1, 0.7]), "similarity": "cosine"},
        {"distances": 0.3 * (1 - np.eye(5))},
    ],
)
def test_a_model_that_says_the_same_of_all_items_is_told(settings):
    with pytest.warns(ConstantFeatureWarning):
        observer = rs.ModelObserver(**settings)
    assert observer.probabilities(ODD) == pytest.approx(1 / 3)


def bad_vectors():
    table = VECTORS.copy()
    table[1, 0] = np.nan
    return table


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "nothing is given"),
        ({"vectors": VECTORS, "distances": np.eye(5)}, "vectors and distances"),
        ({"vectors": bad_vectors(), "items": NAMES}, "jazz"),
        ({"vectors": 1e200 * VECTORS[:2], "items": NAMES[:2]}, "rock"),
        ({"vectors": VECTORS[:4], "items": NAMES}, "4 rows for 5 items"),
        ({"vectors": VECTORS[0]}, "shape"),
        ({"vectors": [["a", "b"]]}, "vectors are not numbers"),
        ({"vectors": VECTORS, "similarity": "near"}, "similarity is 'near'"),
        ({"vectors": 0 * VECTORS, "items": NAMES, "similarity": "cosine"}, "rock"),
        ({"distances": VECTORS}, r"\(n, n\)"),
        ({"distances": -np.ones((2, 2)), "items": ["a", "b"]}, "distance of a and a"),
        ({"distances": [[0, 1], [2, 0]], "items": ["a", "b"]}, "distance of a and b is 1, and 2"),
        ({"vectors": VECTORS, "temperature": 0}, "temperature"),
        ({"vectors": VECTORS, "lapse": 2}, "lapse"),
    ],
)
def test_refuses_what_is_no_model(settings, message):
    with pytest.raises(SettingError, match=message):
        rs.ModelObserver(**settings)


def test_names_items_that_it_does_not_know():
    with pytest.raises(JudgmentError, match=r"soul.*folk|folk.*soul"):
        rs.ModelObserver(VECTORS[:2], items=NAMES[:2]).probabilities(ODD)
    with pytest.raises(JudgmentError, match="row for 'punk'"):
        rs.ModelObserver(VECTORS[:4]).probabilities(ODD)
    short = rs.ModelObserver(function=lambda a, b: [1.0])
    with pytest.raises(SettingError, match="function returned"):
        short.probabilities(ODD)


@pytest.fixture(scope="module")
def people():
    """Thirty people who see one space, and what they answered to repeated questions."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 3))
    shown = np.array([rng.choice(20, 3, replace=False) for _ in range(100)])
    questions = rs.OddOneOuts(
        np.tile(shown, (30, 1)),
        np.tile(shown[:, 0], 30),
        20,
        observer=np.repeat(np.arange(30), 100),
    )
    return points, rs.SpaceObserver(points, lapse=0.1, random_state=0).answer(questions)


def test_the_true_model_explains_all_and_noise_nothing(people):
    points, told = people
    gaps = ((points[:, None] - points) ** 2).sum(axis=2)
    whole = rs.explained(rs.ModelObserver(distances=gaps, temperature=7.0), told)
    assert whole.interval[0] < 1.0 < whole.interval[1] + 0.05
    assert whole.share == pytest.approx(1.0, abs=0.08)
    assert whole.lapse == pytest.approx(0.1, abs=0.05)
    assert whole.temperature == pytest.approx(1.0, abs=0.15)
    noise = rs.explained(rs.ModelObserver(np.random.default_rng(1).normal(size=(20, 3))), told)
    assert noise.share < 0.35
    assert noise.log_loss > whole.log_loss
    part = rs.explained(rs.ModelObserver(points[:, :1], "euclidean"), told)
    assert noise.share < part.share < whole.share


def test_the_temperature_of_the_model_does_not_matter(people):
    points, told = people
    cold, hot = (
        rs.explained(rs.ModelObserver(points, temperature=t), told, 0.9) for t in (1e-3, 10.0)
    )
    assert cold == hot
    assert cold.ceiling_interval is None


def test_ties_are_shared(people):
    _, told = people
    ties = rs.ModelObserver(function=lambda a, b: np.ones(len(a)))
    alike = rs.explained(ties, told, 0.9)
    assert alike.accuracy == pytest.approx(1 / 3)
    assert alike.share == pytest.approx(0.0, abs=1e-12)
    assert alike.log_loss == pytest.approx(np.log(3))


def test_an_embedding_and_a_person_are_explained_too(people):
    points, told = people
    embedding = rs.explained(rs.STE(3).set_positions(points), told)
    person = rs.explained(rs.SpaceObserver(points), told)
    assert embedding.accuracy == pytest.approx(person.accuracy)
    assert embedding.log_loss == pytest.approx(person.log_loss, abs=1e-4)


def test_without_repeats_there_is_no_ceiling():
    rows = [[0, 1, 2], [1, 2, 0], [2, 3, 1], [3, 0, 1]]
    found = rs.explained(rs.ModelObserver(VECTORS), rows, cv=2)
    assert found.ceiling is None
    assert found.share is None
    assert found.n_answers == 4


def test_refuses_what_cannot_be_explained(people):
    points, told = people
    with pytest.raises(SettingError, match="cannot answer questions"):
        rs.explained(points, told)
    with pytest.raises(EmptyError):
        rs.explained(rs.ModelObserver(points), told[:0])
    for settings, message in [
        ({"ceiling": 0.2}, "guessing"),
        ({"ceiling": 1.2}, "ceiling"),
        ({"cv": 1}, "cv"),
        ({"level": 1.0}, "level"),
    ]:
        with pytest.raises(SettingError, match=message):
            rs.explained(rs.ModelObserver(points), told, **settings)
