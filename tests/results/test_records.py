"""Records are read where they are, in the order of their examples; what stays in memory hardly grows with them."""

import random
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from results_ground import plain, save_trial, word_attack
from stories import told_of
from toy_results import INPUTS, SETTINGS

from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.report.page import page
from unfooled.results.folder import open_folder, summary
from unfooled.results.open import open_results
from unfooled.results.records import open_log, whole
from unfooled.results.run import evaluate
from unfooled.trials import columns, gathering
from unfooled.trials.hits import HitRecord
from unfooled.trials.inputs import Given, Inputs
from unfooled.trials.kept.climbs import PGDRecord, WorstPoint
from unfooled.trials.kept.shifts import ContrastSentence, Move, Shift, ShiftRecord
from unfooled.trials.pgd import PGD
from unfooled.victims.victim import Victim

SLOPE = 50  # bytes an example, which are .05 MB per thousand
RECORDS = word_attack(30, 50, 20)


def shuffled(records: list[Any]) -> list[Any]:
    return random.Random(0).sample(records, len(records))


def many(count: int) -> list[Any]:
    return [replace(RECORDS[index % 100], index=index) for index in range(count)]


def test_a_log_is_its_records_in_their_order(tmp_path: Path) -> None:
    path = save_trial(tmp_path, "m", "pwws", shuffled(RECORDS))
    header, records = open_log(path) or (None, ())
    assert header is not None and records == RECORDS and len(records) == 100 and records != RECORDS[1:]
    assert records[7] == RECORDS[7] and records[-1] == RECORDS[-1] and records[3:6] == tuple(RECORDS[3:6])
    assert whole(records, [9, 2]) == [RECORDS[9], RECORDS[2]] == whole(RECORDS, [9, 2])
    assert header.form.scores(records.briefs) == header.form.scores(RECORDS) == header.form.scores(records)


def test_a_log_that_has_changed_is_one_sentence(tmp_path: Path) -> None:
    path = save_trial(tmp_path, "m", "pwws", RECORDS)
    _, records = open_log(path) or (None, ())
    path.write_bytes(path.read_bytes()[:-300])
    assert records[0] == RECORDS[0]
    with pytest.raises(BadInput, match="has changed since it was opened"):
        records[-1]


@pytest.mark.parametrize("examples", [3, 100])
def test_an_example_that_is_there_twice_is_named_with_its_line(tmp_path: Path, examples: int) -> None:
    records = [RECORDS[2], RECORDS[0], RECORDS[0]]
    path = save_trial(tmp_path, "m", "pwws", records, examples=examples)
    with pytest.raises(BadInput, match=f"line 4: example 0 is there twice or is not one of the {examples}"):
        open_log(path)


WIDE = 100  # of features, which take some kilobytes a record where they are objects


def looked_into(trial: str, count: int, seed: int = 0) -> list[Any]:
    """Records of a trial that looks inside, as they are made: with all that they keep."""
    draw = np.random.default_rng(seed)

    def vector(label: int) -> tuple[float, ...]:
        found = draw.normal(size=WIDE) + 9 * label * np.eye(WIDE)[0]
        return tuple((found / np.linalg.norm(found)).round(5).tolist())

    def climbed(index: int) -> PGDRecord:
        worst = [
            WorstPoint(eps, int(draw.integers(2)), 0.5, 0.9, (0.5, 0.6 + eps), *draw.random(2).tolist(), eps, 0)
            for eps in (0.0, 0.1)
        ]
        slope = float(draw.integers(4))
        return PGDRecord(index, index % 2, int(draw.integers(2)), 0.5, 0.7, slope, tuple(worst), vector(index % 2))

    def shifted(index: int) -> ShiftRecord:
        causes = ("synonyms", "pgd 0.1") if index % 3 else ("pgd 0.1",)
        shifts = tuple(Shift(one, (Move(*draw.random(4).tolist()),) * 2, *draw.random(2).tolist()) for one in causes)
        other = ContrastSentence("negation", (f"not {index}",), vector(1 - index % 2)) if index % 4 == 0 else None
        moved = vector(index % 2) if index % 3 else None
        return ShiftRecord(index, index % 2, (f"text {index}",), shifts, vector(index % 2), moved, other)

    def hit(index: int) -> HitRecord:
        near = tuple((float(one), float(other)) for one, other in draw.integers(0, 5, (2, 2)) / 4)
        return HitRecord(index, index, f"text {index} " * 60, "synonym", "antonym", near, near[::-1], near)

    made = {"pgd": climbed, "shift": shifted, "hits": hit}[trial]
    return [made(index) for index in range(count)]


INSIDE = pytest.mark.parametrize("trial", ["pgd", "shift", "hits"])


