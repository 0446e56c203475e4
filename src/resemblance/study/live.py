"""A study that is being served: its folder, and its record in the store."""

import logging
import shutil
import time
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from resemblance.catalog import CHOSEN_NOISE, DATABASE as VARIABLE
from resemblance.errors import FileError, ResemblanceError, SettingError
from resemblance.files import whole
from resemblance.store import ContentError, Served, Store, Study
from resemblance.store.studies import ITEMS_ADDED
from resemblance.study.conditions import Conditions
from resemblance.study.files import read_text
from resemblance.study.folder import SQLITE, StudyFolder
from resemblance.study.kinds import DEFAULT, Kind
from resemblance.study.settings import Settings, Tasks
from resemblance.study.settings_file import (
    FILE,
    at,
    lines_of,
    read_settings,
    refused_changes,
    told_changes,
    with_changes,
)
from resemblance.study.stimuli import digest_of, refuse_names

log = logging.getLogger("resemblance.web")

FRESH_S = 1.0  # seconds after which the study's record is read again
# events of the audit trail
DECIDED = "strategy decided"
DESIGNED = "stimuli designed"
RETRY_S = 30.0  # seconds after which missing files of added items are looked for again


class EditedError(SettingError):
    """Somebody else has changed the settings since they were opened."""


@dataclass
class LiveStudy:
    folder: StudyFolder
    store: Store
    record: Study  # the study in the store, as last read
    clock: Callable[[], float] = time.time
    _read: float = field(default_factory=time.monotonic)
    _settings: Settings | None = None
    # _settings was computed from this record and this folder.
    _settled: tuple[Study, StudyFolder] | None = None
    _text: str = ""  # content of study.toml in the record when the folder was read
    _first: StudyFolder | None = None
    _conditions: dict[tuple[str, str], StudyFolder] = field(default_factory=dict)
    _of: StudyFolder | None = None  # _conditions was computed from this folder.
    _said: str = ""  # the error about added items that was logged last
    _refused: str = ""  # a stored study.toml that is invalid
    # the stored stimuli when a file of theirs was last found missing
    _missed: dict[str, str] | None = None
    _looked: float = 0.0

    def __post_init__(self) -> None:
        self.folder = self.folder.ordered(self.record.stimuli, self.record.secret)
        self._text = self._text or self.record.settings

    @classmethod
    def open(
        cls, folder: StudyFolder, store: Store, clock: Callable[[], float] = time.time
    ) -> "LiveStudy":
        """Return a study of the store, or add it; refuse changed stimuli or another kind."""
        text = read_text(folder.path / FILE)
        record = _added(store, folder, text, folder.name)
        folder = _without_leftovers(store, record, folder)
        live = cls(folder, store, record, clock, _text=text)
        if record.settings != text:
            live.record = store.studies.set_settings(record, text, "server")
        return live

    @property
    def settings(self) -> Settings:
        record, settled = self.record, self._settled
        if settled is None or settled[0] is not record or settled[1] is not self.folder:
            self._settings, self._settled = self._settings_of(record), (record, self.folder)
        assert self._settings is not None
        return self._settings

    def _settings_of(self, record: Study) -> Settings:
        settings = self.folder.settings
        if record.settings != self._text:
            try:
                edited = _edited(self.folder.path / FILE, record.settings)
            # A newer version of the program may have written the settings.
            except ResemblanceError as error:
                if record.settings != self._refused:
                    self._refused = record.settings
                    log.error("%s: changed settings are ignored: %s", record.name, error)
                return self._settings or settings
            settings = with_changes(settings, edited)
        return settings

    def edit(self, text: str, opened: str, who: str) -> None:
        """Save a new ``study.toml``; permitted changes take effect at once in all processes.

        ``opened`` is the digest of the text before editing. EditedError is raised if somebody else
        has changed the file in the meantime.
        """
        self.reread()
        file = self.folder.path / FILE
        if digest_of(read_text(file).encode()) != opened:
            raise EditedError(f"{file} was changed since it was opened here")
        after, lines = read_settings(file, text), lines_of(text)
        refused = [at(file, lines, *change) for change in refused_changes(self.settings, after)]
        if refused:  # No file that the new text names is read before this check.
            raise SettingError("\n".join(refused))
        StudyFolder.open(self.folder.path, text, self.folder.stimuli)
        details = told_changes(self.settings, after) or {"comments": ["", "changed"]}
        before, stored = self.record, None
        try:
            with whole(file) as part:
                part.write_text(text, encoding="utf-8")
                shutil.copymode(file, part)
                stored = self.store.studies.set_settings(before, text, who, details)
        except ContentError as error:
            raise EditedError(str(error)) from None
        except FileError:
            # The file still has the old text; the store must have it, too.
            if stored is not None:
                undone = {name: [new, old] for name, (old, new) in details.items()}
                self.store.studies.set_settings(stored, before.settings, who, undone)
            raise
        self.reread()

    @property
    def first(self) -> StudyFolder:
        if self._first is None:
            events = self.store.events.audit(self.record, ITEMS_ADDED)
            added = {name for event in events for name in event.details["names"]}
            kept = tuple(item for item in self.folder.stimuli if item.name not in added)
            self._first = replace(self.folder, stimuli=kept)
        return self._first

    def in_condition(self, name: str, language: str = "") -> StudyFolder:
        """Return the folder in a condition ("": none) and a language ("": the main language)."""
        if self._of is not self.folder:
            self._conditions, self._of = {("", ""): self.folder}, self.folder
        if (key := (name, language)) not in self._conditions:
            self._conditions[key] = self.folder.spoken(language).in_condition(name)
        return self._conditions[key]

    @property
    def chance(self) -> str:
        return self.record.secret

    @property
    def kind(self) -> Kind:
        return self.folder.kind

    @property
    def ahead(self) -> int:
        """The number of questions that a browser may fetch before they are shown.

        It is at most one in adaptive studies, because the choice of a prefetched question cannot
        use the latest answers.
        """
        return min(self.kind.ahead, 1) if self.settings.adaptive else self.kind.ahead

    def chosen_noise(self, code: str) -> tuple[tuple[str, int], ...]:
        """Return the item and seed of each noise that the worker chose for a person."""
        if not self.kind.chooses_noise(self.folder.material):
            return ()
        event = self.store.events.last(self.record, CHOSEN_NOISE)
        return tuple(map(tuple, event.details.get(code, ()))) if event else ()

    def decided(self) -> set[str]:
        """Return the codes of people whose questions end because their strategy is known."""
        if not self.kind.until_decided(self.folder.material):
            return set()
        events = self.store.events.audit(self.record, DECIDED)
        return {event.details["participant"] for event in events}

    @property
    def ordered(self) -> str:
        if time.monotonic() - self._read > FRESH_S:
            self.reread()
        return self.record.state

    @property
    def state(self) -> str:
        closes = self.settings.closes()
        return "closed" if closes is not None and self.clock() >= closes else self.ordered

    def question(self, number: str) -> Served | None:
        asked = self.store.questions.get(number)
        return asked if asked is not None and asked.study == self.record.id else None

    def reread(self) -> None:
        record = self.store.studies.named(self.record.name)
        assert record is not None
        if record.stimuli != self.record.stimuli:
            again = record.stimuli != self._missed or time.monotonic() - self._looked > RETRY_S
            record = self._grown(record) if again else self._as_it_was(record)
        self.record, self._read = record, time.monotonic()

    def _grown(self, record: Study) -> Study:
        try:
            folder = self.folder.read_again(record.stimuli)
            folder = _without_leftovers(self.store, record, folder)
        except ResemblanceError as error:
            self._missed, self._looked = record.stimuli, time.monotonic()
            if str(error) != self._said:
                self._said = str(error)
                log.error("%s: added items are ignored: %s", record.name, error)
            return self._as_it_was(record)
        self.folder = folder.ordered(record.stimuli, record.secret)
        return record

    def _as_it_was(self, record: Study) -> Study:
        return replace(record, stimuli=self.record.stimuli)


