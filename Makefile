# Two commands are enough: make demo, make test. The rest is listed by make help.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
SOURCES := evals_pipeline tests bench
export HF_HUB_OFFLINE := 1
export TRANSFORMERS_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
export PYTHONUTF8 := 1

.DEFAULT_GOAL := help
.PHONY: help install demo test check fix accept bench docs dev clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /make \1\t/' | expand -t 16

$(STAMP): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "python3 is missing; install Python 3.11 or newer"; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

install: $(STAMP)  ## create .venv and install everything

demo: $(STAMP)  ## run the pipeline on what is in the repository; show the gate; write the report
	@$(BIN)/python -m evals_pipeline.cli.demo

test: $(STAMP)  ## run the tests, in parallel
	$(BIN)/python -m pytest -n auto --dist loadfile

check: $(STAMP)  ## ruff, mypy, import-linter, evals validate
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/evals validate

fix: $(STAMP)  ## format, and mend what ruff can
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

accept: $(STAMP)  ## take today's reports as the expected ones
	EVALS_ACCEPT=1 $(BIN)/python -m pytest -n 0 tests/report

bench: $(STAMP)  ## measure speed and memory (minutes)
	$(BIN)/python -m bench

docs: $(STAMP)  ## build the documentation site into site/
	$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dev: $(STAMP)  ## open the Dagster UI on http://127.0.0.1:3000
	$(BIN)/dagster dev --host 127.0.0.1 --port 3000

clean:  ## remove stored results, Dagster's history and caches; keep .venv and paid answers
	if [ -d storage ]; then find storage -mindepth 1 -maxdepth 1 ! -name answers -exec rm -rf {} +; fi
	rm -rf .dagster .mypy_cache .ruff_cache .pytest_cache .hypothesis site
