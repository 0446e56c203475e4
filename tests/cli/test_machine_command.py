"""`resemblance fit --machine`, and a study that begins with a machine's map."""

import pandas as pd

from beside_people import NAMES, world


def test_the_report_has_the_weight_and_a_table_of_distances(run, report, tmp_path):
    _, people, machine = world()
    people.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    machine.to_pandas().to_csv(tmp_path / "machine.csv", index=False)
    told = run(
        "fit", "people.csv", "--machine", "machine.csv", "--model", "ste", "--folds", "3",
        "--out", "map",
    )  # fmt: skip
    assert "distances.csv" in told.output
    assert report("map")["machine"]["weight"] > 0
    table = pd.read_csv(tmp_path / "map" / "distances.csv")
    assert list(table) == ["item_1", "item_2", "estimate", "low", "high"]
    assert len(table) == len(NAMES) * (len(NAMES) - 1) // 2


def test_answers_about_other_items_are_refused_before_the_fit(run, tmp_path):
    people = world()[1].to_pandas()
    people.to_csv(tmp_path / "people.csv", index=False)
    people.replace("item 1", "item 99").to_csv(tmp_path / "machine.csv", index=False)
    told = run("fit", "people.csv", "--machine", "machine.csv", "--out", "map", code=1)
    assert "item 99" in told.output
    assert not (tmp_path / "map").exists()


def test_a_study_begins_with_a_machines_map(run, tmp_path):
    rows = [f"{name},{name}" for name in NAMES]
    (tmp_path / "items.csv").write_text("\n".join(["item,text", *rows]))
    world()[2].to_pandas().to_csv(tmp_path / "machine.csv", index=False)
    run("fit", "machine.csv", "--model", "ste", "--folds", "0", "--out", "map")
    run("new", "study", "--items", "items.csv", "--features", "map/embedding.csv")
    assert 'columns = ["x1", "x2"]' in (tmp_path / "study" / "study.toml").read_text()