@lru_cache(maxsize=64)
def _edited(path: Path, text: str) -> Settings:
    return read_settings(path, text)


def _added(store: Store, folder: StudyFolder, text: str, name: str) -> Study:
    if (record := store.studies.named(name)) is not None:
        return record
    refuse_names(folder.names)
    try:
        return store.studies.add(name, text, folder.digests)
    except ContentError:
        if (record := store.studies.named(name)) is None:
            raise
        return record


def refuse_changes(record: Study, folder: StudyFolder, new: Collection[str] = ()) -> None:
    """Refuse another kind of question or other stimuli, except the added stimuli in ``new``."""
    began, kind = tomllib.loads(record.settings)["study"].get("kind", DEFAULT), folder.kind.name
    if began != kind:
        raise SettingError(
            f"{folder.path}: the study began with {began} questions, but study.kind is now {kind}: "
            "change it back, or begin a new study under another name"
        )
    _refuse_other_conditions(record, folder)
    before, now = record.stimuli, folder.digests
    changed = sorted(name for name in before if now.get(name, before[name]) != before[name])
    gone, strays = sorted(set(before) - set(now)), sorted(set(now) - set(before) - set(new))
    changes = [
        f"{what}: {', '.join(names[:5])}{' ...' if len(names) > 5 else ''}"
        for what, names in (("changed", changed), ("removed", gone), ("added", strays))
        if names
    ]
    if changes:
        raise SettingError(
            f"{folder.path}: the stimuli differ from those at the study's start "
            f"({'; '.join(changes)}): restore them (`resemblance add-items` adds new ones), or "
            "begin a new study under another name"
        )


