"""Names of columns in people's files, and the columns that each experiment software writes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Column that a reader of several files adds: the file, and thus the participant, of each row.
FILE = "(file)"
PEOPLE = ("observer", "puid", "participant", "person", "subject", "worker", "subj", "sub", "user")
PEOPLE_MORE = ("rater", "listener", "judge", "respondent", "annotator", "viewer", "volunteer")
# accepted names of columns, best first; names that Salmon uses are among them
ACCEPTED = {
    "head": ("head", "anchor"),
    "near": ("near", "winner", "closer", "positive"),
    "far": ("far", "loser", "farther", "negative"),
    "observer": (*PEOPLE, "PUID"),
    "item": ("item", "id", "name"),
    "label": ("label", "class"),
}
# names after normalisation by `bare`, for files without any accepted name
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
SHORT = ("n", "times", "w")  # names of a column of weights, if no column names people
TIME = "time|datetime|timestamp|elapsed|started|stopped|onset|offset|submitted|date"
LATENCY = "rt|latency|duration"  # response times, which two rows may share by chance
TIMES = re.compile(rf"(^|[^a-z])({TIME}|{LATENCY})([^a-z]|$)")
LATENCIES = re.compile(rf"(^|[^a-z])({LATENCY}|reaction ?time|response ?time)([^a-z]|$)")
WEIGHTS = re.compile(r"prop|perc|share|count|freq|vote|weight|times|repet|^n$|^k$")


HEADINGS = frozenset(  # Headings of columns; a cell with such a text is no answer.
    (
        *(name for names in ACCEPTED.values() for name in names),
        *("left", "right", "options", "chosen", "odd", "rating", "response", "weight"),
    )
)


def names_of(role: str) -> tuple[str, ...]:
    return ACCEPTED.get(role, (role,))


def bare(column: Any) -> str:
    """Normalise a column's name to lower-case letters and digits, without prefixes of tools.

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
    """Return whether a column's name suggests times or dates.

    >>> [is_time(name) for name in ("key_resp.rt", "RecordedDate", "time_elapsed", "sport")]
    [True, True, True, False]
    """
    return bool(TIMES.search(_words(column)))


def is_latency(column: object) -> bool:
    """Return whether a column's name suggests response times, which may be equal by chance."""
    return bool(LATENCIES.search(_words(column)))


def _words(column: object) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", str(column)).lower()


RECRUITED = ("PROLIFIC_PID", "prolific_pid", "PROLIFIC_ID", "prolific_id", "workerId", "worker_id")


@dataclass(frozen=True)
class Tool:
    name: str
    # columns that every file of this tool has, and files of other tools do not
    marks: tuple[str, ...]
    people: tuple[str, ...] = ()  # columns that name the participant, best first
    step: str | None = (
        None  # Column with the type of a row. Reports count rows without an answer by this type.
    )
    first: int | None = None  # number of the first option, if answers are numbers of options
    # the cell of each column that marks a row with an answer
    only: Mapping[str, str] = field(default_factory=dict)
    # text that occurs only in header rows that are repeated within a file
    repeats: str | None = None
    # For columns by normalised name: pattern of the cells which show that a row is no answer.
    marked: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    # Pattern of names of columns that hold one trial each, with the groups "trial" and "name".
    wide: str | None = None

    def person(self, columns: Iterable[str]) -> str | None:
        """Return the column that names participants; without one, the column of file names."""
        there = list(columns)
        own = (name for name in self.people if name in there and name != FILE)
        as_file = FILE if FILE in self.people and FILE in there else None
        return next(own, None) or column_of("observer", there) or as_file

    def trial_of(self, column: str) -> tuple[str, str] | None:
        match = re.fullmatch(self.wide, column) if self.wide else None
        return (match["trial"], match["name"]) if match else None


