"""Define a form that concatenates projections of several kernels."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag, eigh, solve

from resemblance.arrays import Floats, by_view
from resemblance.errors import ResemblanceError, SettingError
from resemblance.forms.maps import LEAST_RIDGE, RANK, FeatureMap
from resemblance.geometry import kernel_matrix
from resemblance.geometry.kernels import Bandwidth, Kernel, as_features
from resemblance.ranges import check, checks_bools, one_of

Views: TypeAlias = Mapping[str, ArrayLike]
Kernels: TypeAlias = Kernel | Mapping[str, Kernel | None] | None


class MultiKernelMap(FeatureMap):
    r"""Concatenated projections of several kernels, phi(x) = [N_1 k_1(x), ..., N_M k_M(x)].

    .. math:: d_{ij} = \sum_m (k^m_i - k^m_j)' W^m (k^m_i - k^m_j), \qquad
       \text{penalty} = \sum_m \mathrm{Tr}(W^m K^m), \qquad W^m = N_m' N_m

    where k_i^m is column i of kernel K^m of view m. With full W, the parameters are projections B_m
    of the kernel's principal components V S^(1/2), where K = V S V', and the penalty is their
    squared norm. With diagonal W^m = diag(w^m), each item has a weight in each kernel, and the
    parameters are the square roots of w_i K_ii. With the hinge, this is the problem of
    :class:`~resemblance.MKPOE`.

    Source: McFee & Lanckriet 2011, equations 12 to 14.

    Parameters
    ----------
    kernels : str, callable, None, or dict
        The kernel of :func:`~resemblance.geometry.kernel_matrix` for all views, or a dict of
        kernels by view. None is the features instead of kernel columns, with the penalty Tr W.
    bandwidth : float, "median", or dict
        The bandwidth of kernels that need it, for all views or by view.
    degree : int
        The degree of the polynomial kernel.
    diagonal : bool
        Whether matrices W are diagonal, with a weight for each item.
    combine : {"concatenate", "sum"}
        Whether to project each kernel separately, or the sum of all kernels.

    Examples
    --------
    >>> views = {"shape": [[0.0], [1.0], [2.0]], "colour": [[5.0], [0.0], [1.0]]}
    >>> form = MultiKernelMap({"shape": "rbf", "colour": None}).bound(views, penalty=1.0)
    >>> form.expand(form.start(np.eye(3)[:, :2])).shape  # two coordinates of each view
    (3, 4)
    """

    name: ClassVar[str] = "several kernels"
    many_views = True
    views: dict[str, Floats]
    _ends: list[int]
    _bases: list[Floats | None]

    @checks_bools
    def __init__(
        self,
        kernels: Kernels = "rbf",
        bandwidth: Bandwidth | Mapping[str, Bandwidth] = "median",
        degree: int = 2,
        diagonal: bool = False,
        combine: str = "concatenate",
    ) -> None:
        self.kernels, self.bandwidth, self.degree = kernels, bandwidth, degree
        self.diagonal, self.combine = diagonal, combine

    @property
    def kernel(self) -> Kernels:
        """The kernel of all views; None if views have different kernels."""
        return self.kernels

    @property
    def block_names(self) -> list[str]:
        """The names of the blocks: the views, or one name for their sum."""
        return ["sum"] if self.combine == "sum" else list(self.views)

    @property
    def blocks(self) -> list[slice]:
        """The columns of the design of each block."""
        return [slice(*cut) for cut in zip(self._ends, self._ends[1:], strict=False)]

    def is_set_as(self, other: MultiKernelMap) -> bool:
        settings = "kernels", "bandwidth", "degree", "diagonal", "combine"
        return all(getattr(self, name) == getattr(other, name) for name in settings)

    def bound(self, features: Any, penalty: float) -> Self:
        """Return the form for items with the given views."""
        if features is None or self._bound_to is features:
            return super().bound(features, penalty)
        form = copy(self)
        form.views, form.ridge, form._bound_to = views_of(features), penalty, features
        form._check_settings()
        columns = form._columns(None)
        form._bases = [
            None if name in form.views and _of(form.kernels, name) is None else form._basis(K)
            for name, K in zip(form.block_names, columns, strict=True)
        ]
        parts = [_times(K, basis) for K, basis in zip(columns, form._bases, strict=True)]
        form._ends = np.cumsum([0, *(part.shape[1] for part in parts)]).tolist()
        form.design = np.concatenate(parts, axis=1)
        return form

    def describe(self, features: Any) -> Floats:
        """Return Phi of items: kernel components, or scaled columns, of all views side by side."""
        columns = self._columns(views_of(features))
        parts = [_times(K, basis) for K, basis in zip(columns, self._bases, strict=True)]
        return np.concatenate(parts, axis=1)

    def mapped(self, features: Any, components: Floats) -> Floats:
        """Return Phi of items times ``components``."""
        return self.describe(features) @ components

    def start(self, X: Floats) -> Floats:
        """Return the projection of each view nearest to X, scaled so that the sum is near X."""
        if self.diagonal:
            size = self.design.var(axis=0).sum()
            return np.full(self.design.shape[1], np.sqrt(X.var(axis=0).sum() / size))
        return np.concatenate([self._nearest(block, X) for block in self.blocks])

    def expand(self, params: Floats) -> Floats:
        """Return the positions: the columns of all blocks, side by side."""
        if self.diagonal:
            return np.asarray(self.design * params)
        images = [self.design[:, block] @ params[block] for block in self.blocks]
        return np.concatenate(images, axis=1)

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        if self.diagonal:
            return np.einsum("nq,nq->q", self.design, gradient)
        parts = np.split(gradient, len(self.blocks), axis=1)
        pulled = [self.design[:, b].T @ G for b, G in zip(self.blocks, parts, strict=True)]
        return np.concatenate(pulled)

    def components(self, params: Floats) -> Floats:
        """Return the matrix from Phi to positions, without columns of 0."""
        if self.diagonal:
            used = np.flatnonzero(params)
            whole = np.zeros((len(params), len(used)))
            whole[used, np.arange(len(used))] = params[used]
        else:
            whole = block_diag(*(params[block] for block in self.blocks))
            whole = whole[:, whole.any(axis=0)]
        return whole if whole.shape[1] else np.zeros((len(whole), 1))

    def stacked(self, parameters: list[Floats]) -> Floats:
        """Stack the parameters of all blocks in one array, padded with columns of 0."""
        if self.diagonal:
            return np.concatenate(parameters)
        width = max(1, *(B.shape[1] for B in parameters))
        return np.concatenate([np.pad(B, ((0, 0), (0, width - B.shape[1]))) for B in parameters])

    def metrics(self, params: Floats) -> dict[str, Floats]:
        """Return W of each block, (q, q), or its diagonal, (q,)."""
        metrics = {}
        for name, block, basis in zip(self.block_names, self.blocks, self._bases, strict=True):
            B = params[block]
            if basis is None:
                metrics[name] = B**2 if self.diagonal else B @ B.T
            else:
                metrics[name] = (basis * B) ** 2 if self.diagonal else _square(basis @ B)
        return metrics

    def shares(self, params: Floats) -> dict[str, float]:
        """Return the share of each block in the penalty, Tr(W K); 0 if the penalty is 0."""
        sizes = [float(np.vdot(params[block], params[block])) for block in self.blocks]
        total = sum(sizes) or 1.0
        return {name: size / total for name, size in zip(self.block_names, sizes, strict=True)}

    def _check_settings(self) -> None:
        check(combine=(self.combine, one_of("concatenate", "sum")))
        for name in ("kernels", "bandwidth"):
            given = getattr(self, name)
            if isinstance(given, Mapping) and set(given) != set(self.views):
                raise SettingError(
                    f"{name} are given for {_listed(given)}, and the items have the views "
                    f"{_listed(self.views)}: give one for each view, or one for all."
                )

    def _columns(self, views: dict[str, Floats] | None) -> list[Floats]:
        if views is not None and set(views) != set(self.views):
            raise SettingError(
                f"these items have the views {_listed(views)}, those of the fit "
                f"{_listed(self.views)}: give the same ones."
            )
        columns = [self._kernel(view, views) for view in self.views]
        if self.combine == "concatenate":
            return columns
        if any(_of(self.kernels, view) is None for view in self.views):
            raise SettingError("features cannot be summed: give a kernel for each view.")
        return [np.sum(columns, axis=0)]

    def _kernel(self, view: str, views: dict[str, Floats] | None) -> Floats:
        kernel, fitted = _of(self.kernels, view), self.views[view]
        new = fitted if views is None else views[view]
        if kernel is None:
            if new.shape[1] == fitted.shape[1]:
                return new
            raise SettingError(
                f"view {view!r} has {new.shape[1]} columns, in the fit {fitted.shape[1]}: give the "
                "same features."
            )
        other = None if views is None else fitted
        try:
            bandwidth = _of(self.bandwidth, view)
            return kernel_matrix(new, other, kernel, bandwidth, self.degree)
        except ResemblanceError as error:
            raise type(error)(f"view {view!r}: {error}") from None

    def _basis(self, K: Floats) -> Floats:
        if self.diagonal:
            own = np.diag(K)
            return np.where(own > 0, 1.0 / np.sqrt(np.maximum(own, 1e-300)), 0.0)
        values, vectors = eigh(K)
        kept = values > RANK * values[-1]
        return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))

    def _nearest(self, block: slice, X: Floats) -> Floats:
        Phi = self.design[:, block]
        G = Phi.T @ Phi
        least = LEAST_RIDGE * max(float(np.trace(G)) / max(len(G), 1), 1e-12)
        G[np.diag_indices_from(G)] += max(self.ridge, least)
        solution = solve(G, Phi.T @ X, assume_a="pos")
        return np.asarray(solution / np.sqrt(len(self.blocks)))


def views_of(features: Any) -> dict[str, Floats]:
    given = by_view(features).items()
    views = {str(name): as_features(view, f"view {name!r}") for name, view in given}
    sizes = {name: len(view) for name, view in views.items()}
    if len(set(sizes.values())) != 1:
        listed = ", ".join(f"{name!r} has {size} rows" for name, size in sizes.items())
        raise SettingError(f"the views differ in their items: {listed}. Give a row for each item.")
    return views


def _of(setting: Any, view: str) -> Any:
    return setting[view] if isinstance(setting, Mapping) else setting


def _times(K: Floats, basis: Floats | None) -> Floats:
    if basis is None:
        return K
    return K * basis if basis.ndim == 1 else K @ basis


def _square(N: Floats) -> Floats:
    return np.asarray(N @ N.T)


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, names)) or "(none)"
