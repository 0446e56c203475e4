"""Names that columns have in people's files, by the role of the column."""

import re
from collections.abc import Iterable
from typing import Any

FILE = "file"  # the column that names the file of a row, where several are read together
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
SHORT = ("n", "times", "w")  # weights only where nobody is named, who could be the reason for rows
COUNTERS = ("trial", "trialindex", "trialnumber", "trialno", "trialnr", "trialid", "eventindex")
TIMES = re.compile(
    r"(^|[^a-z])(rt|rts|time|times|date|datetime|timestamp|elapsed|latency|duration|started|"
    r"stopped|onset|offset|submitted)([^a-z]|$)"
)
WEIGHTS = re.compile(r"prop|perc|share|count|freq|vote|weight|times|repet|^n$|^k$")


def names_of(role: str) -> tuple[str, ...]:
    """Return the names that the column of a role may have."""
    return ACCEPTED.get(role, (role,))


def bare(column: Any) -> str:
    """Write a column's name without what tools put before it, in small letters and digits.

    Examples
    --------
    >>> bare("Spreadsheet: Left_Image"), bare("player.head"), bare("key_resp.keys")
    ('leftimage', 'head', 'keys')
    """
    own = re.split(r"[.:]", str(column).strip().rstrip(".:"))[-1]
    return re.sub(r"[^a-z0-9]", "", own.lower())


def column_of(role: str, free: Iterable[str]) -> str | None:
    """Find the column of a role by its names; None where there is none."""
    columns = list(free)
    exact = next((name for name in names_of(role) if name in columns), None)
    if exact is not None or role not in BARE:
        return exact
    named = {re.sub(r"[^a-z0-9]", "", str(name).lower()): name for name in reversed(columns)}
    named |= {bare(name): name for name in reversed(columns)}
    return next((named[name] for name in BARE[role] if name in named), None)


def is_time(column: object) -> bool:
    """Say whether a column holds times, by its name.

    Examples
    --------
    >>> [is_time(name) for name in ("key_resp.rt", "RecordedDate", "time_elapsed", "sport")]
    [True, True, True, False]
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(column)).lower()
    return bool(TIMES.search(words))


def is_counter(column: object) -> bool:
    """Say whether a column numbers trials, by its name."""
    return bare(column) in COUNTERS
