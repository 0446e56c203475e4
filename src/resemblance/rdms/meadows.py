"""Read RDMs of Meadows: .mat files, and trees in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat

from resemblance.errors import FileError
from resemblance.files import reading
from resemblance.rdms.rdms import RDMs, same_items

STIMULI, TRIANGLE = "stimuli", "rdmutv"
PICTURE = re.compile(r"(.+)\.(png|jpe?g|gif|bmp|svg|webp|mp3|wav|ogg|mp4|webm)", re.IGNORECASE)


def read_mat(path: Path) -> RDMs:
    with reading(path, "check that it is whole", " as a .mat file", TypeError):
        try:
            variables = {k: v for k, v in loadmat(path).items() if not k.startswith("__")}
        except NotImplementedError:
            raise FileError(
                f"{path} is of MATLAB's version 7.3: save it there with save(..., '-v7')"
            ) from None
    if not any(_is_triangle(name) for name in variables):
        has = ", ".join(variables) or "nothing"
        raise FileError(
            f"{path} has no variable {TRIANGLE!r}, as files of Meadows have (it has {has}): write "
            "other matrices as a table"
        )
    return _of_meadows(variables, path)


def read_tree(path: Path) -> RDMs:
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FileError(f"{path} is no JSON ({error}): check that it is whole") from error
    tasks = tree.get("tasks", [tree]) if isinstance(tree, dict) else []
    arranged = [task for task in tasks if isinstance(task, dict) and "rdm" in task]
    if not arranged:
        raise FileError(
            f"{path} has no task with an 'rdm': give the tree of one person that Meadows offers, "
            "with a multiple arrangement task"
        )
    names = _own([_task_name(task) for task in arranged])
    try:
        parts = [
            RDMs(task["rdm"], _names([s["name"] for s in task["stimuli"]]), [name], "euclidean")
            for task, name in zip(arranged, names, strict=True)
        ]
    except (KeyError, TypeError):
        raise FileError(
            f"{path} has a task with an 'rdm' and no 'stimuli' with names: download the tree from "
            "Meadows again"
        ) from None
    return joined(parts)


def joined(parts: Sequence[RDMs]) -> RDMs:
    first = parts[0]
    values = [same_items(first, part).dissimilarities for part in parts]
    names = [name for part in parts for name in part.names]
    return RDMs(np.concatenate(values), first.items, names, first.measure)


def _task_name(task: Mapping[str, Any]) -> str:
    details = task.get("task")
    return str(details.get("name", "arrangement")) if isinstance(details, dict) else "arrangement"


def _is_triangle(name: str) -> bool:
    return name == TRIANGLE or name.startswith(f"{TRIANGLE}_")


def _of_meadows(variables: Mapping[str, Any], path: Path) -> RDMs:
    parts = []
    for name in filter(_is_triangle, variables):
        person = name.removeprefix(TRIANGLE).removeprefix("_")
        stimuli = STIMULI if name == TRIANGLE else f"{STIMULI}_{person}"
        if stimuli not in variables:
            raise FileError(
                f"{path} has a variable {name!r} and none called {stimuli!r}: download the file "
                "from Meadows again"
            )
        called = [person.replace("_", "-") if person else "arrangement"]
        values = np.ravel(variables[name])
        parts.append(RDMs(values, _names(variables[stimuli]), called, "euclidean"))
    return joined(parts)


def _names(stimuli: Any) -> list[str]:
    """Name stimuli after their files, without the suffix of a picture, sound or film."""
    texts = [str(np.squeeze(stimulus)).strip() for stimulus in stimuli]
    bare = [match[1] if (match := PICTURE.fullmatch(text)) else text for text in texts]
    return bare if len(set(bare)) == len(bare) else texts


def _own(names: list[str]) -> list[str]:
    if len(set(names)) == len(names):
        return names
    return [f"{name} {names[: i + 1].count(name)}" for i, name in enumerate(names)]
