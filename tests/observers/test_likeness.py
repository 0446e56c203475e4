"""Machines among people: who is found, who is not, and what is refused."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.observers.likeness import standing_out

N_ITEMS, PEOPLE, EACH = 24, 12, 100


def crowd_with(*bots, seed=0, turns=(), each=EACH):
    """Let people who differ, and bots, answer as many questions; turns: who ends in guesses."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(N_ITEMS, 2))
    people = [
        rs.SpaceObserver(
            0.7 * points * np.exp(0.2 * rng.normal(size=2)), lapse=0.05, random_state=i
        )
        for i in range(PEOPLE)
    ]
    everybody = [*people, *(bot(points, rng) for bot in bots)]
    rows, who = [], []
    for number, one in enumerate(everybody):
        asked = np.array([rng.choice(N_ITEMS, 3, replace=False) for _ in range(each)])
        index = one.answer(asked).index.copy()
        if number in turns:
            half = each // 2
            index[half:] = rs.InattentiveObserver(seed).answer(asked[half:]).index
        rows.append(index)
        who += [f"{number:02d}"] * each
    return points, rs.Triplets(np.vstack(rows), items=N_ITEMS, observer=who)


def network(points, rng):
    """Half of what people see, and as much that they do not."""
    seen = np.hstack([points, rng.normal(size=points.shape)])
    return rs.ModelObserver(seen, "euclidean", temperature=1e-6, random_state=1)


def literature(points, rng):
    """What people see, without noise."""
    return rs.ModelObserver(points, "euclidean", temperature=1e-6, random_state=1)


def test_the_machine_that_is_named_is_told():
    rng = np.random.default_rng(3)
    points = np.random.default_rng(0).normal(size=(N_ITEMS, 2))
    bot = network(points, rng)
    _, answers = crowd_with(lambda *_: bot, each=2 * EACH)
    table = rs.machine_likeness(answers, rs.STE(penalty="auto").fit(answers), {"net": bot})
    last = table.iloc[-1]
    assert last["agreement_net"] == 1.0
    assert last["z_net"] > 4
    assert last["flagged"]
    assert last["machine"] == pytest.approx(max(last["z_net"], last["z_map"]))
    assert "net" in last["flags"]
    assert table["machine"].idxmax() == PEOPLE
    assert (table["machine"][:PEOPLE] > 4).sum() <= 1  # of 1,200 people none, in 100 worlds


def test_who_follows_the_map_without_noise_needs_no_model():
    points, answers = crowd_with(literature, each=4 * EACH)
    table = rs.machine_likeness(answers, rs.STE().set_positions(points))
    assert table["z_map"].idxmax() == PEOPLE
    nats = table["gain_map"]  # 98 +- 16 more than any person's in 40 worlds
    assert nats[PEOPLE] > nats[:PEOPLE].max() + 30


def test_a_turn_to_guesses_is_dated():
    points, answers = crowd_with(turns=[4], each=20 * EACH)
    table = rs.machine_likeness(answers, rs.STE().set_positions(points))
    assert table["guesses"].idxmax() == 4  # by 102 +- 25 nats in 25 worlds
    assert abs(table["guesses_from"][4] / EACH - 10) < 1


def test_what_people_are_like_is_not_told_of_a_few():
    _, answers = crowd_with()
    few = answers[np.isin(answers.observer, ["00", "01", "02"])]
    table = rs.machine_likeness(few, rs.STE(penalty=1.0).fit(few))
    assert table["machine"].isna().all()


def test_standing_out_takes_the_spread_of_people():
    n = np.full(9, 100)
    gain = np.array([-40.0, -30, -20, -10, 0, 10, 20, 30, 60])
    z = standing_out(gain, np.full(9, 5.0), n)
    assert (z[:5] == 0).all()
    assert 0 < z[-1] < 4  # they differ so much that 60 is nothing rare
    alike = standing_out(np.append(np.zeros(8), 60.0), np.full(9, 5.0), n)
    assert alike[-1] == pytest.approx(12.0)


def test_odd_ones_out_too():
    rng = np.random.default_rng(0)
    points, other = rng.normal(size=(2, N_ITEMS, 3))
    person = rs.ModelObserver(points, temperature=0.4, random_state=0)
    bot = rs.ModelObserver(other, temperature=1e-6, random_state=0)
    shown = np.array([rng.choice(N_ITEMS, 3, replace=False) for _ in range(900)])
    who = np.repeat([f"{k}" for k in range(9)], 100)
    asked = rs.OddOneOuts(shown, shown[:, 0], N_ITEMS, observer=who)
    index = np.where((who == "8")[:, None], bot.answer(asked).index, person.answer(asked).index)
    answers = rs.OddOneOuts(index, index[:, 0], N_ITEMS, observer=who)
    table = rs.machine_likeness(answers, rs.STE(3, penalty="auto").fit(answers), {"net": bot})
    assert table["machine"].idxmax() == 8
    assert table["flagged"][8]
    assert (table["machine"][:8] > 4).sum() <= 1


def test_a_model_that_lacks_items_is_named():
    _, answers = crowd_with()
    model = rs.STE(penalty=1.0).fit(answers)
    with pytest.raises(rs.errors.JudgmentError, match="net"):
        rs.machine_likeness(answers, model, {"net": rs.ModelObserver(np.eye(3))})
    with pytest.raises(rs.errors.SettingError):
        rs.machine_likeness(answers, model, {"map": rs.ModelObserver(np.eye(N_ITEMS))})


def test_refuses_a_map_of_other_items_and_what_is_no_machine():
    points, answers = crowd_with(each=5)
    turned = rs.STE(2).set_positions(points[::-1], rs.Items(map(str, range(N_ITEMS)[::-1])))
    with pytest.raises(JudgmentError, match="other names"):
        rs.machine_likeness(answers, turned)
    space = rs.STE(2).set_positions(points)
    own = answers.with_extra("strategy", ["random", "observer"] * (len(answers) // 2))
    with pytest.raises(JudgmentError, match="rows 1, 3"):
        rs.machine_likeness(own, space)
    with pytest.raises(SettingError, match="'net'"):
        rs.machine_likeness(answers, space, {"net": rs.SpaceObserver(points)})
