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
	$(BIN)/ruff check src tests bench experiments tools
	$(BIN)/ruff format --check src tests bench experiments tools
	$(BIN)/mypy
	$(BIN)/pytest tests/test_house.py

test: check  ## everything that must pass, in two processes
	$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --durations 10 --ignore tests/test_house.py

test-kill: install  ## 25 kills per method instead of 3
	$(BIN)/pytest tests/training/test_kill.py --kills 25

test-mutations: install  ## plant silent failures in a copy of the source; each must be caught (docs/mutations.md)
	$(BIN)/pytest tests/mutations

bench-train: install  ## speed and memory of training, as ratios of one run
	$(BIN)/python bench/train.py

results-mr: install  ## docs/results.md: all methods on MR, resumable (needs UNFOOLED_DATA)
	for method in finetune fgm pgd freelb smart; do \
	  $(BIN)/unfooled train --recipe $$method-mr-cpu --out runs/mr/$$method --resume || exit 1; done
	$(BIN)/unfooled evaluate runs/mr/finetune runs/mr/fgm runs/mr/pgd runs/mr/freelb runs/mr/smart \
	  --data mr --limit 1000 --out runs/mr/results

results-carl: install  ## docs/papers/carl.md, rar.md: against fine-tuning and FreeLB, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/carl_rar.py

results-clld: install  ## docs/papers/clld.md: against its controls, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/clld.py

results-worst-words: install  ## docs/papers/worst_words.md: against plain and FreeLB, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/worst_words.py

bench-contrast: install  ## what CARL adds to FreeLB, and a million examples to CARL
	$(BIN)/python bench/contrast.py

bench-words: install  ## WordNet, tagging and inflection: speed, and agreement with spaCy (needs UNFOOLED_DATA)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[words]'
	$(BIN)/python bench/words.py

bench-attack: install  ## our PWWS beside TextAttack's on the same sentences (needs UNFOOLED_DATA)
	$(BIN)/python bench/attack.py
	$(BIN)/python bench/attack.py --memory

bench-network: install  ## our PWWS beside the raw network it attacks (needs UNFOOLED_DATA)
	$(BIN)/python bench/network.py

bench-generate: install  ## versions of texts beside spaCy and nltk: speed (needs UNFOOLED_DATA)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[words]'
	$(BIN)/python bench/generate.py

results-words: install  ## docs/results.md: five methods under PWWS and TextFooler, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/words.py

results-cline: install  ## docs/papers/cline.md: pre-training, contrast sets, Hits, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/cline.py

results-dcl: install  ## docs/papers/dcl.md: small GLUE tasks normal and changed, PWWS, collapse (needs UNFOOLED_DATA)
	$(BIN)/python experiments/dcl.py

results-atcl: install  ## docs/papers/atcl.md: language models and translators, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/atcl.py

results-rate: install  ## docs/learning_rate.md: the chosen rate beside a third and three times it, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/learning_rate.py

bench-sequences: install  ## speed and memory of language models and translators (needs UNFOOLED_DATA)
	$(BIN)/python bench/sequences.py

bench-corpus: install  ## pre-training on 500 MB: memory, seconds to the first step of a second start (about half an hour)
	$(BIN)/python bench/corpus.py

bench-start: install  ## how long --help and import take
	$(BIN)/python bench/start.py

fix: install  ## let ruff mend what it can
	$(BIN)/ruff check --fix src tests bench experiments tools
	$(BIN)/ruff format src tests bench experiments tools

.PHONY: help install demo check test test-kill test-mutations bench-train bench-contrast bench-start bench-corpus bench-words bench-attack bench-network bench-generate \
  results-mr results-carl results-clld results-worst-words results-words results-cline results-dcl results-atcl results-rate bench-sequences fix
