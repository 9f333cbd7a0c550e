PYTHON ?= python3
BIN := .venv/bin
export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false

.DEFAULT_GOAL := help

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# Two stamps: what running needs, and on top of it what tests need.
.venv/running: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "unfooled needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	touch $@

install: .venv/installed  ## make .venv and install everything, tests and tools too, once
.venv/installed: .venv/running
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

locked:  ## make .venv from requirements/dev.txt, every file but torch's checked by its hash
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --no-deps --require-hashes --requirement requirements/dev.txt
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch .venv/running .venv/installed

demo: .venv/running  ## the main job: train plain and robust, attack both, compare
	$(BIN)/unfooled demo

check: install  ## ruff, mypy and the rules of the house
	$(BIN)/ruff check src tests bench experiments tools examples
	$(BIN)/ruff format --check src tests bench experiments tools examples
	$(BIN)/mypy
	$(BIN)/pytest tests/test_house.py

test: check  ## everything that must pass, in two processes
	$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --durations 10 --ignore tests/test_house.py

REPORTED := --junitxml=build
test-kill: install  ## SIGKILL, SIGTERM and SIGINT, 25 each, on every method in one and two processes, every attack and command
	$(BIN)/pytest tests/training/test_kill.py tests/commands/test_kill.py --kills 25 $(REPORTED)/kills.xml

test-loops: install  ## every method in transformers' Trainer as in ours: accumulated, in two processes, as an adapter; and shared out
	$(BIN)/pytest tests/loops/test_trainer.py tests/training/test_sharded.py --all-loops

test-hostile: install  ## every hostile input of tests/hostile instead of a sample
	$(BIN)/pytest tests/hostile --all-hostile $(REPORTED)/hostile.xml

test-docs: install  ## every code block of README and docs instead of a sample, with tiny stand-ins for models and data
	$(BIN)/pytest tests/docs --all-docs

test-wheel: install  ## the wheel in an empty environment outside the repository: list, help, train, attack, predict
	$(BIN)/pytest tests/test_wheel.py --clean-install

docs: install  ## the site of docs/ in build/site, without a warning; nothing of it is fetched from anywhere
	$(BIN)/python tools/settings_page.py
	$(BIN)/python tools/api_page.py
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs . build/site
	@echo "open build/site/index.html in any browser"

fuzz: install  ## feed the readers of files inputs made by a fuzzer, ten minutes
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,fuzz]'
	$(BIN)/python tools/fuzz.py -max_total_time=600 -rss_limit_mb=2000 -timeout=20 -max_len=20000

test-mutations: install  ## plant silent failures in a copy of the source; each must be caught (docs/mutations.md)
	$(BIN)/pytest tests/mutations

bench-train: install  ## speed and memory of training, as ratios of one run
	$(BIN)/python bench/train.py
	$(BIN)/python bench/pretraining.py

results-mr: install  ## docs/results.md: all methods on MR, resumable (needs UNFOOLED_DATA)
	for method in finetune fgm pgd freelb smart; do \
	  $(BIN)/unfooled train --recipe $$method-mr-cpu --out runs/mr/$$method --resume || exit 1; done
	$(BIN)/unfooled evaluate runs/mr/finetune runs/mr/fgm runs/mr/pgd runs/mr/freelb runs/mr/smart \
	  --data mr --limit 1000 --out runs/mr/results

results-carl: install  ## docs/papers/carl.md, rar.md: against fine-tuning and FreeLB, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/carl_rar.py

results-clld: install  ## docs/papers/clld.md: against its controls, resumable (needs UNFOOLED_DATA)
	$(BIN)/python experiments/clld.py

UNTIL ?= 1000000
results-worst-words: install  ## docs/papers/worst_words.md: against plain and FreeLB, two processes of one thread, resumable; UNTIL=seconds (needs UNFOOLED_DATA)
	mkdir -p runs; export OMP_NUM_THREADS=1; $(BIN)/python experiments/worst_words.py --until=$(UNTIL) > runs/worst_words-second.log 2>&1 & second=$$!; \
	  OMP_NUM_THREADS=1 $(BIN)/python experiments/worst_words.py --until=$(UNTIL); first=$$?; \
	  wait $$second || first=1; $(BIN)/python experiments/worst_words.py --table; exit $$first

results-cost: install  ## docs/training.md: what robustness costs, gains beside processor time, two processes of one thread, resumable; UNTIL=seconds (needs UNFOOLED_DATA)
	mkdir -p runs; export OMP_NUM_THREADS=1; $(BIN)/python experiments/cost.py --until=$(UNTIL) > runs/cost-second.log 2>&1 & second=$$!; \
	  OMP_NUM_THREADS=1 $(BIN)/python experiments/cost.py --until=$(UNTIL); first=$$?; wait $$second || first=1; exit $$first

results-fair: install  ## docs/claims.md, leaderboard.md: the papers' fair test, two processes of one thread, resumable; UNTIL=seconds (needs UNFOOLED_DATA)
	mkdir -p runs; export OMP_NUM_THREADS=1; $(BIN)/python experiments/fair.py --until $(UNTIL) > runs/fair-second.log 2>&1 & second=$$!; \
	  OMP_NUM_THREADS=1 $(BIN)/python experiments/fair.py --until $(UNTIL); first=$$?; \
	  wait $$second || first=1; $(BIN)/python experiments/claims.py; exit $$first

claims: install  ## docs/claims.md and the papers' tables of verdicts, from the rows there are
	$(BIN)/python experiments/claims.py

bench-contrast: install  ## what CARL adds to FreeLB, and a million examples to CARL
	$(BIN)/python bench/contrast.py

