"""Analyse answers: the quality of a fit, its noise ceiling, and advice."""

from resemblance.analysis.analysis import Analysis as Analysis
from resemblance.analysis.benchmarking import Benchmark as Benchmark, benchmark as benchmark
from resemblance.analysis.comparison import (
    ModelComparison as ModelComparison,
    compare_models as compare_models,
)
from resemblance.analysis.distilling import Distilled as Distilled, distil as distil
from resemblance.analysis.effects import (
    Effects as Effects,
    estimate_effects as estimate_effects,
)
from resemblance.analysis.hardness import Hardness as Hardness
from resemblance.analysis.overruled import (
    OverruledAnswers as OverruledAnswers,
    overruled_answers as overruled_answers,
)
from resemblance.analysis.parts import (
    PartsAnalysis as PartsAnalysis,
    analyse_parts as analyse_parts,
)
from resemblance.analysis.second_map import SecondMap as SecondMap, second_map as second_map
from resemblance.analysis.workflow import analyse as analyse, evaluate as evaluate
