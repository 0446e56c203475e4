"""Classification of noisy images; a staircase sets the strength of the signal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from math import inf
from pathlib import Path
from random import Random
from statistics import NormalDist
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AfterValidator

from resemblance.catalog import CHOSEN_NOISE
from resemblance.pictures import read_picture
from resemblance.staircase import StaircaseRule
from resemblance.study.kinds.base import (
    JudgmentTable,
    Kind,
    Material,
    Point,
    Response,
    Row,
    Spec,
    Told,
)
from resemblance.study.sections import Section, Some, setting


def _two(labels: list[str]) -> list[str]:
    if len(labels) not in (0, 2):
        raise ValueError(f"{len(labels)} labels: give two")
    return labels


AT_RANDOM = 0.25  # share of random noise where noise is chosen
# Sensitivity d' of simulated people per unit of signal; a signal of 0.2 gives 79 % right.
SIGHT = 4.0
LEAST = 0.01  # lowest signal
Labels = Annotated[list[str], AfterValidator(_two)]


class Staircase(Section):
    """The signal in noisy images, set by an n-down 1-up staircase."""

    labels: Labels = setting([], "The two answers; default: words of the language.")
    start: float = setting(1.0, "First signal level.", gt=0.0, le=1.0)
    step: float = setting(1.25, "Factor of a step up or down.", gt=1.0)
    down: Some = setting(3, "Right answers in a row before a step down.")
    noise: float = setting(0.2, "Standard deviation of the noise; black to white is 1.", ge=0.0)
    pixels: int = setting(32, "Side of the image in pixels.", ge=4, le=256)
    chosen_noise: bool = setting(
        False, "Whether strategies disagree about most noise, once exemplars seem likelier."
    )
    until_decided: bool = setting(
        False, "Whether a person's questions end when two fits in a row give one strategy."
    )

    def level(self, history: Iterable[tuple[float, bool | None]]) -> float:
        """Return the next signal: lower after n right answers, higher after a wrong answer.

        The staircase converges to the share p of right answers with p^n = 1/2: 79.4 % for 3-down
        1-up (Levitt, 1971). ``history`` has pairs (signal, right); pairs of skipped questions, with
        right = None, are ignored.
        """
        signal, rule = self.start, StaircaseRule(self.down)
        for signal, right in history:
            if right is not None and (direction := rule.step(right)):
                signal = min(max(signal * self.step**direction, LEAST), self.start)
        return signal


class Classify(Kind):
    """Classification: people say which of two classes a noisy image shows.

    The options are the two labels. The spec also has ``label``, ``signal`` and the ``seed`` of the
    noise, which together determine the image.
    """

    name = "classify"
    about = "which of two classes a noisy image shows"
    plugin = "classify"
    judgment = "Classifications"
    command = "resemblance templates classifications.{}"
    has_right = True
    can_agree = False
    draws = True
    has_templates = True
    ahead = 0  # No question can be prefetched: the next signal depends on the answer.
    section = ("staircase", Staircase)
    tasks = MappingProxyType({"feedback": True})

    def chooses_noise(self, material: Material) -> bool:
        return _staircase(material).chosen_noise

    def until_decided(self, material: Material) -> bool:
        return _staircase(material).until_decided

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        signals = (
            (asked["signal"], None if said is None else self.right(asked, said))
            for asked, said in history
        )
        signal = _staircase(material).level(signals)
        used = {asked["seed"] for asked, _ in history}
        unused = [(item, seed) for item, seed in material.noise if seed not in used]
        if not unused or rng.random() < AT_RANDOM:
            return self._spec(material, rng, signal, "staircase")
        return self._drawn(material, *unused[0], signal, CHOSEN_NOISE)

    def gold(self, material: Material, rng: Random) -> Spec | None:
        return self._spec(material, rng, _staircase(material).start, "gold")

    def again(self, spec: Spec, rng: Random) -> Spec:
        return spec | {"session": None, "strategy": "repeat"}

    def identity(self, spec: Spec) -> tuple[Any, ...]:
        return (*super().identity(spec), spec["seed"])

    def _spec(self, material: Material, rng: Random, signal: float, strategy: str) -> Spec:
        label = str(rng.randrange(2))
        image = rng.choice([s for s in material.stimuli if s.label == label])
        return self._drawn(material, image.name, rng.getrandbits(32), signal, strategy)

    def _drawn(
        self, material: Material, item: str, seed: int, signal: float, strategy: str
    ) -> Spec:
        label = int(material.by_name[item].label)
        drawn = {"label": label, "seed": seed, "signal": signal}
        return self.new(item, _staircase(material).labels, label, strategy=strategy, **drawn)

    def page(self, spec: Spec, material: Material, question: str) -> dict[str, Any]:
        """Return the labels, and an address of the image that does not reveal the class."""
        url = f"/media/{quote(material.study)}/drawn/{question}.png"
        texts: list[dict[str, Any]] = [
            {"type": "text", "url": None, "text": label, "alt": label, "sides": []}
            for label in _staircase(material).labels  # labels in the person's language
        ]
        head: dict[str, Any] = {"type": "image", "url": url, "text": None, "alt": "", "sides": []}
        return {"head": head, "options": texts, "timing": None, "extra": {}}

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        r"""Answer right with :math:`P = \Phi(4 s / T)` at signal s and noise T."""
        facts = question.get("facts", {})
        if "signal" not in facts or noise == inf:
            return {"chosen": rng.randrange(2)}
        is_seen = rng.random() < NormalDist().cdf(SIGHT * facts["signal"] / noise)
        return {"chosen": facts["label"] if is_seen else 1 - facts["label"]}

    def row(self, spec: Spec, response: Response) -> Row:
        return {
            "label": self.answered(spec, response),
            "shown": spec["options"][spec["label"]],
            "item": spec["head"],
            "signal": spec["signal"],
            "seed": spec["seed"],
        }

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        columns = {
            "label": "Answered class.",
            "shown": "True class of the image.",
            "image": "File of the noisy image, in this folder.",
            "item": "Picture without noise.",
            "signal": "Signal, from 0 to 1.",
            "seed": "Seed of the noise: NumPy's RandomState draws it again.",
        }
        return (JudgmentTable("classifications", "A classified image.", columns),)

    def draw(self, spec: Spec, material: Material) -> bytes:
        from PIL import Image

        out = BytesIO()
        Image.fromarray(pixels_of(spec, material)).save(out, "PNG")
        return out.getvalue()

    def problems(self, material: Material) -> Iterator[tuple[str, str]]:
        for stimulus in material.stimuli:
            drawn = stimulus.type == "image" and not stimulus.media.endswith(".svg")
            if not drawn or stimulus.label not in ("0", "1"):
                problem = f"{stimulus.name!r} needs a PNG or JPEG picture and a label, 0 or 1"
                yield "stimuli.items", f"{problem}: add the column label"
        if len({s.label for s in material.stimuli} & {"0", "1"}) < 2:
            problem = "no picture of one class: give pictures of both labels"
            yield "stimuli.items", problem


def pixels_of(spec: Spec, material: Material) -> Any:
    """Return the noisy image of a question as grey levels (8 bits), (side, side)."""
    image = material.by_name[spec["head"]]
    assert image.path is not None
    return noisy_pixels(image.path, spec["signal"], spec["seed"], _staircase(material))


def noisy_pixels(path: Path, signal: float, seed: int, staircase: Staircase) -> Any:
    """Return grey levels (8 bits), (side, side), of a picture x with noise.

    The grey level is 1/2 + s (x - 1/2) + sigma z, clipped to 0 to 1 and scaled to 8 bits, with the
    signal s, the standard deviation sigma of ``staircase``, and standard normal noise z from
    ``seed``.
    """
    import numpy as np
    from PIL import Image

    side = staircase.pixels
    grey = read_picture(path).convert("L").resize((side, side), Image.Resampling.BOX)
    clean = np.asarray(grey, dtype=float) / 255
    # RandomState gives the same numbers in every version of NumPy.
    noise = np.random.RandomState(seed).standard_normal((side, side))
    light = 0.5 + signal * (clean - 0.5) + staircase.noise * noise
    return np.round(255 * light.clip(0, 1)).astype(np.uint8)


def _staircase(material: Material) -> Staircase:
    assert isinstance(material.own, Staircase)
    return material.own
