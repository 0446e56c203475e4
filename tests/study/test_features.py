"""Features of a study's items: believed by its fits, kept in its exports, mended where wrong."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.cli.output import write_embedding
from resemblance.errors import ResemblanceError
from resemblance.study.creation import add_items
from resemblance.study.export.tables import Export
from resemblance.study.features import Features
from resemblance.study.quality import Quality
from resemblance.study.settings import About, Settings
from resemblance.study.worker.learner import Learner
from resemblance.study.worker.loop import _go_through
from resemblance.web.desk.overview import Overview
from small_study import SMALL, Hands, People, database_at, make_folder, open_study

N = 12
FEATURES = f'{SMALL}[features]\nfile = "features.csv"\n'
# where the people of small_study see the items
POINTS = 2 * np.random.default_rng(0).normal(size=(N, 2))


def table(points, first=0, header="item,hue,size"):
    rows = [f"i{k:04d},{x},{100 * y}" for k, (x, y) in enumerate(points, first)]
    return "\n".join([header, *rows]) + "\n"


def write(path, text):
    path.mkdir(exist_ok=True)
    (path / "features.csv").write_text(text)


@pytest.fixture
def live(tmp_path):
    write(tmp_path / "dots", table(POINTS))
    url = f"sqlite:///{tmp_path}/study.sqlite"
    live = open_study(tmp_path / "dots", url, sections=FEATURES, n_items=N)
    yield live
    live.store.close()


def play(hands, people, rounds):
    hands.settle()
    for _ in range(rounds):
        people.answer(12)
        hands.settle()


def test_features_are_believed_and_told_and_exported(live, tmp_path):
    hands, people = Hands(live), People(live, 4)
    play(hands, people, 24)  # after half as many, chance decides the share
    told = live.store.spaces.latest(live.record).scores["model"]["prior"]
    assert told["share"] > 0.5
    desk = Overview(live).model
    assert desk is not None
    assert f"{told['share']:.0%}" in desk["prior"]
    session = hands.session
    past = live.store.answers.after(live.record, 0, 10**6)
    again = Learner(live, Quality.of(live), frozenset(), past).session
    assert again.settings["form"].share == session.settings["form"].share
    np.testing.assert_allclose(again.alike, session.alike)
    exported = {one.name: one for one in Export(live).tables()}["features"]
    rows = list(exported.rows())
    assert list(exported.columns) == ["item", "hue", "size"]
    assert [row["hue"] for row in rows] == POINTS[:, 0].tolist()
    new, url = tmp_path / "new.csv", f"sqlite:///{tmp_path}/study.sqlite"
    new.write_text("item,name\nnew,a new dot\n")
    with pytest.raises(ResemblanceError, match="new"), database_at(url):
        add_items(live.folder.path, items=new)
    write(live.folder.path, table(POINTS) + f"new,{POINTS[0, 0]},{100 * POINTS[0, 1]}\n")
    with database_at(url):
        add_items(live.folder.path, items=new)
    hands.watch()
    X = hands.session.model_.embedding_
    distance, by_features = (
        np.linalg.norm(at - new, axis=1) for at, new in ((X[:-1], X[-1]), (POINTS, POINTS[0]))
    )
    assert (distance < distance[0]).sum() <= 3
    assert np.corrcoef(distance, by_features)[0, 1] > 0.6


def test_wrong_features_are_refused(tmp_path):
    whole, unknown = table(POINTS), 'columns = { a = ["shade"] }\n'
    for text, more, named in (
        (table(POINTS[:-1]), "", "i0011"),  # missing
        (whole + "i0000,1,2\n", "", "i0000"),  # twice
        (whole.replace("i0003,", "i0003,inf,"), "", "line 5"),
        (table(POINTS * [1, 0]), "", "size"),  # constant
        ("name,hue\ni0000,1\n", "", "'item'"),
        (whole, unknown, "shade"),
    ):
        write(tmp_path / "dots", text)
        with pytest.raises(ResemblanceError, match=named):
            make_folder(tmp_path / "dots", sections=FEATURES + more, n_items=N)


@pytest.mark.parametrize(
    ("kind", "more"),
    [("rating", ""), ("triplet", '[asking]\nmodel = "gnmds"\nstrategy = "random"\n')],
)
def test_features_are_of_comparisons_and_likelihoods(tmp_path, kind, more):
    write(tmp_path / "dots", table(POINTS))
    sections = f'[features]\nfile = "features.csv"\n{more}'
    with pytest.raises(ResemblanceError, match="features"):
        make_folder(tmp_path / "dots", sections=sections, n_items=N, kind=kind)


def test_the_map_of_a_pilot_is_a_prior(tmp_path):
    """Another study of the same dots, whose folder has what a fit of the pilot wrote."""
    (tmp_path / "dots").mkdir()
    names = [f"i{k:04d}" for k in range(N)]
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(N), (90, 1)), axis=1)[:, :3]
    told = rs.SpaceObserver(POINTS[::-1], random_state=0).answer(rs.Triplets(rows, names[::-1]))
    pilot = rs.STE(2, random_state=0).fit(told)
    write_embedding(tmp_path / "dots" / "embedding.csv", pilot)
    prior = '[features]\nfile = "embedding.csv"\ncolumns = ["x1", "x2"]\n'
    folder = make_folder(tmp_path / "dots", sections=f"{SMALL}{prior}", n_items=N)
    known = folder.features()
    assert known.columns == ("x1", "x2")
    np.testing.assert_allclose(known.of(names), pilot.embedding_[::-1], rtol=1e-6)


def test_a_worker_warms_up_for_a_study_with_features():
    settings = Settings(study=About(name="ties"), features=Features(file="features.csv"))
    _go_through(settings)  # what it raises is logged, and would frighten whoever reads it
