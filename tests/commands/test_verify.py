"""Claims are asked again: of attacks, and of attacks and stored adversaries among results."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from attack_ground import save_ground, tiny_model

import unfooled as uf
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.files import SUMMARY
from unfooled.journal import JOURNAL
from unfooled.models import save


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_ground(tmp_path_factory.mktemp("verifying"))
    uf.attack(str(folder / "model"), str(folder / "reviews.csv"), "random", folder / "attack", similarity=None)
    return folder


def log_of(folder: Path, trial: str = "random", slug: str = "") -> Path:
    [path] = folder.glob(f"*{slug}/{trial}/{JOURNAL}")
    return path


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def copy(ground: Path, tmp_path: Path) -> Path:
    """The attack's log without its summary, to be written over."""
    path = tmp_path / "copy" / log_of(ground / "attack").relative_to(ground / "attack")
    path.parent.mkdir(parents=True)
    shutil.copy(log_of(ground / "attack"), path)
    return tmp_path / "copy"


def rewritten(ground: Path, copy: Path, change: dict[str, object]) -> int:
    """The copied log with its first claim changed; the example's number."""
    lines = lines_of(log_of(ground / "attack"))
    place = next(number for number, line in enumerate(lines) if line.get("outcome") == "fooled")
    index = int(lines[place]["index"])
    lines[place] |= change
    log_of(copy).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return index


def first_claim(ground: Path) -> dict:
    return next(line for line in lines_of(log_of(ground / "attack")) if line.get("outcome") == "fooled")


def test_every_claim_of_a_true_log_is_agreed_to(ground: Path) -> None:
    found = uf.verify(ground / "attack")
    fooled = sum(line.get("outcome") == "fooled" for line in lines_of(log_of(ground / "attack")))
    assert found.checked == fooled > 3 and found.disagreeing == () and found.holds and not found.missing


def test_a_false_claim_is_named(ground: Path, copy: Path) -> None:
    first = first_claim(ground)
    index = rewritten(ground, copy, {"adversary": first["texts"]})
    assert uf.verify(copy).disagreeing == (index,)
    rewritten(ground, copy, {"label": 1 - first["label"]})
    assert uf.verify(copy).disagreeing == (index,)


def test_another_model_and_what_is_no_attack_are_refused(ground: Path, tmp_path: Path) -> None:
    save(tiny_model(ground, seed=5), tmp_path / "other", "# other")
    with pytest.raises(BadInput, match="other is none of the models of .*attack; name one that was measured into it"):
        uf.verify(ground / "attack", str(tmp_path / "other"))
    with pytest.raises(BadInput, match="holds no attack; run: uf.attack.MODEL"):
        uf.verify(tmp_path)
    with pytest.raises(BadInput, match="there is no folder .*nowhere"):
        uf.verify(tmp_path / "nowhere")


def test_a_callable_has_to_be_given_again(tmp_path: Path) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])

    uf.attack(victim, Split([("a good film",)], [1]), "pwws", tmp_path, similarity=None)
    with pytest.raises(BadInput, match="is of a model that cannot be hashed"):
        uf.verify(tmp_path)
    assert uf.verify(tmp_path, victim) == uf.verify(tmp_path, victim)
    assert uf.verify(tmp_path, victim).checked == 1 and not uf.verify(tmp_path, victim).disagreeing
    assert uf.verify(tmp_path, lambda texts: np.tile([0.1, 0.9], (len(texts), 1))).disagreeing == (0,)


@pytest.mark.parametrize(
    "change", [{"adversary": None}, {"outcome": "held"}, {"label": 7}, {"label": -1}, {"adversary": ["a", "b"]}]
)
def test_a_claim_that_cannot_be_true_is_named(ground: Path, copy: Path, change: dict[str, object]) -> None:
    index = rewritten(ground, copy, change)
    found = uf.verify(copy)
    assert found.disagreeing == (index,) and found.checked == uf.verify(ground / "attack").checked


@pytest.mark.parametrize("key", ["fooled_into", "after", "before", "prediction"])
def test_a_claim_with_another_answer_than_logged_is_named(ground: Path, copy: Path, key: str) -> None:
    value = first_claim(ground)[key]
    other = 1 - value if isinstance(value, int) else [value[0] + 0.01, value[1] - 0.01]
    index = rewritten(ground, copy, {key: other})
    found = uf.verify(copy)
    assert found.otherwise == (index,) and not found.disagreeing and not found.holds
    if isinstance(value, list):  # what rounding may do is no other answer
        rewritten(ground, copy, {key: [value[0] + 1e-4, value[1] - 1e-4]})
        assert not uf.verify(copy).otherwise


def test_a_summary_that_is_not_what_the_records_give_is_named(ground: Path, copy: Path) -> None:
    assert uf.verify(copy).summary == (f"{SUMMARY} is not there or cannot be read",)
    stored = json.loads((ground / "attack" / SUMMARY).read_text())
    [(slug, model)] = stored["models"].items()
    scores = {score["metric"]: score for score in model["trials"]["random"]["scores"]}
    scores["attack_success"]["value"] += 0.01
    scores["queries"]["n"] += 1
    model["name"] = "elsewhere"
    (copy / SUMMARY).write_text(json.dumps({**stored, "versions": {}}))
    found = uf.verify(copy)
    assert found.summary == (f"{slug}, random: attack_success", f"{slug}, random: queries") and not found.holds


def test_an_unfinished_log_says_how_many_examples_are_missing(ground: Path, copy: Path) -> None:
    lines = log_of(copy).read_bytes().splitlines(keepends=True)
    log_of(copy).write_bytes(b"".join(lines[:31]) + b'{"index"')
    found = uf.verify(copy)
    assert found.missing == 10 and found.holds and 0 < found.checked <= 30
    log_of(copy).write_bytes(lines[0])
    assert uf.verify(copy).missing == 40 and uf.verify(copy).checked == 0


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
        records = [json.loads(line) for line in log_of(measured / "results", trial, slug).read_text().splitlines()[1:]]
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
    path = log_of(folder, trial, "model")
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
    index = changed_claim(log_of(folder, "transfer", "model"), {"after": 0.123})
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
    with pytest.raises(BadInput, match="is of a model that cannot be hashed"):
        uf.verify(tmp_path)
    assert uf.verify(tmp_path, victim).holds
    (path,) = tmp_path.glob(f"*/random/{JOURNAL}")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:15]))
    found = uf.verify(tmp_path, victim)
    assert found.missing == 6 and found.holds


def test_a_log_does_not_choose_what_is_fetched(ground: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lines_of(log_of(ground / "attack"))
    lines[0] |= {"model": "owner/model"}
    log_of(copy).write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: pytest.fail("asked the hub"))
    with pytest.raises(BadInput, match="owner/model is no model on this machine, and it was read from a file"):
        uf.verify(copy)