def designed_names(store: Store, record: Study) -> set[str]:
    """Return the names of the stimuli that the study has designed, drawn or not."""
    return {
        name for event in store.events.audit(record, DESIGNED) for name in event.details["names"]
    }


def _without_leftovers(store: Store, record: Study, folder: StudyFolder) -> StudyFolder:
    """Refuse changes; leave out designed stimuli whose adding was interrupted before the store."""
    refuse_changes(record, folder, designed_names(store, record))
    return replace(folder, stimuli=tuple(s for s in folder.stimuli if s.name in record.stimuli))


def _refuse_other_conditions(record: Study, folder: StudyFolder) -> None:
    """Refuse other conditions or task sizes, on which people's arms and questions depend."""
    began, now = tomllib.loads(record.settings), folder.settings
    if Conditions.model_validate(began.get("conditions", {})) != now.conditions:
        what = "[conditions] was changed after the study's start"
    elif now.conditions.within and _course(Tasks.model_validate(began.get("tasks", {}))) != _course(
        now.tasks
    ):
        what = "practice, task_size or per_participant of [tasks] was changed after the start"
    else:
        return
    raise SettingError(
        f"{folder.path}: {what}, and people's questions depend on it: change it back, or begin a "
        "new study under another name"
    )


def _course(tasks: Tasks) -> tuple[int, ...]:
    return tasks.practice, tasks.task_size, tasks.per_participant


def unchanged_since_start(folder: StudyFolder) -> None:
    file = Path(folder.database.removeprefix(SQLITE))
    if file.is_file():
        with Store.open(folder.database) as store:
            if (record := store.studies.named(folder.name)) is not None:
                _without_leftovers(store, record, folder)


def open_stores(folders: Iterable[StudyFolder]) -> tuple[list[LiveStudy], list[Store]]:
    stores: dict[str, Store] = {}
    lives = []
    for folder in folders:
        url = folder.database
        if url not in stores:
            stores[url] = Store.open(url)
        lives.append(LiveStudy.open(folder, stores[url]))
    return lives, list(stores.values())


def open_folders(paths: Iterable[Path]) -> list[StudyFolder]:
    folders: dict[str, StudyFolder] = {}
    for path in paths:
        folder = StudyFolder.open(path)
        if folder.name in folders:
            raise SettingError(
                f"{folders[folder.name].path} and {path} are both called {folder.name!r}: change "
                f"study.name in one {FILE}"
            )
        folders[folder.name] = folder
    return list(folders.values())


@contextmanager
def open_stored(path: Path) -> Iterator[LiveStudy]:
    """Open a study and its existing database; create nothing."""
    folder = StudyFolder.open(path)
    url = folder.database
    scheme, _, rest = url.partition("://")
    without_password = f"{scheme}://{rest.rpartition('@')[2]}"
    never = SettingError(
        f"{path} was never served from {without_password}: serve it first, or name its database "
        f"in the variable {VARIABLE}"
    )
    if url.startswith(SQLITE) and not Path(url.removeprefix(SQLITE)).is_file():
        raise never
    with Store.open(url) as store:
        record = store.studies.named(folder.name)
        if record is None:
            raise never
        yield LiveStudy(folder, store, record)
