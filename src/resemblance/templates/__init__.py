"""Estimate templates, which people look for in images, from their classifications."""

from resemblance.templates.classification_image import (
    ClassificationImage as ClassificationImage,
    classification_image as classification_image,
)
from resemblance.templates.classifier import TemplateClassifier as TemplateClassifier
from resemblance.templates.decisions import (
    DecisionTemplates as DecisionTemplates,
    TemplateUncertainty as TemplateUncertainty,
    template_uncertainty as template_uncertainty,
)
from resemblance.templates.people import (
    PeopleTemplates as PeopleTemplates,
    PersonTemplates as PersonTemplates,
    templates_by_observer as templates_by_observer,
)
from resemblance.templates.strategy import (
    StrategyComparison as StrategyComparison,
    compare_strategies as compare_strategies,
)
