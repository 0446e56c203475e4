"""The command `rehearse`."""

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import DATABASE, RANDOM
from resemblance.cli import options
from resemblance.cli.options import StudyPath, option
from resemblance.errors import SettingError, UnavailableError, count

if TYPE_CHECKING:
    from resemblance.study.folder import StudyFolder
    from resemblance.study.live import LiveStudy
    from resemblance.web.simulated_people import Visitor

AT_RANDOM = "at random positions, unrelated to your items (--space or --pilot give others)"
EVERY_S = 5.0  # seconds between progress lines
FINEST = 0.3  # seconds between updates of the progress bar
EXPECTED = ("error", "noise ceiling", "next")  # lines of the fit's report that are printed
NETWORK_S = 0.4  # delay of requests on the slow network that one person in five has
BEHAVIOURS = {
    "honest": "attentive",
    "leaves": "leaving early",
    "guesses": "guessing",
    "first place": "always choosing the first place",
    "unknown": "others",
}


class Pace(StrEnum):
    fast = "fast"
    people = "people"


def rehearse(
    study: StudyPath,
    people: Annotated[int, option("Number of simulated people.", min=2, max=500)] = 30,
    space: Annotated[
        Path | None,
        option("Their true space: a table with the column item, and coordinates."),
    ] = None,
    pilot: Annotated[
        Path | None, option("Or the answers of a pilot, from which a space is fitted.")
    ] = None,
    pace: Annotated[
        Pace, option("fast: as fast as the server allows; people: as slowly as people answer.")
    ] = Pace.fast,
    out: Annotated[
        Path | None, option("Where the files go. Default: STUDY-rehearsal.", "FOLDER")
    ] = None,
    stay: Annotated[bool, option("Keep the server running afterwards, until Ctrl-C.")] = False,
    seed: options.Seed = 0,
) -> None:
    """Rehearse a study: simulated people go through a copy of it.

    Reports time and cost, the people that the rules flag, the gold questions that honest people
    miss, and how well the map recovers the true space. The study is not changed.
    """
    from random import Random

    from resemblance.study.folder import StudyFolder
    from resemblance.study.live import open_stored
    from resemblance.study.preregistration import preregistration
    from resemblance.study.rehearsal import copied, summary
    from resemblance.web.simulated_people import crowd, visitor

    folder = StudyFolder.open(study)
    places, seen = places_of(folder, space, pilot, seed)
    out = out or Path(f"{study.resolve().name}-rehearsal")
    out.mkdir(parents=True, exist_ok=True)
    (out / "preregistration.md").write_text(preregistration(folder), encoding="utf-8")
    with TemporaryDirectory() as home:
        copy = copied(folder, Path(home) / folder.name, at_once=pace is Pace.fast)
        rng = Random(seed)
        imagined = crowd(people, len(next(iter(places.values()))), rng)
        with served(copy) as address, open_stored(copy.path) as live:
            places = with_drawn(places, live)
            facts_of = knowledge(live, knows_gold=seen == AT_RANDOM)
            visitors = [
                visitor(
                    *(person, f"person-{number}", address, copy.name, places),
                    *(copy.settings.total, facts_of),
                    speed=1.0 if pace is Pace.people else 0.0,
                    delay=NETWORK_S if number % 5 == 0 else 0.0,
                    parameters=copy.settings.conditions.address(rng),
                )
                for number, person in enumerate(imagined)
            ]
            refused = through(live, visitors)
            kinds = {
                v.pseudonym: person.kind
                for v, person in zip(visitors, imagined, strict=True)
                if v.pseudonym
            }
            outcome = summary(live, kinds) | {"refused": refused}
            outcome["assumed"] = assumed(folder, seen)
            outcome["too_random"] = is_too_random(folder, outcome["questions"])
            outcome |= mapped(live, places, out, seed)
            (out / "rehearsal.json").write_text(json.dumps(outcome, indent=1), encoding="utf-8")
            lines = list(lines_of(outcome, len(imagined)))
            typer.echo("\n".join(lines))
            lines += [f"{name}: {text}" for name, text in outcome.get("expected", {}).items()]
            report = "\n".join(f"- {line.strip()}" for line in lines)
            text = f"# Rehearsal of {folder.name}\n\n{report}\n"
            (out / "rehearsal.md").write_text(text, encoding="utf-8")
            typer.echo(f"\nwritten to {out}: {', '.join(sorted(os.listdir(out)))}")
            if stay:
                wait()


