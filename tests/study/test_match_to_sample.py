"""Match to sample: pairs from a list or chosen, a map while the study runs, psi and its counts."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from typer.testing import CliRunner

import resemblance as rs
from resemblance.catalog import LISTED
from resemblance.choice import Exponential, Gaussian
from resemblance.cli.app import app
from resemblance.errors import SettingError
from resemblance.study.export.files import write_export
from resemblance.study.export.tables import Export
from resemblance.study.questions import next_questions
from resemblance.study.worker.measured import _pairs, psi_beside_counts
from resemblance.web.desk import overview
from resemblance.web.desk.drawing import draw
from resemblance.web.desk.overview import Overview
from resemblance.web.desk.study import TABS
from small_study import Hands, People, make_folder, open_study

TASKS = "[tasks]\nper_participant = 20\npractice = 0\ngold_share = 0.0\n"
CHOSEN = TASKS + "[asking]\nrandom_share = 0.2\nstart_per_head = 8\n"
MAPPED = CHOSEN + "[features]\nfile = 'features.csv'\n"


class Confused(People):
    """People who take the other item for the sample by psi."""

    def choose(self, number, spec):
        a, b = (self.points[name] / 2 for name in spec["options"])
        wrong = self.random.random() < 0.5 * np.exp(-np.sum((a - b) ** 2))
        return spec["options"].index(spec["head"]) ^ int(wrong)


MAPS = [
    pytest.param((CHOSEN, 3), id="coordinates"),
    pytest.param((MAPPED, 2), id="features"),  # a fit tries 110 settings
]


@pytest.fixture(params=MAPS)
def run(request, tmp_path):
    """Run a study of 10 items, as its worker fits and chooses."""
    (tmp_path / "dots").mkdir()
    points = 2 * np.random.default_rng(0).normal(size=(10, 2))  # where people see them
    rows = [f"i{i:04d},{x},{y}" for i, (x, y) in enumerate(points)]
    (tmp_path / "dots" / "features.csv").write_text("\n".join(["item,x,y", *rows]) + "\n")
    url = f"sqlite:///{tmp_path}/study.sqlite"
    sections, n_fits = request.param
    settings = {"n_items": 10, "kind": "match_to_sample", "sections": sections}
    live = open_study(tmp_path / "dots", url, **settings)
    hands, people = Hands(live), Confused(live, 3)
    hands.begin()
    for _ in range(n_fits):
        people.answer(600 // n_fits)
        hands.settle()
    yield live, people
    hands.work.close()
    live.store.close()


def test_desk_export_and_fit_agree(run, tmp_path, monkeypatch):
    live, people = run
    space = live.store.spaces.latest(live.record)
    assert Overview(live).failure is None
    truth = pdist(np.array(list(people.points.values())))
    assert np.corrcoef(truth, pdist(np.array(space.positions)))[0, 1] > 0.5
    log = [answer for answer in live.store.answers.log(live.record) if answer.purpose == "main"]
    chosen = Counter(answer.spec["strategy"] for answer in log)
    assert chosen["predictive"] > 20 < chosen["random"]
    held, psi = space.scores["held_out_trials"], space.scores["psi"]
    assert held["of"] == "random questions"
    assert held["interval"][0] < held["value"] < held["interval"][1] < 0
    assert sum(point[-1] for point in psi["points"]) == space.answers
    assert psi["curve"][0] == [0.0, 0.5]

    for tab, place in ("map", 'id="psi"'), ("overview", 'id="held-out"'):
        page = desk_page(live, tab)
        assert place in page
        assert f"Log-likelihood of a held-out trial: {held['value']:.3f} (95 %" in page

    write_export(Export(live), tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    use = json.loads((tmp_path / "out" / "codebook.json").read_text())["use"].split()
    assert ("--features" in use) is (live.settings.features.file is not None)
    assert space.answers == len(log)
    done = CliRunner().invoke(app, use[1:])
    assert done.exit_code == 0, done.output
    report = json.loads((tmp_path / "out" / "confusions-map" / "report.json").read_text())
    assert report["held_out"]["log_likelihood"] == pytest.approx(held["value"], abs=1e-5)
    assert report["held_out"]["interval"] == pytest.approx(held["interval"], abs=1e-5)
    model = rs.load(tmp_path / "out" / "confusions-map" / "model.npz")
    np.testing.assert_allclose(pdist(model.embedding_), pdist(np.array(space.positions)), atol=1e-3)


def desk_page(live, tab):
    shown = {"live": live, "of": Overview(live), "name": "dots", "owns": True, "charts": overview}
    return draw(f"study_{tab}", tab="", tabs=TABS, **shown)


def test_each_person_goes_through_the_list_of_pairs(tmp_path):
    listed = [(0, 1), (1, 2), (2, 5), (3, 4)]
    rows = [f"i{a:04d},i{b:04d}" for a, b in listed]
    live = study_of_pairs(tmp_path, rows)
    assert not live.settings.adaptive
    people = Confused(live, 3)
    asked = people.answer(24)
    for number in range(3):
        specs = [question.spec for question in asked[number::3]]
        pairs = [tuple(sorted(int(name[1:]) for name in spec["options"])) for spec in specs]
        assert sorted(pairs[:4]) == sorted(pairs[4:]) == listed
        assert {spec["strategy"] for spec in specs} == {LISTED}
    assert len({tuple(map(str, people_pairs(asked[n::3]))) for n in range(3)}) > 1
    live.store.close()


def people_pairs(asked):
    return [sorted(question.spec["options"]) for question in asked]


def study_of_pairs(tmp_path, rows):
    (tmp_path / "dots").mkdir()
    (tmp_path / "dots" / "pairs.csv").write_text("\n".join(["a,b", *rows]) + "\n")
    sections = TASKS + "pairs = 'pairs.csv'\n"
    url = f"sqlite:///{tmp_path}/study.sqlite"
    return open_study(tmp_path / "dots", url, kind="match_to_sample", sections=sections)


def test_rows_that_are_no_pairs_are_refused_by_name(tmp_path):
    rows = ["i0000,i0001", "i0000,i0077", "i0002,i0002", "i0001,i0000", "i0003.png,i0004"]
    with pytest.raises(SettingError) as refused:
        study_of_pairs(tmp_path, rows)
    problems = str(refused.value).splitlines()
    for line, words in [
        (3, "no item 'i0077': correct it"),
        (4, "'i0002' is paired with itself: name two items, or remove the row"),
        (5, "the pair 'i0001' and 'i0000' has two rows: remove one"),
        (6, "no item 'i0003.png': write 'i0003'"),
    ]:
        assert any(f"line {line}" in one and words in one for one in problems), problems
    assert all("pairs.csv" in problem for problem in problems)
    assert len(problems) == 4


def test_an_empty_list_and_kinds_without_pairs_are_refused(tmp_path):
    with pytest.raises(SettingError, match="has no pairs: add rows"):
        study_of_pairs(tmp_path, [])
    with pytest.raises(SettingError, match=r"pairs needs .* not triplet"):
        make_folder(tmp_path / "others", sections=TASKS + "pairs = 'pairs.csv'\n")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("[asking]\nmodel = 'ste'\n", "ste cannot use features"),
        ("", "one list of columns"),
        ("[search]\npublic = true\n", "has no map to search"),
    ],
)
def test_settings_that_confusions_cannot_have_are_refused(tmp_path, more, words):
    columns = "columns = {form = ['x'], size = ['y']}\n" if not more else ""
    features = "[features]\nfile = 'features.csv'\n" + columns
    with pytest.raises(SettingError, match=words):
        make_folder(tmp_path / "dots", kind="match_to_sample", sections=TASKS + more + features)


def test_ratings_take_a_list_of_pairs_too(tmp_path):
    (tmp_path / "dots").mkdir()
    (tmp_path / "dots" / "pairs.csv").write_text("a,b\ni0000,i0001\ni0001,i0002\n")
    sections = TASKS + "pairs = 'pairs.csv'\n"
    url = f"sqlite:///{tmp_path}/study.sqlite"
    live = open_study(tmp_path / "dots", url, kind="pair_rating", sections=sections)
    wanted = next_questions(live, People(live, 1).persons[0], 0, 4)
    pairs = [tuple(sorted(one.spec["pair"])) for one in wanted]
    assert set(pairs[:2]) == set(pairs[2:]) == {("i0000", "i0001"), ("i0001", "i0002")}
    live.store.close()


def test_psi_stands_beside_its_counts():
    pairs = np.column_stack(np.triu_indices(30, 1))
    points = np.random.default_rng(0).normal(size=(30, 2))
    counts = rs.SpaceObserver(points, Gaussian(), random_state=0).confuse(pairs, 20)
    psi = psi_beside_counts(rs.Yada(2).fit(counts), counts)
    assert len(psi["points"]) == 20
    trials = [point[-1] for point in psi["points"]]
    assert max(trials) - min(trials) <= 20
    at, p = np.transpose(psi["curve"])
    outside = [
        not low - 0.03 < np.interp(d, at, p) < high + 0.03 for d, _, low, high, _ in psi["points"]
    ]
    assert sum(outside) <= 2


def error_after(features, points, choice, rng, chosen):
    """Test pairs in batches, chosen as a worker does or at random; return the error."""
    n = len(points)
    items = rs.Items(features=features)
    every = np.column_stack(np.triu_indices(n, 1))
    person = rs.SpaceObserver(points, choice, random_state=rng.integers(2**31))
    errors, trials = np.zeros((2, n, n), int)

    def test(pairs):
        index, times = np.unique(np.sort(pairs, axis=1), axis=0, return_counts=True)
        errors[tuple(index.T)] += person.confuse(index, times, n).errors
        trials[tuple(index.T)] += times

    def fitted():
        rows = np.argwhere(trials)
        cells = tuple(rows.T)
        counts = rs.Confusions(rows, errors[cells], trials[cells], items)
        yada = rs.Yada(2, penalty=0.1, bandwidth=float(features.std()), random_state=0)
        return yada.fit(counts), counts

    test(every[rng.integers(len(every), size=10 * n)])
    while (done := trials.sum()) < 40 * n:
        wanted = int(min(done // 10, 40 * n - done))
        pairs = every[rng.integers(len(every), size=wanted)]
        if chosen:
            best = np.array(_pairs(*fitted(), wanted, 2, rng, share=0.25))
            pairs = np.where(rng.random((wanted, 1)) < 0.2, pairs, best)
        test(pairs)
    true, seen = pdist(points), pdist(fitted()[0].embedding_)
    return np.sqrt(np.mean((true - seen) ** 2) / np.mean(true**2))


@pytest.mark.parametrize("choice", [Gaussian(), Exponential()])
@pytest.mark.long
def test_chosen_pairs_lower_the_error_where_most_pairs_are_never_confused(choice):
    errors = np.empty((2, 5))
    for world in range(5):
        rng = np.random.default_rng(2000 + world)
        features = rng.uniform(-1, 1, (40, 2))
        points = np.tanh(1.5 * features @ rng.normal(size=(2, 2)))
        points *= 1.5 / np.sqrt(np.mean(points**2))
        for chosen in (0, 1):
            answered = np.random.default_rng([world, 1])
            errors[chosen, world] = error_after(features, points, choice, answered, chosen)
    assert errors[1].mean() < 0.9 * errors[0].mean()
    assert (errors[1] < errors[0]).sum() >= 4
