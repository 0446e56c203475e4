"""The programs of papers/calibration run, each on one small world, and say what they should.

How often what is printed holds is their own matter: they count it in many worlds. Here, once, that
each draws a world whose truth it knows, looks at it, and gives plain numbers of the right kind.
"""

from math import isnan

import numpy as np
import pandas as pd
import pytest

from scripts import scripts

SHARES = (
    "covered",
    "held",
    "inside",
    "early",
    "rejected",
    "p",
    "tells",
    "clarity held",
    "these",
    "interval",
)
LOOKS = {
    "advice": lambda of: of.followed("plane", 0),
    "counts": lambda of: of.confused(0, True, 4),
    "designs": lambda of: of.look("a list of 60", 0),
    "dimensions": lambda of: of.look("line", 0, 200),
    "distances": lambda of: of.look(0).mean().to_dict(),
    "ellipses": lambda of: of.look("Student-t, STE fitted", 0, 300),
    "errors": lambda of: of.look(0, 100, "adaptive, features"),
    "forecasts": lambda of: (  # of both families of worlds
        of.studied(of.FIRST, False, fewest=300, most=320)[0]
        | of.studied(of.FIRST + 1, False, fewest=300, most=320)[0]
    ),
    "groups": lambda of: of.look(0, 1.0, next(iter(of.STUDIES.values()))(0, 1.0)),
    "likeness": lambda of: of.look(0, of.Study(12, 6, 300, 4)),
    "loadings": lambda of: of.look(0, 1000, 0.0, 0.0, 3),
    "machines": lambda of: of.look(0, 20, ("good",))[1],
    "mlds": lambda of: of.look(0, "triads", 120) | of.lapsed(0, "triads", 120, 0.05),
    "rdms": lambda of: (
        of.look(0, 8, 12, "spearman", ("people",), None) | of.ceiling(0, 8, 12, "spearman")
    ),
    "recovery": lambda of: of.look(0, (60,)),
    "shares": lambda of: of.look("line", 0.5, 5, 0),
    "screening": lambda of: of.people(0, 50).mean(numeric_only=True).to_dict(),
    "fitted_recovery": lambda of: of.look(0, 200, 2),
    "words": lambda of: of.look(0, 6, 40, 0.5, "a sense", False)[0],
    "verdicts": lambda of: of.look("plane", 0, 300),
}
SMALL = {  # numbers of the programs that would take seconds
    "advice": {"FIRST": 100, "BUDGET": 150},
    "dimensions": {"TRIED": (1, 2, 3)},
    "groups": {"PERMUTATIONS": 99, "RESAMPLES": 10, "N_PEOPLE": 6},
    "machines": {"CURVE": (5, 20), "OF_MACHINE": 20, "N_PAIRS": 2},
    "mlds": {"DRAWS": 20},
    "screening": {"N_HONEST": 6, "FOLDS": 2},
    "shares": {"N": 12, "NEW": 500},
}
LONG = {"plans", "rules"}  # whole studies each: they are imported
HELPERS = {"run", "table", "worlds"}


@pytest.fixture(scope="module")
def programs():
    """The scripts as modules; nothing of them stays importable afterwards."""
    with scripts("papers/calibration") as modules:
        for name, sizes in SMALL.items():
            vars(getattr(modules, name)).update(sizes)
        yield modules


def test_every_program_is_looked_at_or_named_here(programs):
    assert set(vars(programs)) == {*LOOKS, *LONG, *HELPERS}
    assert {*programs.run.SCRIPTS} == {*LOOKS, *LONG}


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_gives_plain_numbers(programs, name):
    found = LOOKS[name](getattr(programs, name))
    assert len(found) >= 2
    for key, value in found.items():
        if isinstance(value, str):
            continue
        assert np.isscalar(value), key
        assert isnan(value) or np.isfinite(value), key
        if key in SHARES:
            assert isnan(value) or 0 <= value <= 1, key


def test_no_kind_of_noise_makes_a_map_to_use(programs):
    counts = programs.counts
    assert not [kind for kind in counts.KINDS if counts.trusted(0, kind)["used"]]


def test_ratings_that_only_know_how_people_use_the_scale_are_a_guess(programs):
    """With habits of their own but no structure, the likelihood is that of one place, or below."""
    assert programs.counts.rated(0, False, 20)["code"] == "above_chance"


def test_worlds_are_what_they_say(programs):
    worlds = [programs.worlds.world(seed) for seed in range(3)]
    assert [w.kind for w in worlds] == ["softmax", "student", "relative"]
    for w in worlds:
        n = w.n_items
        assert len(w.questions) == n * (n - 1) * (n - 2) / 2
        assert 0 < w.best < 0.5
        model = w.model(penalty=0.0).set_positions(w.person.points)
        assert w.error(model) == pytest.approx(w.best, abs=0.02)  # it knows no lapses


def test_rows_are_shares_and_means_with_their_errors(programs):
    of = programs.table
    share = of.row("here", "held", "95 %", pd.Series([True, False, True, True]), share=True)
    assert (share["found"], share["worlds"]) == ("75.0 %", 4)
    lines = of.markdown(pd.DataFrame([share])).splitlines()
    assert lines[0].startswith("| condition | what | claimed | found |")
    assert len(lines) == 3
