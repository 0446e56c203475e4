"""PostgreSQL gives numbers before it commits: whoever follows the log must miss none."""

import threading

from resemblance.store import AnswerIn, Store, Wanted
from resemblance.store.questions import Turn, take_turns


def test_an_answer_that_is_committed_late_is_not_passed_over(server_url):
    taken, go = threading.Event(), threading.Event()

    def slowly(connection, turns):
        """Take a number, and commit only when told to."""
        outcome = take_turns(connection, 0.0, turns)
        taken.set()
        go.wait(10)
        return outcome

    with Store.open(server_url) as slow, Store.open(server_url) as quick:
        study = slow.studies.add("ties", "", {})
        people = [slow.people.enter(study, "open", None, f"{i}") for i in range(2)]
        first, second = (
            slow.questions.serve(one, [Wanted({"kind": "triplet"})])[0] for one in people
        )
        waiting = slow.database.writer.submit(slowly, Turn(people[0], [AnswerIn(first.id, 1)]))
        taken.wait(10)
        quick.answers.take(people[1], [AnswerIn(second.id, 1)])
        threading.Timer(0.2, go.set).start()
        log = quick.answers.after(study)
        assert waiting.result()
    assert [answer.question for answer in log] == [first.id, second.id]
