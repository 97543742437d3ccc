# make test    set up and run everything that every change must pass
# make quick   what tells most about a change in a minute: lint, types, tests that are not slow
# make demo    set up and tune a noisy server with outliers; ends with a report
# make demo-live  the same tuning by three workers and a server, with a live page in the browser
# make docs    set up and build the documentation as a site: build/site/index.html
# make hosts   the examples for Ax, MLOS, Nevergrad and Hydra inside these libraries (1.6 GB)
# make figures make the figures of the documentation, and the numbers in its text, again (minutes)
# make bench   speed and regret figures (long)
# make soak    whole grids and 200-run coverage that make test samples; long statistical checks
#
# make test plays the lockstep grid pairwise, and 40 runs of each coverage test; make soak
# (STOIC_SOAK=1) plays all combinations, 200 runs, checks bounds in compiled code, and lets
# Hypothesis draw new examples, two to four times as many. See tests/helpers/soak.py.

PYTHON ?= python3
BIN := .venv/bin
ONE := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
RUN := $(ONE) $(BIN)/python
PIP := -m pip install --quiet --disable-pip-version-check
# the demo needs little: it uses the developers' environment only where that is there already
DEMO := $(if $(wildcard .venv/ready),.venv,.venv-demo)
LIVE := $(if $(wildcard .venv/ready),.venv,.venv-live)

# hundreds of processes are started, and would each compile all modules anew
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test quick lint types unit demo demo-live hosts docs figures bench soak clean

test: lint
	$(MAKE) --no-print-directory --output-sync=target -j2 types .venv/warm
	$(MAKE) --no-print-directory unit

quick: lint types .venv/warm
	$(RUN) -m pytest -n 2 -q -m 'not slow' --dist worksteal tests

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) --editable '.[dev]'
	touch $@

.venv/warm: .venv/ready $(wildcard src/stoic/loops/*.py)
	$(RUN) tests/helpers/warm.py
	touch $@

.venv-demo/ready: pyproject.toml
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python $(PIP) --no-compile --editable '.[cli]'
	touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

unit: .venv/warm
	$(RUN) -m pytest -n 2 -q --dist worksteal

# torch first: by itself, Ax brings CUDA
.venv-hosts/ready: pyproject.toml
	$(PYTHON) -m venv .venv-hosts
	.venv-hosts/bin/python $(PIP) torch==2.13.0
	.venv-hosts/bin/python $(PIP) --editable . pytest hydra-core nevergrad mlos_core ax-platform
	touch $@

hosts: .venv-hosts/ready
	$(ONE) .venv-hosts/bin/python -m pytest -q -o addopts=--import-mode=importlib examples/hosts

demo: $(DEMO)/ready
	rm -rf demo-output/server*
	mkdir -p demo-output
	PATH="$(CURDIR)/$(DEMO)/bin:$$PATH" $(ONE) \
		stoic tune --space examples/server/server.toml --store demo-output/server.db --no-report
	$(ONE) $(DEMO)/bin/python -m examples.server.compare demo-output/server.db \
		--report demo-output/server.html

# the site needs no developers' environment, and no compiled code
.venv-docs/ready: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python $(PIP) --no-compile --editable '.[docs]'
	touch $@

demo-live: $(LIVE)/ready
	rm -rf demo-output/live*
	mkdir -p demo-output
	PATH="$(CURDIR)/$(LIVE)/bin:$$PATH" $(ONE) \
		$(LIVE)/bin/python -m examples.server.live demo-output/live.db

.venv-live/ready: pyproject.toml
	$(PYTHON) -m venv .venv-live
	.venv-live/bin/python $(PIP) --no-compile --editable '.[server]'
	touch $@

docs: .venv-docs/ready
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs --quiet build

# two of them need data that are not distributed, and STOIC_DATA with their folder
figures: .venv/ready
	$(RUN) -m examples.gallery

bench: .venv/ready
	$(RUN) benchmarks/core/practical.py
	$(RUN) benchmarks/core/flat_cost.py
	$(RUN) benchmarks/core/throughput.py
	$(RUN) benchmarks/core/quick.py
	$(RUN) benchmarks/speed/run.py
	$(RUN) benchmarks/server/load.py

soak: .venv/warm
	STOIC_SOAK=1 $(RUN) -m pytest -n 2 -q --dist worksteal tests
	$(RUN) benchmarks/core/soak.py
	$(RUN) benchmarks/core/duels.py
	$(RUN) benchmarks/core/killed.py
	$(RUN) benchmarks/core/fuzz.py
	$(RUN) benchmarks/core/hostile_states.py
	$(RUN) benchmarks/study/soak.py
	$(RUN) benchmarks/server/hostile.py
	$(RUN) benchmarks/server/faults.py

clean:
	rm -rf .venv .venv-demo .venv-live .venv-hosts .venv-docs build dist demo-output
