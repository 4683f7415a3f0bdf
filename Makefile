# Thin names over the real commands. `make` lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SETUP  := $(VENV)/.setup-done

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup tournament test check format proto proto-baseline test-languages \
  test-browser test-deploy test-events test-pages test-terminal test-differential test-search test-sandbox test-servers test-sprt test-stores test-chaos \
  coverage-engine clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(SETUP) ## Create .venv with everything that developing needs

$(SETUP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "contree needs Python 3.11 or newer; try: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "This Python cannot create environments; on Debian: apt install python3-venv"; exit 1; }
	@echo "Installing into $(VENV): about a minute"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

tournament: setup ## Play the demo tournament
	$(BIN)/contree tournament run tournaments/demo.toml

# Half of their time these tests wait: for leases, clocks, processes that start.
test: setup ## Run the tests
	$(BIN)/pytest --numprocesses $$($(BIN)/python -c 'import os; print(2 * os.cpu_count())') --dist loadgroup

check: setup ## Run the linters, the type checker and the checks of the protocol
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint
	$(BIN)/buf format --exit-code --diff
	$(BIN)/python proto/generate.py --check
	$(BIN)/pytest -q tests/test_readme.py
	@if [ -e proto/baseline.binpb ]; then set -x; $(BIN)/buf breaking --against proto/baseline.binpb; fi

format: setup ## Format the Python and the .proto files
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/buf format --write

proto: setup ## Regenerate the stubs in proto/python/contree/v1
	$(BIN)/python proto/generate.py

proto-baseline: setup ## Record the protocol that later changes must stay compatible with
	$(BIN)/buf build --exclude-source-info --output proto/baseline.binpb

test-languages: setup ## Build the bots in all languages and let them play
	$(BIN)/pytest -m languages --durations=12 tests/languages

test-conformance: setup ## Judge good and faulty bots by the conformance kit (FULL=1: by all checks)
	$(BIN)/pytest -m conformance -o faulthandler_timeout=0 --numprocesses auto tests/conformance

test-events: setup ## Play events of every format, stop and kill them, and go on
	$(BIN)/pytest -m events --numprocesses auto --dist loadgroup tests

test-pages: setup ## Follow the tutorial and the host's page, command by command
	$(BIN)/pytest -m pages tests

test-deploy: $(BIN)/kustomize ## Ask a real Prometheus what dashboards ask, cause every alert (FULL=1: and 10,000 matches)
	$(BIN)/pytest -m deploy -o faulthandler_timeout=0 tests/deploy

test-browser: $(VENV)/.browser-done ## Open the report of events in the system's Chromium
	$(BIN)/pytest -m browser tests/browser

test-terminal: setup ## Play in a real terminal, by tmux
	$(BIN)/pytest -m terminal tests/terminal

test-differential: $(VENV)/.bench-done ## Compare the rules with another engine (FULL=1: at length)
	$(BIN)/pytest -m differential -rP tests/differential

test-search: $(VENV)/.bench-done ## Try rollouts, solver, sampling and analysis (FULL=1: at length)
	$(BIN)/pytest -m search -rP --numprocesses auto tests/search tests/analysis

test-sandbox: setup ## Start bots in bubblewrap, some of which try to get out
	$(BIN)/pytest -m sandbox tests/tournament

test-chaos: setup ## Kill, cut off and flood real servers (FULL=1: at length)
	$(BIN)/pytest -m chaos -rP -o faulthandler_timeout=0 tests/chaos

test-servers: setup ## Play on several servers behind Envoy, and kill some (FULL=1: at length)
	$(BIN)/pytest -m servers -rP -o faulthandler_timeout=0 tests/servers

test-stores: setup ## Keep and play matches on a real Redis Cluster and with Sentinels (FULL=1: at length)
	$(BIN)/pytest -m stores -rP -o faulthandler_timeout=0 tests/store tests/stores

test-sprt: setup ## Play the sequential test 100 times each on two pairs of bots
	FULL=1 $(BIN)/pytest -q -o faulthandler_timeout=0 -k right_hypothesis \
	  tests/tournament/formats/test_sequential.py

coverage-engine: setup ## Measure which branches of the engine its tests reach
	$(BIN)/coverage erase
	$(BIN)/coverage run --source contree.engine -m pytest -q tests/engine
	$(BIN)/coverage combine
	$(BIN)/coverage report --precision=1 --fail-under=98 --include='*/contree/engine/*'

bench-%: $(VENV)/.bench-done ## Run one benchmark, such as make bench-engine
	$(BIN)/python bench/$(subst -,_,$*).py

$(VENV)/.bench-done: $(SETUP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench,search]'
	@touch $@

$(BIN)/kustomize: $(SETUP)
	GOBIN=$(abspath $(BIN)) go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1

$(VENV)/.browser-done: $(SETUP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[browser]'
	@touch $@

clean: ## Remove .venv and all caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
