"""Questions on which models disagree, to find out which model people follow."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import entr, softmax

from resemblance.arrays import Floats, Ints
from resemblance.asking.belief import Belief
from resemblance.asking.strategies import Strategy, round_heads
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import Items, Triplets
from resemblance.observers.explained_accuracy import noise_of, spread_of, utilities_of
from resemblance.observers.observer import Observer
from resemblance.observers.space import answer_shares
from resemblance.ranges import Range, integers, setting

UNTOLD = 1.0, 0.05  # temperature, in units of the utilities' spread, and lapse before any answer


@dataclass(eq=False, repr=False)
class ControversialQuestions(Strategy):
    r"""Questions whose answers tell which of several models people follow.

    .. math:: I(q) = H\Big(\sum_k w_k P_k(\cdot \mid q)\Big) - \sum_k w_k H(P_k(\cdot \mid q))

    the mutual information of the model and the answer to q, where each model k answers with the
    temperature and lapse that make people's answers so far most likely under it, and

    .. math:: w_k = (1 - \epsilon) \, P(k \mid \text{answers}) + \epsilon / K

    The rest :math:`\epsilon` keeps models in the running that noise has put behind.

    Parameters
    ----------
    models : dict of str to Observer or OrdinalEmbedding
        Two or more: :class:`~resemblance.ModelObserver` of a network's vectors, embeddings fitted
        to other answers. They know the items of the session by name, or by number where items have
        no names.
    max_candidates : int
        The questions weighed: every open one where they are this few, else a random sample.
    repeats : bool
        Whether a question that was answered may be asked again.
    doubt : float
        :math:`\epsilon`, above 0 and at most 1; 1 weighs all models alike, whatever was answered.

    Raises
    ------
    SettingError
        If there are fewer than two models, or one answers no questions.
    JudgmentError
        If a model lacks an item; told with the first questions.

    References
    ----------
    Golan, Raju & Kriegeskorte 2020, PNAS 117, 29330: controversial stimuli. The criterion is that
    of Cavagnaro, Myung, Pitt & Kujala 2010, Neural Computation 22, 887, equation 4.

    Examples
    --------
    >>> import resemblance as rs
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    >>> models = {"both": rs.ModelObserver(points, "euclidean", temperature=0.1),
    ...           "first": rs.ModelObserver(points[:, :1], "euclidean", temperature=0.1)}
    >>> strategy = ControversialQuestions(models)
    >>> strategy.propose(Belief(points), 1, np.random.default_rng(0))
    array([[0, 1, 2]], dtype=int32)
    """

    models: Mapping[str, Observer | OrdinalEmbedding]
    max_candidates: int = setting(integers(1), default=4096)
    repeats: bool = False
    doubt: float = setting(Range(0, 1, above=True), default=0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (n := len(self.models)) < 2:
            raise SettingError(
                f"{n} model cannot disagree with others: give two or more.", setting="models"
            )
        self.models = dict(self.models)

    def check(self, choice: ChoiceModel) -> None:
        """Accept any choice model, since that of the map is not used."""

    def check_items(self, items: Items) -> None:
        """Refuse items that are unknown to a model."""
        for model in self.models.values():
            utilities_of(model, Triplets([[0, 1, len(items) - 1]], items))

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield the most informative question of each first item, then the second of each."""
        rows = belief.candidates(rng, self.max_candidates, self.repeats)
        if not len(rows):
            return
        gains = self.told(belief, rows)
        yield from round_heads(rows[np.argsort(-gains, kind="stable")])

    def told(self, belief: Belief, rows: Ints) -> Floats:
        """Return the information of each question about the model, in nats, (m,)."""
        asked = belief.judgments(rows)
        # only the first of several picks is a whole question
        whole = (belief.answered >= 0).all(axis=1)
        answered = belief.answered[whole]
        judgments = belief.judgments(answered) if len(answered) else None
        shares, losses = [], np.zeros(len(self.models))
        for k, model in enumerate(self.models.values()):
            utilities = utilities_of(model, asked)
            if judgments is None:
                noise = spread_of(utilities) * UNTOLD[0], UNTOLD[1]
            else:
                given = utilities_of(model, judgments)
                noise = noise_of(given, judgments.weights)
                losses[k] = -judgments.weights @ np.log(answer_shares(given, *noise)[:, 0])
            shares.append(answer_shares(utilities, *noise))
        w = (1 - self.doubt) * softmax(-losses) + self.doubt / len(losses)
        p = np.array(shares)
        mixed = np.tensordot(w, p, axes=1)
        gain = entr(mixed).sum(axis=1) - w @ entr(p).sum(axis=2)
        return np.asarray(np.maximum(gain, 0.0))
