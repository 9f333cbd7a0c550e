"""The contract of the table: every trial breaks off and resumes, and is read without torch."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import isfinite, isnan
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from attack_ground import tiny_model
from results_ground import save_trial
from tiny import reviews
from toys import essence, known
from trial_ground import by_index, ran, run_of, writer

from sequences import sentences, writing_language_model, writing_translator
from unfooled.attacks import AttackRecord
from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.table import ATTACKS
from unfooled.data.adversaries import StoredAdversary
from unfooled.data.contrast_sets import Member
from unfooled.errors import BadInput
from unfooled.heads import HEADS
from unfooled.models import ModelSettings, build
from unfooled.results.log import reader_of
from unfooled.scores.score import Score
from unfooled.tasks import TASKS
from unfooled.trials import SUITES, TRIALS, require_trial, trial_for
from unfooled.trials.groups import made_of_part
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import AXES, Row, Trial
from unfooled.trials.words.exhaustive import ExhaustiveRecord
from unfooled.victims import open_victim
from unfooled.victims.victim import Victim

TEXTS = [(f"{text} in a large place",) for text, _ in reviews(12)]
NAMES = ("negative", "positive")
MEMBERS = [Member(str(place // 2), place % 2 == 0, text, place % 2) for place, text in enumerate(TEXTS)]
ADVERSARIES = [StoredAdversary(one, other, 1) for one, other in pairwise(TEXTS)]
LINES = [(line,) for line in sentences(12, seed=4)]
PAIRS = [(f"the {text.split()[0]} sang", "the bird sang") for text in sentences(5, seed=1)]
INPUTS = {
    "classification": Inputs(TEXTS, [place % 2 for place in range(12)], {}, NAMES, MEMBERS, ADVERSARIES),
    "regression": Inputs(TEXTS, [place / 3 for place in range(12)], {}, task="regression"),
    "multilabel": Inputs(TEXTS[:6], [(place % 2,) for place in range(6)], {}, NAMES, task="multilabel"),
    "lm": Inputs(LINES, [], {}, task="lm"),
    "translation": Inputs(PAIRS, [], {}, task="translation"),
}
# What keeps a trial small here, or what these models know.
SETTINGS: dict[str, dict[str, Any]] = {
    **{name: {"most": 6, "similarity": None} for name in ATTACKS},
    "invariance": {"most": 4, "templates": False},
    "pgd": {"eps": (0.0, 0.1), "steps": 2, "restarts": 2},
    "shift": {"eps": (0.1,), "steps": 1},
    "perplexity": {"radii": (1.0,)},
    "neighbours": {"words": ("dog", "man", "sang")},
    "quality": {"beams": 1},
    "side_by_side": {"beams": 1, "most": 3},
}
OF_VERSIONS = {"most": 4, "kinds": ("synonyms", "typos")}
CASES = [(name, TRIALS[name].tasks[0]) for name in TRIALS]
CASES += [("clean", "regression"), ("invariance", "regression"), ("pwws", "multilabel")]
every_trial = pytest.mark.parametrize(("name", "task"), CASES, ids=[f"{name}-{task}" for name, task in CASES])


@dataclass(frozen=True)
class Measured:
    """A trial of a model, its units and its records in the order they were made."""

    trial: Trial
    victim: Victim
    units: Sequence[Any]
    settings: Any
    how: dict[str, Any]
    made: list[Any]
    rows: list[Row]

    def resumed(self, broken: int) -> list[Any]:
        """The records in order, made in two runs."""
        done = {record.index for record in self.made[:broken]}
        rest = ran(self.trial, self.victim, self.units, self.settings, done=done, **self.how)
        return by_index([*self.made[:broken], *rest])


@cache
def victim(task: str) -> Victim:
    """A tiny model of a task."""
    if task == "lm":
        return writer(writing_language_model(8), task)
    if task == "translation":
        return writer(writing_translator(24), task)
    folder = Path(mkdtemp())
    model = tiny_model(folder)
    if task != "classification":
        settings = ModelSettings(name="textcnn", tokenizer=str(folder / "encoder"), max_length=32)
        model = build(settings, TASKS[task].labels or NAMES, seed=0, head=HEADS[task])
    return open_victim(model)


def parts(attack: Attack, similarity: str | None) -> Parts:
    """Synonyms out of a table, and a sentence encoder that finds everything alike."""
    alike = (lambda reference, texts: np.ones(len(texts))) if attack.needs_similarity else None
    near = known(
        {"large": ("big", "huge"), "place": ("film",), "film": ("movie",), "good": ("fine",), "bad": ("good",)}
    )
    return Parts(near.substitutes, alike)


@cache
def measured(name: str, task: str) -> Measured:
    """A trial of a tiny model, run once for all tests here."""
    trial = require_trial(name, task)
    own = SETTINGS.get(name, {}) if trial is TRIALS[name] else OF_VERSIONS if name == "invariance" else {}
    settings = trial.settings(**own)
    inputs = INPUTS[task]
    units = trial.units(inputs, settings, 0)
    how = {"batch_size": 4, "parts": parts, "task": task, "names": inputs.names}
    made = list(ran(trial, victim(task), units, settings, **how))
    return Measured(trial, victim(task), units, settings, how, made, trial.scores(by_index(made)))


def comparable(records: Sequence[Any]) -> list[Any]:
    """Records as they must come out again; an attack's batches, and so its last digits, depend on where it goes on."""
    return [as_it_must_come(record) for record in records]


