import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from attack_ground import save_ground, tiny_model

import unfooled as uf
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import LOG
from unfooled.models import save


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_ground(tmp_path_factory.mktemp("verifying"))
    uf.attack(str(folder / "model"), str(folder / "reviews.csv"), "random", folder / "attack", similarity=None)
    return folder


def rewritten(ground: Path, out: Path, change: dict[str, object]) -> int:
    """A copy of the log whose first claim is changed; the example's number."""
    lines = (ground / "attack" / LOG).read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if json.loads(line).get("outcome") == "fooled")
    record = json.loads(lines[place])
    lines[place] = json.dumps({**record, **change})
    (out / LOG).write_text("\n".join(lines) + "\n")
    return int(record["index"])


def test_every_claim_of_a_true_log_is_agreed_to(ground: Path) -> None:
    found = uf.verify(ground / "attack")
    claims = sum('"fooled"' in line for line in (ground / "attack" / LOG).read_text().splitlines())
    assert found.checked == claims > 3 and found.disagreeing == ()


def test_a_false_claim_is_named(ground: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (ground / "attack" / LOG).read_text().splitlines()]
    first = next(line for line in lines if line.get("outcome") == "fooled")
    index = rewritten(ground, tmp_path, {"adversary": first["texts"]})
    assert uf.verify(tmp_path).disagreeing == (index,)
    rewritten(ground, tmp_path, {"label": 1 - first["label"]})
    assert uf.verify(tmp_path).disagreeing == (index,)


def test_another_model_and_what_is_no_attack_are_refused(ground: Path, tmp_path: Path) -> None:
    save(tiny_model(ground, seed=5), tmp_path / "other", "# other")
    with pytest.raises(BadInput, match="is not the model of"):
        uf.verify(ground / "attack", str(tmp_path / "other"))
    with pytest.raises(BadInput, match="holds no attack"):
        uf.verify(tmp_path)


def test_a_callable_has_to_be_given_again(tmp_path: Path) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])

    uf.attack(victim, Split([("a good film",)], [1]), "pwws", tmp_path, similarity=None)
    with pytest.raises(BadInput, match="is of a callable"):
        uf.verify(tmp_path)
    assert uf.verify(tmp_path, victim) == uf.verify(tmp_path, victim)
    assert uf.verify(tmp_path, victim).checked == 1 and not uf.verify(tmp_path, victim).disagreeing
    assert uf.verify(tmp_path, lambda texts: np.tile([0.1, 0.9], (len(texts), 1))).disagreeing == (0,)


@pytest.mark.parametrize(
    "change", [{"adversary": None}, {"outcome": "held"}, {"label": 7}, {"label": -1}, {"adversary": ["a", "b"]}]
)
def test_a_claim_that_cannot_be_true_is_named(ground: Path, tmp_path: Path, change: dict[str, object]) -> None:
    index = rewritten(ground, tmp_path, change)
    found = uf.verify(tmp_path)
    assert found.disagreeing == (index,) and found.checked == uf.verify(ground / "attack").checked


@pytest.mark.parametrize("key", ["fooled_into", "after", "before", "prediction"])
def test_a_claim_with_another_answer_than_logged_is_named(ground: Path, tmp_path: Path, key: str) -> None:
    lines = [json.loads(line) for line in (ground / "attack" / LOG).read_text().splitlines()]
    value = next(line for line in lines if line.get("outcome") == "fooled")[key]
    other = 1 - value if isinstance(value, int) else [value[0] + 0.01, value[1] - 0.01]
    index = rewritten(ground, tmp_path, {key: other})
    found = uf.verify(tmp_path)
    assert found.otherwise == (index,) and not found.disagreeing and not found.holds
    if isinstance(value, list):  # what rounding may do is no other answer
        rewritten(ground, tmp_path, {key: [value[0] + 1e-4, value[1] - 1e-4]})
        assert not uf.verify(tmp_path).otherwise


def test_a_summary_that_is_not_what_the_records_give_is_named(ground: Path, tmp_path: Path) -> None:
    assert uf.verify(ground / "attack").holds
    shutil.copy(ground / "attack" / LOG, tmp_path / LOG)
    assert uf.verify(tmp_path).summary == ("summary.json is not there or cannot be read",)
    stored = json.loads((ground / "attack" / "summary.json").read_text())
    stored["scores"]["attack_success"]["value"] += 0.01
    stored["outcomes"]["held"] += 1
    (tmp_path / "summary.json").write_text(json.dumps({**stored, "model": "elsewhere", "versions": {}}))
    found = uf.verify(tmp_path)
    assert found.summary == ("outcomes", "attack_success") and not found.holds


def test_an_unfinished_log_says_how_many_examples_are_missing(ground: Path, tmp_path: Path) -> None:
    lines = (ground / "attack" / LOG).read_bytes().splitlines(keepends=True)
    (tmp_path / LOG).write_bytes(b"".join(lines[:31]) + b'{"index"')
    found = uf.verify(tmp_path)
    assert found.missing == 10 and found.holds and 0 < found.checked <= 30
    (tmp_path / LOG).write_bytes(lines[0])
    assert uf.verify(tmp_path).missing == 40 and uf.verify(tmp_path).checked == 0


