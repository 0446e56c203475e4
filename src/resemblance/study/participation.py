"""A person's course through a study: pages, questions, answers, completion and withdrawal."""

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from unicodedata import category

from anyio import CapacityLimiter, to_thread

from resemblance.catalog import REASON
from resemblance.store import (
    AnswerIn,
    Participant,
    Progress,
    Served,
    StaleError,
    Standing,
    Wanted,
)
from resemblance.store.errors import LeftoverError
from resemblance.store.people import BY_ONESELF
from resemblance.store.records import SIMULATED, ParticipantState
from resemblance.study.entry import completion
from resemblance.study.failures import Failure
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS, ResponseError
from resemblance.study.live import LiveStudy
from resemblance.study.pages import Page
from resemblance.study.privacy import opened, stand_in
from resemblance.study.protocol import LONGEST_REASON, Answer, PageResponse
from resemblance.study.quality import Quality
from resemblance.study.questions import (
    asks_reason,
    has_feedback,
    next_questions,
    page_before,
    question_page,
)

Json = dict[str, Any]
Told = tuple[AnswerIn, Served]
R = TypeVar("R")
TRIES = 5  # number of attempts if other requests of the same person intervene
HELD = "completion code held"  # name of an event in the audit trail
REFUSED = "no headphones"
READING = CapacityLimiter(8)  # at most 8 reads at the same time; the pool has more connections
log = logging.getLogger("resemblance.web")
# recruiting services on whose site people return a submission themselves
RETURNED_BY_HAND = ("prolific", "mturk")
JOINERS = "\u200c\u200d"  # invisible characters that some scripts and emoji need
INVISIBLE = ("Cc", "Cf", "Cs")  # control characters, formats and half characters


async def off_the_loop(live: LiveStudy, read: Callable[..., R], *arguments: Any) -> R:
    """Call ``read``: directly for SQLite, in a thread for a database server."""
    if live.store.is_remote:
        return await to_thread.run_sync(read, *arguments, limiter=READING)
    return read(*arguments)


@dataclass(frozen=True)
class Turn:
    answered: list[Told]
    left: tuple[Served, ...]
    next: list[Wanted]