def as_it_must_come(record: Any) -> Any:
    if isinstance(record, ExhaustiveRecord):
        own = [None if one is None else essence(one) for one in (record.greedy, record.search)]
        return record.index, record.left_out, record.choices, *own
    return essence(record) if isinstance(record, AttackRecord) else record


def test_every_trial_is_a_line_of_the_table_and_every_suite_is_of_the_table() -> None:
    for name, line in TRIALS.lines.items():
        assert isinstance(TRIALS[name], Trial) and line.endswith((".", ").")) and len(line) > 20, name
        assert set(TRIALS[name].tasks) <= set(TASKS) and TRIALS[name].tasks
    assert all(set(suite) <= set(TRIALS) for suite in SUITES.values()) and set(SUITES["full"]) == set(TRIALS)
    for suite in SUITES.values():
        for name, own in suite.items():
            TRIALS[name].settings(**own)


def test_a_task_goes_through_its_own_trials_and_is_refused_others() -> None:
    through = {task: [name for name in TRIALS if trial_for(name, task)] for task in TASKS}
    assert through["lm"] == ["perplexity", "neighbours", "continuation"]
    assert through["translation"] == ["quality", "side_by_side"]
    assert through["regression"] == through["span"] == ["clean", "invariance"]
    by_answers = [name for name in ATTACKS if not ATTACKS[name].looks_inside]
    assert through["multilabel"] == ["clean", *by_answers, "exhaustive", "invariance"]
    with pytest.raises(BadInput, match="quality is no trial of a language model, which goes through perplexity, neigh"):
        require_trial("quality", "lm")
    with pytest.raises(BadInput, match="there is no trial called perplexitty; did you mean perplexity"):
        require_trial("perplexitty", "lm")


