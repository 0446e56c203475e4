"""Which question next: strategies, the session that asks and learns, search."""

from resemblance.asking.information import InformationGain, information
from resemblance.asking.knowledge import Knowledge
from resemblance.asking.predictive import PredictiveGain
from resemblance.asking.question import Answer, Question
from resemblance.asking.search import Search, twenty_questions
from resemblance.asking.session import Session
from resemblance.asking.stopping import StoppingAdvice, expected_gains, stopping_advice
from resemblance.asking.strategies import RandomQuestions, Strategy, UncertainQuestions

__all__ = [
    "Answer",
    "InformationGain",
    "Knowledge",
    "PredictiveGain",
    "Question",
    "RandomQuestions",
    "Search",
    "Session",
    "StoppingAdvice",
    "Strategy",
    "UncertainQuestions",
    "expected_gains",
    "information",
    "stopping_advice",
    "twenty_questions",
]
