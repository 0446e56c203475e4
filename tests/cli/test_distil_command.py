import onnxruntime
import pandas as pd

from analysis.test_distilling import answers


def test_answers_and_features_become_a_network(run, tmp_path):
    told = answers(300)
    names = [f"i{k}" for k in range(len(told.items))]
    table = pd.DataFrame(told.items.features, columns=list("abcdef"))
    table.insert(0, "item", names)
    table.to_csv(tmp_path / "f.csv", index=False)
    rows = pd.DataFrame(told.index, columns=["head", "near", "far"])
    rows.map(lambda at: names[at]).to_csv(tmp_path / "a.csv", index=False)
    said = run("distil", "a.csv", "--features", "f.csv", "--dims", 2, "--folds", 2).output
    session = onnxruntime.InferenceSession(tmp_path / "head.onnx")
    assert session.get_inputs()[0].shape == ["n", 6]
    assert session.get_outputs()[0].shape == ["n", 2]
    assert "features as they are" in said
    run("distil", "a.csv", code=1)
    run("distil", "a.csv", "--features", "f.csv", "--out", "head.bin", code=1)
