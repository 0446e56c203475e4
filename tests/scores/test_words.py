"""Directions of words: found where people name them, and not told of what one person says."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.scores.words import as_word


def study(seed, n_people=20, n_each=40, triplets=False, n=24):
    """Odd ones out of three in a plane; people say "louder" or "quieter", or "size"."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    shown = rng.random((n_people * n_each, n)).argpartition(3, axis=1)[:, :3]
    person = rs.SpaceObserver(1.5 * points, random_state=seed)
    asked = rs.Triplets(shown, n) if triplets else rs.OddOneOuts(shown, shown[:, 0], n)
    index = person.answer(asked).index
    odd_first = index[:, ::-1] if triplets else index
    z = points[odd_first[:, 0]] - points[odd_first[:, 1:]].mean(axis=1)
    heard = np.abs(z[:, 0]) + rng.gumbel(size=len(z)) / 3 > np.abs(z[:, 1])
    words = np.where(heard, np.where(z[:, 0] > 0, "Louder", "quieter."), " size")
    who = np.repeat(np.arange(n_people), n_each).astype(str)
    return points, index, words.astype(object), who


def answers(index, words, who, triplets=False, n=24):
    more = {"observer": who, "extra": {"reason": words}}
    if triplets:
        return rs.Triplets(index, n, **more)
    return rs.OddOneOuts(index, index[:, 0], n, **more)


@pytest.mark.parametrize("triplets", [False, True])
def test_named_directions_are_found(triplets):
    points, index, words, who = study(0, triplets=triplets)
    found = rs.scores.word_directions(points, answers(index, words, who, triplets))
    table = found.to_pandas().set_index("word")
    assert {*table.index} == {"louder", "quieter", "size"}
    assert found.shown == [0, 1, 2]
    assert table["one_way"].to_dict() == {"louder": True, "quieter": True, "size": False}
    along = table[["x1", "x2"]]
    np.testing.assert_allclose(np.linalg.norm(along, axis=1), 1.0)
    assert along.loc["louder", "x1"] > 0.9
    assert along.loc["quieter", "x1"] < -0.9
    assert abs(along.loc["size", "x2"]) > 0.9
    assert (table["uses"].sum(), table["people"].max()) == (len(words), 20)
    z = points[index[:, 2 if triplets else 0]] - points[
        np.delete(index, 2 if triplets else 0, axis=1)
    ].mean(axis=1)
    true = np.corrcoef(words == "Louder", z[:, 0])[0, 1]
    assert abs(table.loc["louder", "correlation"] - true) < 0.1


def test_a_turned_map_and_other_orders_give_the_same():
    points, index, words, who = study(1)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    order = np.random.default_rng(0).permutation(len(index))
    found = rs.scores.word_directions(points, answers(index, words, who))
    turned = rs.scores.word_directions(3 * points @ turn, answers(index, words, who))
    mixed = rs.scores.word_directions(points, answers(index[order], words[order], who[order]))
    for other in (turned, mixed):
        assert other.names == found.names
        np.testing.assert_allclose(other.correlation, found.correlation, atol=1e-8)
        np.testing.assert_allclose(other.p_value, found.p_value, rtol=1e-4)
    one_way = found.one_way
    np.testing.assert_allclose(
        turned.direction[one_way], (found.direction @ turn)[one_way], atol=1e-8
    )


def test_nothing_is_told_of_what_two_people_say():
    points, index, words, who = study(2)
    words[np.isin(who, ["3", "4"])] = "zebra"
    found = rs.scores.word_directions(points, answers(index, words, who))
    assert "zebra" not in found.names
    assert "zebra" not in str(found.to_pandas())
    words[np.isin(who, ["5"])] = "Zebra!"
    assert "zebra" in rs.scores.word_directions(points, answers(index, words, who)).names
    alone = np.where(who == "1", "only", "")
    for words in (alone, np.full(len(who), "same"), np.ones(len(who)), np.full(len(who), "")):
        with pytest.raises(SettingError, match="3 people"):
            rs.scores.word_directions(points, answers(index, words, who))


@pytest.mark.parametrize("own", ["odd", "shown"])
def test_words_of_items_are_no_directions(own):
    points, index, _, who = study(3, n_people=30)
    rng = np.random.default_rng(3)
    place = rng.integers(3, size=len(index)) if own == "shown" else np.zeros(len(index), int)
    of_item = np.array([f"w{k}" for k in rng.integers(8, size=24)], dtype=object)
    words = of_item[index[np.arange(len(index)), place]]
    found = rs.scores.word_directions(points, answers(index, words, who))
    assert len(found.names) >= 5
    assert found.p_value.min() > 1e-3


def test_what_cannot_be_told_is_refused():
    points, index, words, who = study(4, n_people=4)
    told = answers(index, words, who)
    with pytest.raises(SettingError, match="23 items, the judgments have 24"):
        rs.scores.word_directions(points[:23], told)
    with pytest.raises(SettingError, match="reason"):
        rs.scores.word_directions(points, rs.OddOneOuts(index, index[:, 0], 24, observer=who))
    unnamed = rs.OddOneOuts(index, index[:, 0], 24, extra={"reason": words})
    with pytest.raises(SettingError, match="observers"):
        rs.scores.word_directions(points, unnamed)
    with pytest.raises(SettingError, match="response_id"):
        rs.scores.word_directions(points, rs.judgments.triplets_from_odd_one_out(told))
    with pytest.raises(SettingError, match="quadruplets"):
        rs.scores.word_directions(np.eye(4, 2), rs.Quadruplets([[0, 1, 2, 3]]))


def test_few_answers_and_flat_maps_tell_nothing():
    points, index, words, who = study(5, n_people=3, n_each=2)
    words = np.resize(["big", "small"], len(words))
    assert rs.scores.word_directions(points, answers(index, words, who)).shown == []
    flat = np.zeros((24, 2))
    points, index, words, who = study(6)
    assert rs.scores.word_directions(flat, answers(index, words, who)).shown == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("  Größe ", "grösse"),
        ("ＬＯＵＤ", "loud"),
        ("cafe\u0301", "caf\u00e9"),
        ("more   red!", "more red"),
        ("¿?", ""),
        (3.0, ""),
        (None, ""),
    ],
)
def test_words_are_compared_without_case_and_form(text, word):
    assert as_word(text) == word
