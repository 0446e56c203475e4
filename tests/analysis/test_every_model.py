"""Every model of the command, with the options left alone and chosen, whatever the advice is."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.analysis import analysis
from resemblance.analysis.advice import HANG_ON_DIMENSIONS, STEPS
from resemblance.analysis.workflow import Workflow, splitter
from resemblance.catalog import OFFERED
from resemblance.recipe import Recipe

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 2))
ASKED = np.array([RNG.choice(6, 3, replace=False) for _ in range(40)])
TRIPLETS = rs.SpaceObserver(X, random_state=0).answer(rs.Triplets(ASKED, rs.Items(features=X)))
VIEWS = rs.Items(features={"shape": X, "noise": RNG.normal(size=(6, 2))})
PAIRS = np.column_stack(np.triu_indices(6, 1))
ERRORS = RNG.binomial(40, 0.3, len(PAIRS))
FREE = {name: model for name, model in OFFERED.items() if not (model.features or model.sparse)}
CASES = [(name, None, False) for name in OFFERED] + [("ste", 3, False), ("mkpoe", 3, False)]
CASES += [(name, "auto", False) for name in FREE]
CASES += [(name, None, True) for name, model in OFFERED.items() if model.believes]
OTHERS = [step.code for step in STEPS if step.code not in HANG_ON_DIMENSIONS]


@pytest.mark.parametrize(("name", "dims", "features"), CASES)
def test_every_model_takes_every_advice(name, dims, features, monkeypatch):
    answers = rs.Triplets(TRIPLETS.index, VIEWS) if name == "mkpoe" else TRIPLETS
    if OFFERED[name].kind == "confusions":
        answers = rs.Confusions(PAIRS, ERRORS, 40, TRIPLETS.items)
    settings = {"max_iter": 20} if "max_iter" in OFFERED[name].own else {}
    recipe = Recipe(name, settings, dims, 0, informed=features)
    work = Workflow(answers, recipe, splitter(answers, 2, None, 0))
    work.run()
    measured = work.analysis.held_out
    other = OTHERS[CASES.index((name, dims, features)) % len(OTHERS)]
    for code in (HANG_ON_DIMENSIONS[0], other):  # the codes of each kind lead to the same fits
        said = {"code": code, "text": ""}
        monkeypatch.setattr(analysis, "next_step", lambda *_, said=said: said)
        work._try_another_dimension()
        assert work.analysis.as_dict()["next"]["code"] == code
        assert work.analysis.held_out == measured
        assert measured.n_answers == len(answers)
        assert (name, dims) != ("mkpoe", None) or work.analysis.another is None
