# The same few commands by hand and in CI. On a fresh machine, Python 3.11 or later and make suffice.

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,\
	$(shell $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup test search check format demo clean

help:  ## List the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /: /'

setup: $(READY)  ## Make the virtual environment in .venv

test: check  ## Lint, types and all tests
	$(BIN)/python -m pytest -n auto --dist loadfile

search: $(READY)  ## The tests that draw examples, with other examples each time
	$(BIN)/python -m pytest -n auto --dist loadfile --hypothesis-profile=random tests

check: $(READY)  ## Lint and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## Lay the code out, and mend what lint can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

demo: $(READY)  ## Make a release of invented hospital discharges in demo-release
	$(BIN)/indistinct demo --out demo-release

clean:  ## Remove everything that the other commands made
	rm -rf $(VENV) demo-release build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Made anew when the dependencies change; the stamp is set last, so a set-up that broke off is repeated.
$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[test]'
	@touch $(READY)
