"""Every public name, and the package that it is loaded from on first use."""

from . import (
    analysis as analysis,
    asking as asking,
    choice as choice,
    datasets as datasets,
    descriptors as descriptors,
    embeddings as embeddings,
    errors as errors,
    fitting as fitting,
    forms as forms,
    geometry as geometry,
    graphs as graphs,
    judgments as judgments,
    mappings as mappings,
    observers as observers,
    plotting as plotting,
    rdms as rdms,
    saving as saving,
    scores as scores,
    solvers as solvers,
    stimuli as stimuli,
    templates as templates,
)
from .analysis import (
    analyse as analyse,
    analyse_parts as analyse_parts,
    compare_models as compare_models,
    distil as distil,
    evaluate as evaluate,
)
from .asking import (
    ArrangementSession as ArrangementSession,
    ControversialQuestions as ControversialQuestions,
    InformationGain as InformationGain,
    OutOfSampleSession as OutOfSampleSession,
    PosteriorSimulation as PosteriorSimulation,
    PredictiveGain as PredictiveGain,
    PriorSimulation as PriorSimulation,
    RandomQuestions as RandomQuestions,
    Search as Search,
    Session as Session,
    UncertainQuestions as UncertainQuestions,
    plan_study as plan_study,
    stopping_advice as stopping_advice,
)
from .descriptors import describe_stimuli as describe_stimuli
from .embeddings import (
    CKL as CKL,
    GNMDS as GNMDS,
    SOE as SOE,
    STE as STE,
    TSTE as TSTE,
    NonmetricMDS as NonmetricMDS,
    SPoSE as SPoSE,
    loading_spread as loading_spread,
    reproducibility as reproducibility,
)
from .fitting import (
    GroupedKFold as GroupedKFold,
    IndividualSpaces as IndividualSpaces,
    ItemKFold as ItemKFold,
    OrdinalEmbedding as OrdinalEmbedding,
    compare_groups as compare_groups,
    select_dimension as select_dimension,
)
from .forms import (
    FeaturePrior as FeaturePrior,
)
from .graphs import (
    SimilarityGraph as SimilarityGraph,
    clean as clean,
)
from .judgments import (
    Arrangements as Arrangements,
    Choices as Choices,
    Classifications as Classifications,
    Confusions as Confusions,
    Items as Items,
    OddOneOuts as OddOneOuts,
    PairRanks as PairRanks,
    Quadruplets as Quadruplets,
    Ratings as Ratings,
    SimilarPairs as SimilarPairs,
    Triplets as Triplets,
    as_judgments as as_judgments,
    distribute as distribute,
    join_judgments as join_judgments,
    join_views as join_views,
    read_arrangements as read_arrangements,
    read_cblearn as read_cblearn,
    read_choices as read_choices,
    read_classifications as read_classifications,
    read_confusion_matrix as read_confusion_matrix,
    read_confusions as read_confusions,
    read_experiment as read_experiment,
    read_items as read_items,
    read_odd_one_outs as read_odd_one_outs,
    read_psiz as read_psiz,
    read_quadruplets as read_quadruplets,
    read_ratings as read_ratings,
    read_salmon as read_salmon,
    read_similar_pairs as read_similar_pairs,
    read_things as read_things,
    read_triplets as read_triplets,
    scan_choices as scan_choices,
    scan_odd_one_outs as scan_odd_one_outs,
    scan_quadruplets as scan_quadruplets,
    scan_triplets as scan_triplets,
    write_cblearn as write_cblearn,
    write_dataset as write_dataset,
)
from .mappings import (
    KPSDE as KPSDE,
    MKPOE as MKPOE,
    MKPOECV as MKPOECV,
    MMC as MMC,
    POE as POE,
    POECV as POECV,
    SchultzJoachims as SchultzJoachims,
    Yada as Yada,
    YadaCV as YadaCV,
)
from .observers import (
    Crowd as Crowd,
    MachineParticipant as MachineParticipant,
    ModelObserver as ModelObserver,
    SpaceObserver as SpaceObserver,
    Staircase as Staircase,
    TemplateObserver as TemplateObserver,
    drop_rejected as drop_rejected,
    explained as explained,
    gold_questions as gold_questions,
    model_recovery as model_recovery,
    score_participants as score_participants,
)
from .plotting import (
    plot_dimensions as plot_dimensions,
    plot_groups as plot_groups,
    plot_kernel_weights as plot_kernel_weights,
    plot_learning_curve as plot_learning_curve,
    plot_loadings as plot_loadings,
    plot_map as plot_map,
    plot_neighbours as plot_neighbours,
    plot_scale as plot_scale,
    plot_shepard as plot_shepard,
    plot_similarity_graph as plot_similarity_graph,
    plot_templates as plot_templates,
    save_loadings as save_loadings,
    save_map as save_map,
    show_map as show_map,
)
from .rdms import (
    RDMs as RDMs,
    compare_rdms as compare_rdms,
    rdm as rdm,
    rdm_noise_ceiling as rdm_noise_ceiling,
    read_rdms as read_rdms,
    unsupervised_alignment as unsupervised_alignment,
    write_rdms as write_rdms,
)
from .saving import (
    load as load,
    save as save,
    save_onnx as save_onnx,
)
from .scaling import (
    MLDS as MLDS,
    scale_intervals as scale_intervals,
)
from .scores import (
    feature_directions as feature_directions,
    nearest_items as nearest_items,
    neighbour_error as neighbour_error,
    noise_ceiling as noise_ceiling,
    procrustes_distance as procrustes_distance,
    triplet_error as triplet_error,
)
from .templates import (
    DecisionTemplates as DecisionTemplates,
    TemplateClassifier as TemplateClassifier,
    classification_image as classification_image,
    template_uncertainty as template_uncertainty,
)

__version__: str
