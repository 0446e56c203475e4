"""The desk of a study and `resemblance fit` of its export: do they tell one story?

In each world a study as researchers get it (no model named) is open, and simulated people answer
what its own worker asks them. At the end the error on random questions that its desk shows is held
against that of `resemblance fit --model auto` of the exported answers, and both against the truth.
"""

import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from table import main, row
from worlds import World, world

import resemblance as rs
from resemblance.catalog import AUTO_MODEL
from resemblance.cli.fit import fit_and_tell
from resemblance.cli.models import Recipe
from resemblance.cli.source import Source
from resemblance.store import AnswerIn, Store
from resemblance.study.export import Export, write_export
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy
from resemblance.study.questions import next_questions
from resemblance.study.worker.loop import StudyWork
from resemblance.web.desk.overview import Overview

ANSWERS, PEOPLE, AT_ONCE = 1200, 8, 40
TOML = f"""
[study]
name = "story"
[stimuli]
items = "items.csv"
[tasks]
per_participant = 10
task_size = {2 * ANSWERS // PEOPLE // 10}
practice = 0
gold_share = 0.1
[pages]
consent = "page.md"
instructions = "page.md"
debrief = "page.md"
"""


def look(seed: int, answers: int = ANSWERS) -> dict[str, float | bool]:
    """Run one study, and hold what is told of it against each other and the truth."""
    w = world(seed)
    with tempfile.TemporaryDirectory() as folder:
        live = opened(Path(folder), w.n_items)
        collect(live, w, answers)
        desk, told = Overview(live), fitted(live, Path(folder))
        low, high = told["held_out"]["interval"]
        shown, error = desk.tested, told["held_out"]["error"]
        (Path(folder) / "desk.npz").write_bytes(desk.space.model)
        files = Path(folder) / "desk.npz", Path(folder) / "map" / "model.npz"
        seen, truth = (w.error(numbered(rs.load(file), live)) for file in files)
    return {
        "same model": desk.model["title"] == told["model"]["name"],
        "difference": abs(shown["error"] - error),
        "desk in the fit's interval": low <= shown["error"] <= high,
        "fit in the desk's interval": shown["low"] <= error <= shown["high"],
        "desk covers the truth": shown["low"] <= seen <= shown["high"],
        "fit covers the truth": low <= truth <= high,
        "desk's width": shown["high"] - shown["low"],
    }


def opened(folder: Path, n_items: int) -> LiveStudy:
    """Open a study about so many items."""
    path = folder / "story"
    path.mkdir()
    names = [f"i{i:04d},{i}" for i in range(n_items)]
    (path / "items.csv").write_text("\n".join(["name,text", *names]) + "\n")
    (path / "page.md").write_text("# A page\n")
    (path / "study.toml").write_text(TOML)
    return LiveStudy.open(StudyFolder.open(path), Store.open(f"sqlite:///{folder}/story.sqlite"))


def collect(live: LiveStudy, w: World, n: int) -> None:
    """Let people answer in turn, and the study's worker work between."""
    people = [enter(live, number) for number in range(PEOPLE)]
    work, asked = StudyWork(live), [0] * PEOPLE
    with ThreadPoolExecutor(1) as threads:
        for turn in range(n):
            if turn % AT_ONCE == 0:
                settle(work, threads)
            answer(live, w, people[turn % PEOPLE], asked[turn % PEOPLE])
            asked[turn % PEOPLE] += 1
        settle(work, threads)
    work.close()
    all_told(live)


def all_told(live: LiveStudy) -> None:
    """Let a worker fit all answers once more, and tell all of it."""
    work = StudyWork(live)
    with ThreadPoolExecutor(1) as threads:
        settle(work, threads)
        learner = work._learners[""]
        learner._overdue, learner._costly.at = True, 0.0
        settle(work, threads)
    work.close()


def enter(live: LiveStudy, number: int):
    """Let a person in."""
    person = live.store.people.enter(live.record, "open", f"person {number}", f"p{number}")
    return live.store.people.set_state(person, "consented")


def settle(work: StudyWork, threads: ThreadPoolExecutor) -> None:
    """Go on until nothing is left to do."""
    idle = 0
    while idle < 3:
        busy = work.step(threads)
        learners = work._learners.values()
        fitting = not learners or any(learner.is_busy for learner in learners)
        idle = 0 if busy or fitting else idle + 1
        time.sleep(0.005 if fitting else 0)


def answer(live: LiveStudy, w: World, person, number: int) -> None:
    """Let a person answer one question."""
    out = live.store.questions.outstanding(person)
    if not out:
        out = live.store.questions.serve(person, next_questions(live, person, number, 1))
    spec, place = out[0].spec, {name: i for i, name in enumerate(live.folder.names)}
    if spec["gold"] is not None:
        chosen = spec["gold"]
    else:
        asked = [place[name] for name in (spec["head"], *spec["options"])]
        chosen = int(w.person.pick([asked])[0])
    live.store.answers.take(person, [AnswerIn(out[0].id, {"chosen": chosen}, 900.0)])


def fitted(live: LiveStudy, folder: Path) -> dict:
    """Export the answers, and return what `resemblance fit --model auto` reports of them."""
    write_export(Export(live), folder / "answers")
    with redirect_stdout(StringIO()):
        source = Source(folder / "answers" / "triplets.csv")
        fit_and_tell(source, Recipe(AUTO_MODEL), folder / "map")
    return json.loads((folder / "map" / "report.json").read_text())


def numbered(model, live: LiveStudy):
    """Return a model of the same map, its items numbered as those of the world are."""
    places = model.items_.positions(live.folder.names)
    return clone(model).set_positions(model.embedding_[places])


def table(n_worlds: int = 20, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each promise."""
    found = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds)))
    about, claims = f"{ANSWERS} answers", {"desk covers the truth": "95 %"}
    claims["fit covers the truth"] = "95 %"
    return pd.DataFrame(
        [
            row(about, what, claims.get(what, ""), found[what], share=found[what].dtype == bool)
            for what in found
        ]
    )


if __name__ == "__main__":
    main(table, __doc__)
