"""Templates: what somebody looks for in images, from how they classify them."""

from resemblance.templates.classification_image import ClassificationImage, classification_image
from resemblance.templates.classifier import TemplateClassifier
from resemblance.templates.decisions import DecisionTemplates
from resemblance.templates.strategy import StrategyComparison, compare_strategies
from resemblance.templates.uncertainty import TemplateUncertainty, template_uncertainty

__all__ = [
    "ClassificationImage",
    "DecisionTemplates",
    "StrategyComparison",
    "TemplateClassifier",
    "TemplateUncertainty",
    "classification_image",
    "compare_strategies",
    "template_uncertainty",
]
