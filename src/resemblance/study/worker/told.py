"""What an answer tells a session, and which questions test its fits."""

from hashlib import blake2b
from math import comb

from resemblance.store import Answer
from resemblance.study.kinds import Spec
from resemblance.study.settings import Settings

TESTS = 3.0  # questions that test fits, at least, in the mean
MOST_TESTS = 1 / 3  # of all questions


def told(answer: Answer, settings: Settings, n_items: int) -> tuple[Spec, str | None]:
    """Return the question and the option chosen, None for a skip.

    Where questions are random, some of them are for tests alone. `n_items` are those that the study
    began with.
    """
    spec = answer.spec
    if not settings.adaptive:
        held_out = spec["held_out"] or is_test(spec, settings, n_items)
        spec = spec | {"held_out": held_out, "session": None}
    return spec, None if answer.skipped else spec["options"][answer.response["chosen"]]


def is_test(spec: Spec, settings: Settings, n_items: int) -> bool:
    """Say whether a question tests fits: a share of all that can be asked, the same for ever.

    What is asked decides, not who answers or when: all answers to one question test, or none does.
    The share is `held_out`, or more where so few questions can be asked that hardly one would test.

    Examples
    --------
    >>> from resemblance.study.settings import Asking, Study
    >>> half = Settings(study=Study(name="ties"), asking=Asking(held_out=0.5))
    >>> sum(is_test({"head": head, "options": [1, 2]}, half, 1000) for head in range(1000))
    483
    """
    others = n_items - (spec["head"] is not None)
    possible = comb(others, len(spec["options"])) * (1 if spec["head"] is None else n_items)
    share = max(settings.asking.held_out, min(MOST_TESTS, TESTS / max(possible, 1)))
    words = repr((settings.study.seed, spec["head"], sorted(spec["options"]))).encode()
    number = int.from_bytes(blake2b(words, digest_size=8).digest(), "big")
    return number < share * 2.0**64