@every_trial
def test_a_trial_broken_off_resumes_to_the_same_records(name: str, task: str) -> None:
    one = measured(name, task)
    assert {record.index for record in one.made} == set(range(len(one.units))) and one.units
    assert all(type(record) is one.trial.record for record in one.made)
    whole = by_index(one.made)
    for broken in {1, len(one.made) // 3, len(one.made) - 1}:
        again = one.resumed(broken)
        assert comparable(again) == comparable(whole)
    if one.trial.record is AttackRecord:
        assert str(one.trial.scores(again)) == str(one.rows)  # as texts: where a number is unknown it equals nothing


@every_trial
def test_groups_computed_apart_make_the_records_of_the_whole(name: str, task: str) -> None:
    one = measured(name, task)
    run = run_of(one.victim, one.units, one.settings, **one.how)
    groups = [list(group) for group in one.trial.together(run)]
    assert sorted(place for group in groups for place in group) == list(range(len(one.units)))
    half = [sorted(place for group in groups[first::2] for place in group) for first in (0, 1)]
    every = frozenset(range(len(one.units)))
    parted = [list(one.trial.run(run, every - set(part))) for part in half]
    assert [sorted(record.index for record in some) for some in parted] == half
    assert comparable(by_index([*parted[0], *parted[1]])) == comparable(by_index(one.made))
    if one.trial.among_all:
        return
    fitted = one.trial.calibrate(run) if one.trial.calibrate else None
    for part, records in zip(half, parted, strict=True):  # the same, by somebody who has never seen the other half
        alone = replace(run, units=[one.units[place] for place in part], first=one.units[0], temperature=fitted)
        done = [records[0].index] if len(records) > 1 else []
        found = list(made_of_part(one.trial.run, alone, part, done))
        expected = [record for record in records if record.index not in done]
        assert comparable(by_index(found)) == comparable(by_index(expected))
        mine = one.trial.together(alone)
        assert [[part[place] for place in group] for group in mine] == [
            group for group in groups if set(group) <= set(part)
        ]


@every_trial
def test_records_come_back_from_json_as_they_were(name: str, task: str) -> None:
    one = measured(name, task)
    reader = reader_of(one.trial.record)
    for record in one.made[:3]:
        assert reader.validate_python(json.loads(reader.dump_json(record))) == record


@every_trial
def test_every_number_says_what_it_is(name: str, task: str) -> None:
    one = measured(name, task)
    rows = one.rows
    assert rows or one.trial.passages is not None
    assert len({(row.metric, row.eps, row.part) for row in rows}) == len(rows)
    for row in rows:
        score = row.score
        assert score.title and score.definition and isinstance(score.unit, str) and score.better in ("more", "less", "")
        assert score.n >= 0 and score.low <= score.high
        assert isnan(score.value) or score.low <= score.value <= score.high, row
        assert " " not in row.metric


@every_trial
def test_what_is_read_off_records_fits_them(name: str, task: str) -> None:
    one = measured(name, task)
    records = by_index(one.made)
    known_rows = {(row.metric, row.eps, row.part) for row in one.rows}
    for question, answers in one.trial.questions(records).items():
        assert (question.metric, question.eps, question.part) in known_rows and question.title
        assert answers and set(answers) <= set(range(len(records))) and all(map(isfinite, answers.values()))
    assert set(one.trial.families(records)) <= set(range(len(records)))
    for part in one.trial.verdict:
        assert part.axis in AXES and part.name and isinstance(part.score({name: records}), Score)
    if one.trial.curve is not None:
        places = [at for at, _, _ in one.trial.curve.points(records)]
        assert places == sorted(set(places)) and places[0] == 0.0
    if one.trial.passages is not None:
        some = [passage for record in records if (passage := one.trial.passages.passage(record, "m")) is not None]
        assert some and all(len(passage.written["m"]) == len(one.trial.passages.columns) for passage in some)
    if one.trial.good is not None:
        assert {one.trial.good(record) for record in records} <= {True, False}
    json.dumps(one.trial.facts(records, NAMES), allow_nan=False)


READING = """
import sys
from pathlib import Path
from unfooled.results.folder import open_folder, summary
from unfooled.trials.passages import side_by_side
for folder in Path(sys.argv[1]).iterdir():
    results = open_folder(folder)
    summary(results)
    for one in results.trials:
        form = one.form
        form.questions(one.records), form.families(one.records), form.warnings(one.records)
        form.facts(one.records, one.header.labels)
        form.curve and form.curve.points(one.records)
        form.passages and side_by_side(form.passages, {one.model: one.records})
        print(one.header.task, one.trial, len(one.rows))
assert not {"torch", "transformers", "accelerate"} & set(sys.modules), "reading results imports a network's library"
"""


def test_reading_the_records_of_every_trial_imports_no_torch(tmp_path: Path) -> None:
    for name, task in CASES:
        one = measured(name, task)
        labels = victim(task).labels
        save_trial(tmp_path / task, "tiny", name, by_index(one.made), task=task, labels=labels, unit=one.trial.unit)
    found = subprocess.run([sys.executable, "-c", READING, str(tmp_path)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    told = {tuple(line.split()[:2]): int(line.split()[2]) for line in found.stdout.splitlines()}
    assert told == {(task, name): len(measured(name, task).rows) for name, task in CASES}
