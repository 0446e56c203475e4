"""Observers: simulated people who answer questions, and what answers tell about real ones."""

from resemblance.observers.cheaters import InattentiveObserver, PositionBiasObserver
from resemblance.observers.crowd import Crowd
from resemblance.observers.gold import gold_questions
from resemblance.observers.learning import LearnedObservers, fit_observers
from resemblance.observers.observer import Observer
from resemblance.observers.screening import drop_rejected, score_participants
from resemblance.observers.space import SpaceObserver
from resemblance.observers.staircase import Staircase, run_staircase
from resemblance.observers.templates import TemplateObserver

__all__ = [
    "Crowd",
    "InattentiveObserver",
    "LearnedObservers",
    "Observer",
    "PositionBiasObserver",
    "SpaceObserver",
    "Staircase",
    "TemplateObserver",
    "drop_rejected",
    "fit_observers",
    "gold_questions",
    "run_staircase",
    "score_participants",
]