def places_of(
    folder: "StudyFolder", space: Path | None, pilot: Path | None, seed: int
) -> tuple[dict[str, tuple[float, ...]], str]:
    """Return the simulated people's positions of items by digest, and their source in words.

    They are from a file, a pilot or the study's features; otherwise they are random.
    """
    import numpy as np

    if space is not None and pilot is not None:
        raise SettingError("give --space or --pilot, not both")
    if folder.settings.design.grid and (space or pilot):
        raise SettingError(
            "people see stimuli that the study draws by their features: leave out --space and "
            "--pilot, or remove design.grid"
        )
    names, features = folder.names, folder.features()
    d = folder.settings.asking.n_components
    if pilot is not None:
        points, seen = fitted(pilot, names, seed), f"as the answers of {pilot.name} say"
    elif space is not None:
        points, seen = read_space(space, names), f"as {space.name} says"
    elif features is not None:
        points = np.array(features.of(names))
        points, seen = points / points.std(axis=0), "by the features of the study"
    else:
        points, seen = np.random.default_rng(seed).normal(size=(len(names), d)), AT_RANDOM
    size = d if space is None else points.shape[1]
    points = points - points.mean(axis=0)
    points *= np.sqrt(size / max((points**2).sum(axis=1).mean(), 1e-300))
    digests = [stimulus.digest for stimulus in folder.stimuli]
    return dict(zip(digests, map(tuple, points.tolist()), strict=True)), seen


def with_drawn(
    places: dict[str, tuple[float, ...]], live: "LiveStudy"
) -> dict[str, tuple[float, ...]]:
    return PlacesOfDrawn(places, live) if live.settings.design.grid else places


class PlacesOfDrawn(dict[str, tuple[float, ...]]):
    """Positions by digest, with those of stimuli that the study has drawn since its start."""

    def __init__(self, places: Mapping[str, tuple[float, ...]], live: "LiveStudy") -> None:
        import numpy as np

        super().__init__(places)
        self.live = live
        points = [places[stimulus.digest] for stimulus in live.folder.stimuli]
        self.map: Any = np.linalg.lstsq(self._described(), np.array(points))[0]

    def __missing__(self, digest: str) -> tuple[float, ...]:
        self.live.reread()
        points = self._described() @ self.map
        for stimulus, point in zip(self.live.folder.stimuli, points.tolist(), strict=True):
            self.setdefault(stimulus.digest, tuple(point))
        if digest not in self:
            raise KeyError(digest)
        return self[digest]

    def _described(self) -> Any:
        import numpy as np

        features = self.live.folder.features()
        assert features is not None
        return np.array([(*row, 1.0) for row in features.of(self.live.folder.names)])


def is_too_random(folder: "StudyFolder", questions: Mapping[str, int]) -> bool:
    """Return whether many questions were random because fits came too late."""
    settings = folder.settings
    chosen = questions.get(settings.asking.strategy, 0)
    later = questions.get(RANDOM, 0) - settings.first_fit(len(folder.names))
    intended = settings.asking.random_share * (chosen + later)
    return settings.adaptive and later > 2 * intended + chosen


def knowledge(live: "LiveStudy", knows_gold: bool) -> Callable[[str], dict[str, Any]]:
    def known(question: str) -> dict[str, Any]:
        asked = live.question(question)
        if asked is None:
            return {}
        named = ("label", "signal", *(["gold"] if knows_gold and asked.purpose == "gold" else []))
        return {name: asked.spec[name] for name in named if name in asked.spec}

    return known


