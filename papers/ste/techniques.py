"""List the techniques of section 5.1, with the settings that are tuned."""

from collections.abc import Callable
from dataclasses import dataclass

import resemblance as rs

FEW, SPARE = 3, 3  # up to FEW dimensions, a second descent starts from SPARE more
FINE_TOL, TOL, LOOSE_TOL = 1e-6, 1e-5, 1e-4  # for few dimensions; many; Gram matrices and starts
MAX_ITER = 1000  # as in the paper

PENALTIES = (0.0, 1.0, 3.0, 8.0)
GRAM_PENALTIES = (1.0, 3.0, 6.0, 8.0, 10.0, 12.0, 20.0)
MUS = (0.01, 0.1, 1.0)
GRAM_MUS = (0.02, 0.05, 0.2)


@dataclass(frozen=True)
class Technique:
    """A named way to embed.

    Attributes
    ----------
    name : str
        The name in the paper.
    make : callable
        Gives the estimator for a number of dimensions and a strength.
    strengths : tuple of float
        The strengths to choose from: the factor of the trace, or CKL's mu.
    gram : bool
        Whether a Gram matrix is fitted once and then truncated to each number of dimensions.
    """

    name: str
    make: Callable[[int, float], rs.STE]
    strengths: tuple[float, ...]
    gram: bool = False

    def estimator(self, n_components: int, strength: float) -> rs.STE:
        """Give the estimator with the settings that all techniques share."""
        model = self.make(n_components, strength).set_params(max_iter=MAX_ITER, random_state=0)
        if self.gram:
            return model.set_params(form="gram", tol=LOOSE_TOL)
        return model.set_params(tol=FINE_TOL if n_components <= FEW else TOL)

    def fit(self, judgments: rs.Triplets, n_components: int, strength: float) -> rs.STE:
        """Fit; in few dimensions, where local minima abound, take the better of two descents.

        The second one starts from the leading axes of a fit with a few dimensions to spare. The
        better one is the one of lower loss, on the rows that are fitted.
        """
        model = self.estimator(n_components, strength).fit(judgments)
        if self.gram or n_components > FEW:
            return model
        roomy = self.estimator(n_components + SPARE, strength).set_params(tol=LOOSE_TOL)
        start = roomy.fit(judgments).embedding_[:, :n_components]
        lifted = self.estimator(n_components, strength).set_params(init=start).fit(judgments)
        return min(model, lifted, key=lambda fitted: fitted.loss_)


def _penalised(kind: type) -> Callable[[int, float], rs.STE]:
    return lambda d, strength: kind(d, penalty=strength)


def _ckl(d: int, mu: float) -> rs.CKL:
    return rs.CKL(d, mu=mu, penalty=0.0)


TECHNIQUES = {
    technique.name: technique
    for technique in (
        Technique("GNMDS-X", _penalised(rs.GNMDS), PENALTIES),
        Technique("CKL-X", _ckl, MUS),
        Technique("STE-X", _penalised(rs.STE), PENALTIES),
        Technique("t-STE", _penalised(rs.TSTE), (0.0,)),  # alpha = max(d - 1, 1)
        Technique("SOE", _penalised(rs.SOE), PENALTIES),  # not in the paper
        Technique("STE-K", _penalised(rs.STE), GRAM_PENALTIES, gram=True),
        Technique("GNMDS-K", _penalised(rs.GNMDS), GRAM_PENALTIES, gram=True),
        Technique("CKL-K", _ckl, GRAM_MUS, gram=True),
    )
}
