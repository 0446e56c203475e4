"""Thresholds between the steps of a rating scale, for each person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.fitting.objective.rating_likelihood import (
    Ints,
    Priors,
    scales_of,
    shift_and_stretch,
)
from resemblance.judgments import Ratings
from resemblance.judgments.checks import refuse
from resemblance.judgments.observers import raters_of
from resemblance.notebook import Shown
from resemblance.optional import pd


@dataclass(frozen=True)
class RatingScale(Shown):
    r"""The thresholds of all people who rated on a scale of k points, and of the crowd.

    .. math:: P(r > j) = \sigma\big(\log \tfrac{s(d)}{s(0)} - \theta_{uj}\big)

    A threshold is the log similarity of a remembered distance: a pair is rated above j as often as
    the choice model says that it is nearer than that. It is above 0 where not even an item and
    itself would be rated above j in half of the cases.

    Attributes
    ----------
    points : int
        k.
    crowd : array (k - 1,)
        Of the crowd, in nats of log similarity, where an item with itself has 0; increasing.
    people : tuple of str
        The raters, in order; empty where nobody is named.
    own : array (n_people, k - 1)
        Of each of them.
    shift, stretch : float
        How far people's thresholds lie from the crowd's, in nats: the likeliest standard deviation
        of all of somebody's together, and of the last against the first, of people who shift and
        stretch the crowd's scale; 0 where there is nobody to differ from.
    """

    points: int
    crowd: Floats
    people: tuple[str, ...]
    own: Floats
    shift: float
    stretch: float

    @property
    def sureness(self) -> float:
        r"""Factor on the slope of ratings by unknown people, :math:`(1 + \pi v / 8)^{-1/2}`.

        Their thresholds lie around the crowd's with the variance v, which blurs what is known of
        their ratings. Source: MacKay (1992), The evidence framework applied to classification
        networks, Neural Computation 4, 720-736.
        """
        moved = shift_and_stretch(self.crowd) * (self.shift, self.stretch)
        v = (moved**2).sum(axis=1).mean()
        return float(1.0 / np.sqrt(1.0 + np.pi * v / 8.0))

    def odds(self, similarity: Floats, observer: NDArray[np.str_] | None = None) -> Floats:
        """Return the log odds of rating > j, (m, k - 1), at log similarities (m,), by who rates."""
        who = _places(self.people, observer, len(similarity))
        at = np.concatenate([self.crowd[None], self.own])[who]
        slope = np.where(who > 0, 1.0, self.sureness)
        return np.asarray(slope[:, None] * (similarity[:, None] - at))


@dataclass(frozen=True)
class Thresholds(Shown):
    """The thresholds of a fit's ratings: a scale for each number of points.

    Attributes
    ----------
    scales : tuple of RatingScale
        In order of their points.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver([[0.0], [1.0], [2.0], [4.0]], random_state=0)
    >>> rated = person.rate([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] * 20, points=5)
    >>> model = rs.STE(1, random_state=0).fit(rated)
    >>> thresholds = model.thresholds_.of(points=5)
    >>> thresholds.shape, bool((np.diff(thresholds) > 0).all())
    ((4,), True)
    """

    scales: tuple[RatingScale, ...]

    @classmethod
    def likeliest(cls, similarity: Floats, ratings: Ratings, priors: Priors) -> Self:
        """Find the most likely thresholds of ratings, given the log similarities of pairs.

        Parameters
        ----------
        similarity : array (m,)
        ratings : Ratings
            The rows (m of them).
        priors : mapping of int to Prior
            How far people's thresholds lie from the crowd's, for each number of points.
        """
        names, table = raters_of(ratings)[0], ratings.numbers()
        scales = []
        for scale in scales_of(table, priors):
            at, _, _ = scale.grades.best(similarity[scale.rows])
            people = tuple(names[scale.people - 1].tolist())
            differ = (0.0, 0.0)
            if len(people) > 1:
                differ = scale.grades.differences(similarity[scale.rows], at[0])
            scales.append(RatingScale(scale.points, at[0], people, at[1:], *differ))
        return cls(tuple(scales))

    def of(self, observer: str | None = None, points: int | None = None) -> Floats:
        """Return the thresholds of a person, or of the crowd.

        Parameters
        ----------
        observer : str, optional
            Whose; of somebody who was not met, and of None, those of the crowd.
        points : int, optional
            How many points the scale has; may be left out where there is one scale.

        Returns
        -------
        array (points - 1,)
            In nats of log similarity, increasing.

        Raises
        ------
        JudgmentError
            If no ratings on so many points were fitted, or it is open which scale is meant.
        """
        if points is None and len(self.scales) > 1:
            raise JudgmentError(f"ratings had {self._points} points: say which, as points=")
        scale = self.scale(self.scales[0].points if points is None else points)
        met = observer in scale.people
        return scale.own[scale.people.index(str(observer))] if met else scale.crowd

    def scale(self, points: int) -> RatingScale:
        """Return the scale with this number of points."""
        for scale in self.scales:
            if scale.points == points:
                return scale
        raise JudgmentError(
            f"the fit had no ratings on {points} points, but on {self._points}: fit some on "
            "such a scale"
        )

    def probabilities(self, similarity: Floats, ratings: Ratings) -> Floats:
        """Return the probability of each rating, (m, points), from 1 on; 0 beyond the scale."""
        out = np.zeros((len(ratings), max(scale.points for scale in self.scales)))
        for rows, odds in self._odds(similarity, ratings):
            out[rows, : odds.shape[1] + 1] = -np.diff(expit(_with_ends(odds)))
        return out

    def losses(self, similarity: Floats, ratings: Ratings) -> Floats:
        """Return -log of the probability of each rating, (m,): finite, however small that is."""
        out = np.empty(len(ratings))
        for rows, odds in self._odds(similarity, ratings):
            ends, given = _with_ends(odds), ratings.rating[rows]
            every = np.arange(len(rows))
            low, high = ends[every, given - 1], ends[every, given]
            out[rows] = np.logaddexp(0.0, -low) + np.logaddexp(0.0, high)
            out[rows] -= np.log(-np.expm1(high - low))
        return out

    def _odds(
        self, similarity: Floats, ratings: Ratings
    ) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        refuse(
            ~np.isin(ratings.points, [scale.points for scale in self.scales]),
            lambda r: (
                f"a rating on {ratings.points[r]} points, and the model was fitted to ratings on "
                f"{self._points}: fit ratings on such a scale too"
            ),
        )
        for scale in self.scales:
            rows = np.flatnonzero(ratings.points == scale.points)
            observer = None if ratings.observer is None else ratings.observer[rows]
            yield rows, scale.odds(similarity[rows], observer)

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each threshold, with observer ("" is the crowd), points and above."""
        parts = [
            pd.DataFrame(
                {
                    "observer": name,
                    "points": scale.points,
                    "above": np.arange(1, scale.points),
                    "threshold": at,
                }
            )
            for scale in self.scales
            for name, at in zip(("", *scale.people), (scale.crowd, *scale.own), strict=True)
        ]
        return pd.concat(parts, ignore_index=True)

    @property
    def _points(self) -> str:
        return ", ".join(str(scale.points) for scale in self.scales)


def _with_ends(odds: Floats) -> Floats:
    """Add the log odds of the ends of the scale."""
    return np.pad(odds, ((0, 0), (1, 1)), constant_values=((0, 0), (np.inf, -np.inf)))


def _places(people: tuple[str, ...], observer: NDArray[np.str_] | None, m: int) -> Ints:
    """Return the positions of the observers among ``people``, from 1; 0 for others."""
    if observer is None or not people:
        return np.zeros(m, dtype=np.int64)
    names = np.array(people)
    at = np.minimum(np.searchsorted(names, observer), len(names) - 1)
    return np.where(names[at] == observer, 1 + at, 0)
