# Two commands are enough: `make demo` and `make test`. Both set up .venv first.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

# Installed apart and without a hash: its builds differ by processor and CUDA.
TORCH := torch==2.13.0

.PHONY: demo test test-all docs links wheels engine rebuild lint types coverage bench compat clients constraints pictures clean

# What trains is enough for it, without test tools; or all, if that is set up.
demo: $(or $(wildcard $(VENV)/ready),$(VENV)/demo)
	rm -rf runs/demo
	@echo "Training a pursuer by search, which takes about two minutes:"
	$(RUN) -m steer_env train --method search --task Pursuit-v0 --out runs/demo
	@echo "The program is $(VENV)/bin/steer-env."

test: lint types
	$(RUN) -m pytest -n 2

# Weekly and before a release: what takes long, too, with other random cases in every run.
test-all: lint types
	$(RUN) -m pytest -n 2 --hypothesis-profile=thorough -m ""

# The site, in build/site; -a, because the search forgets the words of pages that are not written.
SITE := $(VENV)/bin/sphinx-build -q -c docs -d build/docs/doctrees
docs: $(VENV)/ready
	$(SITE) -a -W --keep-going . build/site
	@echo "wrote build/site/index.html"

# The site's links to other sites.
links: $(VENV)/ready
	$(SITE) -b linkcheck . build/links

# One for all systems, and one for each that has a library (see hatch_build.py); and the sources.
wheels: $(VENV)/ready
	$(RUN) tools/build_engine.py --all --out build/machine_code
	for library in "" $$(cd build/machine_code && ls *.so *.dll *.dylib); do \
	    STEER_ENV_WHEEL=$$library $(RUN) -m pip wheel --quiet --no-deps --no-build-isolation \
	        --wheel-dir dist . || exit; done
	$(RUN) -m hatchling build --target sdist --directory dist

# The machine code that a checkout keeps, anew after a change of what is compiled: two minutes.
engine: $(VENV)/ready
	$(RUN) tools/build_engine.py

# Builds it again, and compares.
rebuild: $(VENV)/ready
	$(RUN) -m pytest -m "" tests/machine_code/test_rebuilt.py

lint: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

# mypy finds packages by their folders, which are within steer_env in a wheel.
types: $(VENV)/ready
	rm -rf build/types && mkdir -p build/types/steer_env
	ln -s $(CURDIR)/steer_env/* $(CURDIR)/baselines $(CURDIR)/agents build/types/steer_env/
	cd build/types && $(CURDIR)/$(VENV)/bin/mypy --config-file $(CURDIR)/pyproject.toml \
	    --cache-dir $(CURDIR)/.mypy_cache

coverage: $(VENV)/ready
	NUMBA_DISABLE_JIT=1 $(RUN) -m pytest -n 2 -m "not compiled and not weekly" --cov=steer_env \
	    --cov-report=term-missing tests/steering tests/game tests/envs tests/rendering

bench: $(VENV)/ready
	$(RUN) -m steer_env bench

compat: $(VENV)/ready
	nice $(RUN) tests/by_hand/compat.py

# CleanRL's examples need CLEANRL=FOLDER, a clone of its repository.
clients: $(VENV)/ready
	nice $(RUN) tests/by_hand/clients.py

# Versions in constraints.txt stay as long as they fit; without the file all are the newest.
# RLlib pins an older Gymnasium than all else takes, and works with the newer one: tests say so.
constraints:
	$(PYTHON) -m venv .compat/uv
	.compat/uv/bin/python -m pip install --quiet uv
	echo torch > .compat/without
	echo 'gymnasium>=1.3' > .compat/override
	.compat/uv/bin/uv pip compile --quiet --universal --python-version 3.10 \
	    --generate-hashes --no-annotate --custom-compile-command "make constraints" \
	    --excludes .compat/without --overrides .compat/override --extra all --extra ray \
	    --output-file constraints.txt \
	    pyproject.toml constraints.in
	.compat/uv/bin/uv pip compile --quiet --universal --python-version 3.10 \
	    --generate-hashes --no-annotate --custom-compile-command "make constraints" \
	    --excludes .compat/without --overrides .compat/override --extra agents \
	    --constraint constraints.txt --output-file constraints-demo.txt \
	    pyproject.toml constraints.in

# The pictures of the README and of the site, and the published charts, in both themes. All
# letters are at least 11 pixels high where a page shows a picture 830 pixels wide.
# The film is of a seed that is not trained on, at which learned and pursuit take their median
# times, and seek takes longer than 8 s, as at half of all. It is one for both themes: on a
# light page the dark one looks like a screen.
PICTURES := baselines/results

pictures: export PYTHONPATH := .
pictures: $(VENV)/ready
	$(RUN) -m steer_env record --ghosts --seed 1000605 --seconds 8 --theme dark \
	    --pursuer pretrained/pursuit/search pursuit seek --labels learned pursuit seek \
	    --out $(PICTURES)/chase.gif
	$(RUN) tools/page_pictures.py --out $(PICTURES)
	$(RUN) tools/draw_charts.py
	$(RUN) tools/draw_pages.py

$(VENV)/demo: VERSIONS := constraints-demo.txt
$(VENV)/ready: VERSIONS := constraints.txt
$(VENV)/demo $(VENV)/ready: pyproject.toml constraints-demo.txt constraints.txt Makefile
	@echo "Setting up $(VENV), once: $$(grep -c == $(VERSIONS)) packages and torch take" \
	    "some minutes, most of them to download."
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --no-deps --require-hashes -r $(VERSIONS)
	$(RUN) -m pip install $(TORCH)
	$(RUN) -m pip install --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV) .compat build dist runs .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
