"""The desk's editor of ``study.toml``, with the faults in its text."""

import re
from dataclasses import dataclass
from difflib import unified_diff
from typing import NamedTuple

from resemblance.study.files import read_text
from resemblance.study.live import LiveStudy
from resemblance.study.settings_file import FILE
from resemblance.study.stimuli import digest_of


class Fault(NamedTuple):
    """A problem, and its line; 0 without a line."""

    line: int
    problem: str


@dataclass(frozen=True)
class Draft:
    text: str
    opened: str  # digest of the file that was edited
    faults: tuple[Fault, ...] = ()  # why it was not saved
    other: tuple[str, ...] = ()  # differences of the file, if somebody else changed it

    @classmethod
    def of(cls, live: LiveStudy) -> "Draft":
        text = read_text(live.folder.path / FILE)
        return cls(text, digest_of(text.encode()))

    @classmethod
    def refused(cls, live: LiveStudy, text: str, opened: str, problems: str) -> "Draft":
        folder = re.escape(f"{live.folder.path}/")
        place = re.compile(rf"{folder}{re.escape(FILE)}, (?:line (\d+)|(last line)): ")
        faults = []
        for problem in problems.splitlines():
            at = place.match(problem)
            line = 0 if at is None else int(at[1] or len(text.splitlines()))
            said = problem if at is None else problem[at.end() :]
            faults.append(Fault(line, re.sub(folder, "", said)))
        return cls(text, opened, tuple(sorted(faults)))

    @classmethod
    def beside_another(cls, live: LiveStudy, text: str) -> "Draft":
        """Return a text beside another's saved version, which sending the text again replaces."""
        now = cls.of(live)
        lines = unified_diff(now.text.splitlines(), text.splitlines(), "there", "here", "", "", 1)
        return cls(text, now.opened, other=tuple(lines)[2:] or ("no difference",))

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines() or [""]

    def said_of(self, line: int) -> str:
        return "; ".join(fault.problem for fault in self.faults if fault.line == line)
