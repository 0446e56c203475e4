"""The command line that all papers share, and their ledger of finished cells."""

from types import SimpleNamespace

import pandas as pd
import pytest

from scripts import scripts

PAPERS = ("ste", "crowd-kernel", "yada", "multimodal", "templates", "things")


@pytest.fixture
def shared():
    with scripts("papers", "grammar", "ledger") as modules:
        yield modules


@pytest.fixture
def calls():
    return []


@pytest.fixture
def run(shared, calls):
    """Run a paper of three programs; return what each was given."""

    def program(name, main=None):
        module = SimpleNamespace(main=lambda arguments: calls.append((name, arguments)))
        return shared.grammar.Program(module, main)

    programs = {"table": program("table", "--seeds 2"), "figure": program("figure", "")}
    programs["rest"] = program("rest")

    def paper(*arguments):
        calls.clear()
        parser = shared.grammar.command_line("A paper.", "paper", "data/")
        shared.grammar.run(parser, programs, arguments)
        return dict(calls)

    return paper


def test_all_programs_get_the_shared_options(run):
    given = run("--data", "d", "--out", "o", "--jobs", "3", "--quick")
    assert list(given) == ["table", "figure", "rest"]
    assert {tuple(arguments) for arguments in given.values()} == {
        ("--out", "o", "--jobs", "3", "--data", "d", "--quick")
    }
    assert list(run("--only", "rest", "figure")) == ["rest", "figure"]


def test_main_tables_of_fewer_seeds_have_a_folder_of_their_own(run):
    given = run("--main", "--out", "o")
    assert given == {
        "table": ["--out", "o/main", "--jobs", "1", "--seeds", "2"],
        "figure": ["--out", "o/main", "--jobs", "1"],
    }


@pytest.mark.parametrize("arguments", [("--main", "--quick"), ("--main", "--only", "rest")])
def test_main_refuses_what_it_has_not(run, calls, arguments):
    with pytest.raises(SystemExit):
        run(*arguments)
    assert not calls


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_the_grammar(paper, capsys):
    with scripts(f"papers/{paper}", "run") as modules:
        programs = modules.run.PROGRAMS
        with pytest.raises(SystemExit) as end:
            modules.run.main(["--help"])
    assert end.value.code == 0
    words = capsys.readouterr().out
    assert all(f"--{name}" in words for name in ("data", "out", "jobs", "quick", "main", "only"))
    assert any(program.main is not None for program in programs.values())


def double(name, number):
    return [{"name": name, "number": number, "double": 2 * number}]


def test_cells_of_other_code_are_computed_anew(shared, tmp_path, monkeypatch):
    done = []

    def work(name, number):
        done.append((name, number))
        return double(name, number)

    def fill(numbers):
        tasks = [("a", number) for number in numbers]
        table = shared.ledger.fill(
            tmp_path, tmp_path / "cells.csv", ("name", "number"), tasks, work, 1
        )
        return sorted(table["double"])

    assert fill([1, 2]) == [2, 4]
    assert fill([1, 2, 3]) == [2, 4, 6]
    assert done == [("a", 1), ("a", 2), ("a", 3)]
    monkeypatch.setattr(shared.ledger, "code_state", lambda folder: "another")
    assert fill([3]) == [6]
    assert done[-1] == ("a", 3)
    assert len(done) == 4
    assert len(pd.read_csv(tmp_path / "cells.csv")) == 4


def test_the_state_of_the_code_follows_the_programs(shared, tmp_path):
    of = shared.ledger.code_state.__wrapped__
    (tmp_path / "run.py").write_text("")
    (tmp_path / "cells.py").write_text("one = 1\n")
    before = of(tmp_path)
    (tmp_path / "run.py").write_text("# lists the programs\n")
    assert of(tmp_path) == before
    (tmp_path / "cells.py").write_text("one = 2\n")
    assert of(tmp_path) != before


def test_a_file_that_does_not_name_its_code_is_refused(shared, tmp_path):
    path = tmp_path / "cells.csv"
    pd.DataFrame(double("a", 1)).to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"cells\.csv"):
        shared.ledger.Ledger(tmp_path, path, ("name", "number"))
