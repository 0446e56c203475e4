"""Learn how people see similarity: from comparisons to a space, a picture and an honest score.

Use it as ``import resemblance as rs``. Every public name lives here; its room is loaded when the
name is first used, so that the import itself stays light.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_ROOMS: dict[str, tuple[str, ...]] = {
    "judgments": (
        "CatchTrials",
        "Choices",
        "Classifications",
        "Confusions",
        "Items",
        "PairRanks",
        "Quadruplets",
        "SimilarPairs",
        "Triplets",
        "choices_from_triplets",
        "join_judgments",
        "join_views",
        "pair_ranks_from_confusions",
        "quadruplets_from_confusions",
        "read_choices",
        "read_classifications",
        "read_confusion_matrix",
        "read_confusions",
        "read_items",
        "read_next",
        "read_psiz",
        "read_quadruplets",
        "read_salmon",
        "read_similar_pairs",
        "read_things",
        "read_triplets",
        "similar_from_confusions",
        "triplets_from_choices",
        "triplets_from_confusions",
        "triplets_from_odd_one_out",
        "triplets_from_ranks",
        "write_cblearn",
        "write_choices",
        "write_confusions",
        "write_psiz",
        "write_quadruplets",
        "write_similar_pairs",
        "write_triplets",
    ),
    "asking": (
        "GuessedWorlds",
        "InformationGain",
        "PilotWorlds",
        "Placing",
        "PredictiveGain",
        "RandomQuestions",
        "Search",
        "Session",
        "UncertainQuestions",
        "effort",
        "next_pairs",
        "place_item",
        "plan_study",
        "stopping_advice",
        "twenty_questions",
    ),
    "embeddings": ("CKL", "GNMDS", "NonmetricMDS", "SOE", "STE", "TSTE"),
    "mappings": (
        "KPSDE",
        "MKPOE",
        "MKPOECV",
        "MMC",
        "POE",
        "POECV",
        "SchultzJoachims",
        "Yada",
        "YadaCV",
    ),
    "forms": ("KernelMap", "LinearMap", "MultiKernelMap"),
    "fitting": ("GroupedKFold", "ItemKFold", "fit_scale", "select_dimension", "space_posterior"),
    "graphs": ("SimilarityGraph", "clean"),
    "observers": (
        "Crowd",
        "InattentiveObserver",
        "SidedObserver",
        "SpaceObserver",
        "Staircase",
        "TemplateObserver",
        "drop_rejected",
        "fit_observers",
        "gold_questions",
        "run_staircase",
        "score_participants",
    ),
    "plotting": (
        "plot_dimensions",
        "plot_kernel_weights",
        "plot_learning_curve",
        "plot_map",
        "plot_neighbours",
        "plot_shepard",
        "plot_similarity_graph",
        "plot_templates",
        "save_map",
    ),
    "saving": ("load", "save"),
    "scores": (
        "log_loss",
        "nearest_items",
        "neighbour_error",
        "noise_ceiling",
        "procrustes_distance",
        "triplet_error",
    ),
    "templates": (
        "DecisionTemplates",
        "TemplateClassifier",
        "classification_image",
        "template_uncertainty",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}
_MODULES = ("choice", "datasets", "errors", "geometry", "solvers", "stimuli", *_ROOMS)

__all__ = ["__version__", *sorted(_ROOM_OF), *_MODULES]


def __getattr__(name: str) -> Any:
    """Load the room of a public name when the name is first used."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List every public name, loaded or not."""
    return list(__all__)