def assumed(folder: "StudyFolder", seen: str) -> list[str]:
    from resemblance.study.kinds.classify import SIGHT
    from resemblance.web.simulated_people import LAPSE

    lines = [
        f"people see the items {seen}",
        "honest people know the answers of gold questions"
        if seen == AT_RANDOM
        else "people answer gold by these positions, so gold that contradicts them is missed",
        f"{LAPSE:.0%} of the answers of honest people are random",
    ]
    if folder.kind.draws:
        lines.append(f"the class of a noisy image is seen with probability Φ({SIGHT:g} × signal)")
    return lines


def read_space(path: Path, names: Sequence[str]) -> Any:
    from resemblance.cli.source import Source

    items = Source(path, features=[path]).known_items()
    assert items is not None
    if missing := [name for name in names if name not in set(items.names)]:
        raise SettingError(f"{path} has no item {missing[0]!r}: give each item of the study a row")
    points: Any = items.features
    points = points[items.positions(names)]
    return points / [spread if spread > 0 else 1.0 for spread in points.std(axis=0)]


def fitted(path: Path, names: Sequence[str], seed: int) -> Any:
    import resemblance as rs
    from resemblance.cli.source import AnswersFile
    from resemblance.judgments import Items

    return rs.STE(2, random_state=seed).fit(AnswersFile(path).judgments(Items(names))).embedding_


@contextmanager
def served(study: "StudyFolder") -> Iterator[str]:
    """Serve a study on this machine, print its addresses, and yield the server's address.

    Environment variables that name another database are removed.
    """
    from resemblance.web.accounts import FILE, Accounts
    from resemblance.web.supervisor import Supervisor, Task

    for name in (DATABASE, f"{DATABASE}_FILE"):
        os.environ.pop(name, None)
    secret = study.path / FILE
    once = Accounts(secret).invite()
    supervisor = Supervisor(Task((str(study.path),), str(secret.absolute())), "127.0.0.1", 0)
    supervisor.start()
    address = f"http://127.0.0.1:{supervisor.port}"
    typer.echo(f"  take part    {address}/s/{study.name}")
    typer.echo(f"  your desk    {address}/desk    (one-time secret: {once})\n")
    try:
        yield address
    except KeyboardInterrupt:
        typer.echo("\nstopping: answers that have arrived are stored first")
    finally:
        supervisor.stop()


def through(live: "LiveStudy", visitors: "Sequence[Visitor]") -> dict[str, int]:
    refused: dict[str, int] = {}

    def take_part(visitor: "Visitor") -> None:
        try:
            visitor.run()
        except UnavailableError as error:
            reason = str(error).partition("was ")[2]
            refused[reason] = refused.get(reason, 0) + 1

    threads = [threading.Thread(target=take_part, args=(v,), daemon=True) for v in visitors]
    try:
        for thread in threads:
            thread.start()
        watch(live, threads, len(visitors) * live.settings.total)
    finally:
        for v in visitors:
            v.stop.set()
    return refused


def watch(live: "LiveStudy", threads: list[threading.Thread], asked: int) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console()
    columns = BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    last, number, line_due = 0, 0, time.monotonic()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=asked)
        while True:
            alive = any(thread.is_alive() for thread in threads)
            for answer in live.store.answers.log(live.record, last):
                last, number = answer.id, number + 1
            fits = live.store.events.audit(live.record, "fit")
            error = _share_wrong(fits[-1].details) if fits else "not yet known"
            words = f"{number:,} answers, {count(len(fits), 'fit')}, error held out: {error}"
            bar.update(task, completed=number, description=words)
            if not console.is_terminal and (time.monotonic() >= line_due or not alive):
                typer.echo(f"  {words}")
                line_due = time.monotonic() + EVERY_S
            if not alive:
                return
            time.sleep(FINEST)


def wait() -> None:
    typer.echo("\nThe server runs until you press Ctrl-C.")
    while True:
        time.sleep(1.0)


