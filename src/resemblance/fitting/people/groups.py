"""Whether groups of people see differently, and in which dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import JudgmentError
from resemblance.fitting.choosing.penalty import settled
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.objective.objective import Objective
from resemblance.fitting.people.crossed import CrossedWeights, parts_of_logs
from resemblance.fitting.people.individuals import IndividualSpaces, shared_model
from resemblance.fitting.people.weighing import seen_by
from resemblance.forms import Weights
from resemblance.judgments import Judgments, as_judgments
from resemblance.judgments.checks import are_missing, first_few
from resemblance.judgments.people import people_of, refuse_own_questions
from resemblance.judgments.taking import JudgmentsLike
from resemblance.notebook import ShownTable
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import check, checks_bools, integers

STRENGTH = 0.5  # of the pull of a group's weights to the crowd's: a standard deviation of 1
PEOPLE_PER_NUMBER = 3  # from which on the numbers that tell people apart are taken together


@dataclass(frozen=True)
class GroupComparison(ShownTable):
    """Whether groups of people see differently; :func:`compare_groups` makes it.

    Attributes
    ----------
    groups : tuple of str
        What they are called, in order.
    people : tuple of int
        The number of people in each.
    p_value : float
        How often groups drawn at random from the same people differ as much: if it is small, the
        groups differ.
    n_permutations : int
        How many were drawn.
    table : DataFrame
        A row for each dimension and group: the weight and its interval of 95 % (``low``, ``high``)
        over people. It is relative: 1 in the geometric mean over dimensions, and over groups. The
        dimension "clarity" is how clearly a group answers, the mean of its weights. What the
        answers cannot tell is not a number.
    space : IndividualSpaces
        The space, along the axes in which the groups differ. Its own weights are of the answers
        that chose the axes, and further apart than those of the table.

    Examples
    --------
    >>> table = pd.DataFrame({"dimension": ["1", "1"], "group": ["old", "young"]})
    >>> test = GroupComparison(("old", "young"), (20, 20), 0.01, 1999, table, IndividualSpaces())
    >>> test.p_value < 0.05
    True
    """

    groups: tuple[str, ...]
    people: tuple[int, ...]
    p_value: float
    n_permutations: int
    table: pd.DataFrame
    space: IndividualSpaces


@checks_bools
def compare_groups(
    judgments: JudgmentsLike,
    by: str | Mapping[Any, Any],
    estimator: OrdinalEmbedding | None = None,
    *,
    keep_space: bool = False,
    n_permutations: int = 1999,
    n_resamples: int = 100,
    random_state: int | np.random.RandomState | None = None,
    callback: Told | None = None,
) -> GroupComparison:
    r"""Test whether groups of people weigh the dimensions of one space differently.

    .. math:: u_g = \sum_{r \in g} \nabla_M \log p_r \Big|_{M = I}, \qquad
       d_{ij} = (x_i - x_j)' M (x_i - x_j)

    tells for each person g how the answers would have the metric M of the common space change (of
    inner products and non-negative loadings, the weights: the diagonal of M). The statistic is the
    spread of the groups' means of u about the mean of all, in units of its covariance over people
    (Hotelling's; where people are fewer than three times the numbers in u, each number by its own
    variance). Groups are then dealt anew to the people, again and again: the p-value is the share
    of deals, the true one counted, whose statistic is as large. People are the units, not answers.
    Groups that answer more or less clearly differ too.

    Axes are those of :class:`IndividualSpaces`, fitted to the groups. Weights along them are found
    in spaces, and along axes, that the answers of other people made: each person's by four fifths
    of the people of each group, as axes that a group's answers chose show it further off than it
    is. The intervals are of Student's t, about the deviation of weights of people drawn anew, with
    replacement, within each group. Weights are drawn to the crowd's by a prior with a standard
    deviation of 1 (of logarithms). The answers tell those of which they leave .4 of it or less.

    Source: permutation of scores: Rao 1948 and Pitman 1937; weights: Carroll & Chang 1970.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, Choices or OddOneOuts
        Judgments that say who answered.
    by : str or mapping of person to group
        The name of an extra column with the group of whoever answered the row, or the group of
        each person.
    estimator : OrdinalEmbedding, optional
        As of :class:`IndividualSpaces`.
    keep_space : bool
        Whether the estimator is fitted, and its space and axes stay as they are.
    n_permutations : int
        Deals of people to groups, 99 or more.
    n_resamples : int
        Draws of people for the intervals, 10 or more.
    random_state : int, RandomState or None
        Of deals and draws.
    callback : callable, optional
        Called with (draws done, draws in all).

    Returns
    -------
    GroupComparison
        Draw it with :func:`resemblance.plot_groups`.

    Raises
    ------
    JudgmentError
        If rows do not say who answered; if somebody is in two groups or in none, a group has fewer
        than two people, there is one group, or there are answers to an ObserverSession's questions.
    SettingError
        If there are too few permutations or draws.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(12, 2))
    >>> weights = [[4, 1]] * 5 + [[1, 1]] * 5
    >>> people = [rs.SpaceObserver(points, weights=w, random_state=0) for w in weights]
    >>> crowd = rs.Crowd(people, list("abcdefghij"), random_state=0)
    >>> answers = crowd.answer(np.array([rng.choice(12, 3, replace=False) for _ in range(2000)]))
    >>> side = {name: "left" if name < "f" else "right" for name in "abcdefghij"}
    >>> test = compare_groups(answers, side, n_permutations=199, n_resamples=10, random_state=0)
    >>> test.groups, test.people, test.p_value < 0.05
    (('left', 'right'), (5, 5), True)
    """
    answers = as_judgments(judgments)
    check(n_permutations=(n_permutations, integers(99)), n_resamples=(n_resamples, integers(10)))
    people, who = people_of(answers)
    refuse_own_questions(answers, "people of one group contradict one another")
    group_of = _groups_of(answers, by, people, who)
    groups, of_person = np.unique(group_of, return_inverse=True)
    _check_groups(groups, of_person)
    rng = check_random_state(random_state)
    named = answers.with_extra("group of people", groups[of_person[who]])
    estimator = estimator if keep_space else settled(shared_model(estimator), answers)
    shared = IndividualSpaces(estimator, keep_space=keep_space, strength=np.inf, cv=0).fit(answers)
    numbers = metric_scores(shared.space(people[0]), shared.choice_, answers, who, len(people))
    p_value = _permuted(numbers, of_person, n_permutations, rng)
    spaces = IndividualSpaces(
        estimator,
        by="group of people",
        keep_space=keep_space,
        strength=STRENGTH,
        cv=0,
        random_state=rng.randint(2**31 - 1),
    ).fit(named)
    crossed = CrossedWeights.of(spaces, named, who, of_person, rng)
    drawn = _resampled(crossed, who, of_person, n_resamples, rng, callback)
    sizes = tuple(np.bincount(of_person).tolist())
    table = _table(crossed, drawn, min(sizes))
    return GroupComparison(tuple(groups.tolist()), sizes, p_value, n_permutations, table, spaces)


def metric_scores(
    points: Floats, choice: ChoiceModel, answers: Judgments, who: NDArray[np.intp], n_people: int
) -> Floats:
    """Return how each person's answers would have the metric change, (G, numbers of the metric).

    Of squared distances all entries of the symmetric matrix, else its diagonal. With
    y = (x_k + x_l) / sqrt(2), an entry off the diagonal is the weight of y, less those of x_k, x_l.
    """
    d = points.shape[1]
    pairs = np.array(np.triu_indices(d, 1)) if choice.reads == "squared" else np.empty((2, 0), int)
    turned = (points[:, pairs[0]] + points[:, pairs[1]]) / np.sqrt(2)
    space = np.hstack([points, turned])
    form = Weights(space, n_people)
    weights = np.tile(np.repeat([1.0, 0.0], [d, pairs.shape[1]]), (n_people, 1))
    data = seen_by(form, answers, who)
    slopes = -Objective(data, choice, form)(weights)[1]
    off = slopes[:, d:] - 0.5 * (slopes[:, pairs[0]] + slopes[:, pairs[1]])
    return np.hstack([slopes[:, :d], off])


def _groups_of(
    answers: Judgments, by: str | Mapping[Any, Any], people: NDArray[np.str_], who: NDArray[np.intp]
) -> NDArray[np.str_]:
    """Return the group of each person."""
    if not isinstance(by, str):
        by = dict(by)  # of a pandas Series, too
        present = ~are_missing([*by.values()])
        named = compress(by.items(), present)
        group_of = {str(person): str(group) for person, group in named if group != ""}
        if missing := [person for person in people if person not in group_of]:
            raise JudgmentError(
                f"no group is given of {first_few(missing)}: name one, or leave their rows out"
            )
        return np.array([group_of[person] for person in people])
    groups, of_row = people_of(answers, by)
    number = np.full(len(people), -1)
    number[who] = of_row
    torn = np.flatnonzero(number[who] != of_row)
    if torn.size:
        row = torn[0]
        person, *two = map(str, (people[who[row]], groups[of_row[row]], groups[number[who[row]]]))
        raise JudgmentError(
            f"row {row}: {person!r} is in the groups {two[0]!r} and {two[1]!r} of {by!r}: give "
            "each person one group"
        )
    return groups[number]


def _check_groups(groups: NDArray[Any], of_person: NDArray[np.intp]) -> None:
    """Refuse one group, and groups of one person."""
    if len(groups) < 2:
        only = groups.tolist()[0]
        raise JudgmentError(f"all people are in the group {only!r}: give two groups or more")
    small = groups[np.bincount(of_person) < 2]
    if small.size:
        raise JudgmentError(
            f"there is one person in {first_few(small.tolist())}: what one person does says "
            "nothing of a group; give two people or more"
        )


def _permuted(
    numbers: Floats, of_person: NDArray[np.intp], n: int, rng: np.random.RandomState
) -> float:
    """Return the share of deals, the true one counted, that spread the groups as much."""
    centred = numbers - numbers.mean(axis=0)
    if len(centred) >= PEOPLE_PER_NUMBER * centred.shape[1]:
        values, vectors = np.linalg.eigh(centred.T @ centred)
        kept = values > 1e-10 * values.max()
        white = centred @ vectors[:, kept] / np.sqrt(values[kept])
    else:
        lengths = np.linalg.norm(centred, axis=0)
        white = centred / np.where(lengths > 0, lengths, 1.0)
    sizes = np.bincount(of_person)

    def spread(dealt: NDArray[np.intp]) -> float:
        sums = np.zeros((len(sizes), white.shape[1]))
        np.add.at(sums, dealt, white)
        return float((sums**2 / sizes[:, None]).sum())

    least = spread(of_person) * (1 - 1e-12)
    reached = sum(spread(rng.permutation(of_person)) >= least for _ in range(n))
    return (1 + reached) / (1 + n)


def _resampled(
    crossed: CrossedWeights,
    who: NDArray[np.intp],
    of_person: NDArray[np.intp],
    n: int,
    rng: np.random.RandomState,
    callback: Told | None,
) -> Floats:
    """Draw people anew within their groups; return the groups' log weights each time, (n, G, d)."""
    drawn = []
    for _ in Steps(callback, n).each(range(n)):
        times = np.zeros(len(of_person))
        for group in range(crossed.n_groups):
            members = np.flatnonzero(of_person == group)
            np.add.at(times, rng.choice(members, len(members)), 1.0)
        drawn.append(crossed.logs(times[who]))
    return np.array(drawn)


def _table(crossed: CrossedWeights, drawn: Floats, smallest: int) -> pd.DataFrame:
    """Return the weights of the groups, a row for each dimension and group.

    The intervals are of Student's t, with the degrees of freedom of the smallest group.
    """
    groups, logs = crossed.spaces.people_, crossed.logs()
    few = np.sqrt(smallest / (smallest - 1))  # people drawn anew vary less than people do
    half = few * student_t.ppf(0.975, smallest - 1) * parts_of_logs(drawn).std(axis=0, ddof=1)
    center = parts_of_logs(logs)
    names = ["clarity", *map(str, range(1, center.shape[1]))]
    columns = {"weight": center, "low": center - half, "high": center + half}
    named = {"dimension": np.repeat(names, len(groups)), "group": np.tile(groups, len(names))}
    resolved = crossed.resolved(logs)
    numbers = {
        name: np.where(resolved, np.exp(values), np.nan).T.ravel()
        for name, values in columns.items()
    }
    return pd.DataFrame(named | numbers)
