"""Read and check a study's folder: settings, stimuli, gold questions and pages."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from resemblance.catalog import STIMULI
from resemblance.errors import FileError, ResemblanceError, SettingError
from resemblance.files import refuse_as_root
from resemblance.study.conditions import AND
from resemblance.study.display import LIMITS, MEASURE
from resemblance.study.features import ItemFeatures
from resemblance.study.files import Row, read_rows, read_text
from resemblance.study.kinds import KINDS, Kind, Material
from resemblance.study.languages import (
    DEFAULT as ENGLISH,
    LANGUAGES,
    Strings,
    base_of,
    find_language,
)
from resemblance.study.pages import AnyField, NumberField, Page, read_page
from resemblance.study.sections import Words
from resemblance.study.settings import Settings, database_of_environment
from resemblance.study.settings_file import FILE, Key, alone, at, lines_of, read_settings, sentence
from resemblance.study.stimuli import Stimulus, inside, read_stimuli

SQLITE, DATABASE = "sqlite:///", "study.sqlite"


@dataclass(frozen=True)
class StudyFolder:
    path: Path
    settings: Settings
    # in the order of the rows of the table of items; without a table, of the names of files
    stimuli: tuple[Stimulus, ...] = ()
    # Questions of the file that the setting tasks.gold names. Each question has names of items
    # under "head" and "right", and a list of names under "wrong".
    gold: tuple[dict[str, Any], ...] = ()
    # pairs of names, from the file that the setting tasks.pairs names
    pairs: tuple[tuple[str, str], ...] = ()
    # pages for consent, instructions, questionnaires and debrief, in their order
    pages: Mapping[str, Page] = field(default_factory=dict)
    # texts of the page that replace the texts of the language
    strings: Strings = field(default_factory=dict)
    barred: frozenset[str] = frozenset()  # ids of people who may not enter
    salt: str = ""  # secret for computing addresses of stimuli
    # pages and texts of each further language
    translated: Mapping[str, tuple[Mapping[str, Page], Strings]] = field(default_factory=dict)
    unready: tuple[str, ...] = ()  # pages that still contain a placeholder

    @property
    def name(self) -> str:
        return self.settings.study.name

    @property
    def kind(self) -> Kind:
        return KINDS[self.settings.study.kind]

    @cached_property
    def material(self) -> Material:
        options, own = self.settings.study.options, self.settings.own
        salt, exact = self.salt, self.settings.display.exact
        return Material(self.name, self.stimuli, options, self.gold, own, salt, exact, self.pairs)

    @property
    def by_name(self) -> dict[str, Stimulus]:
        return self.material.by_name

    @property
    def names(self) -> tuple[str, ...]:
        return self.material.names

    @cached_property
    def media(self) -> dict[str, Stimulus]:
        files = [item for item in self.stimuli if item.path is not None]
        places = range(self.kind.n_places(self.settings.study.options))
        placed = {item.media_at(self.salt, place): item for item in files for place in places}
        written = [self.pages, *(pages for pages, _ in self.translated.values())]
        pictures = [
            pair for pages in written for page in pages.values() for pair in page.pictures.items()
        ]
        on_pages = {name: Stimulus(name, "image", Path(name).stem, file) for name, file in pictures}
        return placed | on_pages | {item.media: item for item in files}

    def features(self) -> ItemFeatures | None:
        of = self.settings.features
        if of.file is None:
            return None
        return ItemFeatures.read(inside(self.path, of.file), of.used, self.names)

    def known_features(self, names: Sequence[str]) -> Any:
        features = self.features()
        return None if features is None else self.settings.features.of(features, names)

    def models(self, files: Sequence[str]) -> dict[str, ItemFeatures]:
        return {
            name: ItemFeatures.read(inside(self.path, name), (), self.names, varied=False)
            for name in files
        }

    @property
    def digests(self) -> dict[str, str]:
        return {stimulus.name: stimulus.digest for stimulus in self.stimuli}

    @property
    def database(self) -> str:
        if given := database_of_environment():
            return given
        url = self.settings.server.database or f"{SQLITE}{DATABASE}"
        if not url.startswith(SQLITE):
            return url
        return f"{SQLITE}{(self.path / url.removeprefix(SQLITE)).absolute()}"

    @property
    def words(self) -> Strings:
        return {**find_language(self.settings.study.language).strings, **self.strings}

    def spoken(self, language: str) -> "StudyFolder":
        if language not in self.translated:
            return self
        pages, strings = self.translated[language]
        settings = self.settings.spoken(language)
        return replace(self, settings=settings, pages=pages, strings=strings)

    def in_condition(self, name: str) -> "StudyFolder":
        return replace(self, settings=self.settings.in_condition(name))

    def ordered(self, names: Iterable[str], salt: str) -> "StudyFolder":
        """Return the folder with these stimuli first, in this order, and with a salt."""
        place = {name: number for number, name in enumerate(names)}
        stimuli = sorted(self.stimuli, key=lambda item: place.get(item.name, len(place)))
        return replace(self, stimuli=tuple(stimuli), salt=salt)

    def read_again(self, digests: Mapping[str, str]) -> "StudyFolder":
        """Return the folder with added stimuli; stimuli in ``digests`` are not read again."""
        of = self.settings.stimuli
        stimuli = read_stimuli(self.path, of.folder, of.items, self.by_name, digests)
        return replace(self, stimuli=stimuli)

    @classmethod
    def open(
        cls, path: Path, text: str | None = None, stimuli: tuple[Stimulus, ...] | None = None
    ) -> "StudyFolder":
        """Read and check a study; SettingError lists every problem with its file and line.

        If given, ``text`` is used instead of the content of ``study.toml``, and ``stimuli`` instead
        of the files of stimuli.
        """
        refuse_as_root(path)
        text = read_text(path / FILE) if text is None else text
        settings = read_settings(path / FILE, text)
        reader = _Reader(path, settings, text)
        of = settings.stimuli
        if stimuli is None:
            stimuli = reader.tried("stimuli", lambda: read_stimuli(path, of.folder, of.items))
        folder = cls(
            path,
            settings,
            stimuli or (),
            reader.tried("tasks.gold", reader.gold) or (),
            reader.tried("tasks.pairs", lambda: reader.pairs(stimuli or ())) or (),
            *reader.written(),
            reader.tried("recruitment.exclude", reader.barred) or frozenset(),
            translated={code: reader.written(code) for code in settings.study.translations},
        )
        folder = replace(folder, unready=tuple(reader.unready))
        if stimuli is not None:
            features = reader.tried("features.file", folder.features)
            reader.tried("asking.models", lambda: folder.models(settings.asking.models))
            reader.check(folder)
            if features is not None:
                reader.check_design(folder, features)
        reader.finish()
        return folder


class _Reader:
    def __init__(self, path: Path, settings: Settings, text: str) -> None:
        self.path, self.settings = path, settings
        self.file = path / FILE
        self.lines: dict[Key, int] = lines_of(text)
        self.problems: list[str] = []
        self.unready: list[str] = []

    def tried(self, key: str, read: Any) -> Any:
        try:
            return read()
        except ResemblanceError as error:
            self.refuse(key, str(error))

    def refuse(self, key: str, problem: str) -> None:
        self.problems.append(at(self.file, self.lines, tuple(key.split(".")), problem))

    def finish(self) -> None:
        if self.problems:
            raise SettingError("\n".join(self.problems))

    def written(self, language: str = "") -> tuple[dict[str, Page], Strings]:
        pages = {page.name: page for page in self.pages(language)}
        return pages, self.tried("pages.strings", lambda: self.strings(language)) or {}

    def pages(self, language: str) -> list[Page]:
        pages = self.settings.pages
        named = [(kind, kind, getattr(pages, kind)) for kind in ("consent", "instructions")]
        asked = enumerate(pages.questionnaire, 1)
        named += [(f"questionnaire-{n}", "questionnaire", file) for n, file in asked]
        named += [("debrief", "debrief", pages.debrief)]
        listed = [(name, kind, file, f"pages.{kind}") for name, kind, file in named]
        listed += [
            (name, "instructions", file, key)
            for name, (file, key) in self.settings.conditions.pages().items()
        ]
        read = (
            self.tried(key, lambda f=file, n=name, k=kind: self._page(f, n, k, language))
            for name, kind, file, key in listed
            if file is not None
        )
        read_pages = [page for page in read if page is not None]
        n = sum(page.kind == "consent" for page in read_pages)
        return [*read_pages[:n], *self.measuring(), *read_pages[n:]]

    def measuring(self) -> Iterator[Page]:
        """Return the pages that measure the display, with the texts of the study's language."""
        for name, measures in self.settings.display.pages.items():
            fields: dict[str, AnyField] = {}
            for measure in measures:
                low, high = LIMITS[measure]
                fields[measure] = NumberField(type="number", label=measure, min=low, max=high)
            yield Page(name, MEASURE, "", "", fields)

    def _page(self, file: str, name: str, kind: str, language: str) -> Page:
        path = self._file(file, language)
        page = read_page(path, name, kind, self.settings.minutes)
        marks = {find_language(code).placeholder for code in (language or self.main, ENGLISH)}
        if any(mark in page.html for mark in marks):
            self.unready.append(str(Path(file).with_name(path.name)))
        return page

    def _file(self, file: str, language: str) -> Path:
        path = inside(self.path, file)
        spoken = path.with_suffix(f".{language}{path.suffix}") if language else path
        if language and not spoken.is_file():
            raise FileError(f"{spoken} is missing: write {file} in the language {language!r}")
        return spoken

    @property
    def main(self) -> str:
        return self.settings.study.language

    def gold(self) -> tuple[dict[str, Any], ...]:
        file = self.settings.tasks.gold
        if file is None:
            return ()
        rows = read_rows(inside(self.path, file), ["head", "right", "wrong"])
        return tuple(self._gold_row(row) for row in rows)

    def _gold_row(self, row: Row) -> dict[str, Any]:
        wrong = [name.strip() for name in row["wrong"].split("|")]
        needed = self.settings.study.options - 1
        if len(wrong) != needed:
            raise row.error(f"{len(wrong)} wrong options: give {needed}, separated by |")
        if len({row["right"], *wrong}) <= needed:
            raise row.error("two options are the same item: name different items")
        kind = KINDS[self.settings.study.kind]
        if problem := kind.gold_problem(row["head"], row["right"]):
            raise row.error(problem)
        return {"head": row["head"], "right": row["right"], "wrong": wrong, "where": row.where}

    def pairs(self, stimuli: Sequence[Stimulus]) -> tuple[tuple[str, str], ...]:
        if (file := self.settings.tasks.pairs) is None:
            return ()
        names = {stimulus.name for stimulus in stimuli}
        pairs: dict[frozenset[str], tuple[str, str]] = {}
        for row in read_rows(inside(self.path, file), ["a", "b"]):
            pair = row["a"], row["b"]
            unknown = [name for name in pair if name not in names]
            if unknown:
                self.refuse("tasks.pairs", f"{row.where}: {_no_item(unknown[0], names)}")
            elif len({*pair}) == 1:
                problem = f"{pair[0]!r} is paired with itself: name two items, or remove the row"
                self.refuse("tasks.pairs", f"{row.where}: {problem}")
            elif frozenset(pair) in pairs:
                problem = f"the pair {pair[0]!r} and {pair[1]!r} has two rows: remove one"
                self.refuse("tasks.pairs", f"{row.where}: {problem}")
            pairs[frozenset(pair)] = pair
        if not pairs:
            self.refuse("tasks.pairs", f"{file} has no pairs: add rows, or remove tasks.pairs")
        return tuple(pairs.values())

    def strings(self, language: str) -> dict[str, str]:
        file = self.settings.pages.strings
        if file is None:
            return {}
        path = self._file(file, language)
        try:
            strings = json.loads(read_text(path))
        except json.JSONDecodeError as error:
            raise FileError(f"{path}, line {error.lineno}: {error.msg}: write JSON") from None
        if not isinstance(strings, dict) or not all(isinstance(s, str) for s in strings.values()):
            raise FileError(
                f'{path}, line 1: write one JSON object of texts, such as {{"skip": "Pass"}}'
            )
        return strings

    def barred(self) -> frozenset[str]:
        file = self.settings.recruitment.exclude
        rows = [] if file is None else read_rows(inside(self.path, file), ["id"])
        return frozenset(row["id"] for row in rows if row["id"])

    def check(self, folder: StudyFolder) -> None:
        self._check_number(folder)
        self._check_languages(folder)
        for name in folder.settings.conditions.names:
            try:
                self._check_condition(folder.in_condition(name), name)
            except ValidationError as error:
                for fault in error.errors():
                    self.refuse("conditions", f"condition {name!r}: {sentence(fault)[1]}")
            except ValueError as error:
                self.refuse("conditions", f"condition {name!r}: {error}")
        for key, problem in folder.kind.problems(folder.material):
            self.refuse(key, problem)
        if self.settings.quality.gold_from_agreement and not folder.kind.can_agree:
            problem = f"people are never asked the same question of {folder.kind.name}: set it to 0"
            self.refuse("quality.gold_from_agreement", problem)
        for question in folder.gold:
            for name in (question["head"], question["right"], *question["wrong"]):
                if name and name not in folder.by_name:
                    problem = _no_item(name, folder.by_name)
                    self.refuse("tasks.gold", f"{question['where']}: {problem}")

    def check_design(self, folder: StudyFolder, features: ItemFeatures) -> None:
        design = self.settings.design
        if design.stimuli is None:
            return
        wanted = STIMULI[design.stimuli].ranges
        if {*wanted} != {*features.columns}:
            problem = (
                f"{design.stimuli} have the features {', '.join(wanted)}, but the items have "
                f"{', '.join(features.columns)}: set other stimuli, or features.columns to those "
                "of the stimuli"
            )
            self.refuse("design.stimuli", problem)
            return
        rows = features.of(folder.names)
        for name, (low, high) in wanted.items():
            values = [row[features.columns.index(name)] for row in rows]
            if not low <= min(values) <= max(values) <= high:
                problem = (
                    f"{design.stimuli} have {name} from {low:g} to {high:g}, but the items have "
                    f"{min(values):g} to {max(values):g}: give features in the units of "
                    f"{design.stimuli}, or remove [design]"
                )
                self.refuse("design.stimuli", problem)

    def _check_languages(self, folder: StudyFolder) -> None:
        about, own = self.settings.study, self.settings.pages.strings
        for language in about.languages:
            key = f"study.translations.{language}" if language != self.main else "study.language"
            if base_of(language) not in LANGUAGES and own is None:
                problem = (
                    f"the page has no texts in {language!r}: choose {', '.join(LANGUAGES)}, or "
                    "give your own texts as pages.strings"
                )
                self.refuse(key, problem)
        for language, (pages, _) in folder.translated.items():
            self._check_translation(folder, language, pages)

    def _check_translation(
        self, folder: StudyFolder, language: str, pages: Mapping[str, Page]
    ) -> None:
        key, given = f"study.translations.{language}", self.settings.study.translations[language]
        if [base_of(code) for code in self.settings.study.languages].count(base_of(language)) > 1:
            self.refuse(key, f"two languages are {base_of(language)!r}: remove one")
        if self.settings.study.wording and not given.wording:
            self.refuse(key, f"study.wording is not translated into {language!r}: add wording")
        for name in self.settings.own_words() - given.own.keys():
            self.refuse(key, f"{name!r} is not translated into {language!r}: add it to own")
        for name, level in self.settings.conditions.levels.items():
            if level.wording and not given.conditions.get(name, Words()).wording:
                problem = f"condition {name!r} is not translated into {language!r}: add it"
                self.refuse(key, problem)
        for name, page in pages.items():
            if name in folder.pages and not page.asks_as(folder.pages[name]):
                problem = f"page {name!r} has other fields in {language!r}: make them the same"
                self.refuse(key, problem)

    def _check_condition(self, folder: StudyFolder, name: str) -> None:
        alone(self.settings, name)
        worded = folder.settings.own_words() & {*folder.settings.conditions.of(name).own}
        for language, given in self.settings.study.translations.items():
            said = (given.conditions.get(level, Words()).own for level in name.split(AND))
            if left := worded - {*chain.from_iterable(said)}:
                self.refuse(
                    "conditions",
                    f"condition {name!r} has no {min(left)!r} in {language!r}: add it to "
                    f"study.translations.{language}.conditions, or remove it from the condition",
                )

    def _check_number(self, folder: StudyFolder) -> None:
        kind, n = folder.kind, len(folder.stimuli)
        if n < (needed := kind.n_items(self.settings.study.options)):
            fewer = ", or lower n_options" if kind.options.least < kind.options.most else ""
            problem = f"{n} items, but a question of {kind.name} needs {needed}: add items{fewer}"
            self.refuse("study.n_options", problem)


def _no_item(name: str, names: Collection[str]) -> str:
    stem = Path(name).stem
    return f"no item {name!r}: {f'write {stem!r}' if stem in names else 'correct it'}"
