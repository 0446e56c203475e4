"""Which question next: strategies, the session that asks and learns, search."""

from resemblance.asking.belief import Belief
from resemblance.asking.information import InformationGain, information
from resemblance.asking.out_of_sample import OutOfSampleSession, Placement, embed_item
from resemblance.asking.pairs import next_pairs
from resemblance.asking.planning import StudyCost, StudyPlan, plan_study, study_cost
from resemblance.asking.predictive import PredictiveGain
from resemblance.asking.question import Answer, Question
from resemblance.asking.search import Search, twenty_questions
from resemblance.asking.session import Session
from resemblance.asking.stopping import StoppingAdvice, expected_gains, stopping_advice
from resemblance.asking.strategies import RandomQuestions, Strategy, UncertainQuestions
from resemblance.asking.worlds import PosteriorSimulation, PriorSimulation, Worlds

__all__ = [
    "Answer",
    "StudyCost",
    "PriorSimulation",
    "InformationGain",
    "Belief",
    "PosteriorSimulation",
    "Placement",
    "OutOfSampleSession",
    "PredictiveGain",
    "Question",
    "RandomQuestions",
    "Search",
    "Session",
    "StoppingAdvice",
    "Strategy",
    "StudyPlan",
    "UncertainQuestions",
    "Worlds",
    "study_cost",
    "expected_gains",
    "information",
    "next_pairs",
    "embed_item",
    "plan_study",
    "stopping_advice",
    "twenty_questions",
]