TOOLS = (
    Tool("PsychoPy", ("psychopyVersion",), (*RECRUITED, "participant")),
    Tool("PsychoPy", ("expName", "frameRate"), (*RECRUITED, "participant")),
    Tool(
        "jsPsych",
        ("trial_type", "trial_index"),
        (*RECRUITED, "subject_id", "subject", "participant_id", "participant", "observer"),
        step="trial_type",
        first=0,
    ),
    Tool(
        "Gorilla",
        ("Participant Private ID", "Event Index"),
        ("Participant Private ID",),
        step="Display",
        only={"Response Type": "response"},
    ),
    Tool(
        "Qualtrics",
        ("ResponseId", "RecordedDate"),
        (*RECRUITED, "ResponseId"),
        first=1,
        repeats="ImportId",
        # codes of previews and of spam in Qualtrics
        marked={"status": re.compile("1|2|8|9|12|17|40")},
        wide=r"(?P<trial>\d+)_(?P<name>.+)",
    ),
    Tool("MTurk", ("HITId", "AssignmentId"), ("WorkerId",)),
    Tool(
        "lab.js",
        ("sender", "sender_type"),
        (*RECRUITED, "participant_id", "participant", "id", "code", "observation"),
        step="sender",
    ),
    Tool(
        "Labvanced",
        ("Rec_Session_Id", "Task_Name"),
        (*RECRUITED, "Subject_Code", "Exp_Subject_Id", "Rec_Session_Id"),
        step="Task_Name",
    ),
    Tool(
        "oTree",
        ("participant.code",),
        ("participant.label", "participant.code"),
        wide=r"(?P<trial>(?:.+\.)?\d+)\.(?:player|group|subsession)\.(?P<name>.+)",
    ),
)
TABLE = Tool("a table", ())

# names of columns that hold the parts of a question, normalised by `bare`
SPELLINGS = {
    "head": ("head", "anchor", "reference", "standard", "query", "probe", "center"),
    "left": ("left", "leftitem", "leftimage", "leftstimulus", "imageleft", "optionleft"),
    "right": ("right", "rightitem", "rightimage", "rightstimulus", "imageright", "optionright"),
    "options": ("options", "shown"),
    # "answer" is last, because in many files it holds the correct answer.
    "chosen": ("chosen", "choice", "selected", "winner", "response", "keys", "answer"),
    "odd": ("odd", "oddone", "oddoneout"),
    "first": ("first", "item1", "image1", "stimulus1", "option1"),
    "second": ("second", "item2", "image2", "stimulus2", "option2"),
    "third": ("third", "item3", "image3", "stimulus3", "option3"),
    "a": ("a", "itema"),
    "b": ("b", "itemb"),
    "c": ("c", "itemc"),
    "d": ("d", "itemd"),
    "rating": ("rating", "similarity"),
}
# If a column's name begins with one of these words, its ratings are of dissimilarity.
OPPOSITE = ("dissimilar", "unsimilar", "differ", "distan", "unlike")
SIDED, THREE = ("left", "right"), ("first", "second", "third")
# The columns that each kind needs. A file has the first kind whose columns are all present.
LAYOUTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("triplets", ("head", *SIDED, "chosen")),
    ("triplets", ("head", "near", "far")),
    ("odd_one_outs", ("odd", "options")),
    ("odd_one_outs", ("odd", "kept_a", "kept_b")),
    ("odd_one_outs", (*THREE, "odd")),
    ("choices", ("head", "chosen", "options")),
    ("quadruplets", ("a", "b", "c", "d")),
    ("ratings", ("a", "b", "rating", "points")),
    ("confusions", ("a", "b", "errors", "trials")),
    ("similar_pairs", ("a", "b", "similar")),
)
WORDS = {  # Words that name an option, with the position of the option.
    **dict.fromkeys(("left", "arrowleft", "first"), 0),
    **dict.fromkeys(("right", "arrowright", "second"), 1),
    "third": 2,
}


def tool_of(columns: Iterable[str]) -> Tool:
    present = set(columns)
    return next((tool for tool in TOOLS if present.issuperset(tool.marks)), TABLE)
