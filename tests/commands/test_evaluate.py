import shutil
from pathlib import Path

import numpy as np
import pytest
from tiny import save_reviews

import unfooled as uf
from unfooled.attacks import PWWS, Attack, DeepWordBug, Parts
from unfooled.errors import BadInput
from unfooled.trials.trial import remembering

NO_ENCODER = {"similarity": None}


def test_evaluate_measures_and_resumes(ground: Path, tmp_path: Path) -> None:
    how = {"trials": ["clean", "pgd"], "pgd": {"eps": [0.0, 1.0]}}
    results = uf.evaluate([str(ground / "run")], str(ground / "test.csv"), tmp_path, **how)
    rows = {(row.trial, row.eps, row.metric): row.score for row in results.rows}
    clean = rows["clean", None, "accuracy"]
    assert clean.value > 0.9 and clean.n == 60
    assert rows["pgd", 0.0, "accuracy_under_attack"].value == clean.value
    assert rows["pgd", 1.0, "accuracy_under_attack"].value <= clean.value
    assert uf.evaluate([str(ground / "run")], str(ground / "test.csv"), tmp_path, **how) == results


def test_models_with_other_labels_are_not_compared(ground: Path, tmp_path: Path) -> None:
    data = save_reviews(tmp_path / "other.csv", 40)
    data.write_text(data.read_text().replace("positive", "yes").replace("negative", "no"))
    other = uf.train(str(data), tmp_path / "other", str(ground / "encoder"), plan={"max_steps": 2})
    with pytest.raises(BadInput, match=r"answers with no, yes and .* with negative, positive; evaluate them apart"):
        uf.evaluate([str(ground / "run"), other.model], str(ground / "test.csv"), tmp_path / "results")


def test_measuring_on_the_training_texts_is_said_and_stands_in_the_log(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ground)
    data = tmp_path / "reviews"
    data.mkdir()
    shutil.copy("train.csv", data / "train.csv")
    shutil.copy("test.csv", data / "test.csv")
    for place, (named, split) in enumerate({"train.csv": None, "./train.csv": None, str(data): "train"}.items()):
        learnt = uf.evaluate("run", named, tmp_path / f"learnt-{place}", ["clean"], split=split)
        assert "warning: these are the texts" in capsys.readouterr().err and learnt.trials[0].header.learnt_from
    for place, named in enumerate(("test.csv", str(data))):
        unseen = uf.evaluate("run", named, tmp_path / f"unseen-{place}", ["clean"])
        assert "learnt from" not in capsys.readouterr().err and not unseen.trials[0].header.learnt_from


def test_no_model_at_all_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no model was named"):
        uf.evaluate([], "movie-reviews", tmp_path)


def good(texts: list[str]) -> np.ndarray:
    return np.array([[0.2, 0.8] if "good" in text else [0.9, 0.1] for text in texts])


def save_contrast(path: Path) -> str:
    rows = ["text,label,pair,version"]
    for place, thing in enumerate(("film", "book", "song", "town")):
        rows += [f"A good {thing}.,positive,{place},original", f"A bad {thing}.,negative,{place},revised"]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def test_a_suite_runs_what_the_model_and_the_data_allow(tmp_path: Path) -> None:
    data = save_contrast(tmp_path / "set.csv")
    results = uf.evaluate(good, data, tmp_path / "out", labels=("negative", "positive"), settings={"pwws": NO_ENCODER})
    assert [trial.header.trial for trial in results.trials] == ["clean", "pwws", "contrast", "invariance"]
    rows = {(row.trial, row.metric, row.part): row.score for row in results.rows}
    assert rows["contrast", "con_pair", None].value == 1.0 and rows["contrast", "con_pair", None].n == 4
    assert any("pgd was left out" in warning for warning in results.warnings)
    assert any("transfer was left out" in warning for warning in results.warnings)
    [verdict] = results.verdicts
    assert verdict.obstinacy.parts["contrast set"].value == 0.0


