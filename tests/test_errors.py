"""Errors and warnings have one root, and scikit-learn's kind where it has one."""

import pickle
import subprocess
import sys
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

import resemblance as rs
from resemblance.errors import NotConvergedWarning, ResemblanceWarning, quiet


def test_the_warning_of_convergence_is_also_that_of_scikit_learn():
    assert issubclass(NotConvergedWarning, ConvergenceWarning)
    assert issubclass(NotConvergedWarning, ResemblanceWarning)
    assert rs.errors.NotConvergedWarning is NotConvergedWarning
    told = pickle.loads(pickle.dumps(NotConvergedWarning("raise max_iter", setting="max_iter")))
    assert (type(told), told.setting) == (NotConvergedWarning, "max_iter")


@pytest.mark.parametrize("category", [ConvergenceWarning, ResemblanceWarning])
def test_either_kind_is_a_filter_for_it(category):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category)
        rs.STE(1, max_iter=1, random_state=0).fit([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]])
    with quiet(), warnings.catch_warnings():
        warnings.warn("kept quiet", NotConvergedWarning, stacklevel=2)


def test_errors_stay_light_until_it_is_asked_for():
    code = "import sys, resemblance.errors as e; e.quiet(); print('sklearn' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
    with pytest.raises(AttributeError, match="nonsense"):
        rs.errors.nonsense  # noqa: B018
