"""Clicks of searches, fitted beside the answers as far as they make held-out answers likelier."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.asking.fit_job import ClickWeight, FitJob
from resemblance.asking.log import fit_line, fit_of_line

N = 24
MODEL = rs.TSTE(2, penalty="auto", tol=1e-3, random_state=0)


class World:
    def __init__(self, seed, n_answers=200, n_clicks=300):
        self.rng = np.random.default_rng(seed)
        self.X = 2.0 * self.rng.normal(size=(N, 2))
        self.person = rs.SpaceObserver(self.X, rs.choice.Relative(0.05), random_state=seed)
        self.answers, self.held_out = (
            self.person.answer(rs.Triplets(self.drawn(m, 3))) for m in (n_answers, 150)
        )
        pages = self.drawn(n_clicks, 7)
        asked = rs.Choices(pages[:, 0], pages[:, 1:], pages[:, 1])
        self.clicks = {"honest": self.person.answer(asked), "at random": asked}

    def drawn(self, m, width):
        return np.array([self.rng.choice(N, width, replace=False) for _ in range(m)])

    def fitted(self, who=None):
        clicks = None if who is None else self.clicks[who]
        job = FitJob(MODEL, self.answers, self.held_out, None, 0, 200, clicks=clicks)
        return job.run()

    def n_clicks(self, model):
        """Count the clicks of a search for each item."""
        n = 0
        for target in range(N):
            search = rs.Search(model, 3)
            while target not in (shown := search.show()):
                answer = self.person.answer(rs.Choices([target], [shown], [shown[0]]))
                search.choose(int(answer.index[0, 1]))
            n += len(search.answers)
        return n


@pytest.mark.long
def test_honest_clicks_shorten_searches():
    worlds = [World(seed) for seed in range(4)]
    alone, both = ([world.fitted(who) for world in worlds] for who in (None, "honest"))
    assert all(result.clicks.told == 300 for result in both)
    assert sum(result.clicks.weight > 0 for result in both) >= 2
    before, after = (
        sum(world.n_clicks(one.model) for world, one in zip(worlds, results, strict=True))
        for results in (alone, both)
    )
    assert after < before


@pytest.mark.long
def test_clicks_at_random_change_nothing():
    """By chance one in some twenty worlds gives them a weight."""
    n_weighed = 0
    for seed in range(6):
        world = World(seed)
        alone, both = world.fitted(), world.fitted("at random")
        if both.clicks != ClickWeight(0.0, 300):
            n_weighed += 1
            continue
        np.testing.assert_array_equal(both.model.embedding_, alone.model.embedding_)
        assert both.held_out_loss.tolist() == alone.held_out_loss.tolist()
    assert n_weighed <= 2


def test_the_weight_is_chosen_again_with_a_quarter_more_clicks():
    world = World(0)
    session = rs.Session(N, model=MODEL, auto_refit=False, held_out=0.5, start_per_head=1)
    while len(session.answers) < 200:
        question = session.ask()
        session.tell(question, question.answered_by(world.person))
    session.refit()
    clicks = world.clicks["honest"]
    session.adopt(session.fit_job(clicks=clicks[:200]).run())
    assert session.clicks.told == 200
    session.adopt(session.fit_job(clicks=clicks[:240]).run())
    assert session.clicks.told == 200
    session.adopt(session.fit_job(clicks=clicks).run())
    assert session.clicks.told == 300
    session.refit()  # without clicks
    assert session.clicks == ClickWeight()


def test_the_log_keeps_the_weight():
    result = World(0).fitted("honest")
    again = fit_of_line(fit_line(result, None), rs.TSTE(2), rs.Items(N))
    assert again.clicks == result.clicks