@dataclass
class Participation:
    live: LiveStudy
    standing: Standing
    token: str = ""  # key to the person's data, which are encrypted before consent
    language: str = ""  # "" means the main language.
    remembered: bool = False  # whether ``standing`` was cached by an earlier request

    @classmethod
    async def find(
        cls, live: LiveStudy, token_hash: str, token: str = "", language: str = ""
    ) -> "Participation":
        standing = await off_the_loop(live, live.store.people.standing, token_hash)
        if standing is None:
            raise Failure("unknown_token")
        return cls(live, standing, token, language)

    @property
    def folder(self) -> StudyFolder:
        return self.live.in_condition("", self.language)

    @property
    def participant(self) -> Participant:
        return self.standing.participant

    def me(self) -> Json:
        return self.place() | {
            "code": self.participant.code,
            "questions": self.questions(),
            "ahead": self.live.ahead,
            "skip": self.live.settings.tasks.skip,
            "least_answered": self.live.settings.quality.least_answered,
            "withdraw": self.may_withdraw,
        }

    @property
    def may_withdraw(self) -> bool:
        """Whether the page offers to withdraw: only if answers or pages are stored."""
        if not self.live.settings.recruitment.withdraw or self._needs_consent():
            return False
        answered = self.standing.progress.done > 0
        return self.participant.state != "withdrawn" and (
            self.participant.state != "stopped" or answered
        )

    def refuse_withdrawn(self) -> None:
        if self.participant.state == "withdrawn":
            raise Failure("withdrawn")

    def questions(self) -> list[Json]:
        if self.participant.state != "consented":
            return []
        arm, language = self.participant.arm, self.language
        return [question_page(self.live, question, arm, language) for question in self.standing.out]

    @property
    def total(self) -> int:
        """The number of the person's questions; the open one is last if the strategy is known."""
        planned, at = self.live.settings.total, self.standing
        if self.participant.code not in self.live.decided():
            return planned
        return min(planned, at.progress.done + len(at.out))

    def place(self) -> Json:
        total, progress = self.total, self.standing.progress
        state, page = self._state(progress)
        numbers = {
            "done": max(0, min(progress.done, total) - progress.practised),
            "total": total - self.live.settings.tasks.practice,
        }
        spoken = page and self.folder.pages.get(page.name, page)
        return {"state": state, "page": spoken and spoken.for_browser(), "progress": numbers}

    def _state(self, progress: Progress) -> tuple[str, Page | None]:
        pages, state = self.live.folder.pages, self.participant.state
        if state in ("stopped", "finished", "withdrawn"):
            return state, pages.get("debrief") if state == "finished" else None
        if self._needs_consent():
            return "consent", pages["consent"]
        if progress.done < self.total:
            if page := self._unread(self.standing):
                return "instructions", page
            practising = progress.done == progress.practised < self.live.settings.tasks.practice
            return ("practice" if practising else "tasks"), None
        read = self._read()
        for page in pages.values():
            if page.kind == "questionnaire" and page.name not in read:
                return "questionnaire", page
        return "debrief", pages.get("debrief")

    def _read(self) -> set[str]:
        responses = self.live.store.people.responses(self.live.record, self.participant)
        return {response.page for response in responses}

    def _unread(self, at: Standing) -> Page | None:
        """Return the page to show before the next question; None while a question is unanswered."""
        if at.out:
            return None
        pages, asked = self.live.folder.pages, at.progress.asked
        first = () if asked else self.live.settings.display.pages  # pages that measure the display
        page = page_before(self.live, self.participant.arm, asked)
        before = [*(pages[name] for name in first), *filter(None, [page])]
        read = self._read() if before else set()
        return next((page for page in before if page.name not in read), None)

    def _needs_consent(self) -> bool:
        return self.participant.state == "entered" and "consent" in self.live.folder.pages

    def respond(self, name: str, response: PageResponse) -> Json:
        self.refuse_withdrawn()
        page = self.folder.pages.get(name)
        if page is None:
            raise Failure("unknown_page")
        if page.kind != "consent" and self._needs_consent():
            raise Failure("consent_required")
        if page.kind == "consent" and response.agree is None:
            raise Failure("invalid_page", "Consent was neither given nor declined.")
        if response.agree is False:
            # Nothing but the refusal is stored about people who decline.
            response = PageResponse(agree=False)
        elif problem := page.problem(response.values):
            raise Failure("invalid_page", f"{page.title or name}: {problem}.")
        content = response.model_dump(mode="json")
        if self.folder.settings.study.translations and response.agree is not False:
            values = page.as_in(self.live.folder.pages[name], content["values"])
            content |= {"values": values, "language": self.folder.settings.study.language}
        self.live.store.people.respond(self.participant, name, content)
        if self.live.settings.display.refuses(name, content["values"]):
            self.live.store.people.note(self.participant, "server", REFUSED, content["values"])
            self._enter_state("stopped")
        if page.kind == "consent" and self.participant.state == "entered":
            if response.agree:
                self._become(self.live.store.people.consent(*self._opened()))
            else:
                self._become(self.live.store.people.decline(self.participant))
        return self.me()

    def _enter_state(self, state: ParticipantState, code: str | None = None) -> None:
        change = self.live.store.people.set_state
        self._become(change(self.participant, state, code))

    def _become(self, participant: Participant) -> None:
        self.standing = replace(self.standing, participant=participant)

    async def answer(self, answers: list[Answer], want: int) -> Json:
        """Store answers, and serve questions until the page has ``want`` questions.

        If another request of the person intervenes, the standing is read again and the request is
        retried; if the standing was cached, StaleError is raised. If any question was not asked of
        this person, or any response is invalid, no answer is stored.
        """
        for _ in range(1 if self.remembered else TRIES):
            try:
                return await self._answer(answers, want)
            except StaleError:
                if self.remembered:
                    raise
            again = await self.find(self.live, self.standing.token_hash, self.token, self.language)
            self.standing = again.standing
        raise Failure("unavailable")

    async def _answer(self, answers: list[Answer], want: int) -> Json:
        await self._begin()
        store, person = self.live.store, self.participant
        beside = self.live.ahead
        # If nothing is prefetched, the next question is chosen after these answers are stored.
        ahead, waits = min(want, beside + 1), beside == 0
        turn = await off_the_loop(self.live, self._turn, answers, want, ahead, waits)
        kept, served = await store.answers.take.soon(
            person,
            [answer for answer, _ in turn.answered],
            turn.next,
            ahead,
            self.standing,
        )
        asked = {question.id: question for _, question in turn.answered}
        new = [asked[ack.question_id].purpose for ack in kept if ack.new]
        progress = self.standing.progress.after(new, len(served))
        now = replace(self.standing, out=(*turn.left, *served), progress=progress)
        if waits and (next_ones := self._next(now, ahead, now.out)):
            served = await store.questions.serve.soon(person, next_ones, ahead)
            now = replace(now, out=(*now.out, *served), progress=progress.after((), len(served)))
        self.standing = now
        return self.place() | {
            "acknowledged": [ack.question_id for ack in kept],
            "questions": self.questions(),
            "feedback": [line for pair in turn.answered for line in self._feedback(*pair)],
        }

    def _turn(self, answers: list[Answer], want: int, ahead: int, waits: bool) -> Turn:
        out = {question.id: question for question in self.standing.out}
        answered = [self._checked(answer, out) for answer in answers]
        if not answered and not out and want and self.live.ordered != "open":
            raise Failure(self.live.ordered)
        given = {answer.question_id for answer, _ in answered}
        left = tuple(question for question in self.standing.out if question.id not in given)
        return Turn(answered, left, [] if waits else self._next(self.standing, ahead, left))

    async def _begin(self) -> None:
        self.refuse_withdrawn()
        if self._needs_consent():
            raise Failure("consent_required")
        if self.participant.state == "entered":
            self._become(await self.live.store.people.consent.soon(*self._opened()))

    def _opened(self) -> tuple[Participant, str | None, Json]:
        return self.participant, *opened(self.token, self.participant)

    def _checked(self, answer: Answer, out: dict[str, Served]) -> Told:
        asked = out.get(answer.question) or self.live.question(answer.question)
        if asked is None or asked.participant != self.participant.id:
            raise Failure("unknown_question", questions=[answer.question])
        response = None
        if answer.skipped and not (self.live.settings.tasks.skip or answer.client.unshown):
            problem = "No question of this study may be skipped."
            raise Failure("invalid_response", problem, questions=[asked.id])
        if not answer.skipped:
            try:
                response = KINDS[asked.kind].check(asked.spec, answer.response)
            except ResponseError as error:
                problem = f"Question {asked.id}: {error}."
                raise Failure("invalid_response", problem, questions=[asked.id]) from None
            response |= self._reason(answer, asked)
        client = answer.client.model_dump(mode="json")
        return AnswerIn(asked.id, response, answer.rt_ms, client, answer.skipped), asked

    def _reason(self, answer: Answer, asked: Served) -> Json:
        if answer.reason is None:
            return {}
        words = visible(answer.reason)
        if len(words) > LONGEST_REASON or not asks_reason(self.live, asked):
            problem = (
                f"Question {asked.id}: a reason of {len(words):,} characters. At most "
                f"{LONGEST_REASON} are taken, and none if the question asks for none."
            )
            raise Failure("invalid_reason", problem, questions=[asked.id])
        return {REASON: words}

    def _next(self, at: Standing, ahead: int, left: tuple[Served, ...]) -> list[Wanted]:
        if self.participant.state != "consented" or self.live.ordered != "open":
            return []
        undone = self.total - at.progress.done - len(at.out)
        n = int(min(ahead - len(left), undone, self._until_read(at)))
        return next_questions(self.live, self.participant, at.progress.asked, n) if n > 0 else []

    def _until_read(self, at: Standing) -> float:
        asked, arm = at.progress.asked, self.participant.arm
        if not asked and self.live.settings.display.pages and self._unread(at):
            return 0
        if not arm:
            return float("inf")
        if asked and page_before(self.live, arm, asked) and (at.out or self._unread(at)):
            return 0
        end = self.live.settings.block_ends(arm, asked)
        return end - asked if page_before(self.live, arm, end) else float("inf")

    def _feedback(self, answer: AnswerIn, asked: Served) -> list[Json]:
        if answer.skipped or not has_feedback(self.live, asked):
            return []
        right = KINDS[asked.kind].right(asked.spec, answer.response)
        return [{"question": asked.id, "right": bool(right)}]

    def finish(self) -> Json:
        """Finish a person's participation; raise Failure if answers or pages are missing."""
        self.refuse_withdrawn()
        state = self.place()["state"]
        if state not in ("debrief", "finished"):
            missing = max(0, self.total - self.standing.progress.done)
            said = None if missing else "A page has not been filled in."
            raise Failure("unfinished", said, missing=missing)
        if state == "debrief":
            self._enter_state("finished", self._code())
        return completion(self.live.settings, self.participant)

    def _code(self) -> str | None:
        """Return the completion code; None if a researcher must first check the answers."""
        simulated = self.participant.source == SIMULATED
        if not simulated and (held := Quality.held(self.live, self.participant)):
            reason = "; ".join(verdict.reason for verdict in held)
            self.live.store.people.note(self.participant, "server", HELD, {"reason": reason})
            return None
        return self.live.settings.recruitment.completion_code or secrets.token_hex(4).upper()


def visible(text: str) -> str:
    r"""Return a text in one line, without invisible characters.

    >>> visible("  a\n<b>\0  louder \u202e ")
    'a <b> louder'
    """
    kept = (c for c in text if c.isspace() or c in JOINERS or category(c) not in INVISIBLE)
    return " ".join("".join(kept).split())


def withdraw(who: Participation, keep: bool) -> dict[str, Any]:
    live, person = who.live, who.participant
    if not live.settings.recruitment.withdraw:
        raise Failure("no_withdrawal")
    if keep:
        live.store.people.withdraw(person, stand_in(live.folder.path, person))
    else:
        _erase(live, person)
    returned = person.source in RETURNED_BY_HAND and person.finished is None
    return {"kept": keep, "service": person.source if returned else None}


def _erase(live: LiveStudy, person: Participant) -> None:
    try:
        live.store.people.erase(person, BY_ONESELF)
    except LeftoverError as error:
        log.error("%s: %s", person.code, error)
