"""Events of all people, in the columns that BIDS asks of a task."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from resemblance.study.export import columns
from resemblance.study.kinds.base import Row

EVENT = {
    "participant_id": columns.ANSWER["observer"],
    "onset": "Seconds from this person's first question to this one, as painted: when the server "
    "stored the answer, less the response time. Late where the network was slow.",
    "duration": "Seconds for which the question was shown: until the answer.",
    "trial_type": columns.ANSWER["purpose"],
    "response_time": "Seconds from the paint of the question to the answer.",
    "stim_file": "File of the head.",
    "answer": columns.LOG["answer"],
}


def events(answers: Iterable[Row], files: Mapping[str, str]) -> Iterator[Row]:
    """Yield each answer and skip as an event, person by person, in the order of onsets.

    Parameters
    ----------
    answers : iterable of dict
        Rows of the table ``answers``.
    files : dict of str to str
        The file of each item that has one.
    """
    of = itemgetter("observer")
    for observer, rows in groupby(sorted(answers, key=of), of):
        timed = [(_painted(row), row["answer"], row) for row in rows]
        timed.sort(key=itemgetter(0, 1))
        for painted, answer, row in timed:
            seconds = None if row["rt_ms"] is None else round(row["rt_ms"] / 1000, 4)
            yield {
                "participant_id": observer,
                "onset": round(painted - timed[0][0], 3),
                "duration": seconds,
                "trial_type": row["purpose"],
                "response_time": seconds,
                "stim_file": files.get(row["head"] or ""),
                "answer": answer,
            }


def _painted(row: Row) -> float:
    """Return the moment at which a question was painted, in seconds."""
    return datetime.fromisoformat(row["time"]).timestamp() - (row["rt_ms"] or 0.0) / 1000
