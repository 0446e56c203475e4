"""Trials of PsiZ and of PsiZ-Collect, read as choices."""

import json

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, ResemblanceWarning


def page(query, references, choices, n_select=1, ranked=True, **further):
    """A trial as PsiZ-Collect keeps it: eight places, -1 where there is nothing."""
    fill = [-1] * (8 - len(references))
    told = {"content": "trial", "query": query, "nSelect": n_select, "isRanked": ranked}
    arrays = {"references": references + fill, "choices": choices + fill}
    return {**told, **arrays, "submitRtMs": 1200, "choiceRtMs": [900] + [0] * 7, **further}


def session(*pages, worker="w1"):
    message = {"content": "message", "html": "<p>Well done</p>"}
    return {"projectId": "ties", "workerId": worker, "docket": [message, *pages]}


def step(query, references, ranked, kind="rank:8rank2"):
    """A step of a sequence of PsiZ: interactions, not necessarily in their order."""
    shown = [("content:query", query)]
    shown += [(f"content:reference_{n}", name) for n, name in enumerate(references)]
    done = [(f"behavior:rank_{n}", name) for n, name in enumerate(ranked)]
    told = [{"kind": what, "detail": name} for what, name in [*done, *shown]]
    return {"kind": kind, "response_time_ms": 1200, "interactions": told}


def sequence(*steps, person="p1"):
    steps = [*steps, {"kind": "questionnaire:feedback", "interactions": []}]
    return {"version": "1.0", "data": [{"anonymous_id": person, "sequence": steps}]}


def write(path, content):
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def eight(tmp_path):
    """8-rank-2: of 1 to 8, 3 was selected first and 5 second."""
    others = [1, 2, 4, 6, 7, 8]
    collected = session(page(0, [*range(1, 9)], [3, 5, *others], n_select=2))
    asset = "PZ00100000{:02d}".format
    kept = sequence(step(asset(0), [asset(n) for n in range(1, 9)], [asset(3), asset(5)]))
    return write(tmp_path / "collect.json", collected), write(tmp_path / "seq.json", kept)


def test_a_ranked_selection_is_a_product_of_choices(eight):
    for path in eight:
        choices = rs.read_psiz(path)
        assert choices.n_options.tolist() == [8, 7]
        assert choices.response_id.tolist() == [0, 0]
        names = [choices.items.names[i] for i in choices.index[:, 1]]
        assert [int(name[-1]) for name in names] == [3, 5]
        assert choices.extra["rt_ms"].tolist() == [1200, 1200]
    assert rs.read_psiz(eight[0]).observer.tolist() == ["w1", "w1"]


def test_a_selection_without_order_says_nothing_between_those_selected(tmp_path):
    path = write(tmp_path / "a.json", session(page(0, [1, 2, 3, 4], [2, 4, 1, 3], 2, False)))
    triplets = rs.judgments.triplets_from_choices(rs.read_psiz(path))
    assert {tuple(row) for row in triplets.index.tolist()} == {
        (0, 2, 1), (0, 2, 3), (0, 4, 1), (0, 4, 3),
    }  # fmt: skip


def test_stimuli_lend_their_names_and_all_are_items(tmp_path, eight):
    lines = [f"ties/tie {n}.jpg" for n in range(12)]
    (tmp_path / "stimuli.txt").write_text("\n".join(lines))
    named = rs.read_psiz(eight[0], tmp_path / "stimuli.txt")
    assert named.items.names == tuple(f"tie {n}" for n in range(12))
    rows = [f"00000{n:02d}|/ties/a/tie {n}.jpg|silk" for n in range(12)]
    (tmp_path / "table.txt").write_text("\n".join(["local_id|filepath|stuff", *rows]))
    table = rs.read_psiz(eight[1], tmp_path / "table.txt")
    assert table.items.names == named.items.names
    np.testing.assert_array_equal(named.index, table.index)
    (tmp_path / "short.txt").write_text("\n".join(lines[:5]))
    with pytest.raises(FileError, match="worker w1, page 2: '5' is not among the 5 stimuli"):
        rs.read_psiz(eight[0], tmp_path / "short.txt")


def test_a_folder_is_read_file_by_file(tmp_path):
    for person in ("ann", "bob"):
        trials = sequence(step("a", ["b", "c"], ["c"], "rank:2rank1"), person=person)
        write(tmp_path / f"seq_{person}.json", trials)
    choices = rs.read_psiz(tmp_path)
    assert choices.observer.tolist() == ["ann", "bob"]
    assert choices.response_id.tolist() == [0, 1]
    write(tmp_path / "seq_cem.json", sequence(step("a", ["b", "c"], ["d"])))
    with pytest.raises(JudgmentError, match=r"seq_cem.json, person p1, step 1: .*'d' is not among"):
        rs.read_psiz(tmp_path)


def test_catch_trials_count_once(tmp_path):
    """The query is also a reference: only the first choice shows whether somebody looked."""
    missed = page(0, [0, 1, 2], [1, 0, 2], 2, isCatch=True)
    found = page(0, [0, 1, 2], [0, 1, 2], 2, isCatch=True)
    path = write(tmp_path / "a.json", session(page(0, [1, 2], [1, 2]), missed, found))
    with pytest.raises(JudgmentError, match="page 3: the head '0' is also among its options"):
        rs.read_psiz(path)
    choices = rs.read_psiz(path, on_error="skip")
    assert len(choices) == 1
    assert choices.catches.passed.tolist() == [False, True]


def test_trials_without_an_answer_are_told(tmp_path):
    open_page = {"content": "trial", "query": 0, "references": [1, 2], "nSelect": 1, "isRanked": 1}
    path = write(tmp_path / "a.json", [session(page(0, [1, 2], [1, 2])), session(open_page)])
    with pytest.warns(ResemblanceWarning, match="1 trials have no answer: left out"):
        assert len(rs.read_psiz(path)) == 1


def test_steps_of_other_kinds_are_told(tmp_path):
    rating = {"kind": "rate:1rate", "interactions": []}
    path = write(tmp_path / "a.json", sequence(step("a", ["b", "c"], ["c"]), rating))
    with pytest.warns(ResemblanceWarning, match="steps of the kind 'rate:1rate' rank nothing"):
        assert len(rs.read_psiz(path)) == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"trials": []}, "a.json, a session has no 'data' or 'docket'; it has 'trials'"),
        (session({"content": "trial", "query": 1}), "page 2 has no 'references'"),
        (session(), "a.json holds no trial in which something was selected"),
        ({"data": [{"sequence": []}]}, "a.json, a sequence has no 'anonymous_id'"),
        (sequence(step("a", ["b"], ["b"]) | {"interactions": []}), "step 1 has no query"),
    ],
)
def test_other_json_is_refused(tmp_path, content, problem):
    with pytest.raises(FileError, match=problem):
        rs.read_psiz(write(tmp_path / "a.json", content))
