"""Fits of dimensions that a worker might have made."""

import numpy as np

from resemblance.study.worker import dimensions


def found(loadings, halves=0.9, again=5):
    """Return what a fit finds: these loadings."""
    X = np.asarray(loadings, float)
    d = X.shape[1]
    return {
        "loadings": X.tolist(),
        "shares": (X.sum(axis=0) / X.sum()).tolist(),
        "seeds": [0.99] * d,
        "halves": [halves] * d,
        "found_again": [again] * d,
        "starts": 2,
        "splits": 5,
        "seconds": 0.1,
    }


def keep(live, loadings, answers=300, **more):
    """Let the worker of a study have found these loadings."""
    dimensions.keep(live, answers, found(loadings, **more))