def test_maps_have_the_revisions_of_a_contrast_set(ground: Path, tmp_path: Path) -> None:
    data, model = save_contrast(tmp_path / "set.csv"), str(ground / "run")
    [alone] = uf.evaluate(model, data, tmp_path / "alone", ["shift"], settings={"shift": {"eps": [0.1]}}).trials
    kinds = {record.texts[0]: record.contrast.kind for record in alone.records}
    assert kinds["A good film."] == "revision" and kinds["A bad film."] == "antonyms"
    plain = tmp_path / "plain.csv"
    plain.write_text("text,label\nA good town.,positive\nA good one.,positive\nA bad one.,negative\n")
    named = uf.evaluate(model, str(plain), tmp_path / "named", ["shift"], contrast=data)
    assert [record.contrast.kind for record in named.trials[0].records] == ["revision", "antonyms", "antonyms"]


def test_contrast_sets_and_adversaries_may_be_other_data(tmp_path: Path) -> None:
    contrast, plain = save_contrast(tmp_path / "set.csv"), tmp_path / "plain.csv"
    plain.write_text("text,label\nA good one.,positive\nA bad one.,negative\n")
    stored = tmp_path / "stored.jsonl"
    stored.write_text('{"original": "A good one.", "adversary": "A g00d one.", "label": "positive"}\n')
    results = uf.evaluate(
        good, str(plain), tmp_path / "out", ["clean", "contrast", "transfer"], contrast=contrast, adversaries=stored,
        labels=("negative", "positive"),
    )  # fmt: skip
    units = {trial.header.trial: (trial.header.examples, trial.header.source) for trial in results.trials}
    assert units == {"clean": (2, "data"), "contrast": (8, "contrast"), "transfer": (1, "adversaries")}
    other = tmp_path / "other.jsonl"
    other.write_text('{"original": "A bad one.", "adversary": "A b4d one.", "label": "negative"}\n')
    with pytest.raises(BadInput, match="data_hash"):  # one table cannot hold two sets of adversaries
        uf.evaluate(
            good, str(plain), tmp_path / "out", ["transfer"], adversaries=other, labels=("negative", "positive")
        )


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"trials": ["contrast"]}, "no column says which texts belong together"),
        ({"trials": ["transfer"]}, "needs stored adversaries"),
        ({"trials": ["pgd"]}, "pgd cannot be run: it looks into the network, and good is only asked"),
        ({"trials": ["telepathy"]}, "no trial called telepathy"),
        ({"trials": []}, "nothing to evaluate"),
        ({"suite": "quik"}, "no suite called quik; did you mean quick"),
        ({"trials": ["clean"], "settings": {"pwws": {"most": 3}}}, "pwws has settings but is not among the trials"),
        ({"trials": ["pwws"], "settings": {"pwws": {"mots": 3}}}, "pwws.mots"),
        ({"trials": ["pwws"], "settings": {"pwws": {"most": 0}}}, "pwws.most"),
        ({"trials": ["pgd"], "pgd": {"eps": [-1]}}, "pgd.eps"),
        ({"labels": ()}, "a callable does not name its classes"),
        ({"labels": ("negative", "neutral", "positive")}, "good answers with 2 classes but has 3 names for them"),
        ({"labels": ("sport", "world")}, "not those of the model"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, how: dict, message: str) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("text,label\nA good one.,positive\nA bad one.,negative\n")
    with pytest.raises(BadInput, match=message):
        uf.evaluate(good, str(path), tmp_path / "out", **{"labels": ("negative", "positive"), **how})
    assert not (tmp_path / "out").exists()


def test_a_folder_of_other_data_is_refused_and_says_why(tmp_path: Path) -> None:
    for name, text in (("one", "A good one."), ("two", "A good, good one.")):
        (tmp_path / f"{name}.csv").write_text(
            f"text,label\n{text},positive\nA bad one.,negative\n".replace("good, ", "good ")
        )
    how = {"trials": ["clean"], "labels": ("negative", "positive")}
    uf.evaluate(good, str(tmp_path / "one.csv"), tmp_path / "out", **how)
    with pytest.raises(BadInput, match=r"is from another evaluation, which differs in data_hash .*; examples_hash"):
        uf.evaluate(good, str(tmp_path / "two.csv"), tmp_path / "out", **how)


def test_parts_are_made_once() -> None:
    made: list[str] = []

    def make(attack: Attack, similarity: str | None) -> Parts:
        made.append(f"{type(attack).__name__} {similarity}")
        return Parts()

    parts = remembering(make)
    for similarity in (None, "minilm", None):
        parts(PWWS(), similarity)
    parts(DeepWordBug(), None)
    assert made == ["PWWS None", "PWWS minilm", "DeepWordBug None"]
