"""The worker: it asks by what was answered, and goes on wherever it was ended."""

import json
import multiprocessing
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from postgres import postgresql
from resemblance.store import AnswerIn, Wanted
from resemblance.study.files import CLICKS
from resemblance.study.settings import About, Recruitment, Settings
from resemblance.study.worker.fitting import Background
from resemblance.study.worker.learner import LEAST
from resemblance.study.worker.report import cost
from small_study import SMALL, Hands, People, live_and_work, open_study


@pytest.fixture
def live(tmp_path):
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/study.sqlite")
    yield live
    live.store.close()


def play(hands, people, rounds, n=6):
    hands.settle()
    for _ in range(rounds):
        people.answer(n)
        hands.settle()


def strategies(live):
    return Counter(one.spec["strategy"] for one in live.store.questions.all(live.record))


def asked(live):
    """Whether a worker was quick enough to choose something that was asked."""
    return any(one.spec["session"] is not None for one in live.store.questions.all(live.record))


def main_answers(live):
    return [one for one in live.store.answers.after(live.record, 0, 10**6) if one.purpose == "main"]


def test_questions_come_from_the_pool_and_then_follow_from_the_answers(live):
    hands, people = Hands(live), People(live, 4)
    play(hands, people, 20)
    asked = strategies(live)
    assert asked["start"] == 36
    assert asked["predictive"] > 20
    assert live.store.pool.size(live.record) >= LEAST
    fits = live.store.events.audit(live.record, "fit")
    assert [event.details["number"] for event in fits] == list(range(1, len(fits) + 1))
    assert fits[-1].details["answers"] <= len(hands.session.answers) == len(main_answers(live))
    told = list(hands.session.answers.values())
    names = live.folder.names
    for answer, kept in zip(told, main_answers(live), strict=True):
        assert names[answer.question.head] == kept.spec["head"]
        assert names[answer.chosen] == kept.spec["options"][kept.response["chosen"]]
        assert answer.observer == kept.code


def test_after_an_end_a_new_worker_goes_on(live):
    people = People(live, 4)
    first = Hands(live)
    play(first, people, 14)
    out = [people.live.store.questions.serve(one, [wanted(live)])[0] for one in people.persons]
    pool, session = live.store.pool.size(live.record), first.session
    first.work.close()
    second = Hands(live)
    second.work.step(second.threads)
    again = second.session
    assert live.store.pool.size(live.record) >= pool
    assert again.n_fits == session.n_fits
    assert [(a.question.head, a.chosen) for a in again.answers.values()] == [
        (a.question.head, a.chosen) for a in session.answers.values()
    ]
    assert again.model_.embedding_ == pytest.approx(session.model_.embedding_, rel=1e-4, abs=1e-4)
    assert again.current_shares() == session.current_shares()
    assert Counter(q.key for q in again.pending.values()) == Counter(
        q.key for q in session.pending.values()
    )
    for person, question in zip(people.persons, out, strict=True):
        live.store.answers.take(person, [AnswerIn(question.id, {"chosen": 0}, 800.0)])
    noted = len(again.questions)
    second.settle()
    assert len(again.answers) == len(main_answers(live))
    assert all(q.strategy != "noted" for q in again.questions[noted:])
    before = strategies(live)["predictive"]
    play(second, people, 6)
    assert strategies(live)["predictive"] > before
    assert again.n_fits > session.n_fits


def test_the_stock_follows_the_pace_and_what_an_older_fit_chose_is_asked_last(live):
    live.clock = lambda: 0.0  # as if all answers had come just now
    hands, people = Hands(live), People(live, 4)
    play(hands, people, 12)
    pool, session = live.store.pool, hands.session
    fits = session.n_fits
    while session.n_fits == fits:
        play(hands, people, 1)
    told = len(main_answers(live))
    fresh, waiting = pool.size(live.record, session.n_fits), pool.waiting(live.record)
    assert fresh == LEAST + told
    assert len(waiting) == len(session.pending) + len(waiting[fresh:]) > fresh
    live.store.questions.serve(people.persons[0], [wanted(live)] * fresh)
    (late,) = live.store.questions.serve(people.persons[1], [wanted(live)])
    assert late.spec == waiting[fresh]
    live.store.answers.take(people.persons[1], [AnswerIn(late.id, {"chosen": 0}, 800.0)])
    hands.settle()
    assert len(session.answers) == told + 1


