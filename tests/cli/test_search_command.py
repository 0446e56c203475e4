"""The command search: what it reads, and what it refuses."""

import socket

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

import resemblance as rs
from resemblance.cli.search import read_model

X = np.random.default_rng(0).normal(size=(12, 2))
ITEMS = rs.Items([f"tie {i}" for i in range(12)])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ties").mkdir()
    for name in ITEMS.names:
        Image.new("RGB", (8, 8)).save(tmp_path / "ties" / f"{name}.png")
    rs.save(rs.CKL(2, mu=0.3).set_positions(X, ITEMS), tmp_path / "ties.npz")
    return tmp_path


@pytest.fixture
def served(monkeypatch):
    """Serve nothing; note what would have been."""
    noted = []

    def run(app, listening):
        noted.append((app, listening.getsockname()))
        listening.close()

    monkeypatch.setattr("resemblance.web.connections.run", run)
    return noted


def test_it_serves_a_saved_model(run, folder, served):
    lab = "https://lab.example.org"
    result = run("search", "ties.npz", "--images", "ties", "--port", 8123, "--origin", lab)
    assert "http://127.0.0.1:8123" in result.output
    [(app, address)] = served
    assert address == ("127.0.0.1", 8123)
    assert app.state.space.names == ITEMS.names
    assert app.state.clicks is None
    reply = TestClient(app).get("/api/items", headers={"Origin": lab, "Host": "localhost"})
    assert reply.headers["access-control-allow-origin"] == lab


@pytest.mark.parametrize(
    ("options", "is_public"),
    [
        ((), False),
        (("--public",), True),
        (("--host", "0.0.0.0"), True),
        (("--host", "0.0.0.0", "--private"), False),
    ],
)
def test_who_may_search(run, folder, served, options, is_public):
    said = run("search", "ties.npz", "--images", "ties", "--port", 8124, *options).output
    [(app, _)] = served
    with TestClient(app, base_url="http://localhost:8124") as visitor:
        for address in ("/", "/api/items", "/pictures/0", "/openapi.json"):
            assert visitor.get(address).status_code == (200 if is_public else 403)
        assert ("?token=" in said) is not is_public
        if not is_public:
            token = said.partition("?token=")[2].split()[0]
            program = {"Authorization": f"Bearer {token}"}
            assert visitor.get("/api/items", headers=program).status_code == 200
            assert visitor.get("/api/items").status_code == 403
            assert visitor.get(f"/?clicks=1&token={token}").url.query == b"clicks=1"
            assert visitor.get("/api/items").status_code == 200  # by the cookie


def test_it_serves_the_table_of_a_fit_as_it_was_fitted(run, folder, table, monkeypatch):
    monkeypatch.setattr("resemblance.plotting.save_map", lambda X, path, *_, **__: path.touch())
    table.to_csv("answers.csv", index=False)
    run("fit", "answers.csv", "--model", "ckl", "--mu", "0.2", "--out", "map")
    model = read_model(folder / "map" / "embedding.csv")
    assert model.choice_ == rs.choice.Relative(0.2)
    assert model.items_.names == tuple(str(i) for i in range(9))
    (folder / "map" / "report.json").unlink()
    result = run("search", "map/embedding.csv", "--images", "ties", code=1)
    assert "report.json" in result.output


def test_a_port_in_use_is_refused(run, folder, served):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("search", "ties.npz", "--images", "ties", "--port", port, code=1)
    assert f"127.0.0.1, port {port}" in result.output
    assert "--port" in result.output
    assert served == []
