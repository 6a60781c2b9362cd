# The same few commands by hand and in CI. On a fresh machine, Python 3.11 or later and make suffice.

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,\
	$(shell $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := .venv-tools
LOWEST := .venv-lowest
PLAIN := .venv-plain

.DEFAULT_GOAL := help
# One more than there are cores: tests wait for disks, browsers and servers.
WORKERS = $$(( $$(nproc 2> /dev/null || getconf _NPROCESSORS_ONLN) + 1 ))

# Programs that tests start would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup hooks test test-long test-lowest test-spark search fuzz coverage mutants check format demo docs dist audit clean

help:  ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /: /'

setup: $(READY)  ## Make the virtual environment in .venv

hooks: setup $(TOOLS)/.ready  ## Lint and types before every commit
	$(TOOLS)/bin/pre-commit install

test: check  ## Lint, types and nine of ten tests, in ten minutes on two cores
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not long"

test-long: $(READY)  ## The tests that take long: tests/long.txt
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m long

# The golden set has the bytes of files and the steps of searches, as the versions of constraints.txt make them.
test-lowest: $(LOWEST)/.ready  ## All tests but the golden set, with the lowest versions that pyproject.toml allows
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist loadfile --ignore tests/golden

test-spark: $(VENV)/.spark  ## Every policy and verb on Spark, with Java 17; `make test` runs some of them where PySpark is
	INDISTINCT_SPARK=all $(BIN)/python -m pytest tests/sources/test_spark.py

search: $(READY)  ## The tests that draw examples, with other examples each time
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --hypothesis-profile=random tests

fuzz: $(READY)  ## A million hostile inputs: none may end in an internal error or show a cell. CASES=, SEED=
	$(BIN)/python tests/fuzz/run.py --cases $(or $(CASES),1000000) $(if $(SEED),--seed $(SEED))

coverage: $(READY)  ## The share of lines and branches of promises and audit that tests run: 99 % at least
	$(BIN)/coverage run -m pytest tests/privacy tests/contracts tests/release tests/test_policy.py \
		src/indistinct/privacy src/indistinct/release/audit
	$(BIN)/coverage report

mutants: $(VENV)/.mutants  ## The share of small changes of the code that tests notice: 92 % at least. ROOMS=, SAMPLE=, SEED=
	$(BIN)/python mutants/run.py $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(ROOMS)

check: $(READY)  ## Lint, types, and which module imports which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## Lay the code out, and mend what lint can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

demo: $(READY)  ## Make a release of invented hospital discharges in demo-release
	@echo "afterwards the same in a page on this machine: $(BIN)/indistinct studio \
		demo-release/private/discharges.csv --policy demo-release/private/release.toml"
	$(BIN)/indistinct demo --out demo-release

docs: $(TOOLS)/.ready  ## The documentation as a site in site; a broken link ends it
	$(TOOLS)/bin/python docs/site.py site

dist: $(TOOLS)/.ready  ## Wheels and sdists of the last commit in dist, checked and tried
	packaging/dist.sh $(PYTHON) $(TOOLS)

audit: $(TOOLS)/.ready $(PLAIN)/.ready  ## Known vulnerabilities of the dependencies, and an SBOM in dist
	$(TOOLS)/bin/python packaging/audit.py $(PLAIN)

clean:  ## Remove everything that the other commands made
	rm -rf $(VENV) $(TOOLS) $(LOWEST) $(PLAIN) demo-release site build dist .import_linter_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests reproductions -name __pycache__ -type d -prune -exec rm -rf {} +

# Made anew when the dependencies change; the stamp is set last, so a set-up that broke off is repeated.
$(READY): pyproject.toml reproductions/pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[test]' -e reproductions
	@touch $(READY)

# PySpark is a source of 430 MB: to store it in a wheel takes less than a minute, to compress it five.
$(VENV)/.spark: $(READY)
	printf '[bdist_wheel]\ncompression = stored\n' > $(VENV)/stored.cfg
	DIST_EXTRA_CONFIG=$(abspath $(VENV)/stored.cfg) $(BIN)/python -m pip install --quiet -c constraints.txt -e '.[spark]'
	@touch $@

$(VENV)/.mutants: $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[mutants]'
	@touch $@

# What builds, checks and audits the distribution, apart from what the tests run in.
$(TOOLS)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet -c constraints.txt uv
	$(TOOLS)/bin/uv pip install --quiet --python $(TOOLS) -c constraints.txt --group tools
	@touch $@

# The lowest versions are those that Python 3.11 can install.
$(LOWEST)/.ready: pyproject.toml reproductions/pyproject.toml | $(TOOLS)/.ready
	$(PYTHON) -m venv --clear $(LOWEST)
	$(TOOLS)/bin/uv pip install --quiet --python $(LOWEST) --resolution lowest-direct -e '.[test]' -e reproductions
	@touch $@

# What users with all extras but Spark install, without the package itself.
$(PLAIN)/.ready: pyproject.toml constraints.txt | $(TOOLS)/.ready
	$(PYTHON) -m venv --clear --without-pip $(PLAIN)
	$(TOOLS)/bin/uv pip install --quiet --python $(PLAIN) -c constraints.txt -r pyproject.toml \
		--extra excel --extra statistics --extra pandas --extra duckdb --extra postgres --extra report
	@touch $@
