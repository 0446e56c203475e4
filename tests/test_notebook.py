"""Cards in notebooks, and the tables of results."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.embeddings import LoadingSpread, Reproducibility
from resemblance.notebook import LINES, ROWS, Card, in_words
from resemblance.scaling import ScaleIntervals

EVIL = "<script>alert(1)</script>"
NAMES = [EVIL, "jazz & soul", *(f"item {k}" for k in range(6))]


class Page(HTMLParser):
    """The tags, attributes and texts of a piece of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)

    def after(self, name):
        return self.texts[self.texts.index(name) + 1]


def shown(thing):
    return Page(thing._repr_html_())


@pytest.fixture(scope="module")
def answers():
    person = rs.SpaceObserver(np.random.default_rng(0).normal(size=(8, 2)), random_state=0)
    rng = np.random.default_rng(1)
    told = person.answer(np.array([rng.choice(8, 3, replace=False) for _ in range(400)]))
    return rs.Triplets(
        told.index,
        NAMES,
        weight=np.ones(400),
        observer=np.tile(["ann", EVIL], 200),
        extra={"rt_ms": np.arange(400)},
    )


@pytest.fixture(scope="module")
def model(answers):
    return rs.STE(random_state=0).fit(answers)


@pytest.fixture(scope="module")
def results(answers, model):
    loadings = np.random.default_rng(0).random((8, 3))
    rdms = rs.rdm(model)
    noise = np.random.default_rng(0).random((3, 28))
    people = rs.RDMs(noise, NAMES, ["ann", "bob", EVIL])
    choices = rs.Choices([0, 1], [[1, 2, 3], [2, 3, -1]], [1, 2], items=NAMES)
    scale = np.array([[0, 2.0], [0, 0.2], [0, 1.6], [0, 2.4]])
    images = np.zeros((4, 2, 2))
    return [
        answers,
        choices,
        rs.Ratings([[0, 1]], [3], 7, items=NAMES),
        rs.judgments.CatchTrials([[0, 0, 2], [1, 2, 1]], items=NAMES),
        rs.Classifications(images, [EVIL, "no", EVIL, "no"]),
        answers.items,
        model,
        rs.STE(),
        rs.evaluate(model, answers, cv=2),
        rs.select_dimension(rs.STE(random_state=0), answers, [1, 2], cv=rs.GroupedKFold(3)),
        rs.compare_models(answers, {EVIL: rs.STE(random_state=0), "soe": rs.TSTE(random_state=0)}),
        rs.nearest_items(model, 2),
        rs.noise_ceiling(answers),
        rdms,
        people,
        rs.compare_rdms(people, rdms, n_resamples=100, random_state=0),
        rs.rdm_noise_ceiling(people),
        rs.unsupervised_alignment(rdms, rdms, n_starts=5, n_draws=19),
        rs.Session(NAMES),
        LoadingSpread(loadings, loadings, loadings, loadings, 30),
        Reproducibility(loadings[0], loadings[1], loadings[1].astype(int), 5, 2),
        ScaleIntervals(*scale),
        rs.asking.study_cost(1000),
        rs.clean(answers)[1],
        rs.fitting.space_posterior(answers),
        rs.fitting.averaged_uncertainty(model, answers),
        rs.feature_directions(model, {EVIL: np.arange(8.0)}),
        rs.classification_image(rs.Classifications(np.eye(6), list("ababab"))),
        rs.templates.compare_strategies(np.full(50, -0.5), np.full(50, -0.6)),
        rs.explained(rs.ModelObserver(model.embedding_, "euclidean"), answers, 0.9),
    ]


def test_every_card_is_inert_and_fetches_nothing(results):
    for thing in results:
        page = shown(thing)
        assert {*page.tags} <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "em"}
        assert {name for name, _ in page.attributes} <= {"style"}
        styles = " ".join(value for _, value in page.attributes)
        assert "url(" not in styles
        assert "#" not in styles  # no colour of its own: light and dark


def test_every_result_prints_at_most_15_lines_and_is_a_table(results):
    for thing in results:
        if not hasattr(thing, "fit"):
            assert len(str(thing).splitlines()) <= LINES
            assert isinstance(thing.to_pandas(), pd.DataFrame)


def test_a_name_that_is_markup_is_shown_as_text(answers, model):
    for thing in (answers, answers.items, rs.nearest_items(model, 2), model):
        assert EVIL in shown(thing).texts


