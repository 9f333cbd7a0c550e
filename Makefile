PYTHON ?= python3
BIN := .venv/bin
export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false

.DEFAULT_GOAL := help

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

install: .venv/installed  ## make .venv and install everything, once
.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "unfooled needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: install  ## the main job: train plain and robust, attack both, compare
	$(BIN)/unfooled demo

check: install  ## ruff, mypy and the rules of the house
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	$(BIN)/pytest tests/test_house.py

test: check  ## everything that must pass
	$(BIN)/pytest

test-kill: install  ## 25 kills per method instead of 3
	$(BIN)/pytest tests/training/test_kill.py --kills 25

bench-train: install  ## speed and memory of training, as ratios of one run
	$(BIN)/python bench/train.py

results-mr: install  ## docs/results.md: all methods on MR, resumable (needs UNFOOLED_DATA)
	for method in finetune fgm pgd freelb smart; do \
	  $(BIN)/unfooled train --recipe $$method-mr-cpu --out runs/mr/$$method --resume || exit 1; done
	$(BIN)/unfooled evaluate runs/mr/finetune runs/mr/fgm runs/mr/pgd runs/mr/freelb runs/mr/smart \
	  --data mr --limit 1000 --out runs/mr/results

bench-contrast: install  ## what CARL adds to FreeLB, and a million examples to CARL
	$(BIN)/python bench/contrast.py

bench-start: install  ## how long --help and import take
	$(BIN)/python bench/start.py

fix: install  ## let ruff mend what it can
	$(BIN)/ruff check --fix src tests bench
	$(BIN)/ruff format src tests bench

.PHONY: help install demo check test test-kill bench-train bench-contrast bench-start results-mr fix
