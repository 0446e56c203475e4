"""Classification of noisy images, their signal set by a staircase."""

from collections.abc import Sequence
from random import Random
from typing import Any
from urllib.parse import quote

from resemblance.study.folder import StudyFolder
from resemblance.study.kinds.base import Kind, Response, Spec, Told, new_spec
from resemblance.study.kinds.staircase import level


class Classify(Kind):
    """Which of two classes does a noisy image show?

    A spec has no options but the two labels, and three entries more: the ``label`` of the image,
    the ``seed`` of its noise and the level of its ``signal``, from which it can be drawn again.
    """

    name = "classify"
    answer = "label"
    ahead = 0  # the next level waits for the answer

    def spec(self, study: StudyFolder, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Draw a class and an image of it; the staircase of the history sets the signal."""
        signals = [
            (told["signal"], None if said is None else self.right(told, said))
            for told, said in history
        ]
        return self._spec(study, rng, level(signals, study.settings.staircase), "staircase")

    def gold(self, study: StudyFolder, rng: Random) -> Spec | None:
        """Show an image at the first, clearest level."""
        return self._spec(study, rng, study.settings.staircase.start, "gold")

    def again(self, spec: Spec, rng: Random) -> Spec:
        """Show the very same image once more."""
        return spec | {"session": None, "strategy": "repeat"}

    def _spec(self, study: StudyFolder, rng: Random, signal: float, strategy: str) -> Spec:
        label = rng.randrange(2)
        image = rng.choice([s for s in study.stimuli if s.label == str(label)])
        drawn = {"label": label, "seed": rng.getrandbits(32), "signal": signal}
        labels = study.settings.staircase.labels
        return new_spec(self.name, image.name, labels, label, strategy=strategy, **drawn)

    def page(self, spec: Spec, study: StudyFolder, question: str) -> dict[str, Any]:
        """Give the address of the image, which tells nothing of its class, and the labels."""
        url = f"/media/{quote(study.name)}/noise/{question}.png"
        texts = [
            {"type": "text", "url": None, "text": label, "alt": label} for label in spec["options"]
        ]
        head = {"type": "image", "url": url, "text": None, "alt": ""}
        return {"head": head, "options": texts, "timing": None}

    def row(self, spec: Spec, response: Response) -> dict[str, Any]:
        """Give the image, its class, the class answered, and what draws it again."""
        return {
            "item": spec["head"],
            "label": response["label"],
            "shown": spec["label"],
            "seed": spec["seed"],
            "signal": spec["signal"],
            "correct": response["label"] == spec["label"],
        }
