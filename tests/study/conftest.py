"""A small study in a folder."""

import numpy as np
import pytest

import study_folder
from resemblance.asking import fit_job
from resemblance.study.worker.report import Report

make_study = study_folder.make_study


@pytest.fixture(autouse=True)
def nothing_costly(monkeypatch):
    """No fit is judged by further fits: tests/web reads what these tell. None compares models."""
    monkeypatch.setattr(fit_job, "COMPARED", 10**9)
    monkeypatch.setattr(Report, "_costly", lambda report, _: {"told_of": report.fitted.answers})
    monkeypatch.setattr(Report, "_wider", lambda _: np.empty(0))
