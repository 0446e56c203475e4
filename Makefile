# Every target does its own set-up: only Python 3.11+ and make are needed.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
AUDIT  := .venv-audit
TOOLS  := $(AUDIT)/.ready
ASK     = PATH=$(CURDIR)/$(BIN):$$PATH $(AUDIT)/bin/python .ci/audit.py .venv-wheel/lib/python3.*/site-packages
PAGES  := src/resemblance/web/static/participant.html
PAPER  ?= ste
CORES  := $(shell $(PYTHON) -c "import os; print(os.cpu_count())")
# two more processes than cores, because some tests wait for a browser or a server
JOBS   ?= $(shell expr $(CORES) + 2)
ARGS   ?=
EXTRA  ?= dev
SHIFT  ?= 1
SEEDS  ?= 1000
LANES  := paper or guide or long
TESTS  := not (docs or $(LANES))
ALONE  := not (browser or server or paper or guide or long or docs)
QUICK  := $(ALONE) and not slow
# each process runs a block of consecutive tests, so that tests of a file share fixtures
PYTEST := $(BIN)/python -m pytest --dist worksteal
# folders of numerical tests
NUMERICAL := $(addprefix tests/,judgments choice geometry solvers forms scores graphs fitting embeddings mappings scaling rdms \
    templates observers asking contracts)
DATA   ?= ../shared/data
# the method of coverage: from Python 3.12 on the interpreter counts lines, at little cost
COUNTER = $(shell $(BIN)/python -c "import sys; print('sysmon' if sys.version_info >= (3, 12) else 'ctrace')")

# write bytecode even if this variable forbids it, since tests and docs load modules repeatedly
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo check test test-quick test-alone test-lanes slow coverage test-processors test-seeds simulate mutants test-lowest test-newest test-gpu frontend test-frontend protocol lint docs papers bench build release sbom audit clean

demo: $(READY) $(PAGES) ## the main job: stimuli, a server, a simulated crowd, a map; Ctrl-C ends it
	$(BIN)/resemblance demo --out demo-out $(ARGS)

check: $(READY) $(PAGES) ## style, types, layers, and the quick tests, which start no other process
	$(MAKE) -j 2 -O lint test-quick

test-quick: $(READY) $(PAGES)
	$(PYTEST) -n $(CORES) -q -m "$(QUICK)"

test-alone: $(READY) $(PAGES) ## the same, and slow tests
	$(PYTEST) -n $(CORES) -q -m "$(ALONE)"

slow: $(READY) $(PAGES) ## measures which tests are slow: tests/slow.txt
	rm -f .slow.jsonl
	PROCESSOR_LOG=.slow.jsonl $(MAKE) test-alone PYTEST="$(PYTEST) -p slow"
	$(BIN)/python tests/slow.py .slow.jsonl

test: $(READY) $(PAGES) ## the tests; those of a browser or PostgreSQL are skipped if it is missing
	$(PYTEST) -n $(JOBS) -m "$(TESTS)"

test-lanes: $(READY) $(PAGES) ## the code of the guide, the papers in small, and what takes long
	$(PYTEST) -n $(JOBS) -m "$(LANES)"

coverage: $(READY) $(PAGES) ## the tests of both, and which lines of the package none of them runs
	COVERAGE_CORE=$(COUNTER) $(PYTEST) -n $(JOBS) -m "not docs" --cov

test-processors: $(READY)  ## the numerical tests, on a processor that OPENBLAS_CORETYPE or NUMBA_CPU_NAME names
	$(PYTEST) -n $(CORES) -q -m "not (browser or server or paper or guide or docs)" $(NUMERICAL)

test-seeds:             ## the same tests, every seed shifted by SHIFT times 1,000,003
	SEED_SHIFT=$(SHIFT) $(MAKE) test-processors

frontend: $(PAGES)      ## the pages that browsers get, built into the package

protocol: $(READY)      ## the types of the participant's page, from the messages in study/protocol.py
	$(BIN)/python -m resemblance.study.protocol > frontend/protocol.json
	PATH=$(CURDIR)/$(BIN):$$PATH node frontend/protocol.mjs < frontend/protocol.json > frontend/src/protocol.ts
	rm frontend/protocol.json

test-frontend: $(PAGES) ## the tests of the pages that need no browser, and their linter
	PATH=$(CURDIR)/$(BIN):$$PATH npm --prefix frontend run lint
	PATH=$(CURDIR)/$(BIN):$$PATH npm --prefix frontend test

simulate: $(READY)      ## studies with faults drawn by a seed: make simulate SEEDS=10000 [ARGS=--postgresql]; docs/promises.md
	$(BIN)/python tests/simulation/run.py --seeds $(SEEDS) --jobs $(CORES) $(ARGS)