def test_clicks_that_visitors_shared_are_fitted_without_further_answers(tmp_path):
    sections = f"{SMALL}held_out = 0.4\n[search]\npublic = true\nkeep_clicks = true\n"
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/s.sqlite", sections=sections)
    hands, people, rng = Hands(live), People(live, 4), random.Random(0)
    play(hands, people, 30, n=8)
    before, spaces = live.store.events.audit(live.record, "fit"), live.store.spaces
    space = spaces.latest(live.record).id
    with (live.folder.path / CLICKS).open("w") as file:
        for number in range(200):
            head, *options = rng.sample(live.folder.names, 6)
            place = people.choose(0, {"head": head, "options": options})
            row = {"head": head, "chosen": options[place], "options": options}
            file.write(json.dumps(row | {"search": f"{number:064}"}) + "\n")
    hands.settle()
    (*_, last) = fits = live.store.events.audit(live.record, "fit")
    assert len(fits) == len(before) + 1
    session = hands.session
    assert session.clicks.told == 200
    assert last.details["click_weight"] == session.clicks.weight
    assert last.details["answers"] == len(session.answers)
    assert spaces.latest(live.record).id > space
    hands.work.close()
    again = Hands(live)
    again.begin()
    assert again.session.clicks == session.clicks
    live.store.close()


def wanted(live):
    return Wanted(live.kind.spec(live.folder.material, random.Random(0)), pool=True)


def test_an_exclusion_takes_effect_in_the_next_fit_and_can_be_taken_back(live):
    hands, people = Hands(live), People(live, 4)
    play(hands, people, 12)
    person, fits = people.persons[1], hands.session.n_fits
    live.store.people.exclude(person, True, "did not look", "researcher")
    hands.watch()
    assert hands.session.n_fits == fits + 1
    assert person.code not in set(hands.session.judgments().observer)
    event = live.store.events.audit(live.record, "fit")[-1]
    assert event.details["left_out"] == [person.code]
    live.store.people.exclude(person, False, "a mistake", "researcher")
    hands.watch()
    assert person.code in set(hands.session.judgments().observer)
    assert live.store.events.audit(live.record, "fit")[-1].details["left_out"] == []
    live.store.people.erase(person, "researcher")
    hands.watch()
    hands.settle()
    assert person.code not in set(hands.session.judgments("all").observer)


def test_settings_that_no_session_takes_leave_the_pages_to_random_questions(tmp_path):
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/s.sqlite", sections=SMALL)
    settings = live.settings  # study.toml could not say so: the copy is not checked
    asking = settings.asking.model_copy(update={"model": "gnmds"})
    live.folder = replace(live.folder, settings=settings.model_copy(update={"asking": asking}))
    hands, people = Hands(live), People(live, 2)
    hands.settle()
    people.answer(12)
    hands.settle()
    assert hands.asker is None
    assert "probability" in live.store.events.audit(live.record, "failed")[0].details["reason"]
    assert hands.work.quality.row("P0001")["answers"] > 0


def test_killed_at_any_moment_it_goes_on(tmp_path):
    """On PostgreSQL; tests/web/test_crash.py kills a worker on a file."""
    url = postgresql().create()
    live = open_study(tmp_path / "dots", url)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["resemblance.study.worker.learner"])
    people, chance = People(live, 4), random.Random(0)
    for life in range(3):
        worker = context.Process(target=live_and_work, args=(tmp_path / "dots", url))
        worker.start()
        until = time.monotonic() + chance.uniform(0.1, 1.5 if life else 5.0)
        late = time.monotonic() + 60.0
        while time.monotonic() < until or (not asked(live) and time.monotonic() < late):
            people.answer(1)
            time.sleep(0.02)
        worker.kill()
        worker.join()
    served = list(live.store.questions.all(live.record))
    keys = [one.spec["session"] for one in served if one.spec["session"] is not None]
    assert len(keys) == len(set(keys)) > 0
    hands, fits = Hands(live), len(live.store.events.audit(live.record, "map"))
    hands.begin()
    told = [hands.session.items.names[a.question.head] for a in hands.session.answers.values()]
    assert told == [answer.spec["head"] for answer in main_answers(live)]
    play(hands, people, 4, n=20)
    assert len(live.store.events.audit(live.record, "map")) > fits
    last = list(live.store.questions.all(live.record))[-20:]
    assert "predictive" in {one.spec["strategy"] for one in last}
    hands.work.close()
    live.store.close()


def test_work_beside_the_loop_is_collected_when_it_has_ended():
    work = Background()
    with ThreadPoolExecutor(1) as threads:
        work.begin(threads, lambda: 3)
    assert (work.ended().result(), work.is_busy) == (3, False)


def test_the_cost_of_so_many_answers():
    paid = Settings(study=About(name="ties"), recruitment=Recruitment(pay=2.0, minutes=10.3))
    price = {"trials": 1000, "hours": 1.67, "cost": 19.42, "currency": "USD"}
    assert cost(800, paid) == price
