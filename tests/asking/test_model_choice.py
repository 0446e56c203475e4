"""Sessions that choose their choice model."""

import json
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from asking.replaying import replay
from resemblance.asking import Session
from resemblance.asking.fit_job import COMPARED, FRESH_EVERY, GROWN, FitResult, is_fresh
from resemblance.asking.log import fit_line, fit_of_line
from resemblance.catalog import compared_in, models_of
from resemblance.choice import Softmax, StudentT
from resemblance.errors import SettingError
from resemblance.fitting.laplace import Noise, effective_penalty

NAMES = compared_in(2)
N = 12
SETTINGS = {"start_per_head": 5, "refit_every": 40}


def play(session, n, choice=Softmax(), seed=0):  # noqa: B008
    """Let somebody answer n questions."""
    points = 2 * np.random.default_rng(seed).normal(size=(N, 2))
    person = rs.SpaceObserver(points, choice, random_state=seed)
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(person), f"p{question.number % 3}")
    return session


def fits(session):
    return [line for line in session.log if line["event"] == "fit"]


@pytest.fixture(scope="module")
def session():
    return play(Session(N, model="auto", **SETTINGS), 440)


def test_the_model_is_that_of_the_people(session):
    """In 14 others t-STE's loss is higher by .13 (deviation .05)."""
    assert session.belief().choice == session.model_.choice_
    losses = session.chosen.log_losses
    assert set(losses) == set(NAMES)
    assert type(session.model_).__name__.lower() == session.chosen.name
    assert losses["tste"] > losses["ste"]


def test_models_are_compared_when_a_fit_starts_anew_and_there_are_enough(session):
    assert bool(session.fit_job().models) == is_fresh(session.n_fits, session.model)
    compared = [
        number
        for number, line in enumerate(fits(session))
        if line["choice"]["told"] == line["told"]
    ]
    assert compared
    assert all(number % FRESH_EVERY == 0 for number in compared)
    at = [fits(session)[number]["told"] for number in compared]
    assert all(later >= GROWN * before for before, later in pairwise(at))
    first = fits(session)[0]
    assert first["told"] < COMPARED
    assert first["choice"] == {"name": "tste", "log_losses": {}, "told": 0}


def test_a_replay_chooses_the_same(session):
    assert replay(session.log, N, model="auto", **SETTINGS).log == session.log


def test_a_resumed_session_goes_on_with_the_model_chosen(session):
    log = json.loads(json.dumps(session.log))
    again = Session.resume(log, N, model="auto", **SETTINGS)
    assert again.chosen == session.chosen
    assert type(again.model_) is type(session.model_)
    kept = play(replay(log, N, model="auto", **SETTINGS), 90, seed=1).log
    assert play(again, 90, seed=1).log == kept


def test_settings_that_name_another_model_win(session):
    log = json.loads(json.dumps(session.log))
    again = Session.resume(log, N, model=rs.CKL(2), **SETTINGS)
    assert (again.chosen.name, type(again.model_).__name__) == ("ckl", "CKL")


def test_the_choice_is_that_of_compare_models():
    names = {"first": rs.STE(2, penalty=0.1), "second": rs.TSTE(2, penalty=0.1)}
    own = play(Session(N, model=names, **SETTINGS), 400, StudentT(1.0))
    assert own.chosen.name in names
    told = own.judgments("fitted", own.chosen.told)
    found = rs.compare_models(told, {name: own._seeded(one) for name, one in names.items()})
    assert found.log_loss == pytest.approx(list(own.chosen.log_losses.values()), rel=0.02)


def test_one_model_is_never_compared():
    session = play(Session(N, model=rs.STE(2, penalty=0.1), **SETTINGS), 150)
    assert session.chosen.name == "ste"
    assert not session.chosen.log_losses
    assert list(models_of("ste")) == ["ste"]


def test_a_fit_of_the_log_is_as_sure():
    """What was chosen is written down: whether long dimensions are shrunk less, too."""
    person = rs.SpaceObserver(2 * np.random.default_rng(0).normal(size=(60, 2)), random_state=0)
    rows = np.argsort(np.random.default_rng(1).random((720, 60)), axis=1)[:, :3]
    answers = rs.Triplets(person.answer(rows).index, items=60)
    auto = rs.STE(6, penalty="auto", random_state=0)
    model = clone(auto).fit(answers)
    line = json.loads(json.dumps(fit_line(FitResult(model, Noise(), 720, np.empty(0)), None)))
    again = fit_of_line(line, auto, answers.items).model
    assert again.chosen_["form"].extent == model.extent_ > 0
    assert effective_penalty(again) == pytest.approx(effective_penalty(model))


@pytest.mark.parametrize("model", ["tste", 3, {}, {"a": rs.STE(2), "b": rs.SOE(2)}])
def test_what_cannot_be_compared_is_refused(model):
    with pytest.raises(SettingError) as told:
        Session(N, strategies=rs.RandomQuestions(), model=model)
    assert told.value.setting == "model"
