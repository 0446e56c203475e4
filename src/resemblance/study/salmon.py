"""A study out of an experiment of Salmon: what its init.yaml says, and its targets."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile

from resemblance.catalog import MODEL, MODELS, RANDOM, STRATEGIES
from resemblance.errors import FileError, first_few
from resemblance.files import is_junk, lines_of
from resemblance.judgments.exchange.targets import Target, target_names
from resemblance.study.creation import create_study
from resemblance.study.drawn_targets import draw, is_styled
from resemblance.study.files import read_text
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import Triplet
from resemblance.study.salmon_yaml import Experiment
from resemblance.study.stimuli import MEDIA, list_files

AT_RANDOM = ("Random", "RandomSampling", "RoundRobin", "RoundRobinPerUser")
ADAPTIVE = ("ARR", "RR", "SRR", "Adaptive")
FITTED = tuple(name.upper() for name in MODELS)
SAMPLERS = (*AT_RANDOM, *ADAPTIVE, *FITTED, "Validation")
UNLIMITED = {"per_participant": 1000, "task_size": 50}
Settings = dict[str, dict[str, Any]]


def create_from_salmon(
    path: Path, folder: Path, images: Path | None = None
) -> tuple[StudyFolder, list[str]]:
    """Make a study's folder of an experiment of Salmon.

    The targets become items; HTML becomes plain words, the file that it shows, or where it has
    styles, such as a coloured box, a picture of its own. Instructions are
    the wording, max_queries the questions of the one task, samplers and their probabilities the
    shares of the strategies. As in Salmon there are no gold questions and no practice.

    Parameters
    ----------
    path : Path
        Its init.yaml, of any version.
    folder : Path
        The new folder; its name becomes the study's.
    images : Path, optional
        The targets, as a folder or as the zip file that Salmon takes: pictures and films, or one
        CSV with a target on each line. They take the place of those in the YAML, unless those name
        some of the files.

    Returns
    -------
    study, notes
        The notes say what was changed, and what there is no place for.

    Raises
    ------
    ResemblanceError
        If a file cannot be read, or says what cannot be; the message names file and line.

    References
    ----------
    ``docs/source/init.rst`` and ``salmon/triplets/manager.py`` of ``stsievert/salmon``.
    """
    experiment = Experiment.read(path)
    settings = _settings(experiment)
    debrief = experiment.page("debrief")
    pages = {"debrief": f"# Thank you\n\n{markdown_of(debrief)}\n"} if debrief else {}
    with TemporaryDirectory() as scratch:
        items = Path(scratch) / "items.csv"
        rows = list(_items(experiment, images, Path(scratch)))
        with items.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("item", "image", "text"), *rows])
        study = create_study(folder, Triplet.name, items=items, settings=settings, pages=pages)
    experiment.finish()
    return study, experiment.notes


def markdown_of(html: str) -> str:
    r"""Write simple HTML as Markdown.

    Examples
    --------
    >>> markdown_of("<b>Thanks!</b> Use the <i>ID</i>.<br>Bye")
    '**Thanks!** Use the *ID*.\n\nBye'
    """
    for pattern, mark in (
        (r"</?(b|strong)>", "**"),
        (r"</?(i|em)>", "*"),
        (r"<(br|p)\b.*?>", "\n"),
    ):
        html = re.sub(pattern, mark, html, flags=re.IGNORECASE)
    return "\n\n".join(words for line in html.split("\n") if (words := Target.read(line).words))


def _settings(experiment: Experiment) -> Settings:
    """Say the same in the words of study.toml."""
    study: dict[str, Any] = {}
    if instructions := experiment.page("instructions"):
        study["wording"] = Target.read(instructions).words
    if title := experiment.page("title"):
        study["title"] = title
    asking, seed = _asking(experiment)
    if seed is not None:
        study["seed"] = seed
    tasks = {"gold_share": 0.0, "practice": 0, "skip": experiment.page("skip_button")}
    experiment.notes.append("as in Salmon, no gold questions check people: see tasks.gold_share")
    n_questions = experiment.page("max_queries")
    if n_questions <= 0:
        experiment.notes.append("max_queries sets no limit: a person may do 1000 tasks of 50")
    limit = {"per_participant": 1, "task_size": n_questions} if n_questions > 0 else UNLIMITED
    return {"study": study, "tasks": tasks | limit, "asking": asking}


@dataclass(frozen=True)
class Sampler:
    """What a sampler of Salmon asks, and the model that an adaptive one fits."""

    strategy: str
    model: str | None
    dims: int | None
    seed: int | None
    start: int | None

    @classmethod
    def read(cls, experiment: Experiment, name: str, given: dict[str, Any]) -> "Sampler":
        """Read one, and note of what it says what has no place."""
        named = given.pop("class", None)  # in older files, module said the same
        kind = named or (name if name in SAMPLERS else given.get("module"))
        if kind not in SAMPLERS:
            problem = f"unknown sampler {kind or name!r}: name one of {', '.join(SAMPLERS)}"
            raise experiment.wrong(("samplers", name), problem)
        scorer, module = given.pop("scorer", "infogain"), given.pop("module", None)
        numbers = [
            experiment.number(("samplers", name, key), given.pop(key, None))
            for key in ("d", "random_state", "R")
        ]
        experiment.left_out += [f"samplers.{name}.{key}" for key in given]
        if kind not in (*ADAPTIVE, *FITTED):
            return cls(RANDOM, None, *numbers)
        if not str(scorer).startswith(("infogain", "uncert")):
            problem = f"unknown scorer {scorer!r}: name infogain or uncertainty"
            raise experiment.wrong(("samplers", name, "scorer"), problem)
        strategy = "information" if scorer == "infogain" else "uncertain"
        model = next((m for m in (module, kind) if m in FITTED), MODEL.upper())
        if not MODELS[model.lower()].has_odds:
            title = MODELS[MODEL].title
            experiment.notes.append(
                f"{name}: {title} chooses the questions, as {model} has no odds"
            )
            model = MODEL.upper()
        return cls(strategy, model.lower(), *numbers)


def _asking(experiment: Experiment) -> tuple[dict[str, Any], int | None]:
    """Turn samplers into strategies, and give their seed; the first adaptive one sets the model."""
    given, common = experiment.samplers(), experiment.common()
    dims, seed = (
        experiment.number(("sampling", "common", key), common.pop(key, None))
        for key in ("d", "random_state")
    )
    dims = dims or experiment.dims()
    experiment.left_out += [f"sampling.common.{key}" for key in common]
    parts = experiment.shares(given)
    fixed = [name for name, of in given.items() if "Validation" in (name, of.get("class"))]
    samplers = {name: Sampler.read(experiment, name, of) for name, of in given.items()}
    experiment.notes += [
        f"{name} asks fixed questions: its share goes to random ones"
        for name in fixed
        if parts[name]
    ]
    shares = dict.fromkeys(STRATEGIES, 0.0)
    for name, sampler in samplers.items():
        shares[sampler.strategy] += parts[name]
    adaptive = {name: sampler for name, sampler in samplers.items() if sampler.model}
    if not adaptive:
        return {"adaptive": False}, seed
    first = next(iter(adaptive.values()))
    experiment.left_out += [
        f"samplers.{name}: {sampler.model}"
        for name, sampler in adaptive.items()
        if sampler.model != first.model
    ]
    asking = {"model": first.model, "n_components": first.dims or dims, "shares": shares}
    start = {} if first.start is None else {"start_per_head": max(1, first.start)}
    return asking | start, seed if first.seed is None else first.seed


def _items(
    experiment: Experiment, images: Path | None, scratch: Path
) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the file and the words of each item."""
    files = {} if images is None else {file.name: file for file in _files(images, scratch)}
    targets = [Target.read(html) for html in experiment.targets() or []]
    if files and not any(target.file in files for target in targets):
        targets = list(_targets(list(files.values())))
    if not targets:
        raise experiment.wrong(
            ("targets",), "there are no targets: add them, or give their files with --images"
        )
    names = target_names({str(index): target.html for index, target in enumerate(targets)})
    absent = [target.source for target in targets if target.source and target.file not in files]
    if absent and files:
        raise FileError(f"{images} has no file {absent[0]!r}: add it")
    if absent:
        experiment.notes.append(
            f"{len(absent)} targets are pictures elsewhere, and their names are shown instead: put "
            f"{', '.join(map(str, absent))} into a folder, and give it with --images"
        )
    drawn = _drawn(experiment, targets, scratch)
    if drawn:
        experiment.notes.append(f"the HTML of {len(drawn)} targets with styles became pictures")
    if html := sum(
        not (target.is_plain or target.source or index in drawn)
        for index, target in enumerate(targets)
    ):
        experiment.notes.append(f"the HTML of {html} targets became plain words")
    unseen = [
        str(index)
        for index, target in enumerate(targets)
        if not (target.words or target.source or index in drawn)
    ]
    if unseen:
        raise experiment.wrong(
            ("targets",),
            f"targets {first_few(unseen)} show no words and no file, so people would see nothing "
            "of their HTML: save each as a picture, and give the folder with --images",
        )
    for index, (name, target) in enumerate(zip(names.values(), targets, strict=True)):
        picture = files.get(target.file) or drawn.get(index)
        yield (name, str(picture.absolute()), "") if picture else (name, "", target.words or name)


