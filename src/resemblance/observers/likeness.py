"""Machines among people: who answers as a model does, and who begins to guess."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_softmax
from scipy.stats import chi2

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import of_kind
from resemblance.observers.evidence import Answers, Ints, mixed
from resemblance.observers.model import ModelObserver
from resemblance.observers.observer import Asked, refuse_other_items
from resemblance.optional import pd
from resemblance.ranges import check, integers

MAP = "map"  # the crowd's own space, followed without noise
LAPSE = 0.03  # share of answers in which a machine may differ from its model
SHARPNESS = 2.0 ** np.arange(9)  # of the mean difference between a question's options
SHARPER = 2.0 ** np.arange(1, 7)  # than people follow the map
CARES = np.linspace(0.0, 1.0, 11)  # shares of answers that are not guessed
FEW_PEOPLE = 8  # what people are like cannot be told from fewer
NATS = 10.0  # that a model must explain better than it explains others
LIKE_A_MACHINE = 4.0  # standard deviations, from which somebody is flagged
NATS_OF_GUESSES = 5.0  # by which a turn to guesses must explain the answers better than none


def machine_likeness(
    judgments: Asked,
    model: OrdinalEmbedding,
    machines: Mapping[str, ModelObserver] | None = None,
    *,
    folds: int | None = None,
) -> "pd.DataFrame":
    r"""Look for people whose answers are those of a machine rather than of a person.

    .. math:: G_i = \max_\beta \sum_t \log P_\beta(y_t) - \max_c \sum_t \log P_c(y_t), \qquad
       P_\beta(k) = (1 - \lambda) \frac{e^{\beta s_k}}{\sum_j e^{\beta s_j}} + \frac{\lambda}{N},
       \qquad P_c = c \, P + \frac{1 - c}{N}, \qquad
       z_i = \frac{G_i - n_i m}{\sqrt{n_i^2 \tau^2 + n_i \sigma_i^2}}

    G is how much better a machine that follows the similarities s, however sharply, explains
    the n answers of a person than the crowd's map P does, however careful the person. People differ
    in it, as each resembles a machine more or less: m is the median of G / n among them, and
    :math:`\tau` their spread beyond that of answers (:math:`\sigma_i`), from the median of the
    squared distances. A machine stands far above: z is told where G is 10 nats above that of a
    usual person, 0 where it is less. The map itself, followed without noise, is one of the
    machines: who agrees with it more than any person does.

    Who guesses from some answer on is found by how much better the answers are explained by a
    care c up to some answer, and guesses from there to the last, than by one care throughout; the
    answers are in the order of the rows. (Who guesses all along: :func:`score_participants`.)

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        Answers that name their observer.
    model : OrdinalEmbedding
        The crowd's map; one with a likelihood.
    machines : mapping of str to ModelObserver, optional
        What a machine might answer by, such as features of networks; their temperature does not
        count.
    folds : int, optional
        Fit the map anew so often, each time without a part of the people, who are then compared
        with it; as in :func:`score_participants`.

    Returns
    -------
    pandas.DataFrame
        A row for each participant: ``observer, answers``; for each machine, and ``map``,
        ``agreement_...`` (share of answers that are its first choice; ties count their share),
        ``gain_...`` (G, nats) and ``z_...``; ``machine`` (the largest z), ``guesses`` (nats by
        which a turn to guesses explains the answers better) and ``guesses_from`` (the first of
        these, counted from 1); ``flags`` (what speaks for a machine, in words) and ``flagged``
        (``machine`` above 4, or ``guesses`` above 5). NaN where fewer than 8 people answered.

    Raises
    ------
    JudgmentError
        If answers do not name their observer, a model has other items, or answers are to questions
        of an ObserverSession, where people who differ look like guessers.
    SettingError
        If a machine is called ``map``, or is no ModelObserver.

    Notes
    -----
    It is a hint, no proof, and rejects nobody. A machine that answers as the crowd does, with its
    noise, cannot be told from people by its answers; nor can one that follows a model which is not
    given and agrees with the map no less than people do. How many of each are found:
    ``papers/calibration/machines.py``, docs/guide/good-answers.md.

    See Also
    --------
    score_participants : Who does not look, by gold questions, repeats, sides and a model.

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points, network = rng.normal(size=(2, 12, 2))
    >>> people = [rs.SpaceObserver(3 * points, lapse=0.1, random_state=i) for i in range(9)]
    >>> bot = rs.ModelObserver(network, "euclidean", temperature=0.01, random_state=0)
    >>> questions = np.array([rng.choice(12, 3, replace=False) for _ in range(1000)])
    >>> answers = rs.Crowd([*people, bot], random_state=0).answer(questions)
    >>> table = machine_likeness(answers, rs.STE().fit(answers), {"network": bot})
    >>> table["observer"][table["machine"].idxmax()]
    'person10'
    """
    check(folds=(folds, integers(2).besides(None)))
    given = dict(machines or {})
    for name, machine in given.items():
        of_kind(machine, ModelObserver, f"the machine {name!r}", error=SettingError)
    if MAP in given:
        raise SettingError(f"a machine cannot be called {MAP!r}: it is the crowd's own map")
    answers = Answers(judgments, 0.5, 0.5)
    if folds is None:
        refuse_other_items("the model", model.items_, judgments.items)
    crowd = answers.predicted(model, folds)
    there = crowd > 0
    guess = there[:, 0] / there.sum(axis=1)
    with_care = [np.log(mixed(care, crowd[:, 0], guess)) for care in CARES]
    as_person = _best(answers, with_care)
    with np.errstate(divide="ignore"):
        utilities = {MAP: np.log(crowd)}
    utilities |= {name: _utilities(name, machine, judgments) for name, machine in given.items()}
    table = pd.DataFrame({"observer": answers.names.tolist(), "answers": answers.n_answers})
    columns: dict[str, Any] = {}
    for name, of_options in utilities.items():
        sharpness = SHARPER if name == MAP else SHARPNESS / _apart(of_options)
        logs = _best(answers, [_followed(beta * of_options) for beta in sharpness])
        gain, spread = _summed(answers, logs - as_person)
        columns |= {
            f"agreement_{name}": answers.count(_first_choice(of_options)) / answers.n_answers,
            f"gain_{name}": gain,
            f"z_{name}": standing_out(gain, spread, answers.n_answers),
        }
    columns["machine"] = np.max([columns[f"z_{name}"] for name in utilities], axis=0)
    columns["guesses"], columns["guesses_from"] = _turned(answers, with_care, np.log(guess))
    flags = [_words(columns, list(utilities), i) for i in range(answers.n_people)]
    return table.assign(**columns, flags=flags, flagged=[bool(flag) for flag in flags])


def standing_out(gain: Floats, spread: Floats, n: Ints) -> Floats:
    """Say by how many standard deviations each person stands above the others; 0 below 10 nats.

    Parameters
    ----------
    gain, spread : array (people,)
        What a machine explains better than the map, in nats, and the standard deviation of it by
        the answers alone.
    n : array (people,)
        How many answers they are.

    Returns
    -------
    array (people,)
        NaN of all where they are fewer than 8.

    Examples
    --------
    >>> standing_out(np.array([-2.0, -1, 0, 0, 0, 1, 2, 30]), np.full(8, 1.5), np.full(8, 50))
    array([ 0.,  0.,  0.,  0.,  0.,  0.,  0., 20.])
    """
    if len(gain) < FEW_PEOPLE:
        return np.full(len(gain), np.nan)
    apart = gain - n * np.median(gain / n)
    usual = chi2.median(1)

    def excess(tau: float) -> float:
        return float(np.median(apart**2 / (spread**2 + (n * tau) ** 2)) - usual)

    most = 1.0 + np.abs(apart / n).max() / np.sqrt(usual)
    tau = brentq(excess, 0.0, most) if excess(0.0) > 0 else 0.0
    z = apart / np.sqrt(spread**2 + (n * tau) ** 2)
    return np.where(apart > NATS, z, 0.0)


def _utilities(name: str, machine: ModelObserver, judgments: Asked) -> Floats:
    """Return the similarity that speaks for each option; say which model lacks an item."""
    try:
        return machine.utilities(judgments)
    except JudgmentError as error:
        raise JudgmentError(f"{name}: {error}") from None


def _apart(utilities: Floats) -> float:
    """Return the mean distance of a question's first and last option."""
    last = np.where(np.isfinite(utilities), utilities, np.inf).min(axis=1)
    return float((utilities.max(axis=1) - last).mean()) or 1.0


