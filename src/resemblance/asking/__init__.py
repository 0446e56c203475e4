"""Sessions that ask questions, strategies that choose them, and search by similarity."""

from resemblance.asking.arranging import ArrangementSession as ArrangementSession
from resemblance.asking.contradictions import ContradictingAnswers as ContradictingAnswers
from resemblance.asking.gain import (
    InformationGain as InformationGain,
    PredictiveGain as PredictiveGain,
    information as information,
)
from resemblance.asking.out_of_sample import (
    OutOfSampleSession as OutOfSampleSession,
    Placement as Placement,
    embed_item as embed_item,
)
from resemblance.asking.pairs import next_pairs as next_pairs
from resemblance.asking.planning import (
    PosteriorSimulation as PosteriorSimulation,
    PriorSimulation as PriorSimulation,
    StudyCost as StudyCost,
    StudyPlan as StudyPlan,
    Worlds as Worlds,
    plan_study as plan_study,
    study_cost as study_cost,
)
from resemblance.asking.question import Answer as Answer, Question as Question
from resemblance.asking.search import Search as Search, twenty_questions as twenty_questions
from resemblance.asking.session import Session as Session
from resemblance.asking.stopping import (
    StoppingAdvice as StoppingAdvice,
    excess_errors as excess_errors,
    expected_gain as expected_gain,
    stopping_advice as stopping_advice,
)
from resemblance.asking.strategies import (
    Belief as Belief,
    ControversialQuestions as ControversialQuestions,
    RandomQuestions as RandomQuestions,
    Strategy as Strategy,
    UncertainQuestions as UncertainQuestions,
)