def test_the_card_of_judgments_counts(answers):
    page = shown(answers)
    assert page.texts[0] == "Triplets"
    assert (page.after("rows"), page.after("items"), page.after("people")) == ("400", "8", "2")
    assert page.tags.count("tr") - 4 == 1 + ROWS
    assert f"and {400 - ROWS} more rows" in page.texts
    assert "responses" not in page.texts


def test_the_card_of_a_model_says_what_was_learned(model):
    page = shown(model)
    assert page.after("items") == "8"
    assert page.after("converged") == "yes"
    assert page.after("embedding") == "8 x 2 values"
    assert page.after("loss") == in_words(model.loss_)
    assert shown(rs.STE()).after("fitted") == "no"


def test_notebooks_get_the_card_in_place_of_a_diagram(model):
    from sklearn import config_context

    assert model._repr_mimebundle_()["text/html"] == model._repr_html_()
    with config_context(display="text"):
        assert [*model._repr_mimebundle_()] == ["text/plain"]


def test_the_card_of_a_report_has_its_lines(answers, model):
    found = rs.evaluate(model, answers, cv=2)
    page = shown(found)
    assert all(page.after(name) == words for name, words in found.lines())


def test_a_card_of_few_rows_speaks_of_no_more():
    page = Page(Card("few", {"none": None}, pd.DataFrame({"a": [1.5, np.nan]})).html())
    assert page.texts == ["few", "a", "1.5"]


def test_the_card_of_a_session_counts_what_was_asked():
    session = rs.Session(5)
    question = session.ask()
    assert shown(session).after("out") == "1"
    session.tell(question, question.options[0])
    assert shown(session).after("answers") == "1"


def test_the_first_matrix_of_rdms_is_shown_with_its_names():
    rdms = rs.RDMs([[1.0, 2.0, 3.0], [2.0, 2.0, 4.0]], ["a", EVIL, "c"], ["ann", "bob"])
    page = shown(rdms)
    assert page.after("matrices") == "2"
    assert page.texts[-12:] == ["a", "0", "1", "2", EVIL, "1", "0", "3", "c", "2", "3", "0"]


def test_tables_of_items_hold_all_that_is_known():
    items = rs.Items(
        ["a", "b"], [[1.0, 2.0], [3.0, 4.0]], labels=["x", "y"], titles=["A", "B"]
    ).to_pandas()
    assert [*items.columns] == ["item", "name", "label", "feature_0", "feature_1"]
    views = rs.Items(features={"hue": np.eye(2), "size": [[1.0], [2.0]]}).to_pandas()
    assert views["size_0"].tolist() == [1.0, 2.0]


def test_tables_of_results_have_their_numbers(answers, model):
    curve = rs.select_dimension(rs.STE(random_state=0), answers, [1, 2], cv=rs.GroupedKFold(3))
    table = curve.to_pandas()
    assert table["dimensions"].tolist() == [1, 2]
    assert table["error"].to_numpy() == pytest.approx(curve.error_mean)
    held = rs.evaluate(model, answers, cv=2).held_out.to_pandas()
    assert len(held) == 2
    loadings = np.arange(6.0).reshape(3, 2)
    long = LoadingSpread(loadings, loadings, loadings, loadings + 1, 30).to_pandas()
    row = long.query("item == 2 and dimension == 1").iloc[0]
    assert (row["loading"], row["highest"]) == (5.0, 6.0)
    again = Reproducibility(np.array([0.9]), np.array([0.8]), np.array([4]), 3, 5).to_pandas()
    columns = {"dimension": [0], "seeds": [0.9], "halves": [0.8], "found_again": [4], "splits": [5]}
    assert again.to_dict("list") == columns


def test_uncertainty_is_a_row_for_each_item(answers, model):
    sure = rs.fitting.averaged_uncertainty(model, answers)
    table = sure.to_pandas()
    assert [*table] == ["deviation", "var_x1", "var_x2", "cov_x1_x2"]
    np.testing.assert_allclose(table["deviation"] ** 2, table["var_x1"] + table["var_x2"])
    np.testing.assert_array_equal(table["cov_x1_x2"], sure.item_covariances[:, 0, 1])


def test_a_result_without_a_table_gives_its_facts(answers):
    facts = rs.noise_ceiling(answers).to_pandas()["value"]
    assert facts["n questions"] == rs.noise_ceiling(answers).n_questions


def test_what_holds_a_table_gives_a_copy():
    table = pd.DataFrame({"model": ["pixels"], "estimate": [0.2]})
    found = rs.rdms.RDMComparison("spearman", ("items",), table, pd.DataFrame(), None)
    taken = found.to_pandas()
    taken.loc[0, "estimate"] = 1.0
    assert found.table["estimate"].tolist() == [0.2]
