"""Simulate people who answer questions, and check the quality of real participants."""

from resemblance.observers.crowd import Crowd as Crowd
from resemblance.observers.explained_accuracy import Explained as Explained, explained as explained
from resemblance.observers.machines import (
    Command as Command,
    Endpoint as Endpoint,
    MachineAnswers as MachineAnswers,
    MachineParticipant as MachineParticipant,
    Reply as Reply,
    ShownQuestion as ShownQuestion,
)
from resemblance.observers.model import ModelObserver as ModelObserver
from resemblance.observers.observer import (
    InattentiveObserver as InattentiveObserver,
    Observer as Observer,
    PositionBiasObserver as PositionBiasObserver,
)
from resemblance.observers.recovery import (
    ModelRecovery as ModelRecovery,
    model_recovery as model_recovery,
)
from resemblance.observers.screening import (
    drop_rejected as drop_rejected,
    gold_questions as gold_questions,
    score_participants as score_participants,
)
from resemblance.observers.space import SpaceObserver as SpaceObserver
from resemblance.observers.templates import (
    Staircase as Staircase,
    TemplateObserver as TemplateObserver,
    run_staircase as run_staircase,
)