def _share_wrong(fit: Mapping[str, Any]) -> str:
    from resemblance.scores import wilson_interval

    error, n = fit["held_out_error"], fit["held_out_answers"]
    if error is None or not n:
        return "not yet known"
    low, high = wilson_interval(error, n)
    return f"{error:.0%} ({low:.0%} to {high:.0%}, of {n})"


def mapped(
    live: "LiveStudy", places: Mapping[str, Sequence[float]], out: Path, seed: int
) -> dict[str, Any]:
    """Fit the answers as after a study; return lines of the report, and the recovery.

    Recovery is Spearman's correlation between distances in the map and in the true space.
    """
    import numpy as np
    from scipy.spatial.distance import pdist
    from scipy.stats import spearmanr

    import resemblance as rs
    from resemblance.cli.fit import fit_and_tell
    from resemblance.cli.options import Kind
    from resemblance.cli.source import Source
    from resemblance.recipe import Recipe
    from resemblance.study.export import Export, write_export

    table = live.kind.tables[0].name
    if not live.settings.fits:
        return {}
    shutil.rmtree(out / "answers", ignore_errors=True)  # removes answers of an earlier rehearsal
    write_export(Export(live), out / "answers", "csv")
    file = out / "answers" / f"{table}.csv"
    source = Source(file, Kind(table), items=out / "answers" / "items.csv")
    fit_and_tell(source, Recipe(live.settings.asking.model, seed=seed), out / "map")
    model = rs.load(out / "map" / "model.npz")
    true = np.array([places[live.folder.by_name[name].digest] for name in model.items_.names])
    agrees = spearmanr(pdist(model.embedding_), pdist(true)).statistic
    report = json.loads((out / "map" / "report.json").read_text(encoding="utf-8"))
    figures = {name: report[name] for name in ("held_out", "noise_ceiling", "next")}
    words = {name: text for name, text in report["lines"] if name.startswith(EXPECTED)}
    return {"map_agrees": round(float(agrees), 3), **figures, "expected": words}


def lines_of(outcome: Mapping[str, Any], n: int) -> Iterator[str]:
    states = ", ".join(f"{n_in} {state}" for state, n_in in outcome["states"].items())
    kinds = ", ".join(f"{n_of} {BEHAVIOURS[kind]}" for kind, n_of in outcome["people"].items())
    yield f"\n{n} simulated people ({kinds}): {states}; {outcome['answers']:,} answers"
    yield f"assumed: {'; '.join(outcome['assumed'])}"
    for reason, n_refused in outcome["refused"].items():
        yield f"{n_refused} were {reason}"
    if outcome["minutes"] is not None:
        yield (
            f"{outcome['minutes']:g} minutes per person, {outcome['hours']:g} hours of all people "
            f"who finished, {outcome['cost']:.2f} {outcome['currency']}"
        )
    for rule in outcome["rules"]:
        to = ", ".join(f"{n_of} {BEHAVIOURS[kind]}" for kind, n_of in rule["applies_to"].items())
        yield f"rule {rule['rule']} ({rule['action']}): {to}"
    for name, counts in outcome["conditions"].items():
        yield f"condition {name}: {counts['people']} people, {counts['answers']:,} answers"
    if outcome["conditions"]:
        yield (
            "the map is of all conditions together, which simulated people see alike; "
            "`resemblance compare` tells how large a difference the answers would show"
        )
    asked = ", ".join(f"{n_of:,} {name}" for name, n_of in outcome["questions"].items())
    yield f"questions by strategy: {asked}"
    if outcome["too_random"]:
        yield (
            "more questions were random than in the study, since answers came faster than fits: "
            "--pace people avoids this"
        )
    for gold in outcome["gold"]:
        question = " | ".join(gold["question"])
        yield f"gold that honest people miss: {question} ({gold['missed']} of {gold['asked']})"
    if "map_agrees" in outcome:
        yield f"distances in the map and the true space: Spearman's r {outcome['map_agrees']:g}"
