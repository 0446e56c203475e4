"""Fit the templates of a classification study while it runs."""

import base64
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import BytesIO
from random import Random
from typing import Any

import numpy as np
from scipy.special import xlogy

from resemblance.arrays import Floats
from resemblance.catalog import CHOSEN_NOISE
from resemblance.errors import quiet
from resemblance.judgments import Classifications
from resemblance.store import Answer, ErasedError
from resemblance.study.kinds import Kind, Material
from resemblance.study.kinds.classify import pixels_of
from resemblance.study.live import DECIDED
from resemblance.study.sections import next_fit
from resemblance.study.worker.fitting import WHO
from resemblance.study.worker.measured import MeasuredMap
from resemblance.study.worker.report import saved
from resemblance.templates import DecisionTemplates, PersonTemplates, templates_by_observer

Json = dict[str, Any]

CANDIDATES = 30  # seeds for each noise to be chosen
SPARE, MOST = 12, 100  # chosen noises beyond the next fit, and at most
MOST_PEOPLE = 60  # Templates are shown for only this many people, who gave the most answers.


class StudyTemplates(MeasuredMap):
    """Fits templates of everybody and of each person, again after each 25 % more answers."""

    growth = 0.25

    def _task(self, answers: list[Answer]) -> Callable[[], Json]:
        of = self.live.settings
        conditions = [of.condition(answer.arm, answer.place) for answer in answers]
        materials = [self.live.in_condition(condition).material for condition in conditions]
        return partial(fit, self.live.kind, answers, materials)

    def _keep(self, space: Json) -> None:
        if noise := space.pop("noise"):
            self.live.store.events.record(self.live.record, WHO, CHOSEN_NOISE, noise)
        before = self.live.store.spaces.latest(self.live.record)
        self.live.store.spaces.add(self.live.record, **space)
        if before is not None and self.live.kind.until_decided(self.live.folder.material):
            self._note_decided(*(each["templates"] for each in (before.scores, space["scores"])))

    def _note_decided(self, before: Json, now: Json) -> None:
        """Record people with the same verdict in two consecutive fits; one fit is less reliable."""
        store, record = self.live.store, self.live.record
        for code in now["decided"].keys() - self.live.decided():
            verdict, person = now["decided"][code], store.people.named(record, code)
            if person is not None and verdict == before.get("decided", {}).get(code):
                with suppress(ErasedError):
                    store.people.note(person, WHO, DECIDED, {"strategy": verdict})


def fit(kind: Kind, answers: list[Answer], materials: list[Material]) -> Json:
    """Return the templates for the store: pictures, verdicts, and the model for everybody."""
    began = time.perf_counter()
    asked = zip(answers, materials, strict=True)
    trials = Classifications(
        np.array([pixels_of(answer.spec, of) for answer, of in asked]) / 255.0,
        [kind.answered(answer.spec, answer.response or {}) for answer in answers],
        shown=[answer.spec["options"][answer.spec["label"]] for answer in answers],
        observer=[answer.code for answer in answers],
    )
    everybody = DecisionTemplates(random_state=0).fit(trials)
    people = templates_by_observer(trials).people
    busiest = sorted(people, key=lambda person: -person.n_trials)[:MOST_PEOPLE]
    comparison = everybody.strategy_comparison(random_state=0)
    group = PersonTemplates("", len(trials), everybody, comparison)
    last = {answer.code: at for at, answer in enumerate(answers)}
    return {
        "noise": {
            person.observer: chosen_noise(
                person,
                trials[trials.observer == person.observer],
                answers[last[person.observer]],
                materials[last[person.observer]],
            )
            for person in people
            if kind.chooses_noise(materials[last[person.observer]])
        },
        "answers": len(answers),
        "model": saved(everybody),
        "positions": [],
        "uncertainty": None,
        "scores": {
            "fitted": len(answers),
            "seconds": round(time.perf_counter() - began, 2),
            "model": {"name": "templates"},
            "templates": {
                "everybody": drawn(group),
                "people": [drawn(person) for person in busiest],
                "n_people": len(people),
                "decided": {
                    person.observer: person.verdict for person in people if person.is_decided
                },
            },
        },
    }


def chosen_noise(
    person: PersonTemplates, trials: Classifications, last: Answer, material: Material
) -> list[tuple[str, int]]:
    """Choose noise on which the strategies disagree, if exemplars seem likelier but undecided.

    For each trial until the next fit, CANDIDATES seeds are drawn for a random picture, at the
    signal of the last answer. Kept is the seed with the largest mutual information of the answer
    and the strategy.
    """
    model, strategy = person.model, person.strategy
    if model is None or strategy is None or person.is_decided or strategy.difference <= 0:
        return []
    settings: Json = {"smoothness": model.smoothness_, "penalty": model.penalty_}
    numbers = len(model.classes_), 2 * len(model.classes_)
    with quiet():
        fits = [DecisionTemplates(k, random_state=0, **settings).fit(trials) for k in numbers]
    rng = Random(f"{last.spec['seed']} {len(trials)}")
    pictures = [stimulus.name for stimulus in material.stimuli]
    chosen = []
    for _ in range(min(next_fit(len(trials), StudyTemplates.growth) - len(trials) + SPARE, MOST)):
        spec = {**last.spec, "head": rng.choice(pictures)}
        seeds = [rng.getrandbits(32) for _ in range(CANDIDATES)]
        images = np.array([pixels_of({**spec, "seed": seed}, material) for seed in seeds]) / 255.0
        first, second = (fitted.predict_proba(images)[:, 0] for fitted in fits)
        conditional = (entropy(first) + entropy(second)) / 2
        best = int(np.argmax(entropy((first + second) / 2) - conditional))
        chosen.append((spec["head"], seeds[best]))
    return chosen


def entropy(p: Floats) -> Floats:
    return -xlogy(p, p) - xlogy(1 - p, 1 - p)


def drawn(person: PersonTemplates) -> Json:
    model = person.model
    pictures: Any = [] if model is None else model.templates_.reshape(-1, *model.image_shape_)
    labels = [] if model is None else [str(label) for label in model.labels_]
    return {
        "person": person.observer,
        "trials": person.n_trials,
        "words": str(person),
        "templates": [
            {"label": label, "picture": png(picture)}
            for label, picture in zip(labels, pictures, strict=True)
        ],
    }


def png(template: Floats) -> str:
    """Return a template as a picture in a data URL; 0 is grey."""
    from PIL import Image

    largest = np.abs(template).max() or 1.0
    grey = np.round(127.5 + 127.5 * template / largest).astype(np.uint8)
    file = BytesIO()
    Image.fromarray(grey).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
