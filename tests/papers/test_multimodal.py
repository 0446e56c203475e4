"""The scripts of papers/multimodal that learn, on made-up data."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from scripts import scripts


@pytest.fixture(scope="module")
def papers():
    with scripts("papers/multimodal") as modules:
        yield modules


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder like mfeat's: every view sees the digits, each with noise of its own."""
    folder, rng = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    (folder / "mfeat").mkdir()
    digits = np.repeat(np.arange(10), 30)
    for view in ("pix", "fou", "kar", "zer", "mor"):
        X = rng.normal(size=(10, 6))[digits] + rng.normal(size=(300, 6))
        table = pd.DataFrame(np.column_stack([X, digits]))
        table.to_csv(folder / "mfeat" / f"mfeat-{view}.csv", index=False)
    return folder


def test_comparisons_follow_the_taxonomy(papers):
    digits = np.repeat(np.arange(10), 4)
    triplets = papers.taxonomy.comparisons(digits, 0)
    nodes = list(papers.taxonomy.spans(papers.taxonomy.TAXONOMY))
    assert set(max(nodes, key=len)) == set(range(10))

    def depth(a, b):
        return min(len(node) for node in nodes if digits[a] in node and digits[b] in node)

    assert all(depth(h, n) < depth(h, f) for h, n, f in triplets.index)
    assert all(h != n for h, n, _ in triplets.index)
    graph = rs.SimilarityGraph(triplets)
    assert graph.acyclic().n_edges == graph.n_edges


def test_item_folds_ask_of_heads_that_are_held_out(papers):
    triplets = papers.taxonomy.comparisons(np.repeat(np.arange(10), 4), 0)
    known = np.arange(0, 40, 2)
    tested = []
    for train, test in papers.learning.item_folds(triplets, known, 4, 0):
        kept = set(triplets.index[train].ravel())
        heads = set(triplets.index[test, 0])
        assert not kept & heads
        assert set(triplets.index[test, 1:].ravel()) <= set(known) - heads
        tested += sorted(heads)
    assert len(tested) == len(set(tested))


def test_a_quick_run_fills_the_table_and_a_second_one_finds_it(papers, data, tmp_path, capsys):
    words = ["--data", str(data), "--out", str(tmp_path), "--quick"]
    papers.taxonomy.main(words)
    table = (tmp_path / "quick" / "taxonomy.md").read_text()
    found = pd.read_csv(tmp_path / "quick" / "taxonomy.csv")
    accuracy = found.set_index(["kernels", "form"])["accuracy"]
    assert accuracy["MKPOE", "full"] > accuracy["MKPOE", "native"]
    assert accuracy["MKPOE", "full"] > accuracy["pixels", "native"]
    assert "| MKPOE |" in table
    assert "noise 5" in table
    capsys.readouterr()
    papers.taxonomy.main(words)
    assert "1/" not in capsys.readouterr().out
    assert (tmp_path / "quick" / "taxonomy.md").read_text() == table


def test_each_use_of_further_answers_is_measured_in_the_same_worlds(papers):
    of = papers.contradictions
    results = of.world(0, 0.2)
    assert set(results) == set(of.USES)
    for wrong, right, share, error in results.values():
        assert share == wrong / (wrong + right)
        assert 0 < error < 0.5
    assert results["new"][1] > results["contradictions"][1] > 0