bench-words: install  ## WordNet, tagging and inflection: speed, and agreement with spaCy (needs UNFOOLED_DATA)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[words]'
	$(BIN)/python bench/words.py

bench-attack: install  ## our PWWS beside TextAttack's on the same sentences (needs UNFOOLED_DATA)
	$(BIN)/python bench/attack.py
	$(BIN)/python bench/attack.py --memory

bench-evaluation: install  ## a quick evaluation by a worker a core beside one process (needs UNFOOLED_DATA)
	$(BIN)/python bench/evaluation.py

bench-network: install  ## our PWWS beside the raw network it attacks (needs UNFOOLED_DATA)
	$(BIN)/python bench/network.py

bench-records: install  ## every attack on a packed and a padded network: the same records, and what each takes (needs UNFOOLED_DATA)
	OMP_NUM_THREADS=1 $(BIN)/python bench/packed_records.py

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

bench-workers: install  ## two workers over one, and a local Ray over both: attacked examples a second
	$(BIN)/python bench/workers.py

bench-scale: install  ## the formulas of docs/scale.md against this machine: processor seconds, memory, bytes (half an hour)
	$(BIN)/python bench/scale.py

bench-memory: install  ## what grows with the examples: an attack on 200,000, report and gate on a million records
	$(BIN)/python bench/memory.py

bench-start: install  ## how long --help and import take
	$(BIN)/python bench/start.py

trust: install  ## docs/trust.md: run the tests behind every promise, write down the figures they give
	$(BIN)/python tools/trust.py --run --read $(wildcard build/kills.xml build/hostile.xml)

.venv/audit/installed: requirements/audit.txt
	$(PYTHON) -m venv .venv/audit
	.venv/audit/bin/pip install --quiet --require-hashes --requirement requirements/audit.txt
	touch $@

# skops is under the MIT licence and does not say so where pip-licenses looks; of docutils, which builds the site, one
# file for an editor is under the GPL.
audit: install .venv/audit/installed  ## bandit, ruff S, secrets, licences; the wheel and its bill of materials in dist/
	.venv/audit/bin/bandit --quiet --configfile pyproject.toml --recursive src tools
	$(BIN)/ruff check --select S --ignore S101 src tools experiments
	git ls-files | grep -v '^requirements/.*\.txt$$' | xargs .venv/audit/bin/detect-secrets-hook --no-verify --exclude-lines SHA256
	mkdir -p dist
	$(BIN)/python tools/wheel.py dist > dist/name
	.venv/audit/bin/pip-licenses --python $(BIN)/python --from mixed --format csv --partial-match \
	  --fail-on 'GPL;UNKNOWN' --ignore-packages skops docutils --output-file dist/licences.csv
	.venv/audit/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file dist/environment.json $(BIN)/python
	$(BIN)/python tools/sbom.py dist/environment.json "$$(cat dist/name)"
	rm dist/name dist/environment.json

COMPILE := .venv/audit/bin/pip-compile --quiet $(UPGRADE) --generate-hashes --strip-extras --no-header --no-emit-options \
  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host
lock: .venv/audit/installed  ## requirements/*.txt for what pyproject.toml asks now, by hash, without torch; UPGRADE=--upgrade for the newest versions
	$(COMPILE) --allow-unsafe --output-file requirements/audit.txt requirements/audit.in
	$(COMPILE) --unsafe-package torch --constraint constraints.txt --extra dev --output-file requirements/dev.txt pyproject.toml

.venv/lowest/installed: pyproject.toml constraints.txt tools/lowest.py
	$(PYTHON) -m venv .venv/lowest
	$(PYTHON) tools/lowest.py > .venv/lowest/lowest.txt
	.venv/lowest/bin/pip install --quiet --constraint constraints.txt --constraint .venv/lowest/lowest.txt --editable '.[dev]'
	touch $@

.venv/newest/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv/newest
	.venv/newest/bin/pip install --quiet --upgrade --constraint constraints.txt --editable '.[dev]'
	touch $@

SUITE := --numprocesses 2 --dist loadfile --no-loadscope-reorder
test-lowest: .venv/lowest/installed  ## the suite (or TESTS=…) with the lowest versions pyproject.toml allows, but for torch
	.venv/lowest/bin/pytest $(SUITE) $(TESTS)

test-newest: .venv/newest/installed  ## the suite (or TESTS=…) with the newest versions pyproject.toml allows, but for torch
	.venv/newest/bin/pytest $(SUITE) $(TESTS)

bench-play: install  ## how long play lets one wait: first answer, prediction, PWWS, fifty at once
	$(BIN)/python bench/play.py

fuzz-play: install  ## ten minutes of random questions to the page of play: no 500, memory flat
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[fuzz]'
	$(BIN)/python tests/play/fuzz.py 600

axe:  ## axe-core, with which tests/play looks for faults of accessibility (npm, for tests alone)
	npm install --prefix tests --no-package-lock --no-audit --no-fund --loglevel=error

fix: install  ## let ruff mend what it can
	$(BIN)/ruff check --fix src tests bench experiments tools examples
	$(BIN)/ruff format src tests bench experiments tools examples

.PHONY: help install locked demo check test test-kill test-loops test-hostile test-docs test-wheel docs fuzz trust audit lock test-lowest test-newest test-mutations bench-train bench-contrast bench-start bench-scale bench-memory bench-corpus bench-words bench-attack bench-evaluation bench-network bench-records bench-generate \
  results-mr results-carl results-clld results-worst-words results-cost results-fair claims results-words results-cline results-dcl results-atcl results-rate bench-sequences bench-play fuzz-play axe fix
