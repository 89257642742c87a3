# Every target does all of its own set-up: it needs make, and Python 3.11 or newer with its venv module. Nothing else.
#
#   make test ARGS="-k cloud"            further arguments for pytest
#   make test PYTHON=/path/to/python3    another Python than the first that will do
#   make test VENV=.venvs/3.13           another virtual environment than .venv

VENV ?= .venv
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11
# The dependency group that tests run with; `test` leaves the pulumi SDK's version open.
GROUP ?= dev
ARGS ?=
# What chooses the cases of trials, how long a test goes on with new ones, how many it has at most (0: to the end), and where it is
# told what came of them.
SEED ?= $(shell git rev-parse --short HEAD)
SECONDS ?= 0
CASES ?= 0
EXAMPLES ?= 1000
REPORT ?= docs/trials

BIN := $(VENV)/bin
UNIT := not pulumi_cli and not terraform_cli and not tofu_cli and not node_cli and not go_cli and not yaml_host
# Recipes put this in front: the engines that we built, then our own commands, come before the machine's.
WITH_ENGINES = PATH="$$($(BIN)/python tools/build-engines --print-bin):$(abspath $(BIN)):$$PATH"

export PIP_DISABLE_PIP_VERSION_CHECK := 1
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test unit quick peers trials lint format engines mutants schemas languages bench clean

help: ## say what there is
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'

demo: $(VENV)/.with-demo ## take a real program through its life, record, replay and break it before your eyes
	@$(WITH_ENGINES) $(BIN)/mockprovider demo $(ARGS)

test: $(VENV)/.with-$(GROUP) ## all tests, with those engines that are on PATH or were built
	@$(WITH_ENGINES) $(BIN)/pytest -n auto $(ARGS)

unit: $(VENV)/.with-$(GROUP) ## the tests that need no engine's command line
	@$(BIN)/pytest -n auto -m "$(UNIT)" --ignore=tests/engines $(ARGS)

quick: $(VENV)/.with-$(GROUP) ## as many of them as take a few seconds, for every save
	@$(BIN)/pytest -n auto -m "$(UNIT)" --quick $(ARGS)

peers: ## what must work in one session with the plugins of others, which are installed for this alone
	@$(MAKE) unit VENV=.venvs/peers GROUP=peers ARGS="tests/peers $(ARGS)"

trials: $(VENV)/.with-$(GROUP) ## what is long by nature, in thousands of seeded cases (SEED, SECONDS, CASES, EXAMPLES, REPORT)
	@$(WITH_ENGINES) $(BIN)/pytest -n auto -o faulthandler_timeout=0 --trials=$(SEED) --hypothesis-seed=$(SEED) \
	  --trials-seconds=$(SECONDS) --trials-cases=$(CASES) --trials-examples=$(EXAMPLES) $(if $(REPORT),--trials-report=$(REPORT)) $(ARGS)

lint: $(VENV)/.with-dev ## style, format, types, and which ring may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.with-dev ## mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

engines: $(BIN)/python ## build the real engines and providers that the tests drive (needs Go; minutes)
	@$(BIN)/python tools/build-engines $(ARGS)

mutants: $(VENV)/.with-$(GROUP) ## change a room in small ways and show what no test notices (ARGS="redaction"; minutes)
	@$(BIN)/python tools/mutants $(ARGS)

schemas: $(BIN)/python ## fetch the real package schemas that tests read (needs Go)
	@$(BIN)/python tools/fetch-schemas $(ARGS)

languages: $(BIN)/python ## install the packages of the test programs in other languages (needs npm and Go)
	@$(BIN)/python tools/prepare-languages $(ARGS)

bench: $(VENV)/.with-$(GROUP) ## measure against named peers
	@$(BIN)/python benchmarks/run.py $(ARGS)

clean: ## remove everything that was made here; built engines stay in their cache
	rm -rf .venv .venvs build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp for each dependency group: newer than pyproject.toml means installed as it says.
$(VENV)/.with-%: pyproject.toml | $(BIN)/python
	@echo "Installing mockprovider and its group '$*' into $(VENV)"
	@$(BIN)/python -m pip install --quiet --editable '.[pulumi,terraform]' --group '$*'
	@touch $@

# --clear, because what is there and has no python is what an interrupted set-up has left.
$(BIN)/python:
	@for python in $(PYTHON); do \
	  if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "Creating $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv --clear $(VENV) && exec $(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'; \
	    exit 1; \
	  fi; \
	done; \
	echo "No Python 3.11 or newer with its venv module among: $(PYTHON)." >&2; \
	echo "Install one (on Debian and Ubuntu: python3 and python3-venv), or name yours: make PYTHON=/path/to/python3" >&2; \
	exit 1
