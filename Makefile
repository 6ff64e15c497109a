# Two commands do everything: `make demo` and `make test`. Both set up .venv first.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: demo test lint types coverage bench soak clean

demo: $(VENV)/ready
	rm -rf runs/demo
	$(RUN) -m agents train --env Pursuit-v0 --out runs/demo

test: lint types
	$(RUN) -c "import gymnasium, steer_env; gymnasium.make('Pursuit-v0').reset()"
	$(RUN) -m pytest -n 2

lint: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/ready
	$(VENV)/bin/mypy

coverage: $(VENV)/ready
	NUMBA_DISABLE_JIT=1 $(RUN) -m pytest -n 2 -m "not compiled" --cov=steer_env \
	    --cov-report=term-missing tests/steering tests/game tests/envs tests/rendering

bench: $(VENV)/ready
	$(RUN) -m steer_env bench
	$(RUN) -m agents speed

soak: $(VENV)/ready
	$(RUN) tests/soak.py --steps 1e9

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip
	$(RUN) -m pip install --quiet -c constraints.txt torch
	$(RUN) -m pip install --quiet -c constraints.txt -e ".[all]"
	touch $@

clean:
	rm -rf $(VENV) runs .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
