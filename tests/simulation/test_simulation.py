"""No seed breaks a promise, and defects that are put back are found."""

import re
from pathlib import Path

import pytest

from postgres import postgresql
from simulation.mutants import MUTANTS
from simulation.promises import PROMISES
from simulation.run import look, workplace

pytestmark = pytest.mark.server  # of a study: none is started, but the lane is theirs
SEEDS, EACH, FEW, FOUND_WITHIN = 12, 6, 4, 40
TABLE = re.compile(r"^\| (.+?) \| (\d+) \| .+ \|$", re.M)
PAGE = Path(__file__).parents[2] / "docs" / "promises.md"
THERE = {
    "every worker gets the lease": 1,
    "what is remembered of a person is not compared with the store": 4,
}
FOUND = {name: int(seed) for name, seed in TABLE.findall(PAGE.read_text())}


@pytest.fixture(scope="module")
def home():
    with workplace() as home:
        yield home


@pytest.fixture(scope="module")
def on_postgresql():
    with workplace(postgresql().create()) as home:
        yield home


def test_no_seed_breaks_a_promise_on_postgresql(on_postgresql):
    seen = {seed: look(on_postgresql, seed) for seed in range(FEW)}
    assert {seed: broken for seed, broken in seen.items() if broken} == {}


@pytest.mark.parametrize("name", THERE)
def test_a_defect_is_found_on_postgresql_too(on_postgresql, name, monkeypatch):
    MUTANTS[name](monkeypatch)
    assert look(on_postgresql, THERE[name])


@pytest.mark.parametrize("first", range(0, SEEDS, EACH))
def test_no_seed_breaks_a_promise(home, first):
    seen = {seed: look(home, seed) for seed in range(first, first + EACH)}
    assert {seed: broken for seed, broken in seen.items() if broken} == {}


def test_every_defect_stands_in_the_table_and_so_does_every_promise():
    assert set(FOUND) <= set(MUTANTS)
    assert len(FOUND) >= 0.9 * len(MUTANTS)
    text = PAGE.read_text()
    for name in PROMISES:
        assert f"| {name} |" in text, name
    for name in MUTANTS:
        assert f"| {name} |" in text, name


@pytest.mark.parametrize("name", [name for name, seed in FOUND.items() if seed < FOUND_WITHIN])
@pytest.mark.long
def test_a_defect_that_is_put_back_is_found(home, name, monkeypatch):
    MUTANTS[name](monkeypatch)
    assert look(home, FOUND[name])