def _drawn(experiment: Experiment, targets: list[Target], scratch: Path) -> dict[int, Path]:
    """Draw the targets that have styles and no file, by their numbers."""
    drawn: dict[int, Path] = {}
    for index, target in enumerate(targets):
        if target.source or not is_styled(target.html):
            continue
        try:
            drawn[index] = draw(target.html, scratch / f"target-{index}.svg")
        except ValueError as error:
            raise experiment.wrong(
                ("targets",),
                f"target {index} holds {error}, which is not drawn: save the targets as pictures, "
                "and give their folder with --images",
            ) from None
    return drawn


def _files(images: Path, scratch: Path) -> list[Path]:
    """List a folder of targets, or unpack a zip file, in the order that Salmon gives them."""
    zipped = images.suffix.lower() == ".zip"
    files = _unpack(images, scratch / "targets") if zipped else list_files(images)
    for file in files:
        if file.suffix.lower() not in (*MEDIA, ".csv"):
            raise FileError(
                f"{images}: browsers do not show {file.name}: use {', '.join(MEDIA)}, or one CSV"
            )
    return sorted(files, key=_order)


def _order(file: Path) -> tuple[bool, float, str]:
    first = file.name.partition(".")[0]
    return (False, float(first), "") if first.isdigit() else (True, 0.0, file.name)


def _unpack(archive: Path, folder: Path) -> list[Path]:
    """Unpack the files of an archive side by side, but for what systems leave there."""
    folder.mkdir()
    try:
        with ZipFile(archive) as packed:
            for entry in packed.infolist():
                path = PurePosixPath(entry.filename)
                if entry.is_dir() or is_junk(path):
                    continue
                if (folder / path.name).exists():
                    raise FileError(f"{archive} has two files {path.name!r}: rename one")
                (folder / path.name).write_bytes(packed.read(entry))
    except (OSError, BadZipFile) as error:
        raise FileError(f"{archive} cannot be read ({error}): give a zip file") from None
    return list_files(folder)


def _targets(files: list[Path]) -> Iterator[Target]:
    """Yield the targets of files: each is one, but a CSV alone has one on each line."""
    if [file.suffix.lower() for file in files] != [".csv"]:
        yield from (Target(file.name, "", file.name) for file in files)
        return
    reader = csv.reader(lines_of(read_text(files[0])))
    for cells in reader:
        if len(cells) > 1:
            raise FileError(
                f"{files[0].name}, line {reader.line_num}: more than one target: put quotes "
                "around one with commas"
            )
        if cells:
            yield Target.read(cells[0])
