"""Names of columns in people's files, by the role of the column."""

import re
from collections.abc import Iterable
from typing import Any

FILE = "(file)"  # our own column: the person of each file, where several are read together
PEOPLE = ("observer", "puid", "participant", "person", "subject", "worker", "subj", "sub", "user")
PEOPLE_MORE = ("rater", "listener", "judge", "respondent", "annotator", "viewer", "volunteer")
# Names in the order of preference; Salmon's among them.
ACCEPTED = {
    "head": ("head", "anchor"),
    "near": ("near", "winner", "closer", "positive"),
    "far": ("far", "loser", "farther", "negative"),
    "observer": (*PEOPLE, "PUID"),
    "item": ("item", "id", "name"),
    "label": ("label", "class"),
}
# Names as `bare` writes them, which are looked for where no accepted name is there.
BARE = {
    "observer": (
        *(
            f"{word}{end}"
            for word in (*PEOPLE, *PEOPLE_MORE)
            for end in ("", "id", "nr", "no", "num", "number", "code", "name", "index", "label")
        ),
        *("participation", "pid", "ppt", "pptid", "ppid", "ppn", "pp", "uid", "vp", "vpn", "vpnr"),
        *("proband", "prolificid", "prolificpid", "mturkid", "turkid", "sonaid", "studentid"),
        *("subjects", "participants", "users", "workers", "raters"),
    ),
}
SURE_WEIGHTS = ("weight", "weights")
COUNTED = ("count", "counts", "freq", "frequency")
SHORT = ("n", "times", "w")  # weights only in files without a column of people
TIME = "time|datetime|timestamp|elapsed|started|stopped|onset|offset|submitted|date"
LATENCY = "rt|latency|duration"  # two answers may share a latency
TIMES = re.compile(rf"(^|[^a-z])({TIME}|{LATENCY})([^a-z]|$)")
LATENCIES = re.compile(rf"(^|[^a-z])({LATENCY}|reaction ?time|response ?time)([^a-z]|$)")
WEIGHTS = re.compile(r"prop|perc|share|count|freq|vote|weight|times|repet|^n$|^k$")


HEADINGS = frozenset(  # headings of columns, never cells of answers
    (
        *(name for names in ACCEPTED.values() for name in names),
        *("left", "right", "options", "chosen", "odd", "rating", "response", "weight"),
    )
)


def names_of(role: str) -> tuple[str, ...]:
    return ACCEPTED.get(role, (role,))


def bare(column: Any) -> str:
    """Normalise a column's name: without prefixes of tools, in small letters and digits.

    >>> bare("Spreadsheet: Left_Image"), bare("player.head"), bare("key_resp.keys")
    ('leftimage', 'head', 'keys')
    """
    own = re.split(r"[.:]", str(column).strip().rstrip(".:"))[-1]
    return re.sub(r"[^a-z0-9]", "", own.lower())


def column_of(role: str, free: Iterable[str]) -> str | None:
    columns = list(free)
    exact = next((name for name in names_of(role) if name in columns), None)
    if exact is not None:
        return exact
    if role not in BARE:
        alike = [name for name in columns if str(name).lower() in names_of(role)]
        return alike[0] if len(alike) == 1 else None
    named = {re.sub(r"[^a-z0-9]", "", str(name).lower()): name for name in reversed(columns)}
    named |= {bare(name): name for name in reversed(columns)}
    return next((named[name] for name in BARE[role] if name in named), None)


def is_time(column: object) -> bool:
    """Return whether a column's name is one of times.

    >>> [is_time(name) for name in ("key_resp.rt", "RecordedDate", "time_elapsed", "sport")]
    [True, True, True, False]
    """
    return bool(TIMES.search(_words(column)))


def is_latency(column: object) -> bool:
    """Return whether a column's name is one of response times, which may repeat by chance."""
    return bool(LATENCIES.search(_words(column)))


def _words(column: object) -> str:
    """Separate the words of a name such as RecordedDate."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", str(column)).lower()
