"""The online algorithm of crowd kernel learning: one projected step for each answer."""

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.fitting.objective import Objective, batches
from resemblance.forms import Gram
from resemblance.geometry import project_correlation
from resemblance.judgments import Judgments


def online_descent(
    K: Floats, judgments: Judgments, choice: ChoiceModel, eta: Floats
) -> tuple[Floats, float]:
    """Descend the loss of each answer in turn, among the psd matrices with unit diagonal.

    K_t+1 = P_B(K_t - eta_t grad l_t(K_t)),  B = {K psd, K_ii = 1}

    Source: Tamuz et al. 2011, theorem 1.

    Parameters
    ----------
    K : array (n_items, n_items)
        The matrix before the first answer, in B.
    judgments : Judgments
        The answers, in the order in which they came.
    choice : ChoiceModel
        How squared distances become answers.
    eta : array (m,)
        The step of each answer.

    Returns
    -------
    K : array (n_items, n_items)
        The matrix after the last answer.
    loss : float
        sum_t l_t(K_t), each answer's loss before its own step.

    Examples
    --------
    >>> from resemblance.choice import Relative
    >>> from resemblance.judgments import Triplets
    >>> K, loss = online_descent(np.eye(3), Triplets([[0, 1, 2]]), Relative(), np.ones(1))
    >>> bool(K[0, 1] > 0 > K[0, 2]), round(loss, 3)
    (True, 0.693)
    """
    form, total = Gram(unit_diagonal=True), 0.0
    for row, step in enumerate(eta):
        answer = Objective(batches(judgments[row : row + 1]), choice, form)
        loss, gradient = answer(K)
        K, _ = project_correlation(K - step * gradient)
        total += loss
    return K, total
