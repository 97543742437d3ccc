# make test    set up and run everything that every change must pass
# make demo    set up and tune a noisy server that lies now and then; ends with a report
# make bench   speed and regret figures (long); make soak: long statistical checks

PYTHON ?= python3
BIN := .venv/bin
RUN := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python

.PHONY: test lint types unit demo bench soak clean

test: lint types unit

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

unit: .venv/ready
	$(RUN) -m pytest -n 2 -q

demo: .venv/ready
	rm -rf demo-output/server*
	mkdir -p demo-output
	PATH="$(CURDIR)/$(BIN):$$PATH" OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
		stoic tune --space examples/server/server.toml --store demo-output/server.db --no-report
	$(RUN) -m examples.server.compare demo-output/server.db --report demo-output/server.html

bench: .venv/ready
	$(RUN) benchmarks/core/practical.py
	$(RUN) benchmarks/core/flat_cost.py
	$(RUN) benchmarks/core/throughput.py
	$(RUN) benchmarks/core/quick.py
	$(RUN) benchmarks/speed/run.py

soak: .venv/ready
	$(RUN) benchmarks/core/soak.py
	$(RUN) benchmarks/core/killed.py
	$(RUN) benchmarks/core/fuzz.py
	$(RUN) benchmarks/core/hostile_states.py
	$(RUN) benchmarks/study/soak.py

clean:
	rm -rf .venv build dist demo-output
