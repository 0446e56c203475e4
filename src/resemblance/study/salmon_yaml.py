"""What an init.yaml of Salmon says, in its newer and its older form."""

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resemblance.errors import FileError, SettingError
from resemblance.optional import require
from resemblance.study.files import read_text
from resemblance.study.settings_file import Key, at

# Of html; in older files they stand at the top: the type, what holds without it, and its words.
TEXT = (str, None, "text in quotes")
PAGE: dict[str, tuple[type, Any, str]] = {
    "title": TEXT,
    "instructions": TEXT,
    "debrief": TEXT,
    "skip_button": (bool, False, "true or false"),
    "max_queries": (int, 50, "a whole number"),
}
NO_PLACE = ("css", "arrow_keys", "query_params")
TOP = ("targets", "html", "samplers", "sampling", "d", "n")
DEFAULT = {"random": {"class": "Random"}}


@dataclass
class Experiment:
    """The file, the line of each key, and what is said of the way to a study."""

    path: Path
    data: dict[str, Any]
    lines: dict[Key, int]
    words: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> "Experiment":
        """Read and check a file."""
        yaml, text = _yaml(), read_text(path)
        try:
            loader = yaml.SafeLoader(text)
            node = loader.get_single_node()
            data = None if node is None else loader.construct_document(node)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = "" if mark is None else f", line {mark.line + 1}"
            problem = getattr(error, "problem", None) or error
            raise FileError(f"{path}{where}: {problem}: mend the YAML there") from None
        if not isinstance(data, dict):
            raise FileError(f"{path}, line 1: no keys: give targets, html, samplers or sampling")
        lines: dict[Key, int] = {}
        _number(node, (), lines)
        experiment = cls(path, data, lines)._checked()
        for key, value in node.value:
            if key.value == "targets" and isinstance(value, yaml.SequenceNode):
                experiment.words = experiment._words(value.value)
        return experiment

    def _checked(self) -> "Experiment":
        """Refuse keys that Salmon does not know, as they may be misspelt."""
        for key in self.data:
            if key not in (allowed := (*TOP, *PAGE, *NO_PLACE)):
                close = difflib.get_close_matches(str(key), allowed, n=1)
                hint = f"did you mean {close[0]!r}?" if close else "remove it"
                raise self.wrong((str(key),), f"unknown key {key!r}: {hint}")
        for key in ("html", "samplers", "sampling"):
            if not isinstance(self.data.get(key) or {}, dict):
                raise self.wrong((key,), f"{key} is {self.data[key]!r}: give keys with values")
        return self

    def _words(self, nodes: list[Any]) -> list[str]:
        """Take targets as they are written: `no` is a word here, and no false."""
        for index, node in enumerate(nodes):
            if not isinstance(node.value, str):
                raise self.wrong(("targets", index), "a target is a text: put it in quotes")
        return [node.value for node in nodes]

    def wrong(self, key: Key, problem: str) -> SettingError:
        """Make an error that names the file and the line of a key."""
        return SettingError(at(self.path, self.lines, key, problem))

    def targets(self) -> list[str] | None:
        """Return the HTML of the targets; a number of them stands for their indices."""
        n = self.data.get("targets")
        if n is None or self.words is not None:
            return self.words
        if type(n) is not int or n < 1:
            raise self.wrong(("targets",), f"targets is {n!r}: give a list, or how many")
        return [str(index) for index in range(n)]

    def page(self, key: str) -> Any:
        """Return a setting of html, which older files have at the top."""
        kind, default, expected = PAGE[key]
        html = self.data.get("html") or {}
        value = html.get(key, self.data.get(key, default))
        if value is not None and type(value) is not kind:
            where = ("html", key) if key in html else (key,)
            raise self.wrong(where, f"{key} is {value!r}: give {expected}")
        return default if value is None else value

    def number(self, key: Key, value: Any) -> int | None:
        """Check a whole number; Salmon's R may be a fraction, and null is none."""
        fine = type(value) in (int, float) and value >= (key[-1] == "d")
        if value is not None and not fine:
            least = "1" if key[-1] == "d" else "0"
            raise self.wrong(key, f"{key[-1]} is {value!r}: give a whole number from {least}")
        return None if value is None else round(value)

    def dims(self) -> int:
        """Return the number of dimensions, as older files do."""
        return self.number(("d",), self.data.get("d")) or 2

    def samplers(self) -> dict[str, dict[str, Any]]:
        """Return the settings of each sampler."""
        samplers = self.data.get("samplers") or DEFAULT
        for name, given in samplers.items():
            if not isinstance(given or {}, dict):
                raise self.wrong(("samplers", name), f"{name} is {given!r}: give keys, or {{}}")
        return {str(name): dict(given or {}) for name, given in samplers.items()}

    def common(self) -> dict[str, Any]:
        """Return the settings of all samplers."""
        return dict(self._sampling().get("common") or {})

    def _sampling(self) -> dict[str, Any]:
        return self.data.get("sampling") or {}

    def shares(self, samplers: dict[str, Any]) -> dict[str, float]:
        """Return the share of questions that each sampler chooses; equal ones if none is said."""
        probs = self._sampling().get("probs")
        if probs is None:
            return dict.fromkeys(samplers, 1.0 / len(samplers))
        where = ("sampling", "probs")
        if not isinstance(probs, dict) or set(probs) != set(samplers):
            raise self.wrong(where, f"probs must name the samplers: {', '.join(samplers)}")
        if not all(type(p) in (int, float) and p >= 0 for p in probs.values()):
            raise self.wrong(where, "give a percentage for each sampler")
        if sum(probs.values()) != 100:
            raise self.wrong(where, f"the probs sum to {sum(probs.values()):g}: they must to 100")
        return {name: p / 100 for name, p in probs.items()}

    def finish(self) -> None:
        """Add to the notes what a study has no place for."""
        html = [f"html.{key}" for key in self.data.get("html") or {} if key not in PAGE]
        top = [key for key in self.data if key in NO_PLACE]
        given = (key for key in ("samplers_per_user", "details") if self._sampling().get(key))
        rest = [*html, *top, *(f"sampling.{key}" for key in given), *self.left_out]
        if rest:
            self.notes.append(f"left out, as a study has no place for it: {', '.join(rest)}")


def _number(node: Any, above: Key, lines: dict[Key, int]) -> None:
    """Find the line of every key and list item, three levels deep."""
    pairs = node.value if isinstance(node.value, list) and len(above) < 3 else []
    for index, part in enumerate(pairs):
        key, value = part if isinstance(part, tuple) else (part, part)
        name = key.value if isinstance(part, tuple) else index
        if isinstance(name, str | int):
            lines[*above, name] = key.start_mark.line + 1
            _number(value, (*above, name), lines)


def _yaml() -> Any:
    return require("Salmon's files need", "yaml")
