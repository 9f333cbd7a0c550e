"""Every trial runs on a small model and on a callable, resumes, and says what it cannot do."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attack_ground import tiny_model
from tiny import reviews
from toys import essence

from unfooled.attacks import AttackRecord
from unfooled.errors import BadInput
from unfooled.evaluation.contrast import Member
from unfooled.evaluation.log import read
from unfooled.evaluation.material import Contrasted, Material, Source, hash_units
from unfooled.evaluation.measures import MEASURES
from unfooled.evaluation.subject import Subject
from unfooled.evaluation.suite import evaluate
from unfooled.evaluation.transfer import Adversary
from unfooled.evaluation.trial_log import FORM
from unfooled.evaluation.trial_table import SUITES, TRIALS, InvarianceSettings, unable
from unfooled.models import ModelSettings, TextModel, build

TEXTS = [(f"{text} in a large place",) for text, _ in reviews(12)]
LABELS = [place % 2 for place in range(12)]
NAMES = ("negative", "positive")
MEMBERS = [Member(str(place // 2), place % 2 == 0, text, place % 2) for place, text in enumerate(TEXTS)]
MATERIAL = Material(
    TEXTS, LABELS, {name: Source(name, name) for name in ("data", "contrast", "adversaries")}, NAMES, MEMBERS,
    [Adversary(one, other, 1) for one, other in pairwise(TEXTS)],
)  # fmt: skip
QUICK = {name: trial for name, trial in TRIALS.items() if name != "textfooler"}  # which needs a sentence encoder


def settings(name: str, **changes: Any) -> Any:
    return TRIALS[name].settings(**changes)


def comparable(records: Sequence[Any]) -> list[Any]:
    """Records as they must come out again; an attack's batches, and so its last digits, depend on where it goes on."""
    return [essence(record) if isinstance(record, AttackRecord) else record for record in records]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return tiny_model(tmp_path_factory.mktemp("table"))


def asked(texts: list[str]) -> np.ndarray:
    return np.array([[0.2, 0.8] if "good" in text else [0.7, 0.3] for text in texts])


ASKED = Subject("asked", "", NAMES, None, asked)


def test_every_trial_has_a_measure_and_every_suite_trials_of_the_table() -> None:
    assert set(TRIALS) == set(MEASURES)
    assert all(set(suite) <= set(TRIALS) for suite in SUITES.values()) and set(SUITES["full"]) == set(TRIALS)
    for suite in SUITES.values():
        for name, own in suite.items():
            TRIALS[name].settings(**own)