@pytest.fixture(scope="module")
def measured(ground: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder of two models: attacks in words, stored adversaries, and what claims nothing."""
    root = tmp_path_factory.mktemp("measured")
    save(tiny_model(ground, seed=5), root / "other", "# other")
    models = [str(ground / "model"), str(root / "other")]
    settings = {name: {"similarity": None, "most": 12} for name in ("random", "deepwordbug")}
    uf.evaluate(
        models, str(ground / "reviews.csv"), root / "results", ["clean", *settings, "transfer"], settings=settings,
        adversaries=ground / "attack",
    )  # fmt: skip
    return root


def logs_of(folder: Path, trial: str, slug: str) -> Path:
    (path,) = folder.glob(f"*{slug}/{trial}/{LOG}")
    return path


def changed_claim(path: Path, change: dict[str, object]) -> int:
    """Change the first claim of a log; the example's number."""
    lines = path.read_text().splitlines()
    records = [json.loads(line) for line in lines]
    place = next(
        n for n, one in enumerate(records)
        if one.get("outcome") == "fooled" or ("answer" in one and one["answer"] != one["label"] == one["prediction"])
    )  # fmt: skip
    lines[place] = json.dumps({**records[place], **change})
    path.write_text("\n".join(lines) + "\n")
    return int(records[place]["index"])


def test_attacks_among_the_trials_of_results_are_asked_again(measured: Path) -> None:
    found = uf.verify(measured / "results")
    assert found.holds and not found.missing and len(found.trials) == 6
    for name, one in found.trials.items():
        slug, trial = name.split(", ")
        records = [json.loads(line) for line in logs_of(measured / "results", trial, slug).read_text().splitlines()[1:]]
        fooled = [
            one for one in records
            if one.get("outcome") == "fooled" or one.get("answer", one["label"]) != one["label"] == one["prediction"]
        ]  # fmt: skip
        assert one.checked == len(fooled)
    assert found.checked == sum(one.checked for one in found.trials.values()) > 10


@pytest.mark.parametrize("trial", ["random", "deepwordbug", "transfer"])
def test_a_false_claim_among_results_is_named(measured: Path, tmp_path: Path, trial: str) -> None:
    folder = tmp_path / "results"
    shutil.copytree(measured / "results", folder)
    path = logs_of(folder, trial, "model")
    lines = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    first = next(
        one for one in lines
        if one.get("outcome") == "fooled" or one.get("answer", one["label"]) != one["label"] == one["prediction"]
    )  # fmt: skip
    index = changed_claim(path, {"adversary": first["texts"]})
    found = uf.verify(folder)
    bad = {name: one for name, one in found.trials.items() if not one.holds}
    assert not found.holds and list(bad) == [f"{path.parent.parent.name}, {trial}"]
    assert found.disagreeing == (index,) == next(iter(bad.values())).disagreeing


def test_other_answers_and_numbers_than_stored_are_named(measured: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    shutil.copytree(measured / "results", folder)
    index = changed_claim(logs_of(folder, "transfer", "model"), {"after": 0.123})
    assert uf.verify(folder).otherwise == (index,)
    shutil.copytree(measured / "results", tmp_path / "again")
    stored = json.loads((tmp_path / "again" / "summary.json").read_text())
    slug = next(iter(stored["models"]))
    stored["models"][slug]["trials"]["clean"]["scores"][0]["value"] = 1.5
    (tmp_path / "again" / "summary.json").write_text(json.dumps(stored))
    assert uf.verify(tmp_path / "again").summary == (f"{slug}, clean: accuracy",)


def test_a_named_model_has_its_own_trials_asked_about(measured: Path, ground: Path, tmp_path: Path) -> None:
    found = uf.verify(measured / "results", str(measured / "other"))
    assert len(found.trials) == 3 and all("other" in name for name in found.trials) and found.holds
    save(tiny_model(ground, seed=6), tmp_path / "third", "# third")
    with pytest.raises(BadInput, match="is none of the models of"):
        uf.verify(measured / "results", str(tmp_path / "third"))


def test_a_model_that_is_not_what_it_was_is_refused(ground: Path, tmp_path: Path) -> None:
    save(tiny_model(ground, seed=5), tmp_path / "model", "# one")
    settings = {"random": {"similarity": None, "most": 4}}
    uf.evaluate(str(tmp_path / "model"), str(ground / "reviews.csv"), tmp_path / "r", ["random"], settings=settings)
    shutil.rmtree(tmp_path / "model")
    save(tiny_model(ground, seed=6), tmp_path / "model", "# another")
    with pytest.raises(BadInput, match="is not the model of .* any more"):
        uf.verify(tmp_path / "r")


def test_results_of_a_callable_need_it_again_and_what_is_missing_is_said(ground: Path, tmp_path: Path) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])

    settings = {"random": {"similarity": None}}
    data, labels = str(ground / "reviews.csv"), ("negative", "positive")
    uf.evaluate(victim, data, tmp_path, ["random"], settings=settings, labels=labels, limit=20)
    with pytest.raises(BadInput, match="is of a callable"):
        uf.verify(tmp_path)
    assert uf.verify(tmp_path, victim).holds
    (path,) = tmp_path.glob(f"*/random/{LOG}")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:15]))
    found = uf.verify(tmp_path, victim)
    assert found.missing == 6 and found.holds
