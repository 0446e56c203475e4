"""
From a raw file to a map
========================

What jsPsych wrote of 900 trials, here of a simulated person who compares gratings: in each, the
keys F and J say whether the left or the right one is more like the one above. A column names the
participant, and rows without a judgment are counted.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import resemblance as rs

rng = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())
gratings = rs.stimuli.Gabors()
strong = np.flatnonzero(gratings.features[:, 2] == 1)
angle, frequency, _ = gratings.features[strong].T
titles = [f"{tilt:.0f}°, {cycles:.0f}" for tilt, cycles in zip(angle, frequency, strict=True)]
paths = np.array(gratings.save(folder, size=128))[strong]
items = rs.Items(np.array(gratings.names)[strong], titles=titles, images=paths)
turn = np.radians(2 * angle)
seen = np.column_stack([np.cos(turn), np.sin(turn)]) * np.log2(frequency)[:, None]
questions = np.array([rng.choice(len(items), 3, replace=False) for _ in range(900)])
near = rs.SpaceObserver(seen, random_state=0).answer(questions).index[:, 1]

shown = np.array(items.names)[questions]
table = pd.DataFrame(shown, columns=["head", "left", "right"])
table["response"] = np.where(near == questions[:, 1], "f", "j")
table["trial_type"], table["subject"] = "image-keyboard-response", "S1"
table.to_csv(folder / "raw.csv", index=False)

answers = rs.read_experiment(folder / "raw.csv", items, answers={"f": "left", "j": "right"})
model = rs.STE(random_state=0).fit(answers.judgments)
ax = rs.plot_map(model.embedding_, model.items_, width="17cm")
