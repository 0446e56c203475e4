"""Crowd kernel learning."""

from typing import Any

from resemblance.choice import Relative
from resemblance.fitting.embedding import Init, OrdinalEmbedding
from resemblance.forms import Coordinates, Form, Gram
from resemblance.solvers import Callback


class CKL(OrdinalEmbedding):
    """Crowd kernel learning: the relative choice model.

    minimise  sum_r -w_r log p_r,  p = (mu + far) / (2 mu + near + far)

    with squared distances. The probability does not change with the scale except through mu: the
    larger mu, the closer p is to one half.

    Source: Tamuz, Liu, Belongie, Shamir & Kalai 2011; the form X has free rows, as in van der
    Maaten & Weinberger 2012, unless ``unit_norm``.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    mu : float
        Regularisation, in squared units of the embedding.
    unit_norm : bool, optional
        Whether K_ii = 1 (Tamuz et al., equation 1). None is False for coordinates and True for a
        Gram matrix, as in the papers.
    form, penalty, n_init, init, max_iter, tol, random_state, n_jobs, callback, warm_start
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.CKL(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        mu: float = 0.05,
        unit_norm: bool | None = None,
        form: str | Form = "coordinates",
        penalty: float | None = None,
        n_init: int = 1,
        init: Init = "spectral",
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_components=n_components,
            form=form,
            penalty=penalty,
            n_init=n_init,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            n_jobs=n_jobs,
            callback=callback,
            warm_start=warm_start,
        )
        self.mu = mu
        self.unit_norm = unit_norm

    def _choice(self) -> Relative:
        return Relative(self.mu)

    def _form(self) -> Form:
        form = super()._form()
        if isinstance(self.form, Form):
            return form
        if isinstance(form, Gram):
            return Gram(unit_diagonal=self.unit_norm is not False)
        return Coordinates(unit_norm=bool(self.unit_norm))
