"""The columns that each experiment software writes, as a table with a row per tool."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from resemblance.judgments.column_names import FILE as FILE, column_of

RECRUITED = ("PROLIFIC_PID", "prolific_pid", "PROLIFIC_ID", "prolific_id", "workerId", "worker_id")


@dataclass(frozen=True)
class Tool:
    """A program recognised by the columns of its files."""

    name: str
    marks: tuple[str, ...]  # columns of all its files, and of no others
    people: tuple[str, ...] = ()  # columns that name the participant, the best one first
    step: str | None = None  # column with the type of a row, for reports of rows left out
    first: int | None = None  # number of the first option, if answers are positions
    # values of columns in rows with an answer
    only: Mapping[str, str] = field(default_factory=dict)
    repeats: str | None = None  # content of repeated header rows
    # cells that void a row, by bare column name
    marked: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    wide: str | None = None  # pattern of columns with one trial each, with groups trial and name

    def person(self, columns: Iterable[str]) -> str | None:
        """Return the column that names the participant; the file's name comes last."""
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
        marked={"status": re.compile("1|2|8|9|12|17|40")},  # codes of previews and spam
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

# Spellings of the parts of a question, normalised by `bare`.
SPELLINGS = {
    "head": ("head", "anchor", "reference", "standard", "query", "probe", "center"),
    "left": ("left", "leftitem", "leftimage", "leftstimulus", "imageleft", "optionleft"),
    "right": ("right", "rightitem", "rightimage", "rightstimulus", "imageright", "optionright"),
    "options": ("options", "shown"),
    # a column called answer may hold the right one, where another holds what was answered
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
OPPOSITE = ("dissimilar", "unsimilar", "differ", "distan", "unlike")  # begin of words for no rating
SIDED, THREE = ("left", "right"), ("first", "second", "third")
# Kinds of judgments and the columns that hold them, where a file has several the first counts.
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
WORDS = {  # words of an answer that name an option
    **dict.fromkeys(("left", "arrowleft", "first"), 0),
    **dict.fromkeys(("right", "arrowright", "second"), 1),
    "third": 2,
}


def tool_of(columns: Iterable[str]) -> Tool:
    present = set(columns)
    return next((tool for tool in TOOLS if present.issuperset(tool.marks)), TABLE)
