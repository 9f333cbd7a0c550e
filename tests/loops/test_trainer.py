"""A trainer of transformers trains by every method what our own loop trains: the same gradient, the same losses."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from forked import run_two
from loop_ground import (
    ADDING,
    BATCH,
    NAMES,
    SHARED,
    STEPS,
    FirstGradient,
    dataset_of,
    farthest,
    method_of,
    model_of,
    our_gradient,
    our_run,
    our_steps,
    split,
    their_steps,
    trainer_of,
    two_train,
)
from safetensors.torch import load_file
from support import assert_close

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.loops.robust import Robust
from unfooled.loops.trainer import RobustMixin, RobustTrainer, plain_forward
from unfooled.methods.table import PRETRAINING_METHODS, TASK_METHODS
from unfooled.models.encoders.pretrained import weights_hash

NEAR = 1e-6
# Which methods are tried in which way; all of them with --all-loops (make test-loops).
SAMPLES = {"accumulated": ("rar", "worst_words"), "adapted": ("freelb", "rar"), "shared": SHARED}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for way in SAMPLES:
        if way in metafunc.fixturenames:
            metafunc.parametrize(way, methods(way, metafunc.config))


def methods(way: str, config: pytest.Config) -> list[str]:
    """The methods that are tried in a way."""
    if not config.getoption("--all-loops"):
        return list(SAMPLES[way])
    return [name for name in TASK_METHODS if way != "shared" or name not in ADDING]


def trained_both(name: str, folder: Path, plan: dict[str, Any], arguments: dict[str, Any], **kind: Any) -> Any:
    """Train twice, and hold the first gradients and twenty losses against each other; the trainer."""
    method = method_of(name, folder)
    ours, first = our_run(method, folder, plan, **kind), FirstGradient()
    trainer = trainer_of(method, folder, model_of(folder, **kind), callbacks=[first], **arguments)
    first.trainer = trainer
    trainer.train()
    assert farthest(our_steps(ours), their_steps(trainer)) <= NEAR
    if "clip" not in plan:
        assert_close(first.found, our_gradient(our_run(method, folder / "again", plan, **kind)), NEAR)
    return trainer


@pytest.mark.parametrize("name", TASK_METHODS)
def test_a_trainer_trains_what_we_train(name: str, tmp_path: Path) -> None:
    """Dropout is on: what it draws is keyed in both."""
    trainer = trained_both(name, tmp_path, {}, {}, dropout=0.1)
    assert trainer.state.global_step == STEPS


def test_accumulated_passes_of_different_sizes_are_one_update(accumulated: str, tmp_path: Path) -> None:
    """Three passes and one, in turn: a mean of means would be another number."""
    trained_both(accumulated, tmp_path, {"accumulation": 3}, {"gradient_accumulation_steps": 3})


def test_an_adapter_is_trained_as_ours_is(adapted: str, tmp_path: Path) -> None:
    trainer = trained_both(adapted, tmp_path, {}, {}, lora=True)
    frozen = [one for key, one in trainer.model.named_parameters() if not one.requires_grad]
    assert frozen and all(one.grad is None for one in frozen)


def test_the_head_of_a_method_is_clipped_with_the_model(tmp_path: Path) -> None:
    """Of a norm without the head, losses would part at the second step."""
    trained_both("rar", tmp_path, {"clip": 0.05}, {"max_grad_norm": 0.05})


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """What two real gloo processes come to, for several methods in one launch."""
    folder = tmp_path_factory.mktemp("two")
    model_of(folder)
    (folder / NAMES).write_text(json.dumps(methods("shared", request.config)))
    run_two(two_train, folder)
    return folder


def test_two_processes_are_one_with_the_doubled_batch(shared: str, of_two: Path, tmp_path: Path) -> None:
    name, method = shared, method_of(shared, tmp_path)
    theirs, others = (json.loads((of_two / f"{name}-{rank}.json").read_text()) for rank in "01")
    assert theirs == others
    assert farthest(our_steps(our_run(method, tmp_path)), theirs) <= NEAR
    assert_close(load_file(of_two / f"{name}.safetensors"), our_gradient(our_run(method, tmp_path / "again")), NEAR)


def test_the_loss_that_is_logged_is_that_of_all_processes(of_two: Path) -> None:
    lines = [line for line in json.loads((of_two / "atcl-0.log.json").read_text()) if "loss" in line]
    for line in lines:
        whole = line["loss_task"] + 0.1 * line["loss_adversarial"] + 0.1 * line["loss_contrast"]
        assert line["loss"] == pytest.approx(whole, abs=1e-5)
    assert len(lines) == STEPS


def test_what_the_first_process_measures_both_know(of_two: Path) -> None:
    logs = [json.loads((of_two / f"{SHARED[0]}-{rank}.log.json").read_text()) for rank in "01"]
    measured = [[line["eval_clean_accuracy"] for line in log if "eval_clean_accuracy" in line] for log in logs]
    assert measured[0] == measured[1] and len(measured[0]) == STEPS * BATCH // len(split())


@pytest.mark.parametrize("name", ["carl", "rar", "clld"])
def test_a_resumed_training_ends_in_the_same_bits(name: str, tmp_path: Path) -> None:
    shuffled = {"train_sampling_strategy": "random", "save_strategy": "steps", "save_steps": 6, "max_steps": 12}
    method = method_of(name, tmp_path)
    whole = trainer_of(method, tmp_path, model_of(tmp_path, dropout=0.1), **shuffled)
    whole.train()
    again = trainer_of(method, tmp_path, model_of(tmp_path, dropout=0.1), **shuffled)
    again.train(resume_from_checkpoint=str(tmp_path / "theirs" / "checkpoint-6"))
    assert weights_hash(again.model) == weights_hash(whole.model)
    for key, tensor in whole.robust.own_state().items():
        assert torch.equal(tensor, again.robust.own_state()[key]), key
    assert their_steps(again) == their_steps(whole)


@pytest.mark.parametrize("name", PRETRAINING_METHODS)
def test_methods_of_other_tasks_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=f"{name} is a method for pretraining, and the model is a classifier; choose"):
        trainer_of(name, tmp_path)


def test_rows_are_known_by_their_numbers_in_any_order(tmp_path: Path) -> None:
    trainer = trainer_of("freelb", tmp_path, train_sampling_strategy="random")
    rows, seen = trainer.train_dataset, []
    for batch in trainer.get_train_dataloader():
        for number, ids, mask in zip(batch["unfooled_index"], batch["input_ids"], batch["attention_mask"], strict=True):
            assert ids[mask.bool()].tolist() == rows[int(number)]["input_ids"]
            seen.append(int(number))
    assert sorted(seen) == list(range(len(rows))) != seen
    assert trainer.train_dataset is rows  # as it was given
    assert "unfooled_index" not in next(iter(trainer.get_eval_dataloader()))


def test_a_dataset_of_the_hub_is_read_by_its_columns(tmp_path: Path) -> None:
    from datasets import Dataset

    model = model_of(tmp_path)
    trainer = trainer_of(method_of("worst_words", tmp_path), tmp_path, model, max_steps=2,
                         train_dataset=Dataset.from_list(dataset_of(model)))  # fmt: skip
    trainer.train()
    listed = trainer_of(method_of("worst_words", tmp_path), tmp_path, max_steps=2)
    listed.train()
    assert their_steps(trainer) == their_steps(listed)


def test_a_second_training_knows_the_rows_it_is_given(tmp_path: Path) -> None:
    trainer = trainer_of(method_of("carl", tmp_path), tmp_path, max_steps=2)
    trainer.train()
    trainer.train_dataset = trainer.train_dataset[:16]
    trainer.train()
    assert len(trainer.robust) == len(trainer.robust.objective.original.rows) == 16
    assert trainer.robust.step == 1 and not trainer.robust.moved  # of two


def test_metrics_of_ones_own_are_computed_while_the_method_listens(tmp_path: Path) -> None:
    def accuracy(prediction: Any) -> dict[str, float]:
        return {"accuracy": float((prediction.predictions.argmax(1) == prediction.label_ids).mean())}

    trainer = trainer_of(method_of("clld", tmp_path), tmp_path, compute_metrics=accuracy)
    trainer.train()
    looks = [line["eval_accuracy"] for line in trainer.state.log_history if "eval_accuracy" in line]
    assert len(looks) == STEPS * BATCH // len(split())
    assert int(trainer.robust.objective.updates) > 0  # it heard of the confusions
    assert trainer.compute_metrics is accuracy


def test_several_validation_sets_are_one_look(tmp_path: Path) -> None:
    rows = dataset_of(model_of(tmp_path))
    halves = {"first": rows[:16], "second": rows[16:]}
    trainer = trainer_of(method_of("clld", tmp_path), tmp_path, eval_dataset=halves)
    trainer.train()
    assert int(trainer.robust.objective.evaluations) == STEPS * BATCH // len(rows)


def test_what_a_method_looks_at_is_missed_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trainer_of("clld", tmp_path, eval_strategy="no", max_steps=1).train()
    assert "learns from evaluations where its settings say so, and eval_strategy is no" in capsys.readouterr().err


def test_texts_and_a_tokenizer_are_missed_before_training(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    bare = [{key: value for key, value in row.items() if key != "text"} for row in dataset_of(model)]
    with pytest.raises(BadInput, match=r"worst_words changes words .* has none \(it has labels, input_ids.*keep the"):
        trainer_of("worst_words", tmp_path, model, train_dataset=bare)
    with pytest.raises(BadInput, match="worst_words reads words by a tokenizer; give .* processing_class=tokenizer"):
        trainer_of("worst_words", tmp_path, model, processing_class=None)
    other = [{**row, "text": "another text"} for row in dataset_of(model)]
    with pytest.raises(
        BadInput, match="row 0: text is not what its input_ids were made of; name the column with text="
    ):
        trainer_of("worst_words", tmp_path, model, train_dataset=other).train()


def test_a_mixin_makes_a_robust_trainer_of_ones_own(tmp_path: Path) -> None:
    class Mine(transformers.Trainer):
        def create_scheduler(self, *arguments: Any, **named: Any) -> Any:
            self.asked = True
            return super().create_scheduler(*arguments, **named)

    class Robustly(RobustMixin, Mine):
        pass

    trainer = trainer_of("fgm", tmp_path, kind=Robustly, max_steps=2)
    trainer.train()
    assert trainer.asked and isinstance(trainer.robust, Robust)
    assert issubclass(uf.RobustTrainer, RobustTrainer)


def test_half_precision_is_of_passes_and_not_of_an_ascent(tmp_path: Path) -> None:
    """What accelerate puts around the model would take the ascent with it."""
    trainer = trainer_of("smart", tmp_path, bf16=True, max_steps=2)
    seen: list[torch.dtype] = []
    layer = trainer.model.bert.encoder.layer[0].output.dense
    handle = layer.register_forward_hook(lambda _, given, out: seen.append(out.dtype))
    trainer.train()
    handle.remove()
    halves = [dtype is torch.bfloat16 for dtype in seen]
    assert True in halves and False in halves


def test_checkpoints_of_layers_change_nothing(tmp_path: Path) -> None:
    plain = trainer_of("smart", tmp_path, max_steps=3)
    plain.train()
    spared = trainer_of("smart", tmp_path, max_steps=3, gradient_checkpointing=True)
    spared.train()
    assert their_steps(spared) == their_steps(plain)


def test_a_wrapped_forward_is_back_where_it_was() -> None:
    network = torch.nn.Linear(1, 1)
    with plain_forward(network):
        assert "forward" not in vars(network)
    wrapped = network.forward = lambda given: given
    with plain_forward(network):
        assert network(torch.ones(1)).shape == (1,) and "forward" not in vars(network)
    assert network.forward is wrapped


def test_a_gradient_that_is_no_number_stops_training(tmp_path: Path) -> None:
    trainer = trainer_of("finetune", tmp_path)
    with torch.no_grad():
        trainer.model.classifier.weight.fill_(torch.inf)
    with pytest.raises(BadInput, match="training stopped at step 1: the gradient is not finite; lower the learning"):
        trainer.train()


def test_a_given_schedule_knows_nothing_of_a_new_head(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    optimizer = torch.optim.AdamW(model.classifier.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    trainer = trainer_of("rar", tmp_path, model, optimizers=(optimizer, schedule))
    with pytest.raises(BadInput, match="has a head of its own, of which the given scheduler knows nothing; give the"):
        trainer.train()
    alone = trainer_of("rar", tmp_path, model, optimizers=(optimizer, None), max_steps=2)
    alone.train()
    moved = {one for group in optimizer.param_groups for one in group["params"]}
    assert set(alone.robust.own_parameters()) <= moved
