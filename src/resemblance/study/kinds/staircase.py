"""The staircase of a participant, replayed from what was answered: nothing to lose in a crash."""

from collections.abc import Iterable

from resemblance.study.settings import Staircase


def level(history: Iterable[tuple[float, bool | None]], settings: Staircase) -> float:
    r"""Give the next signal level of an n-down m-up staircase with steps by a factor.

    .. math:: s \leftarrow s / f \text{ after } n \text{ right in a row}, \qquad
              s \leftarrow s f \text{ after } m \text{ wrong in a row}

    It settles where p^n = 1/2 for m = 1: 79.4% right for 3-down 1-up (Levitt, 1971).

    Parameters
    ----------
    history : iterable of (level, right)
        What was answered, in order; skipped answers (None) do not count.
    settings : Staircase
        Its numbers.

    Examples
    --------
    >>> rule = Staircase(start=1.0, step=2.0, down=3)
    >>> level([], rule), level([(1.0, True)] * 3, rule), level([(0.5, False)], rule)
    (1.0, 0.5, 1.0)
    """
    signal, right_run, wrong_run = settings.start, 0, 0
    for signal, right in history:
        if right is None:
            continue
        right_run, wrong_run = (right_run + 1, 0) if right else (0, wrong_run + 1)
        if right_run == settings.down:
            signal, right_run = max(signal / settings.step, settings.least), 0
        elif wrong_run == settings.up:
            signal, wrong_run = min(signal * settings.step, settings.start), 0
    return signal