@INSIDE
@pytest.mark.parametrize("most", [0, 2**23])
def test_what_stays_in_the_log_is_read_to_the_bit(
    trial: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unfooled.results.records.SMALL", most)
    records = looked_into(trial, 90)
    header, kept = open_log(save_trial(tmp_path, "m", trial, shuffled(records))) or (None, ())
    assert header is not None and kept == records
    form = header.form
    assert form.scores(kept.briefs) == form.scores(records) == form.scores(kept)
    assert len(form.scores(records)) > 2 and form.questions(kept.briefs) == form.questions(records)
    assert form.warnings(kept.briefs) == form.warnings(records)


@INSIDE
def test_a_page_of_logs_is_that_of_records_in_memory(
    trial: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unfooled.results.records.SMALL", 0)
    records = {name: looked_into(trial, 40, seed) for seed, name in enumerate(("plain", "robust"))}
    for name, own in records.items():
        save_trial(tmp_path, name, trial, shuffled(own))
    stored = open_results([tmp_path])
    whole_ones = [replace(one, records=tuple(records[one.model])) for one in stored.trials]
    assert page(told_of(*stored.trials)) == page(told_of(*whole_ones))


@INSIDE
def test_features_and_texts_are_left_where_they_are(
    trial: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read stays within some of the bytes that the features, or the texts, of a record are."""
    monkeypatch.setattr("unfooled.results.records.SMALL", 0)
    for module in (columns, gathering):
        monkeypatch.setattr(module, "CHUNK", 64)
    monkeypatch.setattr("unfooled.trials.kept.shifts.PAIRED", 64)
    for size in (100, 500):
        save_trial(tmp_path / str(size), "m", trial, shuffled(looked_into(trial, size)))
    peak(tmp_path / "100")  # what is made once is made
    small, large = (peak(tmp_path / str(size)) for size in (100, 500))
    assert large - small < 400 * (500 - 100)


def test_what_changes_while_features_are_read_is_one_sentence(tmp_path: Path) -> None:
    path = save_trial(tmp_path, "m", "pgd", looked_into("pgd", 5))
    header, kept = open_log(path) or (None, ())
    path.write_bytes(path.read_bytes()[:-300])
    assert header is not None
    with pytest.raises(BadInput, match="has changed since it was opened"):
        header.form.scores(kept.briefs)


def test_features_of_different_lengths_are_refused(tmp_path: Path) -> None:
    first, second = looked_into("pgd", 2)
    _, kept = open_log(save_trial(tmp_path, "m", "pgd", [first, replace(second, vector=second.vector[1:])])) or (0, ())
    with pytest.raises(BadInput, match="features of pgd are of different lengths"):
        PGD.scores(kept.briefs)
    _, kept = open_log(save_trial(tmp_path / "old", "m", "pgd", [first, replace(second, vector=())])) or (0, ())
    assert "same_label_cosine" in {row.metric for row in PGD.scores(kept.briefs)}


def peak(folder: Path) -> int:
    """The bytes at the worst while a folder is opened and all its numbers are read, one log after another."""
    tracemalloc.start()
    try:
        results = open_folder(folder)
        summary(results)
        for one in results.measured:
            one.form.questions(one.briefs)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_reading_keeps_hardly_grows_with_the_records(tmp_path: Path) -> None:
    sizes = 4_000, 12_000
    for size in sizes:
        save_trial(tmp_path / str(size), "m", "pwws", shuffled(many(size)))
    peak(tmp_path / "4000")  # what is made once is made
    small, large = (peak(tmp_path / str(size)) for size in sizes)
    assert large - small < SLOPE * (sizes[1] - sizes[0])


def test_what_an_attack_keeps_does_not_grow_with_the_examples(tmp_path: Path) -> None:
    held, calls = np.zeros(10_000, dtype=int), iter(range(10_000))  # made before anything is counted

    def answer(texts: Any) -> np.ndarray:
        held[next(calls)] = tracemalloc.get_traced_memory()[0]
        good = np.array(["good" in text[0] for text in texts], dtype=float)
        return np.stack([0.9 - 0.8 * good, 0.1 + 0.8 * good], axis=1)

    size = 1_000
    texts = [(f"{'good' if index % 2 else 'bad'} film",) for index in range(size)]
    inputs = Inputs(texts, [index % 2 for index in range(size)], {"data": Given("films", "h")}, ("no", "yes"))
    victim = Victim("two words", answer, labels=("no", "yes"))
    trials = {"deepwordbug": SETTINGS["deepwordbug"]}
    evaluate([victim], INPUTS, tmp_path / "before", trials)  # what is made once is made
    first = next(calls)
    tracemalloc.start()
    try:
        evaluate([victim], inputs, tmp_path / "out", trials, in_flight=4, batch_size=8)
    finally:
        tracemalloc.stop()
    early, late = np.array_split(held[first + 1 : next(calls)], 4)[1::2]
    assert late.max() - early.max() < 100 * size  # questions that wait come and go; records would be five times that


def test_the_page_says_how_many_of_the_records_it_shows(tmp_path: Path) -> None:
    count = 5_100
    fooled = [replace(RECORDS[30], index=index) for index in range(count)]
    save_trial(tmp_path / "results", "m", "pwws", shuffled(fooled))
    page = report(tmp_path / "results", tmp_path / "page.html").read_text()
    assert "This page carries 5,000 of the 5,100 sentences that fooled a model, at most 5,000" in page


def test_a_whole_page_of_logs_is_that_of_records_in_memory(tmp_path: Path) -> None:
    clean, pgd = plain(80, {0.02: 60, 0.1: 30})
    for trial, records in (("clean", clean), ("pgd", pgd), ("pwws", RECORDS)):
        save_trial(tmp_path / "in order", "m", trial, records)
        save_trial(tmp_path / "any order", "m", trial, shuffled(list(records)))
    one, other = (summary(open_folder(tmp_path / name)) for name in ("in order", "any order"))
    assert one == other
