"""The answers that a command reads, and the items of these answers."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from resemblance.cli import options
from resemblance.cli.options import Kind, Missing, OnError
from resemblance.cli.problems import as_options, called, warnings_told
from resemblance.errors import FileError, SettingError
from resemblance.files import PACKED, need

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from resemblance.judgments import Choices, Items, Judgments

NO_FEATURES = ("item", "name", "label", "image")
CONFUSIONS = "confusions"


@dataclass(frozen=True)
class AnswersFile:
    file: options.FileOrFolder
    kind: options.AnyKind = None
    columns: options.Columns = None
    answers: options.Answers = None
    only: options.Only = None
    design: options.Design = None
    people: options.People = None
    reversed: options.Reversed = False
    keep_marked: options.KeepMarked = False
    on_error: options.OnErrorOption = OnError.fail

    def judgments(self, items: "Items | None" = None) -> "Judgments":
        """Read the judgments; print notes on recognised columns and on rows left out.

        By default, ``items`` are the items in the file.
        """
        from resemblance import judgments

        if self.kind == Kind.arrangements:
            read: Any = judgments.read_arrangements
            return read(self.file, items, columns=self.columns)
        with warnings_told():
            experiment = judgments.read_experiment(
                self.file,
                items,
                kind=self.kind,
                columns=self.columns,
                answers=self.answers,
                only=self.only,
                design=self.design,
                people=self.people,
                reversed=self.reversed,
                keep_marked=self.keep_marked,
                on_error=self.on_error.value,
            )
        for line in experiment.lines():
            typer.echo(f"note: {as_options(line)}", err=True)
        return experiment.judgments  # type: ignore[return-value]


@dataclass(frozen=True)
class Source(AnswersFile):
    items: options.Items = None
    item_columns: options.ItemColumns = None
    clicks: options.Clicks = None
    machine: options.Machine = None
    features: options.Features = None
    feature_columns: options.FeatureColumns = None
    missing: options.MissingOption = Missing.error

    def __post_init__(self) -> None:
        by_name(self.features or ())

    def read(self) -> Any:
        with called(items="features" if self.features else "items"):
            return self.judgments(self.known_items())

    def read_clicks(self, items: "Items") -> "Choices | None":
        from resemblance.judgments import read_choices

        return None if self.clicks is None else read_choices(self.clicks, items)

    def read_machine(self, people: Any) -> "Judgments | None":
        from resemblance.analysis.machine import machine_rows
        from resemblance.judgments import read_experiment
        from resemblance.judgments.dataset import kind_of

        if self.machine is None:
            return None
        return machine_rows(
            read_experiment(self.machine, kind=kind_of(people).name).judgments, people
        )

    def of_kind(self, answers: "Judgments") -> "Source":
        from resemblance.judgments.dataset import kind_of

        kind = kind_of(answers).name
        if kind not in {*Kind}:
            raise SettingError(
                f"{self.file} has {kind.replace('_', ' ')}, to which this command fits no model: "
                "fit MMC or KPSDE in Python, which map features."
            )
        return self if self.kind else replace(self, kind=Kind(kind))

    def excluded(self) -> int:
        from resemblance.judgments.tables import read_table

        people = self.file.with_name("participants" + "".join(self.file.suffixes))
        if self.file.is_dir() or not people.is_file():
            return 0
        frame = read_table(people).frame
        if not {"observer", "excluded"} <= {*frame}:
            return 0
        return int((frame["excluded"].astype(str).str.lower() == "true").sum())

    @property
    def views(self) -> list[str]:
        return list(by_name(self.features or ()))

    def feature_names(self, path: Path | None = None) -> tuple[str, ...]:
        """Return --feature-columns, or all columns of a file of features without another role.

        ``path`` is by default the first file of features.
        """
        if self.feature_columns is not None:
            return self.feature_columns
        from resemblance.judgments.tables import names_of, read_table

        others = {name for role in NO_FEATURES for name in names_of(role)}
        path = path or next(iter(self.features or []))
        others |= set(self._feature_item_columns.values())
        columns = read_table(path, warn=False).frame.columns
        names = tuple(str(column) for column in columns if column not in others)
        if not names:
            raise FileError(
                f"{path} has no features besides {', '.join(columns)}: add a column of numbers for "
                "each, or name them with --feature-columns"
            )
        return names

    @property
    def _feature_item_columns(self) -> Mapping[str, str]:
        return {} if self.items is not None else self.item_columns or {}

    def known_items(self) -> "Items | None":
        named = None
        if self.items is not None:
            named = items_of_file(self.items, self.item_columns)
        return self.joined(named) if self.features else named

    def joined(self, named: "Items | None") -> "Items":
        """Return the features in the order of the named items; by default, of the first file."""
        from resemblance.judgments import Items, join_views

        paths = list(self.features or [])
        tables = [None if path.suffix == ".npy" else self._table(path) for path in paths]
        first = next((table for table in (named, *tables) if table is not None), None)
        if first is None:
            raise SettingError(
                "a .npy file has no names of items: list them in the same order in --items FILE"
            )
        views: dict[str, Any] = {
            view: (first.names, read_array(path))
            if table is None
            else (table.names, table.features)
            for view, path, table in zip(self.views, paths, tables, strict=True)
        }
        parts = {part: getattr(first, part) for part in ("labels", "images", "titles")}
        joined = join_views(views, first.names, self.missing.value, **parts)
        if isinstance(joined.features, dict) and len(views) == 1:
            return Items(joined.names, joined.features[self.views[0]], **parts)
        return joined

    def numbers(self, items: "Items") -> "dict[str, NDArray[np.float64]]":
        """Return the numeric columns of item and feature tables by name, in the order of items."""
        import numpy as np

        from resemblance.judgments.tables import names_of, read_table

        numbers: dict[str, NDArray[np.float64]] = {}
        views = [path for path in self.features or () if path.suffix != ".npy"]
        for path in dict.fromkeys([*([] if self.items is None else [self.items]), *views]):
            columns = self.item_columns if path == self.items else self._feature_item_columns
            with warnings_told(), called(items="items"):
                names = items_of_file(path, columns).names
            used = {name for role in NO_FEATURES for name in names_of(role)}
            further = read_table(path, warn=False).further(used | {*(columns or {}).values()})
            row = {name: number for number, name in enumerate(names)}
            order = np.array([row.get(name, -1) for name in items.names])
            for name, column in further.items():
                is_number = column.dtype.kind in "biuf" and not np.isnan(column.astype(float)).all()
                wanted = self.feature_columns is None or name in self.feature_columns
                if is_number and (wanted or path == self.items):
                    numbers[name] = np.append(column.astype(float), np.nan)[order]
        return numbers

    def _table(self, path: Path) -> "Items":
        names = self.feature_names(path)
        with called(features="feature_columns"):
            return items_of_file(path, self._feature_item_columns, names)


def by_name(paths: Iterable[Path]) -> dict[str, Path]:
    """Return files and folders by their names without suffix; refuse two of the same name."""
    named: dict[str, Path] = {}
    for path in paths:
        other = named.setdefault(name_of(path), path)
        if other is not path:
            raise SettingError(
                f"two files are called {name_of(path)} ({other} and {path}): rename one, because "
                "names come from files"
            )
    return named


def name_of(path: Path) -> str:
    path = Path(os.path.abspath(path))  # The name of "." is that of the folder.
    return path.name if path.is_dir() else Path(path.name.removesuffix(".gz")).stem


def need_answers(path: Path) -> None:
    if path.is_dir() or path.suffix.lower() in PACKED:
        need(path)
    else:
        need(tables=[path])


def items_of_file(
    path: Path, columns: Mapping[str, str] | None, features: tuple[str, ...] = ()
) -> "Items":
    from resemblance.judgments import read_items

    with called(columns="item_columns"):
        return read_items(path, columns, features=features)


def read_array(path: Path) -> Any:
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise FileError(f"{path} cannot be read as an array ({error}): save a .npy file") from None
