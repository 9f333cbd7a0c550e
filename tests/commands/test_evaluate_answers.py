"""Models of numbers, sets and spans from folder to table: scored as plain transformers, scipy, scikit-learn and SQuAD's
own script would; resumed; and refused where they do not fit."""

import json
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from heads_ground import logits, save_data, save_head, says_at_least_one
from scipy import stats
from sklearn.metrics import f1_score
from tiny import save_reviews
from transformers import AutoModelForQuestionAnswering, AutoTokenizer
from typer.testing import CliRunner

import unfooled as uf
from unfooled.cli.main import app
from unfooled.commands.gate import gate
from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.results.log import read_log
from unfooled.tasks.task import Task

PROBLEMS = ("regression", "multilabel", "span")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("heads")
    found: dict[str, Any] = {problem: save_head(folder, problem) for problem in PROBLEMS}
    found["data"] = save_data(folder)
    found["folder"] = folder
    return found


def records(out: Path, trial: str) -> list[Any]:
    (path,) = out.glob(f"*/{trial}/examples.jsonl")
    found = read_log(path)
    assert found is not None
    return found[1]


def official(text: str) -> str:
    """SQuAD's evaluate-v1.1.py: lower, strip punctuation, articles, extra white space."""
    text = "".join(char for char in text.lower() if char not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def official_f1(said: str, right: str) -> float:
    one, two = official(said).split(), official(right).split()
    same = sum((Counter(one) & Counter(two)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(one), same / len(two)
    return 2 * precision * recall / (precision + recall)


def spans(folder: str, texts: list[tuple[str, str]]) -> list[str]:
    """The best legal span of contexts that fit whole, by plain transformers."""
    network = AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = []
    for question, context in texts:
        given = tokenizer(question, context, return_tensors="pt", return_offsets_mapping=True)
        assert given["input_ids"].shape[1] <= 32
        places, kinds = given.pop("offset_mapping")[0], given.sequence_ids(0)
        with torch.no_grad():
            out = network(**given)
        inside = [place for place, kind in enumerate(kinds) if kind == 1]
        sums = {
            (a, b): out.start_logits[0, a] + out.end_logits[0, b] for a in inside for b in inside if 0 <= b - a < 30
        }
        first, last = max(sums, key=lambda pair: sums[pair])
        found.append(context[places[first][0] : places[last][1]])
    return found


def expected(problem: str, folder: str, some: list[Any]) -> dict[str, float]:
    """The scores of these records, from nothing but their texts, what is right, and the saved model."""
    texts, right = [one.texts for one in some], [one.right for one in some]
    if problem == "regression":
        said = [row[0] for row in logits(folder, texts)]
        errors = np.mean((np.array(said) - np.array(right)) ** 2)
        return {
            "pearson": stats.pearsonr(right, said).statistic,
            "spearman": stats.spearmanr(right, said).statistic,
            "squared_error": errors,
        }
    if problem == "multilabel":
        rows = np.array(logits(folder, texts)) >= 0
        truth = np.array([["bad" in one, "good" in one] for one in right])
        return {"f1": f1_score(truth, rows, average="micro"), "exact_match": (rows == truth).all(axis=1).mean()}
    said = spans(folder, texts)
    pairs = list(zip(said, right, strict=True))
    return {
        "f1": float(np.mean([max(official_f1(one, other) for other in known) for one, known in pairs])),
        "exact_match": float(np.mean([any(official(one) == official(o) for o in known) for one, known in pairs])),
    }


@pytest.mark.parametrize("problem", PROBLEMS)
def test_scores_are_those_of_the_task_on_originals_and_on_versions(
    ground: dict[str, Any], tmp_path: Path, problem: str
) -> None:
    more = {"pwws": {"most": 3, "similarity": None}} if problem == "multilabel" else {}  # sets of labels are attacked
    told = {"invariance": {"most": 15}, **more}
    results = uf.evaluate(ground[problem], ground["data"][problem], tmp_path, settings=told)
    assert {row.trial for row in results.rows} == {"clean", *told}
    assert more or not results.verdicts[0].fickleness.score
    found = {(row.trial, row.part, row.metric): row.score for row in results.rows}
    every, some = records(tmp_path, "clean"), records(tmp_path, "invariance")
    originals = {one.original: one for one in some if one.change is None}
    assert len(originals) == 15 and len(every) == len(Path(ground["data"][problem]).read_text().splitlines())
    synonyms = [one for one in some if one.change == "synonyms"]
    checklist = [one for one in some if one.change not in (None, "synonyms")]
    sides = {
        ("clean", None): every,
        ("invariance", "original"): list(originals.values()),
        ("invariance", "synonyms"): synonyms,
        ("invariance", "before synonyms"): [originals[one.original] for one in synonyms],
        ("invariance", "checklist"): checklist,
    }
    for (trial, part), own in sides.items():
        for metric, value in expected(problem, ground[problem], own).items():
            score = found[trial, part, metric]
            assert score.n == len(own) > 0 and score.definition and score.low <= score.value <= score.high
            assert score.value == pytest.approx(value, abs=1e-5), (trial, part, metric)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_was_broken_off_is_gone_on_with(
    ground: dict[str, Any], tmp_path: Path, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: Any = (ground[problem], ground["data"][problem])
    told = {"trials": ["clean", "invariance"], "settings": {"invariance": {"most": 12}}}
    whole = uf.evaluate(*given, tmp_path / "whole", **told)
    uf.evaluate(*given, tmp_path / "broken", **told)
    for path in (tmp_path / "broken").glob("*/*/examples.jsonl"):
        path.write_bytes(path.read_bytes()[: -len(path.read_bytes()) // 3])
    (tmp_path / "broken" / "summary.json").unlink()
    again = uf.evaluate(*given, tmp_path / "broken", **told)
    assert again.rows == whole.rows
    for trial in ("clean", "invariance"):
        assert records(tmp_path / "whole", trial) == records(tmp_path / "broken", trial)
    monkeypatch.setattr(Task, "says", None)  # a third call asks nothing
    assert uf.evaluate(*given, tmp_path / "broken", **told).rows == whole.rows
    with pytest.raises(BadInput, match="is from another evaluation, which differs in .*most"):
        uf.evaluate(*given, tmp_path / "broken", ["invariance"], settings={"invariance": {"most": 3}})


def test_a_model_that_never_says_nothing_says_its_likeliest_label(ground: dict[str, Any], tmp_path: Path) -> None:
    model = save_head(tmp_path, "multilabel", seed=1)
    says_at_least_one(model)
    uf.evaluate(model, ground["data"]["multilabel"], tmp_path / "out", ["clean"])
    rows = records(tmp_path / "out", "clean")
    told = [
        [("bad", "good")[place] for place in range(2) if row[place] >= 0]
        for row in logits(model, [r.texts for r in rows])
    ]
    likeliest = [[("bad", "good")[int(np.argmax(row))]] for row in logits(model, [r.texts for r in rows])]
    assert not all(told)
    assert [list(one.said) for one in rows] == [some or top for some, top in zip(told, likeliest, strict=True)]


def test_training_keeps_whether_something_must_be_said(ground: dict[str, Any], tmp_path: Path) -> None:
    """What evaluation says of the test split is what training said of it, to the last number."""
    rows = [json.loads(line) for line in Path(ground["data"]["multilabel"]).read_text().splitlines()]
    data = tmp_path / "labelled.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows if row["label"]))
    source = {"source": str(data), "test": str(data)}
    run = uf.train(source, tmp_path / "run", str(ground["folder"] / "encoder"), plan={"max_steps": 2, "batch_size": 8})
    results = uf.evaluate(run.model, str(data), tmp_path / "out", ["clean"])
    found = {row.metric: row.score for row in results.rows}
    assert all(one.said for one in records(tmp_path / "out", "clean"))
    assert found["f1"] == run.scores["test f1"] and found["exact_match"] == run.scores["test exact match"]


def test_gate_and_report_read_such_folders(ground: dict[str, Any], tmp_path: Path) -> None:
    told = {"settings": {"invariance": {"most": 10, "kinds": ("synonyms", "typos")}}}
    uf.evaluate(ground["regression"], ground["data"]["regression"], tmp_path / "out", **told)
    (ruling,) = gate(tmp_path / "out", ["squared_error.invariance.synonyms <= 1e9"])
    assert ruling.passed and ruling.score is not None
    made = report(tmp_path / "out", tmp_path / "page.html").read_text()
    assert "Pearson correlation, before synonyms" in made


def test_the_command_line_measures_them_too(ground: dict[str, Any], tmp_path: Path) -> None:
    more = [
        "--trials",
        "clean,invariance",
        "--set",
        "invariance.most=5",
        "--limit",
        "10",
        "--out",
        str(tmp_path / "out"),
    ]
    found = CliRunner().invoke(app, ["evaluate", ground["span"], "--data", ground["data"]["span"], *more])
    assert found.exit_code == 0, found.output
    assert "clean: F1" in found.output and "clean: exact match" in found.output and "checklist" in found.output
    stored = json.loads((tmp_path / "out" / "summary.json").read_text())
    (model,) = stored["models"].values()
    assert model["trials"]["clean"]["units"] == 10 and model["trials"]["invariance"]["unit"] == "version"
    assert "bootstrap where the definition says so" in model["trials"]["clean"]["interval"]


@pytest.mark.parametrize(
    ("models", "data", "trials", "sentence"),
    [
        (
            ["regression"],
            "regression",
            ["pgd"],
            "pgd is no trial of a model of numbers, which goes through clean, invariance$",
        ),
        (
            ["span"],
            "span",
            ["pwws"],
            "pwws is no trial of a model that answers questions, which goes through clean, inv",
        ),
        (["multilabel"], "multilabel", ["cleen"], "there is no trial called cleen"),
        (["regression"], "multilabel", None, "holds a list .*, not one text or number"),
        (["multilabel"], "regression", None, "not a list of labels"),
        (["span"], "multilabel", None, "no column is known to be the question"),
        (
            ["regression", "multilabel"],
            "regression",
            None,
            "is a model of sets of labels and .* is a model of numbers; evaluate them",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    ground: dict[str, Any], tmp_path: Path, models: list[str], data: str, trials: list[str] | None, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        uf.evaluate([ground[name] for name in models], ground["data"][data], tmp_path / "out", trials)
    assert not (tmp_path / "out").exists()


def test_labels_that_the_model_does_not_know_and_settings_that_do_not_fit(
    ground: dict[str, Any], tmp_path: Path
) -> None:
    other = save_head(ground["folder"], "multilabel", name="other", labels=("warm", "cold"))
    with pytest.raises(BadInput, match=r"its labels \(bad, good\) are not those of the model \(warm, cold\)"):
        uf.evaluate(other, ground["data"]["multilabel"], tmp_path)
    with pytest.raises(BadInput, match="answers with warm, cold and .* with bad, good; evaluate them apart"):
        uf.evaluate([ground["multilabel"], other], ground["data"]["multilabel"], tmp_path)
    for odd in ({"kinds": ("neutral",)}, {"templates": False}):
        with pytest.raises(BadInput, match=r"invariance\."):
            uf.evaluate(ground["regression"], ground["data"]["regression"], tmp_path, settings={"invariance": odd})
    reviews = save_reviews(tmp_path / "reviews.csv", 12)
    with pytest.raises(BadInput, match="not a number"):
        uf.evaluate(ground["regression"], str(reviews), tmp_path / "out")
