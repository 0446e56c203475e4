"""Define OrdinalEmbedding, the base class of all embeddings."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Softmax
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.answers import FittedSpace, fingerprints, thresholds_in
from resemblance.fitting.estimator import Estimator, by_class, in_classes, learn_classes
from resemblance.fitting.maps import GivesPositions
from resemblance.fitting.objective import checks
from resemblance.fitting.objective.card import CPU, rows_on_card
from resemblance.fitting.objective.descent import descend, numbered, without_residue
from resemblance.fitting.objective.objective import (
    Batch,
    Objective,
    batches,
    check_batch_size,
    quickest_objective,
    scale_free,
)
from resemblance.fitting.objective.starts import (
    checked_starts,
    default_starts,
    first_start,
    further_start,
    lifted_start,
)
from resemblance.fitting.objective.stored import (
    over_all,
    rough_iterations,
    sample_of,
    score_where_they_lie,
)
from resemblance.fitting.objective.threads import Crew, at_a_time, left
from resemblance.fitting.penalty import AUTO, choose_penalty, choose_share, refuse_auto
from resemblance.forms import (
    Coordinates,
    FeatureMap,
    FeaturePrior,
    Form,
    Gram,
    KernelMap,
    LinearMap,
)
from resemblance.judgments import (
    AnyJudgments,
    DistributedJudgments,
    Elsewhere,
    OneKind,
    Ratings,
    each_kind,
    one_kind,
)
from resemblance.judgments.convert import Fitted, JudgmentsLike, checked_judgments, of_one_kind
from resemblance.judgments.items import Items, ItemsLike, items_of_rows
from resemblance.ranges import NOT_NEGATIVE, integers, setting
from resemblance.scores import weighted_mean
from resemblance.solvers import Callback, Solution

Start = Literal["spectral", "lifted", "features", "random"]
FOUND = "loss_", "n_iter_", "converged_", "gram_", "parts_", "unmentioned_", "_fitted_rows"
PENALTIES = NOT_NEGATIVE.besides(None, AUTO)
Init = Literal["auto"] | Start | tuple[Start, ...] | ArrayLike


class OrdinalEmbedding(GivesPositions, Estimator):
    """Positions of items whose distances explain the judgments.

    minimise over theta:  sum_r w_r loss(near_r, far_r) + penalty * tr(K)

    where w_r is the weight of row r, near_r and far_r are the distances of the pairs it compares,
    and K is the kernel of the items. The *form* computes distances from its parameters theta, and
    the *choice model* gives the loss. :class:`STE`, :class:`TSTE`, :class:`CKL`, :class:`GNMDS` and
    :class:`SOE` are this class with a fixed choice model. Use it directly for another choice model
    or form.

    Parameters
    ----------
    choice : ChoiceModel
        The choice model. Default: :class:`~resemblance.choice.Softmax`.
    n_components : int
        The number of dimensions, from 1 to the number of items - 1.
    form : {"coordinates", "gram", "linear", "kernel"} or Form
        "coordinates" fits positions X by L-BFGS, without an n x n matrix. "gram" fits a positive
        semidefinite Gram matrix K by projected gradient and truncates it to ``n_components``.
        "linear" and "kernel" fit a map of the items' features, which also places new items:
        :class:`~resemblance.forms.LinearMap`, :class:`~resemblance.forms.KernelMap`.
    penalty : float or "auto", optional
        The factor of tr(K), the sum of squared lengths, or of the squared norm of a map; None is 0
        for coordinates, 1 for a Gram matrix and 0.001 for a map. "auto" chooses it by
        cross-validated log loss (coordinates and likelihoods only). Without a penalty, a fit to a
        few hundred answers is overconfident. With 3 or more dimensions, "auto" may shrink long
        dimensions less.
    n_init : int
        The number of descents; the one with the lowest loss is kept.
    init : {"auto", "spectral", "lifted", "features", "random"}, tuple of these, or array
        Start of the first descent; further descents start at random. "spectral" is classical
        scaling of counts of comparisons or confusions. "lifted" descends with two extra dimensions,
        then shrinks these to 0. "features" takes features as positions: their principal components
        if there are more than ``n_components``, or with random dimensions added if there are fewer.
        "random" improves random positions by stochastic passes. An array (n_items, n_components)
        gives positions. A tuple gives the start of each descent. "auto" is "spectral", and adds
        "lifted" where local minima are likely: in one dimension, and in two with up to 20,000
        judgments. In one dimension with up to 20,000 judgments it also adds six random starts.
    max_iter : int
        The maximum number of iterations of one descent, or of passes over the rows with
        minibatches.
    tol : float
        A descent has converged when an iteration lowers the loss by less than ``tol`` times the
        loss.
    random_state : int, RandomState or None
        An int gives the same result at every call, on any number of threads.
    n_jobs : int, optional
        The number of threads, as in joblib; None is one, -1 all processors. Descents run in
        parallel; threads left over compute parts of the sum over judgments. The result is the same,
        bit for bit, for any number of threads.
    device : str
        "cpu", or "cuda" for an NVIDIA GPU ("cuda:1" for the second). The GPU is used for a million
        comparisons or more. The same GPU gives the same result at every call, bit for bit.
    callback : callable, optional
        Called with a :class:`~resemblance.solvers.Progress` after each iteration; the fit stops at
        the best positions so far if the return value is true.
    warm_start : bool
        Whether ``fit`` starts from the positions of the previous fit.
    batch_size : int, optional
        The number of rows per step (minibatches), for maps of features only. None uses all rows at
        every step. Rows on disk are read in pools of a million rows, drawn from all files. Rows on
        a cluster raise an error.

    Attributes
    ----------
    embedding_ : array (n_items, n_components)
        The positions along principal axes, centred if distances do not depend on the origin.
    loss_ : float
        The objective at the solution, in nats for choice models that are likelihoods.
    n_iter_ : int
        The number of iterations of the descent that was kept.
    converged_ : bool
        Whether the descent that was kept met its stopping rule.
    penalty_ : float
        The penalty, given or chosen.
    extent_ : float or None
        The extent above which the penalty shrinks a dimension less: see
        :class:`~resemblance.forms.Coordinates`. None if dimensions shrink alike.
    choice_ : ChoiceModel
        The choice model with its settings, such as the degrees of freedom of t-STE.
    items_ : Items
        The items, in the order of the rows of ``embedding_``.
    unmentioned_ : array of int
        Row numbers of items that no judgment mentions; they are placed at the centroid.
    parts_ : array (n_items,) of int
        The number of each item's connected component of compared items; -1 for unmentioned items.
    gram_ : array (n_items, n_items)
        The fitted Gram matrix, with ``form="gram"`` only.
    thresholds_ : Thresholds or None
        Each person's thresholds on the scale of ratings; None without ratings.
    kernel_ : array (n_items, n_items)
        The kernel of the items, computed on access.

    Raises
    ------
    JudgmentError
        For judgments that cannot be read.
    SettingError
        For a setting out of range, or a choice model that cannot process the judgments.

    Examples
    --------
    >>> import resemblance as rs
    >>> line = [[0, 1, 2], [0, 1, 3], [1, 0, 3], [2, 3, 0], [3, 2, 0], [3, 2, 1]]
    >>> model = rs.fitting.OrdinalEmbedding(n_components=1, random_state=0).fit(line)
    >>> model.score(line)
    1.0
    """

    takes_stored: ClassVar[bool] = True  # whether fit accepts judgments on disk

    choice: ChoiceModel | None = field(default=None, kw_only=False)
    n_components: int = field(default=2, kw_only=False)
    form: str | Form = "coordinates"
    penalty: float | Literal["auto"] | None = setting(PENALTIES, default=None)
    n_init: int = setting(integers(1), default=1)
    init: Init = "auto"
    max_iter: int = setting(integers(1), default=1000)
    tol: float = setting(NOT_NEGATIVE, default=1e-4)
    random_state: Any = None
    n_jobs: int | None = None
    device: str = CPU
    callback: Callback | None = None
    warm_start: bool = False
    batch_size: int | None = setting(integers(1).besides(None), default=None)

    def fit(
        self, X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the positions.

        Parameters
        ----------
        X : Triplets, Quadruplets, Choices, OddOneOuts, Confusions, Ratings, Arrangements, or array
            The judgments; a weight is a number of repeats. An array is (m, 3 or 4). A list is
            joined by :func:`~resemblance.join_judgments`. For rows on disk or on a cluster, or a
            Dask DataFrame, the descent starts from a fit to a sample in memory.
        y : array (m,) or (m, 2), optional
            The responses, if the columns of ``X`` are not ordered by the answer: see
            :func:`~resemblance.judgments.as_judgments`. The model then predicts responses for
            arrays; ``classes_`` are their values, as scikit-learn's scorers need.
        sample_weight : array (m,), optional
            Factors on the weights of the rows.
        """
        self._check_settings()
        judgments = checked_judgments(X, y, sample_weight)
        learn_classes(self, y)
        shape = judgments.n_items, self._n_components(judgments.n_items)
        unbound, self.choice_ = self._form(), self._choice()
        sample = checks.that_count(self._in_memory(judgments))
        data = batches(sample)
        form, penalty = self._bound(unbound, judgments.items, sample, data)
        maps = isinstance(form, FeatureMap)
        mentioned = checks.mentioned_items(judgments, placed=maps)
        parts = checks.connected_parts(judgments, mentioned, placed=maps)
        checks.check_scale(scale_free(data), penalty)
        check_batch_size(self.batch_size, form, data)
        on_card = rows_on_card(self.device, judgments, data, form, self.batch_size)
        objective = quickest_objective(data, self.choice_, form, penalty, shape, on_card)
        self.items_, self.penalty_, self.extent_ = judgments.items, penalty, form.extent
        kinds = () if isinstance(judgments, Elsewhere) else each_kind(judgments)
        self._fitted_rows = fingerprints(kinds) if kinds else None
        if len(kinds) == 1 and kinds[0].scoring.of_answers and not maps:
            self.n_features_in_ = kinds[0].index.shape[1]
        solution, objective = self._solve(objective, judgments, sample, shape)
        self._keep(solution, objective, form, shape[1], mentioned)
        self.thresholds_ = thresholds_in(self.embedding_, sample, self.choice_, objective.priors)
        self._alone = thresholds_in(0.0 * self.embedding_, sample, self.choice_)
        self.parts_ = parts
        if not self.converged_:
            self._warn_unconverged(solution)
        return self

    def set_positions(
        self, embedding: ArrayLike, items: ItemsLike = None, ratings: Ratings | None = None
    ) -> Self:
        """Make a fitted model from given positions (n_items, n_components).

        Without ``items``, items are numbered, or named by the index of a data frame. ``ratings`` of
        the items give the thresholds of people.
        """
        items = items_of_rows(items, embedding=embedding)
        shape = len(items), self.n_components
        self.embedding_ = checks.given_positions("embedding", embedding, shape)
        self.items_, self.choice_ = items, self._choice()
        for of_earlier_fit in FOUND:
            vars(self).pop(of_earlier_fit, None)
        judged = None if ratings is None else self._judged(ratings)
        self.thresholds_ = thresholds_in(self.embedding_, judged, self.choice_)
        self._alone = thresholds_in(0.0 * self.embedding_, judged, self.choice_)
        return self

    @property
    def chosen_(self) -> dict[str, Any]:
        """The values that the fit chose for settings that are "auto", by name."""
        check_is_fitted(self, "embedding_")
        form, fitted = self._form(), getattr(self, "form_", None)
        if isinstance(form, FeaturePrior) and isinstance(fitted, FeaturePrior):
            return {"penalty": self.penalty_, "form": form.settled(fitted)}
        if (extent := getattr(self, "extent_", None)) is not None:
            return {"penalty": self.penalty_, "form": Coordinates(extent=extent)}
        return {"penalty": self.penalty_}

    @property
    def kernel_(self) -> Floats:
        """The kernel of the items: K_ij = x_i . x_j, so that d_ij = K_ii + K_jj - 2 K_ij.

        With ``form="gram"`` it is ``gram_``, of any rank; otherwise it is X X', where X is
        ``embedding_``. It can be passed to kernel machines, such as scikit-learn's
        ``SVC(kernel="precomputed")``. Source: Tamuz et al. 2011, section 8.2.

        >>> model = OrdinalEmbedding(n_components=1).set_positions([[-1.0], [1.0], [2.0]])
        >>> model.kernel_[0]
        array([ 1., -1., -2.])
        """
        check_is_fitted(self, "embedding_")
        if isinstance(self._form(), Gram) and hasattr(self, "gram_"):
            return self.gram_
        return np.asarray(self.embedding_ @ self.embedding_.T)

    def predict(self, X: JudgmentsLike) -> NDArray[np.int64] | Floats:
        """Return the index of the nearest compared pair of each row, (m,); -1 for ties.

        The index is 0 where the model agrees with the given answer, as in ``predict_proba``. If
        responses ``y`` were fitted, arrays give responses instead: +1 or True where the first pair
        is nearer. For ratings, the result is the expected rating by the row's observer.
        """
        return in_classes(self, X, self._judged(X).predictions(self._space))

    def predict_proba(self, X: JudgmentsLike) -> Floats:
        """Return the probability of every possible answer, (m, K); column 0 is the given answer.

        K is 2 for triplets and quadruplets (near, far), otherwise the largest number of options, in
        the order of ``X.index``. Missing options are 0. Rows sum to one. If responses ``y`` were
        fitted, the columns for arrays are ``classes_``. For confusions, column 0 is an error. For
        ratings, the columns are the points of the scale from 1, with the thresholds of the row's
        observer, or the crowd's distribution of thresholds for unknown observers.
        """
        return by_class(self, X, self._judged(X).probabilities(self._space))

    def score(
        self, X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of judgments that agree with the distances; ties count one half.

        For confusions and ratings it is the mean log-likelihood of a trial or rating, in nats. For
        arrangements it is the share of comparisons of two pairs that have the same order on the
        screen and in the space. For judgments of several kinds, score each of their ``parts``.
        """
        judgments = checked_judgments(X, y, sample_weight)
        if isinstance(judgments, Elsewhere):
            return score_where_they_lie(judgments, self, "score")
        judgments = one_kind(judgments)
        loss = weighted_mean(self.row_losses(judgments), judgments.trial_weights)
        return judgments.scoring.score(loss)

    def row_losses(self, X: JudgmentsLike) -> Floats:
        """Return the loss of each row, (m,), whose weighted mean is the error.

        The loss is 0 where the distances agree with the answer, 1 where they do not, and 1 - 1/t
        where t answers tie. For confusions and ratings it is minus the mean log-likelihood of a
        trial or rating. For arrangements it is the share of comparisons of two pairs whose order
        differs between screen and space, with ties as 1/2.
        """
        return self._judged(X).losses(self._space)

    def log_loss(self, X: Fitted) -> float:
        """Return the mean of -log p(answer), in nats; guessing between two options gives 0.693."""
        judgments = checked_judgments(X)
        if isinstance(judgments, Elsewhere):
            return score_where_they_lie(judgments, self, "log_loss")
        judgments = self._judged(one_kind(judgments))
        return weighted_mean(judgments.log_losses(self._space), judgments.trial_weights)

    @property
    def _space(self) -> FittedSpace:
        thresholds = getattr(self, "thresholds_", None)
        return FittedSpace(self.embedding_, self.choice_, thresholds)

    @property
    def _space_in_one_place(self) -> FittedSpace:
        return FittedSpace(0.0 * self.embedding_, self.choice_, self._alone)

    def _n_components(self, n_items: int) -> int:
        return checks.check_components(self.n_components, n_items)

    def _choice(self) -> ChoiceModel:
        return Softmax() if self.choice is None else self.choice

    def _form(self) -> Form:
        if isinstance(self.form, Form):
            return self.form
        forms = {"coordinates": Coordinates, "gram": Gram, "linear": LinearMap, "kernel": KernelMap}
        if self.form not in forms:
            raise SettingError(
                f"form is {self.form!r}: choose one of {', '.join(map(repr, forms))}, or a Form."
            )
        return forms[self.form]()

    def _bound(
        self, form: Form, items: Items, judgments: AnyJudgments, data: list[Batch]
    ) -> tuple[Form, float]:
        one_view = isinstance(form, FeatureMap) and not form.many_views
        features = checks.one_view(items) if one_view else items.features
        form, penalty = self._with_penalty(form, judgments, data, features)
        form = form.bound(features, penalty)
        maps = isinstance(form, FeatureMap) and isinstance(features, np.ndarray)
        if isinstance(form, FeaturePrior) or maps:
            checks.tell_constant_features(items)
        return form, penalty

    def _solve(
        self,
        objective: Objective,
        judgments: AnyJudgments | Elsewhere,
        sample: AnyJudgments,
        shape: tuple[int, int],
    ) -> tuple[Solution, Objective]:
        if isinstance(judgments, Elsewhere) and len(sample) < len(judgments):
            rough = self._best_descent(objective, shape, rough_iterations(sample))
            solution = self._over_all(over_all(objective, judgments), rough)
        else:
            solution = self._best_descent(objective, shape)
        if objective.people:
            objective = objective.with_likeliest_priors(solution.x)
            solution = self._over_all(objective, solution)
        return solution, objective

    def _with_penalty(
        self, form: Form, judgments: AnyJudgments, data: list[Batch], features: Any
    ) -> tuple[Form, float]:
        asked = self.penalty
        if not isinstance(form, FeaturePrior):
            named = isinstance(asked, str)
            return self._auto(form, judgments, data) if named else (form, self._penalty(form))
        bound = [candidate.bound(features, 0.0) for candidate in form.alternatives()]
        if not isinstance(asked, str) and not form.is_open:
            return bound[0], self._penalty(form)
        given = None if isinstance(asked, str) else self._penalty(form)
        form, penalty, self.penalty_losses_ = choose_share(
            self, bound, judgments, data, self.choice_, given
        )
        return form, penalty

    def _penalty(self, form: Form) -> float:
        return form.default_penalty if self.penalty is None else float(self.penalty)

    def _auto(self, form: Form, judgments: AnyJudgments, data: list[Batch]) -> tuple[Form, float]:
        refuse_auto(self.choice_, form, judgments)
        chosen = choose_penalty(self, form, one_kind(judgments), data, self.choice_)
        form, penalty, self.penalty_losses_ = chosen
        return form, penalty

    def _n_descents(self) -> int:
        return self.n_init

    def _judged(self, X: JudgmentsLike) -> OneKind:
        check_is_fitted(self, "embedding_")
        judgments = of_one_kind(X)
        checks.check_same_items(judgments, self.items_)
        return judgments

    def _best_descent(
        self, objective: Objective, shape: tuple[int, int], most: int | None = None
    ) -> Solution:
        warm = self.warm_start and hasattr(self, "embedding_") and bool(self.embedding_.any())
        init = self.embedding_ if warm else self.init
        if isinstance(init, str) and init == "auto":
            few = self.batch_size is None
            init = default_starts(objective.form, shape[1], objective.n_rows) if few else "spectral"
        starts = checked_starts(init, self._n_descents())
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(starts))
        max_iter = self.max_iter if most is None else min(most, self.max_iter)
        tasks = [
            (objective, shape, max_iter, start, at, int(seed))
            for at, (start, seed) in enumerate(zip(starts, seeds, strict=True))
        ]
        here = self.callback is not None or objective.on_card is not None
        solutions: list[Solution] = []
        for solution in at_a_time(self._descend, tasks, self.n_jobs, here):
            solutions.append(solution)
            if solution.interrupted:
                break
        return self._of_descents(solutions, objective, max_iter)

    def _of_descents(
        self, solutions: list[Solution], objective: Objective, max_iter: int
    ) -> Solution:
        return min(solutions, key=lambda solution: solution.loss)

    def _descend(
        self,
        shared: Objective,
        shape: tuple[int, int],
        max_iter: int,
        start: Any,
        restart: int,
        seed: int,
    ) -> Solution:
        rng = np.random.default_rng(seed)
        report = None if self.callback is None else numbered(self.callback, restart)
        with Crew(left()) as crew:
            objective = shared.with_crew(crew)
            if isinstance(start, Solution):
                params = start.x
            else:
                params = objective.form.start(self._start(objective, shape, start, rng))
            return descend(objective, params, max_iter, self.tol, report, self.batch_size, rng)

    def _start(
        self, objective: Objective, shape: tuple[int, int], start: Any, rng: np.random.Generator
    ) -> Floats:
        if not isinstance(start, str):
            return checks.given_positions("init", start, shape)
        if start == "random":
            return further_start(objective, shape, rng)
        if start == "lifted":
            return lifted_start(objective, shape, rng)
        features = checks.one_view(self.items_) if start == "features" else None
        return first_start(objective, shape, rng, features)

    def _in_memory(self, judgments: AnyJudgments | Elsewhere) -> AnyJudgments:
        if not isinstance(judgments, Elsewhere):
            return judgments
        if not self.takes_stored:
            raise JudgmentError(
                f"{type(self).__name__} needs all judgments in memory: give it a sample, such as "
                "judgments.sample(100_000)"
            )
        if self.batch_size is not None and isinstance(judgments, DistributedJudgments):
            raise SettingError(
                "batch_size applies to judgments in memory or on disk, and these are on a cluster: "
                "leave it out, or scan the files",
                setting="batch_size",
            )
        rows = sample_of(judgments, self.random_state)
        if isinstance(self.penalty, str) and rough_iterations(rows) and len(rows) < len(judgments):
            raise SettingError(
                f"penalty is {self.penalty!r}, which is chosen on a sample in memory; its "
                f"{len(rows) / rows.n_items:.0f} rows per item are too few: give a number, such "
                "as 0 if there are 100 rows per item or more",
                setting="penalty",
            )
        return rows

    def _over_all(self, objective: Objective, rough: Solution) -> Solution:
        if rough.interrupted:
            return rough
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        task = objective, (0, 0), self.max_iter, rough, 0, int(seed)
        (solution,) = at_a_time(self._descend, [task], self.n_jobs, here=True)
        solution.n_iter += rough.n_iter
        return solution

    def _keep(
        self,
        solution: Solution,
        objective: Objective,
        form: Form,
        n_components: int,
        mentioned: NDArray[np.bool_],
    ) -> None:
        centred = self.choice_.reads != "inner"
        if isinstance(form, FeatureMap):
            X = self._keep_map(form, solution.x, centred, n_components)
        else:
            X = form.positions(solution.x, n_components, center=centred)
        if not mentioned.all():
            X[~mentioned] = X[mentioned].mean(axis=0)
            X = X - X.mean(axis=0) if centred else X
        chosen = isinstance(self.penalty, str)
        self.embedding_ = without_residue(X, solution.x, objective, form, chosen)
        self.unmentioned_ = np.flatnonzero(~mentioned)
        self.loss_, self.n_iter_ = solution.loss, solution.n_iter
        self.converged_ = solution.converged
        if isinstance(form, Gram):
            self.gram_ = solution.x if self.embedding_.any() else np.zeros_like(solution.x)

    def _warn_unconverged(self, solution: Solution) -> None:
        checks.tell_unconverged(
            self,
            solution,
            f"at max_iter={self.max_iter} iterations before its loss settled to tol={self.tol}: "
            "raise max_iter, or tol; if the judgments can all be satisfied, the scale grows "
            "without end, and a small penalty (such as 0.01) stops it.",
        )
