"""Simulate a crowd of people who share the questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit, xlog1py, xlogy
from sklearn.utils import check_random_state

from resemblance.arrays import Floats, places_in
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError
from resemblance.fitting import JudgmentsLike, OrdinalEmbedding
from resemblance.fitting.objective.threads import blas_threads
from resemblance.judgments import Judgments
from resemblance.judgments.checks import refuse
from resemblance.observers.observer import (
    Asked,
    InattentiveObserver,
    Observer,
    PositionBiasObserver,
    answered,
    as_questions,
)
from resemblance.observers.space import Contrasts, SpaceObserver, answer_shares
from resemblance.optional import pd
from resemblance.ranges import NOT_NEGATIVE, SHARE, check, integers

CROWD_LAPSE = 0.05  # mean of the prior of the lapse rate
PSEUDO_ANSWERS = 20.0  # weight of the prior of the lapse rate, as a number of answers


class Crowd:
    """Simulated people who share questions: each question is answered by one person.

    The person is the row's ``observer``, or drawn at random if the row has no observer. Options are
    shown in random order, so that a preference for one side can be detected.

    Parameters
    ----------
    observers : sequence of Observer
        The people.
    names : sequence of str, optional
        The names of the people; default person1, person2, ...
    random_state : int, RandomState or None
        The seed for drawing the people, and the order of options.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each person: ``observer, kind, temperature, lapse, weight_1, ...``. Values are NaN
        for people who are not a :class:`SpaceObserver`.

    Raises
    ------
    SettingError
        If there are no observers, or not exactly one distinct name for each observer.

    Examples
    --------
    >>> points = [[0.0], [1.0], [9.0]]
    >>> people = [SpaceObserver(points), PositionBiasObserver(0)]
    >>> crowd = Crowd(people, ["ann", "bob"], random_state=0)
    >>> answers = crowd.answer([[0, 1, 2]] * 200)
    >>> bob = answers.observer == "bob"
    >>> set(answers.extra["side"][bob].tolist()), set(answers.index[~bob, 1].tolist())
    ({0}, {1})
    """

    def __init__(
        self,
        observers: Sequence[Observer],
        names: Sequence[str] | None = None,
        random_state: Any = None,
    ) -> None:
        self.observers = tuple(observers)
        width = len(str(len(self.observers)))
        given = [f"person{i:0{width}d}" for i in range(1, len(self.observers) + 1)]
        self.names = np.array(given if names is None else list(names), dtype=str)
        if not self.observers or len(set(self.names.tolist())) != len(self.observers):
            raise SettingError(
                f"there are {len(self.observers)} observers and {len(set(self.names.tolist()))} "
                "different names: give at least one observer, and a different name for each."
            )
        self._random = check_random_state(random_state)

    @classmethod
    def like(
        cls,
        points: ArrayLike,
        n_people: int = 20,
        choice: ChoiceModel | None = None,
        *,
        temperature: float = 1.0,
        spread_weights: float = 0.3,
        spread_temperature: float = 0.3,
        lapse: float = 0.05,
        cheaters: float = 0.1,
        random_state: Any = None,
    ) -> Self:
        r"""Simulate a plausible crowd.

        .. math:: \ln T_o \sim N(\ln T, \sigma_T^2), \quad \ln w_{oj} \sim N(0, \sigma_w^2)

        Person o has the temperature T_o, and gives dimension j the weight w_oj. The weights of each
        person are scaled to a geometric mean of 1. There are equally many cheaters of three kinds:
        they guess, always choose the first side, or always choose the second side.

        Parameters
        ----------
        points : array (n_items, d)
            The positions of items, which people see with individual weights of dimensions.
        n_people : int
            The number of people, including cheaters.
        choice : ChoiceModel, optional
            The choice model; default :class:`~resemblance.choice.Softmax`.
        temperature : float
            T, the median temperature.
        spread_weights, spread_temperature : float
            The standard deviations of ln w and of ln T, 0 or more.
        lapse : float
            The share of questions that an honest person answers by chance.
        cheaters : float
            The share of cheaters; their number is rounded.
        random_state : int, RandomState or None
            The seed for drawing the people and their answers.

        Raises
        ------
        SettingError
            If a share or a spread is out of range, or there are no people.

        Examples
        --------
        >>> crowd = Crowd.like([[0.0], [1.0], [9.0]], 10, random_state=0)
        >>> crowd.table["kind"].value_counts().to_dict()
        {'SpaceObserver': 9, 'InattentiveObserver': 1}
        """
        check(n_people=(n_people, integers(1)), spread_weights=(spread_weights, NOT_NEGATIVE))
        check(spread_temperature=(spread_temperature, NOT_NEGATIVE))
        rng = check_random_state(random_state)
        check(cheaters=(cheaters, SHARE))
        dishonest = round(cheaters * n_people)
        place = dict(zip(rng.permutation(n_people)[:dishonest], range(dishonest), strict=True))
        log_weights = spread_weights * rng.normal(size=(n_people, np.shape(points)[1]))
        weights = np.exp(log_weights - log_weights.mean(axis=1, keepdims=True))
        temperatures = temperature * np.exp(spread_temperature * rng.normal(size=n_people))
        people: list[Observer] = []
        for i, seed in enumerate(rng.randint(2**31 - 1, size=n_people)):
            if i in place:
                people.append(_cheater(place[i], seed))
                continue
            own: dict[str, Any] = {"temperature": temperatures[i], "weights": weights[i]}
            people.append(SpaceObserver(points, choice, lapse, **own, random_state=seed))
        return cls(people, random_state=rng)

    @property
    def table(self) -> pd.DataFrame:
        rows = []
        for name, observer in zip(self.names.tolist(), self.observers, strict=True):
            row = {"observer": name, "kind": type(observer).__name__}
            if isinstance(observer, SpaceObserver):
                row |= {"temperature": observer.temperature, "lapse": observer.lapse}
                row |= {f"weight_{j}": w for j, w in enumerate(observer.weights.tolist(), 1)}
            rows.append(row)
        return pd.DataFrame(rows)

    def answer(self, questions: JudgmentsLike) -> Asked:
        """Answer each question by one person.

        Parameters
        ----------
        questions : Triplets, Choices, or array (m, 3)
            The questions. If a row names an observer, that person answers it.

        Returns
        -------
        Triplets or Choices
            The answers, with ``observer``. ``extra["side"]`` is the position of the chosen option
            on the screen (0 for the first).

        Raises
        ------
        JudgmentError
            If a row names a person who is not in this crowd.
        SettingError
            If the questions are neither triplets nor choices.
        """
        return answered(*self._drawn(as_questions(questions, "Crowd")))

    def _drawn(self, asked: Asked) -> tuple[Asked, NDArray[np.intp]]:
        who = self._who(asked)
        head, options = np.hsplit(asked.index, [asked.options_from])
        key = np.where(options < 0, 1.0, self._random.uniform(size=options.shape))
        options = np.take_along_axis(options, key.argsort(axis=1), axis=1)
        presented = asked._with(index=np.column_stack([head, options]))
        side = np.empty(len(asked), dtype=np.intp)
        for person in np.unique(who):
            rows = np.flatnonzero(who == person)
            side[rows] = self.observers[person]._picked(presented[rows])
        extra = asked.extra | {"side": side}
        return presented._with(observer=self.names[who], _extra=extra), side

    def _who(self, asked: Asked) -> NDArray[np.intp]:
        if asked.observer is None:
            return self._random.randint(len(self.names), size=len(asked))
        named = asked.observer
        who = places_in(self.names, named)
        refuse(
            who < 0,
            lambda r: (
                f"{str(named[r])!r} is not in this crowd, whose first member is "
                f"{str(self.names[0])!r}: name one of crowd.names, or leave observers out"
            ),
        )
        return who


def _cheater(number: int, seed: int) -> Observer:
    kinds = (InattentiveObserver(seed), PositionBiasObserver(0), PositionBiasObserver(1))
    return kinds[number % len(kinds)]


class Utilities(Protocol):
    def utilities(self, weights: Floats) -> Floats: ...


@dataclass(frozen=True)
class CrowdNoise:
    """Temperature, lapse rate and log weights of a crowd, treated as one person."""

    temperature: float
    lapse: float
    log_weights: Floats = field(repr=False)

    @classmethod
    def of(cls, x: Floats) -> CrowdNoise:
        return cls(float(np.exp(x[0])), float(expit(x[1])), x[2:] - x[2:].mean())

    @classmethod
    def fit(cls, contrasts: Utilities, weights: Floats, n_dims: int) -> CrowdNoise:
        def objective(x: Floats) -> float:
            guess = cls.of(x)
            loss = -weights @ np.log(np.maximum(guess.shares(contrasts)[:, 0], 1e-300))
            apart = np.append(guess.log_weights, np.log(guess.temperature))
            lapses = xlogy(CROWD_LAPSE, guess.lapse) + xlog1py(1 - CROWD_LAPSE, -guess.lapse)
            return float(loss + (apart**2).sum() / 2 - PSEUDO_ANSWERS * lapses)

        start = [0.0, logit(CROWD_LAPSE), *np.zeros(n_dims)]
        bounds = [(-5.0, 5.0), (-7.0, 7.0), *[(-4.0, 4.0)] * n_dims]
        with blas_threads(len(start)):
            return cls.of(minimize(objective, start, method="L-BFGS-B", bounds=bounds).x)

    def shares(self, contrasts: Utilities) -> Floats:
        utilities = contrasts.utilities(np.exp(self.log_weights))
        return answer_shares(utilities, self.temperature, self.lapse)


@dataclass(frozen=True)
class _Fixed:
    values: Floats

    def utilities(self, weights: Floats) -> Floats:
        return self.values


def of_crowd(model: OrdinalEmbedding, crowd: Judgments, judgments: Judgments) -> Floats:
    rows = Contrasts(model.embedding_, crowd, model.choice_)
    noise = CrowdNoise.fit(rows, crowd.weights, model.embedding_.shape[1])
    return noise.shares(Contrasts(model.embedding_, judgments, model.choice_))


def with_noise(utilities: Floats, weights: Floats) -> Floats:
    fixed = _Fixed(utilities)
    return CrowdNoise.fit(fixed, weights, 1).shares(fixed)
