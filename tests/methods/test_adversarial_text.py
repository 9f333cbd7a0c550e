"""Adversaries of a real attack are trained on with their originals' labels; those of other texts are refused."""

import json
from pathlib import Path

import pytest
from heads_ground import dialogues, logits, save_head
from task_ground import written
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.data.adversaries import attack_log
from unfooled.errors import BadInput
from unfooled.methods.adversarial_text import AdversarialText
from unfooled.methods.objective import TrainingRows
from unfooled.results.log import read_log

PLAN = {"epochs": 12, "batch_size": 8, "learning_rate": 1e-2}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plain model, and attacks on its training rows and on other rows."""
    folder = tmp_path_factory.mktemp("adversaries")
    save_encoder(folder / "encoder", dropout=0.0)
    for name, seed in (("train", 0), ("validation", 5), ("other", 9)):
        save_reviews(folder / f"{name}.csv", 40, seed)
    uf.train(data(folder), folder / "plain", str(folder / "encoder"), plan=PLAN)
    for name in ("train", "other"):
        model, out = str(folder / "plain"), folder / f"attack on {name}"
        uf.attack(model, str(folder / f"{name}.csv"), "deepwordbug", out, similarity=None)
    return folder


def data(folder: Path) -> dict[str, str]:
    return {"source": str(folder / "train.csv"), "validation": str(folder / "validation.csv")}


def training_rows(folder: Path) -> TrainingRows:
    lines = [line.rsplit(",", 1) for line in (folder / "train.csv").read_text().splitlines()[1:]]
    return TrainingRows([(text,) for text, _ in lines], [label for _, label in lines], (0,), 0)


def test_what_fooled_the_model_is_added_with_the_label_of_its_original(ground: Path) -> None:
    folder = ground / "attack on train"
    found = AdversarialText(adversaries=str(folder)).more_rows(training_rows(ground))
    attacked = read_log(attack_log(folder))
    assert attacked is not None
    header, records = attacked
    fooled = [record for record in records if record.outcome == "fooled"]
    assert fooled and list(found.texts) == [record.adversary for record in fooled]
    known = training_rows(ground)
    for row, record in zip(found.rows, fooled, strict=True):
        assert known.texts[row] == record.texts and known.labels[row] == header.labels[record.label]
    assert found.note.startswith(f"adversarial_text adds {len(fooled)} adversaries of 40 attacked texts to 40 training")
    assert found.facts == {"attack": "deepwordbug", "attacked": 40, "attacked_but_not_trained_on": 0}


def test_a_run_trains_on_them_and_reports_how_many(ground: Path, tmp_path: Path) -> None:
    method = AdversarialText(adversaries=str(ground / "attack on train"))
    uf.train(data(ground), tmp_path / "run", str(ground / "encoder"), method, {"epochs": 1, "batch_size": 4})
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    added = len(method.more_rows(training_rows(ground)).texts)
    assert summary["added_rows"] == added and summary["steps"] == -(-(40 + added) // 4)
    assert json.loads((tmp_path / "run" / "begun_with.json").read_text())["added_rows_hash"]


def test_adversaries_of_other_texts_are_a_leak_and_refused(ground: Path) -> None:
    with pytest.raises(BadInput, match=r"of the 40 texts attacked in .* are not among the training texts, such as '"):
        AdversarialText(adversaries=str(ground / "attack on other")).more_rows(training_rows(ground))
    with pytest.raises(BadInput, match="are not among the training texts"):  # the same text under another label
        known = training_rows(ground)
        turned = TrainingRows(known.texts, ["negative"] * len(known.texts), (0,), 0)
        AdversarialText(adversaries=str(ground / "attack on train")).more_rows(turned)


def test_those_of_texts_that_are_not_trained_on_may_be_left_out(ground: Path) -> None:
    known = training_rows(ground)
    half = TrainingRows(known.texts[:20], known.labels[:20], (0,), 0)
    method = AdversarialText(adversaries=str(ground / "attack on train"))
    with pytest.raises(BadInput, match='method.strangers = "leave out"'):
        method.more_rows(half)
    found = method.model_copy(update={"strangers": "leave out"}).more_rows(half)
    whole = method.more_rows(known)
    kept = [text for text, row in zip(whole.texts, whole.rows, strict=True) if row < 20]
    assert list(found.texts) == kept and found.facts["attacked_but_not_trained_on"] == 20
    other = AdversarialText(adversaries=str(ground / "attack on other"), strangers="leave out")
    known_other = TrainingRows([("nothing of the kind",)], ["negative"], (0,), 0)
    with pytest.raises(BadInput, match="40 of the 40 texts"):
        other.more_rows(known_other)


@pytest.mark.parametrize("missing", ["nowhere", "plain"])
def test_a_folder_without_an_attack_is_refused(ground: Path, missing: str) -> None:
    with pytest.raises(BadInput, match="there is no attack in .*; run: uf.attack"):
        AdversarialText(adversaries=str(ground / missing)).more_rows(training_rows(ground))


def test_without_a_folder_the_sentence_says_how_to_get_one(ground: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r'uf.attack\(MODEL, DATA, out=DIR, split="train"\)'):
        uf.train(data(ground), tmp_path / "run", str(ground / "encoder"), "adversarial_text")


def test_an_attack_that_fooled_nobody_is_refused(ground: Path, tmp_path: Path) -> None:
    lines = attack_log(ground / "attack on train").read_text().splitlines()
    held = [line.replace('"outcome": "fooled"', '"outcome": "held"') for line in lines]
    held = [line.replace('"outcome":"fooled"', '"outcome":"held"') for line in held]
    (tmp_path / "examples.jsonl").write_text("\n".join(held) + "\n")
    with pytest.raises(BadInput, match="no text in .* fooled its model"):
        AdversarialText(adversaries=str(tmp_path)).more_rows(training_rows(ground))
    (tmp_path / "examples.jsonl").write_text("\n".join([*lines, lines[-1]]) + "\n")
    with pytest.raises(BadInput, match="holds an example twice"):
        AdversarialText(adversaries=str(tmp_path)).more_rows(training_rows(ground))
    (tmp_path / "examples.jsonl").write_text(lines[0] + "\n")
    with pytest.raises(BadInput, match="has not finished one text"):
        AdversarialText(adversaries=str(tmp_path)).more_rows(training_rows(ground))


def test_adversaries_of_label_sets_take_the_whole_set(tmp_path: Path) -> None:
    model = save_head(tmp_path, "multilabel", seed=9, labels=("bad", "good", "warm"))
    dialogues(tmp_path / "train.jsonl", [["bad"]])
    rows = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]
    spoken = [("\n".join(row["dialogue"]), "Speaker 1; Monica Film") for row in rows]
    for row, scores in zip(rows, logits(model, spoken), strict=True):  # what the model says is right
        names = [name for name, score in zip(("bad", "good", "warm"), scores, strict=True) if score >= 0]
        row["relations"][0]["r"] = names or ["bad"]
    train = written(tmp_path / "train.jsonl", rows)
    found = uf.attack(model, train, "pwws", tmp_path / "attack", similarity=None)
    fooled = [record for record in found.records if record.outcome == "fooled"]
    assert fooled and any(record.sets and len(record.sets.right) > 1 for record in fooled)
    method = AdversarialText(adversaries=str(tmp_path / "attack"))
    data = {"source": train, "validation": train}
    uf.train(data, tmp_path / "run", str(tmp_path / "encoder"), method, {"epochs": 1, "batch_size": 4})
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["task"], summary["added_rows"]) == ("multilabel", len(fooled))
    right = [frozenset(row["relations"][0]["r"]) for row in rows]
    additions = method.more_rows(TrainingRows(spoken, right, (0,), 0))
    assert [right[row] for row in additions.rows] == [frozenset(record.sets.right) for record in fooled if record.sets]
    with pytest.raises(BadInput, match="are not among the training texts"):
        method.more_rows(TrainingRows(spoken, [frozenset({"warm", "odd"})] * len(rows), (0,), 0))
