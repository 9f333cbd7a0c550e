"""The parts tasks share; whole jobs are tested task by task."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import torch
from safetensors.torch import load_file
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.data.columns import Columns
from unfooled.data.examples import Dataset
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.methods import Finetune
from unfooled.methods.objective import Additions, Method, TrainingRows
from unfooled.recipe.config import recipe_from
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.tasks import TASKS
from unfooled.training import Processes
from unfooled.training.jobs.text import HeldOut, enlarged
from unfooled.training.precision import has_half
from unfooled.training.run_folder import State


class Doubling(Finetune):
    """Adds every text again, in capitals, last row first."""

    tasks: ClassVar = ("classification",)

    def more_rows(self, known: TrainingRows) -> Additions:
        rows = range(len(known.texts))[::-1]
        texts = [tuple(text.upper() for text in known.texts[row]) for row in rows]
        return Additions(texts, list(rows), f"doubled, free {known.free}", {"seen": list(known.labels)})


def test_added_rows_take_the_labels_of_the_rows_they_were_made_of() -> None:
    recipe = recipe_from({"data": "x"}).model_copy(update={"method": Doubling()})
    split = Split([("a", "b"), ("c", "d")], [1, 0])
    found = enlarged(recipe, split, ("no", "yes"))
    assert found.train.texts == [("a", "b"), ("c", "d"), ("C", "D"), ("A", "B")]
    assert found.train.labels == [1, 0, 0, 1] and found.notes == ("doubled, free (0, 1)",)
    assert found.facts == {"added_rows": 2, "seen": ["yes", "no"]}
    other = enlarged(recipe, Split([("a", "b"), ("c", "e")], [1, 0]), ("no", "yes"))
    assert other.stands_on.keys() == {"added_rows_hash"} and other.stands_on != found.stands_on


def test_a_method_that_adds_nothing_leaves_the_split_as_it_is() -> None:
    split = Split([("a",)], [0])
    found = enlarged(recipe_from({"data": "x"}), split, ("no", "yes"))
    assert found.train is split and not found.notes and not found.facts and not found.stands_on


def test_weights_are_chosen_by_validation_though_there_is_a_test_split() -> None:
    sizes = {"train": 9, "validation": 4, "test": 7}
    splits = {name: Split([(name,)] * size, [0] * size) for name, size in sizes.items()}
    dataset = Dataset("x", splits, ("no",), Columns(("text",), "label"), "", "", ())

    def scored(right: list[Any], said: list[str], groups: None, names: Sequence[str]) -> dict[str, Score]:
        return {f"of {said[0]}": proportion(len(said), 10, "") for _ in right}

    task = replace(
        TASKS["regression"],
        encoded=lambda model, texts: [text[0] for text in texts],
        answers=lambda model, read, texts, batch_size, sharing: read,
        scores=scored,
    )
    model: Any = SimpleNamespace(labels=("score",))
    judged = HeldOut(
        task, dataset, model, Processes(), "of validation", task.encoded(model, splits["validation"].texts)
    )
    look = judged.look()
    assert look.scores == {"of validation": 0.4} and look.best_by == "of validation" and not look.lower_is_better
    assert {name: score.value for name, score in judged.scores(State()).items()} == {
        "validation of validation": 0.4,
        "test of test": 0.7,
    }


def test_without_padding_and_dropout_it_learns_what_it_learns_with_padding(tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder", dropout=0.0)
    save_reviews(tmp_path / "reviews.csv", 40)
    losses = []
    for packed in (False, True):
        plan = {"max_steps": 6, "batch_size": 8, "log_every": 1, "packed": packed, "learning_rate": 1e-3}
        method = uf.FreeLB(passes=2)
        run = uf.train(
            str(tmp_path / "reviews.csv"), tmp_path / str(packed), str(tmp_path / "encoder"), method, plan=plan
        )
        lines = [json.loads(line) for line in (run.folder / "metrics.jsonl").read_text().splitlines()]
        losses.append([line["task"] for line in lines if line["kind"] == "train"])
    assert losses[0] == pytest.approx(losses[1], abs=1e-5) and losses[0][0] != losses[0][-1]


def test_a_resumed_run_is_packed_as_it_was_begun(tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 40)
    given = str(tmp_path / "reviews.csv"), tmp_path / "run", str(tmp_path / "encoder")
    uf.train(*given, plan={"max_steps": 2, "packed": True})
    assert tomllib.loads((tmp_path / "run" / "recipe.toml").read_text())["plan"]["packed"] is True
    uf.train(*given, plan={"max_steps": 2, "packed": True}, resume=True)
    with pytest.raises(BadInput, match=r"plan\.packed: True → False"):
        uf.train(*given, plan={"max_steps": 2}, resume=True)


@pytest.mark.parametrize("method", [uf.RAR(), uf.ATCL(), uf.CARL(rep="cls")])
def test_methods_that_read_every_token_are_not_packed(method: Method, tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 40)
    with pytest.raises(BadInput, match=r"reads every token's last state; leave plan\.packed out"):
        uf.train(
            str(tmp_path / "reviews.csv"), tmp_path / "run", str(tmp_path / "encoder"), method, plan={"packed": True}
        )


def test_packed_texts_are_trained_on_in_half_precision_where_the_machine_has_it(tmp_path: Path) -> None:
    encoder, data = save_encoder(tmp_path / "encoder"), save_reviews(tmp_path / "reviews.csv", 40)
    if not has_half(torch.device("cpu")):
        pytest.skip("this machine has no bf16 arithmetic")
    plan = {"packed": True, "max_steps": 3}
    for name in ("fp32", "bf16", "again"):
        own = {**plan, "precision": "fp32" if name == "fp32" else "bf16"}
        uf.train(str(data), tmp_path / name, str(encoder), plan=own)
    whole, half, again = (load_file(tmp_path / name / "model/model.safetensors") for name in ("fp32", "bf16", "again"))
    assert {weight.dtype for weight in half.values()} == {torch.float32}
    assert any(not torch.equal(whole[name], half[name]) for name in whole)
    assert all(torch.equal(again[name], half[name]) for name in half)


def test_only_models_that_answer_text_by_text_are_packed(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("one line\n" * 40)
    with pytest.raises(BadInput, match=r"plan\.packed is for models that answer text by text"):
        uf.train(str(tmp_path / "corpus.txt"), tmp_path / "run", "minilm", "mlm", plan={"packed": True})