def _followed(utilities: Floats) -> Floats:
    """Return log P of each answer of a machine; the answer is the first option."""
    n_options = np.isfinite(utilities).sum(axis=1)
    logs = log_softmax(utilities, axis=1)[:, 0]
    return np.asarray(np.log((1 - LAPSE) * np.exp(logs) + LAPSE / n_options))


def _best(answers: Answers, logs: list[Floats]) -> Floats:
    """Take for each person the log P, of several, that explain the answers best."""
    best = np.argmax([answers.count(log) for log in logs], axis=0)
    return np.asarray(np.array(logs)[best[answers.who], np.arange(len(answers.who))])


def _summed(answers: Answers, gain: Floats) -> tuple[Floats, Floats]:
    """Return the sum of each person's gains, and its standard deviation by the answers alone.

    The variance of an answer is at least that of a usual person: who is always sure varies little.
    """
    total, n = answers.count(gain), answers.n_answers
    variance = answers.count((gain - (total / n)[answers.who]) ** 2) / n
    return total, np.sqrt(n * np.maximum(variance, np.median(variance)))


def _first_choice(utilities: Floats) -> Floats:
    """Return 1 where the answer is the first choice, 1/t where t options tie for it."""
    most = utilities == utilities.max(axis=1, keepdims=True)
    return np.asarray(most[:, 0] / most.sum(axis=1))


def _turned(answers: Answers, with_care: list[Floats], guess: Floats) -> tuple[Floats, Floats]:
    """Return by how much a turn to guesses explains each person better, and where it would be."""
    nats, start = np.zeros(answers.n_people), np.full(answers.n_people, np.nan)
    logs = np.array(with_care)
    for person in range(answers.n_people):
        own = answers.who == person
        before = np.pad(logs[:, own].cumsum(axis=1), ((0, 0), (1, 0)))
        after = np.pad(guess[own][::-1].cumsum(), (1, 0))[::-1]
        turned = (before + after).max(axis=0)
        at = int(turned.argmax())
        nats[person], start[person] = turned[at] - before[:, -1].max(), at + 1
    return nats, start


def _words(columns: Mapping[str, Floats], machines: list[str], i: int) -> str:
    """Say what speaks for a machine."""
    signs = [
        f"answers as {name} does: {columns[f'agreement_{name}'][i]:.0%} of them (z = {z:.1f})"
        for name in machines
        if (z := columns[f"z_{name}"][i]) > LIKE_A_MACHINE
    ]
    if not signs and columns["guesses"][i] > NATS_OF_GUESSES:
        signs.append(f"guesses from answer {columns['guesses_from'][i]:.0f} on")
    return "; ".join(signs)