def test_all_trials_of_a_small_model_resume_to_the_same_records(model: TextModel, tmp_path: Path) -> None:
    trials = {name: settings(name) for name in QUICK} | {"invariance": InvarianceSettings(templates=False)}
    trials |= {name: settings(name, most=4) for name in ("pwws", "deepwordbug", "random")}
    whole = evaluate([model], MATERIAL, tmp_path / "whole", trials, batch_size=4)
    evaluate([model], MATERIAL, tmp_path / "broken", trials, batch_size=4)
    for path in (tmp_path / "broken").glob("*/*/examples.jsonl"):
        path.write_bytes(path.read_bytes()[: -len(path.read_bytes()) // 3])
    again = evaluate([model], MATERIAL, tmp_path / "broken", trials, batch_size=4)
    assert [trial.header.trial for trial in whole.trials] == list(QUICK)
    for one, other in zip(whole.trials, again.trials, strict=True):
        assert comparable(one.records) == comparable(other.records), one.header.trial
    assert str(whole.rows) == str(again.rows)  # as texts: where a number is unknown it equals nothing


def test_a_callable_goes_through_what_only_asks(tmp_path: Path) -> None:
    names = ["clean", "pwws", "deepwordbug", "random", "transfer", "contrast", "invariance"]
    results = evaluate([ASKED], MATERIAL, tmp_path, names)
    scores = {(row.trial, row.metric): row.score.value for row in results.rows if row.part is None}
    right = [("good" in text[0]) == bool(label) for text, label in zip(TEXTS, LABELS, strict=True)]
    assert scores["clean", "accuracy"] == sum(right) / 12 == scores["pwws", "clean_accuracy"]
    found = read(tmp_path / "asked" / "clean" / "examples.jsonl", FORM)
    assert found is not None and found[0].model_hash == "" and found[0].max_length is None
    assert found[1][0].loss == pytest.approx(-np.log(found[1][0].confidence))


@pytest.mark.parametrize("name", ["pgd", "hits", "shift"])
def test_what_looks_inside_refuses_a_callable(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=f"{name} looks into the network, and asked is only asked"):
        evaluate([ASKED], MATERIAL, tmp_path, ["clean", name])
    results = evaluate([ASKED], MATERIAL, tmp_path, ["clean", name], where_possible=[name])
    assert f"{name} was left out" in results.warnings[0] and {row.trial for row in results.rows} == {"clean"}


def test_a_network_without_layers_has_no_hits() -> None:
    cnn = build(ModelSettings(name="textcnn"), NAMES, seed=0)
    subject = Subject("cnn", "x", NAMES, 32, asked, cnn)
    assert "has none" in (unable("hits", subject) or "") and unable("shift", subject) is None


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("contrast", {"contrast": None}, "needs a contrast set with pair or group ids"),
        ("contrast", {"contrast": MEMBERS[::2]}, "originals alone"),
        ("transfer", {"adversaries": None}, "needs stored adversaries"),
        ("hits", {"texts": [("of the",)], "labels": [0]}, "there are no triples"),
    ],
)
def test_what_is_missing_is_one_sentence(
    model: TextModel, tmp_path: Path, name: str, change: dict, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        evaluate([model], replace(MATERIAL, **change), tmp_path / "out", [name])
    assert not (tmp_path / "out").exists()
    with pytest.raises(BadInput, match="no trial can be run"):
        evaluate([model], replace(MATERIAL, **change), tmp_path / "out", [name], where_possible=[name])


def test_attacks_take_some_examples_and_agree_on_which(tmp_path: Path) -> None:
    trials = {name: settings(name, most=5, similarity=None) for name in ("pwws", "random")}
    results = evaluate([ASKED], MATERIAL, tmp_path, trials)
    first, second = results.trials
    assert [record.texts for record in first.records] == [record.texts for record in second.records]
    assert len(first.records) == 5 and first.header.unit == "attacked example"
    with pytest.raises(BadInput, match=r"examples \(5 there, 6 now\)"):
        evaluate([ASKED], MATERIAL, tmp_path, {"deepwordbug": settings("deepwordbug", most=6)})


def test_directional_tests_ask_for_labels_that_turn_over() -> None:
    cases = TRIALS["invariance"].units
    usual, topical = InvarianceSettings(), replace(MATERIAL, names=("sport", "world"))
    assert {case.kind for case in cases(MATERIAL, usual, 0)} == {"INV", "DIR", "MFT"}
    assert {case.kind for case in cases(topical, usual, 0)} == {"INV"}
    assert "DIR" in {case.kind for case in cases(topical, InvarianceSettings(directional=True), 0)}
    with pytest.raises(BadInput, match="there are no stored suites, so no sentiment"):
        cases(MATERIAL, InvarianceSettings(suite="sentiment"), 0)


def test_originals_of_a_contrast_set_are_shifted_with_a_revision_of_another_label() -> None:
    texts = [(f"text {place}",) for place in range(4)]
    members = [
        Member("a", True, texts[0], 1),
        Member("a", False, ("same label",), 1),
        Member("a", False, ("turned",), 0),
        Member("a", False, ("turned again",), 0),
        Member("b", True, texts[1], 1),
        Member("b", False, texts[2], 1),
    ]
    material = Material(texts, [1, 1, 1, 0], {}, NAMES, members)
    plain = replace(material, contrast=None)
    units, before = (TRIALS["shift"].units(one, settings("shift"), 0) for one in (material, plain))
    assert units[0] == Contrasted(texts[0], 1, ("turned",)) and units[1:] == plain.examples[1:]
    assert before == plain.examples and hash_units(units) == hash_units(before)  # its numbers are the same
