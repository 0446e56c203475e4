"""The state of a session: questions, answers, the last fit, and new items."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from resemblance.arrays import Floats, Ints
from resemblance.asking.fit_job import (
    ClickWeight,
    FitResult,
    Guard,
    ModelChoice,
    is_large,
    learned,
)
from resemblance.asking.log import AnswerTable
from resemblance.asking.out_of_sample import Newcomers, first_items, with_later_items, with_names
from resemblance.asking.question import (
    Answer,
    Pending,
    Picked,
    Question,
    QuestionType,
)
from resemblance.asking.settings import checked_picks, checked_row
from resemblance.asking.strategies import Belief, Strategy
from resemblance.catalog import HELD_OUT, RANDOM
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError, UnknownQuestionError, count
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace import (
    MAX_PARAMETERS,
    ItemUncertainty,
    Noise,
    effective_penalty,
)
from resemblance.forms import FeaturePrior
from resemblance.judgments import Items, Judgments
from resemblance.notebook import Card, Shown
from resemblance.ranges import WHOLE, check, integers, one_of

Line = Mapping[str, Any]

MOST_SHARE = 0.999  # upper limit of the share of features; with 1 the covariance is singular
# before the first fit: default share of features (EVEN), and scale of positions (IMAGINED)
EVEN, IMAGINED = 0.5, 1.5
FOLLOWED = 64  # with many items, positions are updated after this many answers


class State(Shown):
    """The state of a session, which only ``apply`` and ``take_fit`` change."""

    model_: OrdinalEmbedding
    settings: dict[str, Any]  # values that the last fit chose for "auto"
    sure: ItemUncertainty | None
    alike: Floats | None
    strategies: dict[str, Strategy]  # strategies after the start, by name
    shares: dict[str, float]
    held_out: float
    start_per_head: int

    def __init__(
        self,
        items: Items,
        models: Mapping[str, OrdinalEmbedding],
        asks: QuestionType,
        offer: Ints | None,
        per_new_item: int,
        guard: bool,
        random_state: int,
    ) -> None:
        self.items, self.models, self.asks, self.offer = items, dict(models), asks, offer
        self.chosen = ModelChoice(next(iter(self.models)))
        check(random_state=(random_state, integers(0)))
        self.random_state = random_state
        self.guard = Guard() if guard else None
        self.questions: list[Question] = []
        self.pending = Pending()
        self.answers: dict[int, Answer] = {}
        self.left_out: frozenset[str] = frozenset()
        self.newcomers = Newcomers(per_new_item)
        self.noise, self.settings, self.clicks = Noise(), {}, ClickWeight()
        self.table, self.sure, self.alike = AnswerTable(asks), None, None
        self.n_fits = self.fitted_at = self.followed = self.n_withdrawn = 0
        self.on_offer: Counter[tuple[int, ...]] = Counter(
            map(asks.key, () if offer is None else offer)
        )

    def _card(self) -> Card:
        fitted = getattr(self, "model_", None)
        facts = {
            "items": len(self.items),
            "questions": len(self.questions),
            "answers": len(self.answers),
            "out": len(self.pending),
            "fits": self.n_fits,
            "model": None if fitted is None else repr(fitted),
        }
        return Card(type(self).__name__, facts)

    def __repr__(self) -> str:
        counts = count(len(self.items), "item"), count(len(self.answers), "answer")
        return f"{type(self).__name__}({', '.join((*counts, count(self.n_fits, 'fit')))})"

    def apply(self, line: Line) -> None:
        """Apply a line of a log. If an error is raised, nothing changes."""
        match line["event"]:
            case "items":
                self._check_items(line["names"])
            case "ask" | "note":
                self._put_out(line)
            case "tell":
                self._tell(line["number"], line["chosen"], line["observer"])
            case "withdraw":
                out = self.pending.take(self.out(line["number"]))
                if self.offer is not None:
                    self.on_offer[out.key] += 1
                self.n_withdrawn += 1
            case "add items":
                self._add_items(line["names"], line.get("features"))
            case "leave out":
                self.left_out = frozenset(line["observers"])
                if self.guard is not None:
                    self.guard.forget()
            case "fit":
                self._pass_fit(line["told"])
                if self.guard is not None and "held_out_loss" in line:
                    self.guard.recall(line["trust"], np.array(line["held_out_loss"]))

    def _check_items(self, names: list[str]) -> None:
        if names != list(self.items.names):
            strays = set(names).symmetric_difference(self.items.names)
            raise UnknownQuestionError(
                f"the log is about other items ({sorted(strays)[:5] or 'another order'}): give the "
                "items of its first line."
            )

    def _put_out(self, line: Line) -> None:
        heads = () if line["head"] is None else (line["head"],)
        row = checked_row((*heads, *line["options"]), len(self.items), self.asks)
        head, options, number = *self.asks.parts(row), len(self.questions)
        question = Question(number, head, options, line["strategy"], line["held_out"])
        self.questions.append(question)
        self.pending.put(question)
        if self.offer is not None:
            self.on_offer[question.key] -= 1

    def _tell(self, number: int, chosen: Picked | None, observer: str) -> None:
        asked = self.out(number)
        chosen = checked_picks(chosen, asked, self.asks)
        self.pending.take(asked)
        answer = self.answers[asked.number] = Answer(asked, chosen, observer)
        self.table.take(answer)
        self.newcomers.take(len(self.answers) - 1, answer)
        self._follow()

    def _add_items(self, names: list[str], features: Any) -> None:
        if self.offer is not None:
            raise SettingError("a session with an offer takes no further items: make another.")
        n = len(self.items)
        self.items = with_names(self.items, names, features)
        self.newcomers |= {item: [] for item in range(n, len(self.items))}
        if hasattr(self, "model_"):
            self.model_ = with_later_items(self.model_, self.items)
        if self.sure is not None:
            self.sure.grown(self.model_.embedding_[n:])

    def take_fit(self, result: FitResult) -> None:
        """Adopt the result of a fit."""
        self.model_, self.noise = with_later_items(result.model, self.items), result.noise
        self.settings, self.clicks = result.settings, result.clicks
        self.alike = self._alike()
        if result.chosen is not None and result.chosen.name in self.models:
            self.chosen = result.chosen
        if self.guard is not None:
            self.guard.see(result)
        self._pass_fit(result.n_answers)
        self.sure = self._sure_by(result) if is_large(self.model_) else None
        self._follow()

    def _alike(self) -> Floats | None:
        form = self.settings.get("form")
        if form is None or is_large(self.model_) or self.items.features is None:
            return None
        return _covariance(
            form.prepared(self.items.features).describe(self.items.features), form.rho
        )

    def imagined(self, rng: np.random.Generator) -> Belief:
        r"""Return the belief before the first fit, with positions drawn from a prior.

        .. math:: X = s (\sqrt{\rho} \, \Phi W + \sqrt{1 - \rho} \, E)

        This is the prior of :class:`~resemblance.FeaturePrior` with features Phi and standard
        normal W and E. The scale s is 1.5. rho is the share of features: .5 if it is "auto", 0
        without features. If the map is "auto", it is a kernel map.
        """
        form, features, n = self.model._form(), self.items.features, len(self.items)
        Phi, rho = np.zeros((n, 0)), 0.0
        if features is not None and isinstance(form, FeaturePrior):
            form = form.alternatives()[-1].prepared(features)
            Phi, rho = form.describe(features), EVEN if form.share == "auto" else form.rho
        B, own = (rng.normal(size=(m, self.model.n_components)) for m in (Phi.shape[1], n))
        X = IMAGINED * (np.sqrt(rho) * Phi @ B + np.sqrt(1.0 - rho) * own)
        alike = None if X.size > MAX_PARAMETERS else _covariance(Phi, rho)
        return self._believed(X, self.model._choice(), alike=alike)

    def _sure_by(self, result: FitResult) -> ItemUncertainty:
        sure = result.sure
        if sure is None:  # the fit is from a log
            numbers = self.table.counting(0, result.n_answers, self.left_out, held_out=False)
            sure = learned(result.model, result.noise, *self.asks.told(self.table.rows(numbers)))
        return sure.grown(self.model_.embedding_[len(sure.points) :])

    def _follow(self) -> None:
        while self.sure is not None and len(self.table) - self.followed >= FOLLOWED:
            first, self.followed = self.followed, self.followed + FOLLOWED
            numbers = self.table.counting(first, self.followed, self.left_out, held_out=False)
            for part in self.asks.told(self.table.rows(numbers)):
                self.sure.follow(part)

    def _pass_fit(self, n_answers: int) -> None:
        self.n_fits += 1
        self.fitted_at = self.followed = n_answers
        self.newcomers.settle(n_answers, self.left_out)

    @property
    def model(self) -> OrdinalEmbedding:
        """The chosen model, to be fitted."""
        return self.models[self.chosen.name]

    def out(self, question: Question | int) -> Question:
        """Return a pending question; raise an error for any other question."""
        number: Any = question.number if isinstance(question, Question) else question
        if number not in WHOLE:
            raise UnknownQuestionError(f"{number!r} is not a question: answer one that was asked.")
        if number in self.pending:
            return self.pending[number]
        if not 0 <= number < len(self.questions):
            problem = f"was never asked: questions have numbers below {len(self.questions)}."
        elif number in self.answers:
            before = self.answers[number].chosen
            problem = f"was answered before ({before!r}): answer each question once."
        else:
            problem = "was withdrawn: call note() if it was shown after all."
        raise UnknownQuestionError(f"question {number} {problem}")

    @property
    def placed_items(self) -> Ints:
        """The indices of all items except new items that are not placed yet."""
        placed = np.ones(len(self.items), bool)
        placed[list(self.newcomers)] = False
        return np.flatnonzero(placed).astype(np.int32)

    def judgments(self, which: str = "fitted", n_answers: int | None = None) -> Judgments:
        """Return answers as judgments: "fitted", "held out", "random", or "all".

        "random" is all answers to random questions. With ``n_answers``, only the first answers are
        returned. Skipped questions are left out, as are answers of excluded observers, except in
        "all".
        """
        return self.judgments_on(self.items, which, n_answers)

    def judgments_on(self, items: Items, which: str, n_answers: int | None = None) -> Judgments:
        """Return answers, as in :meth:`judgments`, with an earlier list of items."""
        wanted = {"fitted": False, HELD_OUT: True, RANDOM: None, "all": None}
        check(which=(which, one_of(*wanted)))
        left_out = frozenset() if which == "all" else self.left_out
        numbers = self.table.counting(0, n_answers, left_out, wanted[which])
        if which == RANDOM:
            numbers = self.table.at_random(numbers)
        return self.table.judgments(numbers, items)

    def items_at(self, n: int | None) -> Items:
        """Return the first n items, or all items for None."""
        return first_items(self.items, len(self.items) if n is None else n)

    def belief(self) -> Belief:
        """Return the input of strategies: positions, answers and pending questions."""
        points = self.model_.embedding_ if self.sure is None else self.sure.points
        more = {"penalty": effective_penalty(self.model_), "sure": self.sure, "alike": self.alike}
        return self._believed(points, self.model_.choice_, **more)

    def _believed(self, points: Floats, choice: ChoiceModel, **more: Any) -> Belief:
        rows = [question.row for question in self.pending.values()]
        answered = self.table.counting(0, None, self.left_out, held_out=False)
        return Belief(
            points,
            choice,
            self.table.rows(answered),
            np.array(rows, dtype=np.int32).reshape(-1, self.asks.width),
            self.noise,
            self.asks,
            self.offer,
            items=self.items,
            **more,
        )

    def rng(self, *purpose: Any) -> np.random.Generator:
        """Return a random generator that depends only on the seed and the purpose."""
        words = [int.from_bytes(str(p).encode(), "little") for p in purpose]
        return np.random.default_rng([self.random_state, *words])


def _covariance(Phi: Floats, rho: float) -> Floats:
    rho = min(rho, MOST_SHARE)
    return np.asarray(rho * Phi @ Phi.T + (1.0 - rho) * np.eye(len(Phi)))
