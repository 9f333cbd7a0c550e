"""What a method cannot be trained under is refused before training, each in a sentence that says what to do."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import transformers
from loop_ground import trainer_of

from unfooled.errors import BadInput
from unfooled.loops.refused import HOOKS, REFUSED, check_trainer
from unfooled.loops.trainer import RobustMixin, RobustTrainer


class OwnLoss(RobustTrainer):
    def compute_loss(self, *arguments: Any, **named: Any) -> Any:
        return super().compute_loss(*arguments, **named)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"torch_compile": True}, "leave torch_compile out"),
        ({"label_smoothing_factor": 0.1}, "smooths no labels; leave label_smoothing_factor out"),
        ({"neftune_noise_alpha": 5.0}, "leave neftune_noise_alpha out"),
        ({"auto_find_batch_size": True}, "set the batch size instead of auto_find_batch_size"),
        (
            {"gradient_checkpointing_kwargs": {"use_reentrant": True}},
            "reentrant checkpoints do not allow; leave use_ree",
        ),
        ({"optim": "lomo"}, "in the midst of a pass; choose another optim"),
        ({"kind": OwnLoss}, "the loss is the method's own; leave compute_loss_func and compute_loss"),
    ],
)
def test_what_arguments_ask_for_is_refused(arguments: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=sentence):
        trainer_of("freelb", tmp_path, **arguments)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"is_deepspeed_enabled": True}, "which DeepSpeed's engine does not allow; train without it"),
        ({"is_fsdp_enabled": True}, r"which sharded weights \(FSDP\) do not allow; train without it, or an adapter"),
        (
            {"args.n_gpu": 2},
            r"DataParallel copies the model anew for every pass; start one process a device \(torchrun\)",
        ),
        ({"accelerator.mixed_precision": "fp16"}, "know of no loss scaling; use bf16=True instead of fp16"),
        ({"accelerator.distributed_type.name": "MEGATRON_LM"}, r"start one process a device \(torchrun\)"),
        ({"accelerator.parallelism_config": object()}, "leave parallelism_config out"),
        ({"is_distributed_loading_by_transformers": True}, "was sharded as it was loaded .*; load it whole"),
        ({"compute_loss_func": print}, "the loss is the method's own"),
    ],
)
def test_what_a_machine_or_a_launcher_sets_is_refused(change: dict[str, Any], sentence: str) -> None:
    """This machine has none of these: a trainer is described that has."""
    facts = {
        "is_deepspeed_enabled": False, "is_fsdp_enabled": False, "args.fsdp": [], "args.n_gpu": 1,
        "args.gradient_checkpointing_kwargs": None,
        "args.optim": "adamw",
        "accelerator.mixed_precision": "no", "accelerator.distributed_type.name": "NO", "compute_loss_func": None,
        "args.torch_compile": False, "args.label_smoothing_factor": 0.0, "args.neftune_noise_alpha": None,
        "args.auto_find_batch_size": False, **change,
    }  # fmt: skip

    class Described(SimpleNamespace):
        compute_loss = transformers.Trainer.compute_loss

    def described(prefix: str = "") -> Any:
        here = {name.removeprefix(prefix): value for name, value in facts.items() if name.startswith(prefix)}
        plain = {name: value for name, value in here.items() if "." not in name}
        inner = {name.partition(".")[0] for name in here if "." in name}
        return Described(**plain, **{name: described(f"{prefix}{name}.") for name in inner})

    with pytest.raises(BadInput, match=sentence):
        check_trainer(described())


def test_a_plain_training_is_not_refused(tmp_path: Path) -> None:
    check_trainer(trainer_of("freelb", tmp_path))
    assert all(sentence[-1] not in ".;" and ";" in sentence for _, sentence in REFUSED)  # what, and what to do


def test_every_hook_is_one_of_the_mixins_and_missed_where_it_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = {name for name in vars(RobustMixin) if hasattr(transformers.Trainer, name) and not name.startswith("__")}
    assert own == set(HOOKS)
    monkeypatch.delattr(transformers.Trainer, "_clip_grad_norm")
    with pytest.raises(
        BadInput, match=r"has no Trainer._clip_grad_norm any more, on which RobustTrainer stands; install"
    ):
        trainer_of("freelb", tmp_path)