mutants:                ## lines of store and sessions changed at random: make mutants ARGS="--sample 150"; docs/promises.md
	$(MAKE) .venv-mutants/.ready VENV=.venv-mutants
	.venv-mutants/bin/python -m pip install -q "cosmic-ray>=8.7"
	.venv-mutants/bin/python benchmarks/mutants.py --jobs $(CORES) $(ARGS)

test-lowest:            ## the quick tests and the demo on the lowest versions that pyproject.toml allows
	$(PYTHON) tests/lowest.py > .lowest.txt
	$(MAKE) test-quick VENV=.venv-lowest CONSTRAINTS=.lowest.txt EXTRA=test
	$(MAKE) demo VENV=.venv-lowest CONSTRAINTS=.lowest.txt EXTRA=test ARGS=--offline

test-newest:            ## the quick tests with pre-releases of pandas, NumPy and scikit-learn, where they install
	$(MAKE) .venv-newest/.ready VENV=.venv-newest EXTRA=test
	.venv-newest/bin/python -m pip install -q --pre --upgrade pandas numpy scikit-learn
	.venv-newest/bin/python -m pip check
	$(MAKE) test-quick VENV=.venv-newest EXTRA=test

test-gpu:               ## the kernels of a GPU, compiled without needing one
	$(MAKE) .venv-gpu/.ready VENV=.venv-gpu EXTRA=test,gpu
	.venv-gpu/bin/python -m pytest -q tests/fitting/test_card.py

lint: $(READY)          ## style, types and layers
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY) $(PAGES) ## the documentation, in docs/_build/html, and the tests of its pages
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -b html docs docs/_build/html
	$(PYTEST) -q -m docs tests/browser

papers: $(READY)        ## a paper's tables and figures: make papers PAPER=ste DATA=folder
	$(BIN)/python papers/$(PAPER)/run.py --data $(DATA) --out out/$(PAPER)

bench: $(READY)         ## timings against the peers, each peer in its own environment
	$(BIN)/python benchmarks/run.py --data $(DATA)

build: $(READY)         ## a wheel, tried in a clean environment: bare, then with what the demo needs
	rm -rf dist .venv-wheel
	$(BIN)/python -m build
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install -q dist/*.whl
	.venv-wheel/bin/python -c "import resemblance as rs; rs.STE(1).fit([[0, 1, 2], [1, 2, 0], [2, 1, 0]])"
	.venv-wheel/bin/python -m pip install -q "$$(ls dist/*.whl)[cli,data,plot]"
	.venv-wheel/bin/resemblance demo --offline --out demo-out/wheel
	.venv-wheel/bin/python -m pip install -q "$$(ls dist/*.whl)[all]"

.venv-wheel:
	$(MAKE) build

$(TOOLS):
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python -m pip install -q "pip-audit>=2.7" "cyclonedx-bom>=4.5"
	touch $@

# without a network, the audit fails in the workflow, but not in a dry run
release: build          ## a dry run of a release: checks metadata, pages and contents; uploads nothing
	$(BIN)/python -m twine check --strict dist/*.whl dist/*.tar.gz
	$(BIN)/python -m zipfile -l dist/*.whl | grep web/static/participant.html
	$(BIN)/python -m zipfile -l dist/*.whl | grep plotting/static/map.html
	$(MAKE) sbom $(TOOLS)
	$(ASK) || test $$? -eq 2 -a -z "$$CI"

sbom: $(TOOLS) .venv-wheel ## the parts of a release, by CycloneDX: the wheel with its extras, and the pages
	rm -f .venv-wheel/lib/python3.*/site-packages/resemblance-*.dist-info/direct_url.json  # a path of this machine
	$(AUDIT)/bin/cyclonedx-py environment --pyproject pyproject.toml -o dist/python.cdx.json .venv-wheel/bin/python
	PATH=$(CURDIR)/$(BIN):$$PATH npm --prefix frontend sbom --package-lock-only --omit=dev --sbom-format cyclonedx > dist/pages.cdx.json

audit: $(TOOLS) .venv-wheel ## known vulnerabilities in a release; fails too if a service cannot be reached
	$(ASK)

clean:
	rm -rf .coverage .venv .venv-lowest .venv-newest .venv-gpu .lowest.txt .venv-wheel .venv-audit .venv-mutants build dist docs/_build docs/pictures demo-out out \
	    frontend/node_modules src/resemblance/plotting/static src/resemblance/web/static

# All bytecode is compiled for developers only; other environments compile what they import.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q --no-compile -e ".[$(EXTRA)]" $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
	$(if $(filter dev,$(EXTRA)),$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib src)
	touch $@

# builds pages and the map into the package; Node is installed by pip (pyproject.toml)
$(PAGES): $(shell find frontend -path '*/node_modules' -prune -o -type f -print) | $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH npm --prefix frontend ci
	PATH=$(CURDIR)/$(BIN):$$PATH npm --prefix frontend run build
	touch $@
