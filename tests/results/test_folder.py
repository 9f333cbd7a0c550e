"""A results folder gives the same scores to whoever opens it, and refuses to mix what cannot be compared."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from results_ground import word_attack

from unfooled.errors import BadInput
from unfooled.journal import append, begin
from unfooled.results.folder import log_path, open_folder, read_summary, summary, write_summary
from unfooled.results.log import Header
from unfooled.trials.behaviour.cases import CaseRecord
from unfooled.trials.clean import METRICS as CLEAN_METRICS
from unfooled.trials.clean import CleanRecord
from unfooled.trials.kept.climbs import PGDRecord, WorstPoint
from unfooled.trials.pgd import METRICS as PGD_METRICS

HEADER = Header("clean", "tiny", "ab", ("no", "yes"), 16, "mr", "cd", 2, "ef", 7, {})
PGD = replace(HEADER, trial="pgd", settings={"eps": [0.0, 0.1], "steps": 1, "restarts": 1})


def strict_json(text: str) -> dict:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def example(index: int, header: Header, rise: float = 0.1) -> CleanRecord | PGDRecord:
    if header.trial == "clean":
        return CleanRecord(index, 0, index % 2, 0.5, 0.5)
    radii: Any = header.settings.get("eps", [])
    points = tuple(
        WorstPoint(eps, 0, 0.5, 0.5 + rise * eps, (0.5, 0.5 + rise * eps), 0.9, eps, eps, 0) for eps in radii
    )
    return PGDRecord(index, 0, index % 2, 0.5, 0.5, 0.25, points)


def fill(out: Path, slug: str, header: Header, count: int | None = None, rise: float = 0.1) -> Path:
    path = log_path(out, slug, header.trial)
    begin(path, header)
    whole = range(header.examples if count is None else count)
    list(append(path, [example(index, header, rise) for index in whole]))
    return path


def test_a_model_that_had_learnt_nothing_is_named_first(tmp_path: Path) -> None:
    fill(tmp_path, "a", replace(HEADER, learnt_nothing=True))
    fill(tmp_path, "a", replace(PGD, learnt_nothing=True))
    fill(tmp_path, "b", replace(HEADER, model="other", model_hash="x"))
    fill(tmp_path, "b", replace(PGD, model="other", model_hash="x"), count=1)
    first, unfinished = open_folder(tmp_path).warnings
    assert first.startswith("tiny had learnt nothing that its validation split showed") and "unfinished" in unfinished


def test_rows_come_model_by_model_trial_by_trial_metric_by_metric(tmp_path: Path) -> None:
    fill(tmp_path, "a", HEADER)
    fill(tmp_path, "a", PGD)
    fill(tmp_path, "b", replace(HEADER, model="other", model_hash="x"))
    results = open_folder(tmp_path, ["b", "a"])
    clean = [("clean", None, name) for name in CLEAN_METRICS]
    pgd = [("pgd", eps, name) for eps in (0.0, 0.1) for name in PGD_METRICS]
    expected = [("other", *row) for row in clean] + [("tiny", *row) for row in clean + pgd]
    assert [(row.model, row.trial, row.eps, row.metric) for row in results.rows] == expected
    assert results.rows[0].score.value == 0.5
    assert results.warnings == ()


def test_models_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    fill(tmp_path, "tiny-1", HEADER)
    fill(tmp_path, "tiny-2", replace(HEADER, model_hash="x"))
    assert {row.model for row in open_folder(tmp_path).rows} == {"tiny-1", "tiny-2"}


def test_the_summary_is_strict_json_and_says_everything(tmp_path: Path) -> None:
    single = {"examples": 1}
    fill(tmp_path, "a", replace(HEADER, **single))
    fill(tmp_path, "a", replace(PGD, **single))
    results = open_folder(tmp_path)
    assert (results.rows[1].score.low, results.rows[1].score.high) == (0.0, 1.0)  # one value tells nothing of a mean
    assert math.isinf(results.rows[-1].score.high)
    write_summary(tmp_path, results)
    found = strict_json((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert found == read_summary(tmp_path) == strict_json(json.dumps(summary(results)))
    assert (found["kind"], found["schema"], found["seed"]) == ("unfooled evaluation", 2, 7)
    assert set(found["versions"]) >= {"unfooled", "torch", "transformers", "python"}
    assert found["data"] == {"name": "mr", "hash": "cd", "examples": 1, "examples_hash": "ef"}
    model = found["models"]["a"]
    assert (model["name"], model["hash"]) == ("tiny", "ab")
    assert model["trials"]["pgd"]["settings"] == PGD.settings
    assert model["trials"]["clean"]["confusion"] == [[1, 0], [0, 0]]
    for trial in model["trials"].values():
        for score in trial["scores"]:
            numbers = {"value", "low", "high", "n", "definition", "title", "unit", "better"}
            assert set(score) == {"metric", "eps", "part"} | numbers
            assert score["definition"] and score["n"] == 1
    assert model["trials"]["pgd"]["scores"][-1]["high"] is None
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["summary.json"]


def test_a_failed_write_keeps_the_old_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "a", HEADER)
    results = open_folder(tmp_path)
    write_summary(tmp_path, results)
    before = (tmp_path / "summary.json").read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("unfooled.files.synchronise", full)
    with pytest.raises(OSError, match="No space"):
        write_summary(tmp_path, results)
    assert (tmp_path / "summary.json").read_bytes() == before


def test_health_warnings_name_model_and_trial(tmp_path: Path) -> None:
    fill(tmp_path, "a", PGD, rise=0.0)
    (warning,) = open_folder(tmp_path).warnings
    assert warning.startswith("tiny, pgd: gradient masking at eps 0.1")


def test_an_unfinished_trial_gets_no_score_but_a_warning(tmp_path: Path) -> None:
    fill(tmp_path, "a", HEADER)
    fill(tmp_path, "a", PGD, count=1)
    results = open_folder(tmp_path)
    assert {row.trial for row in results.rows} == {"clean"}
    assert "pgd" in results.warnings[0] and "unfinished (1 examples done)" in results.warnings[0]


def test_a_folder_without_finished_trials_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no finished evaluation"):
        open_folder(tmp_path)


@pytest.mark.parametrize(
    ("slug", "change", "key"), [("b", {"data_hash": "x"}, "data_hash"), ("b", {"seed": 1}, "seed")]
)
def test_results_on_different_data_are_not_compared(tmp_path: Path, slug: str, change: dict, key: str) -> None:
    fill(tmp_path, "a", HEADER)
    fill(tmp_path, slug, replace(HEADER, **change))
    with pytest.raises(BadInput, match=f"cannot be compared.*{key}"):
        open_folder(tmp_path)


def test_two_trials_of_one_folder_must_be_of_one_model(tmp_path: Path) -> None:
    fill(tmp_path, "a", HEADER)
    fill(tmp_path, "a", replace(PGD, model_hash="retrained"))
    with pytest.raises(BadInput, match="model_hash"):
        open_folder(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"kind": "unfooled evaluation", "schema": 1}', "schema version 1, this unfooled reads 2; measure again into"),
        ('{"kind": "unfooled attack", "schema": 1}', "schema version 1, this unfooled reads 2; measure again into"),
        ('{"kind": "unfooled search", "schema": 1}', "not from an evaluation"),
        ("[]", "not from an evaluation"),
        ("{", "not valid JSON"),
        (None, "is missing"),
    ],
)
def test_a_summary_of_something_else_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "summary.json").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_summary(tmp_path)


def test_a_log_of_no_examples_is_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "a", HEADER)
    fill(tmp_path, "b", replace(HEADER, model="other", model_hash="x", trial="pgd", unit="none", examples=0))
    results = open_folder(tmp_path)
    assert {row.model for row in results.rows} == {"tiny"}
    assert "holds no examples and is left out" in results.warnings[0]


def test_trials_stand_in_the_order_of_their_table(tmp_path: Path) -> None:
    fill(tmp_path, "a", PGD)
    fill(tmp_path, "a", HEADER)
    assert list(dict.fromkeys(row.trial for row in open_folder(tmp_path).rows)) == ["clean", "pgd"]


def test_failed_cases_are_shown_by_test(tmp_path: Path) -> None:
    texts = (("a film",), ("a flim",))
    said = ((0.2, 0.8), (0.9, 0.1))
    header = replace(HEADER, trial="invariance", unit="case", examples=5)
    path = log_path(tmp_path, "a", "invariance")
    begin(path, header)
    typos = [CaseRecord(index, "typos", "INV", "R", texts, "same", (), (1, 0), said, (1,)) for index in range(4)]
    list(append(path, [*typos, CaseRecord(4, "names", "INV", "R", texts, "same", (), (1, 1), said, ())]))
    found = strict_json(json.dumps(summary(open_folder(tmp_path))))["models"]["a"]["trials"]["invariance"]
    assert list(found["failures"]) == ["INV typos"] and len(found["failures"]["INV typos"]) == 3
    assert found["failures"]["INV typos"][0] == {"text": ["a film"], "version": ["a flim"], "said": ["yes", "no"]}
    assert "confusion" not in found


def test_an_attack_is_a_trial_among_the_others(tmp_path: Path) -> None:
    records = word_attack(1, 1, 0)
    fill(tmp_path, "a", HEADER)
    path = log_path(tmp_path, "a", "pwws")
    begin(path, replace(HEADER, trial="pwws", unit="attacked example", settings={"attack": {"pos": "same"}}))
    list(append(path, records))
    results = open_folder(tmp_path)
    assert [one.trial for one in results.trials] == ["clean", "pwws"]
    assert results.of("tiny", "pwws") is results.trials[1] and results.trials[1].records == tuple(records)
    found = summary(results)["models"]["a"]["trials"]["pwws"]  # type: ignore[index,call-overload]
    assert (found["unit"], found["units"]) == ("attacked example", 2)
    assert {row.metric: row.score.value for row in results.rows}["attack_success"] == 0.5


@pytest.mark.parametrize("schema", [1, 2])
def test_an_old_attack_in_the_folder_itself_is_not_overlooked(tmp_path: Path, schema: int) -> None:
    fill(tmp_path, "a", HEADER)
    (tmp_path / "examples.jsonl").write_text(json.dumps({"kind": "unfooled attack", "schema": schema}) + "\n")
    with pytest.raises(BadInput, match=f"schema version {schema}, .*measure again into a new folder"):
        open_folder(tmp_path)
