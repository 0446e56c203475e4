"""Sessions about items with features: believed as far as answers say, useless ones for nothing."""

import numpy as np
import pytest

import resemblance as rs
from asking.replaying import replay
from resemblance.asking.strategies import Belief
from resemblance.errors import ConstantFeatureWarning, SettingError
from resemblance.fitting.laplace import PositionUncertainty

N, Q = 40, 6


def world(seed, useful=0.95):
    """Positions of items, and features that tell of them, or nothing."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(N, Q))
    mapped = features @ rng.normal(size=(Q, 2)) / np.sqrt(Q)
    X = 1.3 * (np.sqrt(useful) * mapped + np.sqrt(1 - useful) * rng.normal(size=(N, 2)))
    return X, features


def asked(X, items, n, seed=0, **settings):
    """Let somebody answer n questions that the session chooses, and fit; give the session."""
    session = answered(X, items, n, seed, **settings)
    session.refit()
    return session


def answered(X, items, n, seed=0, **settings):
    """Let somebody answer n questions that the session chooses; give the session."""
    session = rs.Session(items, **{"start_per_head": 2, "random_state": seed, **settings})
    person = rs.SpaceObserver(X, random_state=seed)
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(person))
    return session


def error(session, X, seed=5):
    rng = np.random.default_rng(seed)
    rows = rng.permuted(np.tile(np.arange(N), (2000, 1)), axis=1)[:, :3]

    def nearer(Y):
        head, a, b = (Y[rows[:, k]] for k in range(3))
        return ((head - a) ** 2).sum(axis=1) < ((head - b) ** 2).sum(axis=1)

    return float(np.mean(nearer(X) != nearer(session.model_.embedding_)))


def named(features):
    return rs.Items([f"i{k}" for k in range(N)], features=features)


def given(seed, useful):
    X, features = world(seed, useful)
    return X, named(features)


def told(session, X, n, seed):
    """Let somebody answer n random questions at once; give the session with its map of them."""
    rng = np.random.default_rng(seed)
    rows = rng.permuted(np.tile(np.arange(N), (n, 1)), axis=1)[:, :3]
    answers = rs.SpaceObserver(X, random_state=seed).answer(rs.Triplets(rows, N))
    session.model_ = session.model.fit(rs.Triplets(answers.index, session.items))
    return session


@pytest.fixture(scope="module")
def useful():
    """Four sessions about items whose features tell of them, with where these are."""
    worlds = [given(seed, 0.98) for seed in range(4)]
    return [(told(rs.Session(items), X, 120, s), X) for s, (X, items) in enumerate(worlds)]


@pytest.mark.long
def test_features_save_answers(useful):
    """In 40 worlds .41 of the error is left; four have .75 or more by a chance of 1 in 20,000."""
    with_ = np.mean([error(session, X) for session, X in useful])
    plain = (told(rs.Session(N), X, 120, seed) for seed, (_, X) in enumerate(useful))
    assert with_ < 0.75 * np.mean([error(s, X) for s, (_, X) in zip(plain, useful, strict=True)])


def test_features_are_believed_only_where_answers_say_so(useful):
    """The share of useless features was 0 in 13 of 16 worlds, .25 or .75 in the others."""
    worlds = [given(seed, 0.0) for seed in range(3)]
    useless = [told(rs.Session(items), X, 240, s) for s, (X, items) in enumerate(worlds)]
    assert np.mean([session.model_.form_.share for session in useless]) < 0.4
    assert np.median([session.model_.form_.share for session, _ in useful]) > 0.6


def test_a_session_resumed_from_its_log_goes_on_alike():
    X, features = world(0)
    session = asked(X, named(features), 100)
    again = rs.Session.resume(session.log, named(features), start_per_head=2)
    assert again.settings["form"].share == session.model_.form_.share
    np.testing.assert_allclose(again.alike, session.alike)
    assert [session.ask().row for _ in range(5)] == [again.ask().row for _ in range(5)]


def test_without_a_start_the_first_question_is_chosen_by_features():
    """What people answer decides nothing before the first fit, and all of it is used."""
    X, features = world(0)
    sessions = [
        rs.Session(n, start_per_head=0) for n in (N, named(features), named(-(features**2)))
    ]
    first = [session.ask() for session in sessions]
    assert {question.strategy for question in first} == {"informed"}
    assert len({question.row for question in first}) > 1
    session = answered(X, named(features), N, start_per_head=0)
    assert session.n_fits == 1
    assert session.ask().strategy in ("adaptive", "held out")
    assert not len(session.judgments("random"))
    assert {question.strategy for question in session.questions[:N]} == {"informed"}


def test_a_session_without_a_start_goes_on_from_its_log():
    n_answers, (X, features) = N + 9, world(0)
    given = {"items": named(features), "start_per_head": 0}
    session = answered(X, named(features), n_answers, start_per_head=0)
    session.withdraw(session.ask())
    others = [way(session.log, **given) for way in (rs.Session.resume, replay)]
    assert [session.ask().row for _ in range(6)] == [others[0].ask().row for _ in range(6)]
    assert session.questions[-6:] == others[0].questions[-6:]
    assert session.questions[-6] == others[1].ask()


def test_without_a_start_answers_need_a_probability():
    with pytest.raises(SettingError):
        rs.Session(N, rs.RandomQuestions(), model=rs.SOE(), start_per_head=0)


def test_an_answer_about_one_item_tells_of_those_alike():
    turns = np.arange(6) * np.pi / 3
    points = 1.5 * np.column_stack([np.cos(turns), np.sin(turns)])
    alike = np.eye(6)
    alike[0, 1] = alike[1, 0] = 0.95
    belief = Belief(points, alike=alike)
    rows = np.array([[0, a, b] for a in range(2, 6) for b in range(2, 6) if a != b] * 20, np.int32)
    both = [
        PositionUncertainty(points, belief.choice, [belief.asked(rows)], prior=prior).deviation
        for prior in (belief.prior(), None)
    ]
    assert both[0][1] < 0.8 * both[1][1]
    some = belief.among(np.array([1, 0, 3]))
    np.testing.assert_array_equal(some.alike, alike[np.ix_([1, 0, 3], [1, 0, 3])])


def test_features_that_say_nothing_are_taken_and_told():
    with pytest.warns(ConstantFeatureWarning):
        session = asked(world(0)[0], named(np.ones((N, 1))), 100)
    assert np.isfinite(session.model_.embedding_).all()


def test_a_map_of_features_alone_can_be_named():
    X, features = world(0)
    model = rs.STE(2, form=rs.FeaturePrior(share=1.0), penalty=1.0)
    assert np.isfinite(asked(X, named(features), 90, model=model).belief().prior()).all()


def test_a_new_item_is_where_its_features_suggest_at_once():
    X, features = world(0, 0.98)
    first = rs.Items([f"i{k}" for k in range(N - 4)], features=features[:-4])
    session = asked(X[:-4], first, 120)
    session.add_items([f"new {k}" for k in range(4)], features=features[-4:])
    placed = session.model_.embedding_
    fit = np.linalg.lstsq(placed[:-4], X[:-4] - X[:-4].mean(axis=0), rcond=None)[0]
    missed = placed[-4:] @ fit - (X[-4:] - X[:-4].mean(axis=0))
    assert (missed**2).sum() < 0.2 * ((X[-4:] - X[:-4].mean(axis=0)) ** 2).sum()
    again = rs.Session.resume(session.log, first, start_per_head=2)
    np.testing.assert_allclose(again.model_.embedding_, placed, atol=1e-8)


def test_views_place_new_items():
    X, features = world(0, 0.98)
    views = {"good": features, "noise": np.random.default_rng(8).normal(size=(N, 2))}
    first = {view: part[:-2] for view, part in views.items()}
    items = rs.Items([f"i{k}" for k in range(N - 2)], features=first)
    session = asked(X[:-2], items, 100)
    for wrong in ({"good": features[-2:]}, features[-2:], {**views, "noise": [[0.0]]}):
        with pytest.raises(rs.errors.ResemblanceError):
            session.add_items(["a", "b"], features=wrong)
    session.add_items(["a", "b"], features={view: part[-2:] for view, part in views.items()})
    again = rs.Session.resume(session.log, items, start_per_head=2)
    np.testing.assert_allclose(again.model_.embedding_, session.model_.embedding_, atol=1e-8)


@pytest.mark.parametrize("features", [None, np.ones((1, Q + 1)), np.full((1, Q), np.nan)])
def test_a_new_item_without_the_features_of_the_others_is_refused(features):
    session = rs.Session(named(world(0)[1]))
    with pytest.raises(rs.errors.ResemblanceError):
        session.add_items(["new"], features=features)
    assert len(session.items) == N


@pytest.mark.long
def test_an_earlier_space_saves_answers_and_a_wrong_one_is_found_out():
    """Of answers to random questions: how far a session believes it, and what its map errs."""
    shares, errors = {"right": [], "wrong": []}, {"right": [], "none": []}
    for seed in range(3):
        X, _ = world(seed)
        noise = np.random.default_rng(seed).normal(size=X.shape)
        pilot = rs.STE(2).set_positions(X + 0.3 * noise)
        other = rs.STE(2).set_positions(world(seed + 50)[0])
        for name, prior in {"right": pilot, "wrong": other, "none": None}.items():
            session = told(rs.Session(N, prior=prior), X, 5 * N, seed)
            if name in shares:
                shares[name].append(session.model_.form_.share)
            if name in errors:
                errors[name].append(error(session, X))
    assert np.median(shares["wrong"]) < 0.05
    assert np.median(shares["right"]) > 0.5
    assert np.median(errors["right"]) < 0.8 * np.median(errors["none"])


def test_an_earlier_space_is_joined_by_name():
    X, features = world(0)
    names = [f"i{k}" for k in range(N)]
    known = rs.STE(2).set_positions(X[::-1][:-2], names[::-1][:-2])
    with pytest.warns(rs.errors.UnmentionedWarning, match="i0, i1|i1, i0"):
        session = rs.Session(names, prior=known, trust=0.5)
    np.testing.assert_allclose(session.items.features[2:], X[2:])
    np.testing.assert_allclose(session.items.features[:2], X[2:].mean(axis=0)[None].repeat(2, 0))
    assert session.model.form.share == 0.5
    session.add_items(["new"])
    assert len(session.items) == N + 1
    answers = rs.Triplets([[0, 1, 2], [2, 1, 0], [1, 2, 0]] * 9, names[:3])
    with pytest.warns(rs.errors.UnmentionedWarning):
        assert rs.Session(names, prior=answers).items.features.shape == (N, 2)
    for items, prior in ((named(features), known), (["a", "b", "c"], known), (names, "pilot")):
        with pytest.raises(rs.errors.SettingError):
            rs.Session(items, prior=prior)
