"""What a trainer may not be told to do where a method trains: each with the sentence that says what to do instead."""

from collections.abc import Callable
from typing import Any

import transformers

from unfooled.errors import BadInput

# What the mixin takes the place of: where transformers has it no longer, a method would silently not be trained.
HOOKS = (
    "_clip_grad_norm",
    "_evaluate",
    "_get_grad_norm",
    "_load_optimizer_and_scheduler",
    "_prepare_for_training",
    "_save_optimizer_and_scheduler",
    "_set_signature_columns_if_needed",
    "create_optimizer",
    "get_batch_samples",
    "get_train_dataloader",
    "log",
    "training_step",
)
BETWEEN = "a method makes several passes and takes gradients between them"
REFUSED: tuple[tuple[Callable[[Any], Any], str], ...] = (
    (
        lambda trainer: trainer.is_deepspeed_enabled,
        f"{BETWEEN}, which DeepSpeed's engine does not allow; train without it",
    ),
    (
        lambda trainer: trainer.is_fsdp_enabled or trainer.args.fsdp,
        f"{BETWEEN}, which sharded weights (FSDP) do not allow; train without it, or an adapter (LoRA) on each device",
    ),
    (
        lambda trainer: trainer.args.n_gpu > 1,
        "DataParallel copies the model anew for every pass; start one process a device (torchrun), or show one alone "
        "(CUDA_VISIBLE_DEVICES=0)",
    ),
    (
        lambda trainer: trainer.accelerator.mixed_precision not in ("no", "bf16"),
        "gradients that a method takes between passes know of no loss scaling; use bf16=True instead of fp16",
    ),
    (
        lambda trainer: str(trainer.accelerator.distributed_type.name).split("_")[0] not in ("NO", "MULTI"),
        "this way of sharing a model over devices is not known here; start one process a device (torchrun)",
    ),
    (
        lambda trainer: getattr(trainer.accelerator, "parallelism_config", None) is not None,
        "a model that is split over devices has no one table of word vectors; leave parallelism_config out",
    ),
    (
        lambda trainer: getattr(trainer, "is_distributed_loading_by_transformers", False),
        "a model that was sharded as it was loaded has no one table of word vectors; load it whole",
    ),
    (
        lambda trainer: trainer.args.torch_compile,
        "a compiled model has no door at its word vectors; leave torch_compile out",
    ),
    (
        lambda trainer: trainer.compute_loss_func is not None
        or type(trainer).compute_loss is not transformers.Trainer.compute_loss,
        "the loss is the method's own; leave compute_loss_func and compute_loss as they are",
    ),
    (
        lambda trainer: trainer.args.label_smoothing_factor,
        "the loss is the method's own and smooths no labels; leave label_smoothing_factor out",
    ),
    (
        lambda trainer: trainer.args.neftune_noise_alpha is not None,
        "NEFTune moves the word vectors that a method moves; leave neftune_noise_alpha out",
    ),
    (
        lambda trainer: trainer.args.auto_find_batch_size,
        "a method is told the number of steps before the first; set the batch size instead of auto_find_batch_size",
    ),
    (
        lambda trainer: (trainer.args.gradient_checkpointing_kwargs or {}).get("use_reentrant", False),
        f"{BETWEEN}, which reentrant checkpoints do not allow; leave use_reentrant out",
    ),
    (
        lambda trainer: any(word in str(trainer.args.optim).lower() for word in ("lomo", "layerwise")),
        "this optimiser moves weights in the midst of a pass; choose another optim",
    ),
)


def check_trainer(trainer: Any) -> None:
    """Refuse what a method could not be trained under."""
    gone = [name for name in HOOKS if not hasattr(transformers.Trainer, name)]
    if gone:
        raise BadInput(
            f"transformers {transformers.__version__} has no Trainer.{gone[0]} any more, on which RobustTrainer "
            "stands; install a version that pyproject.toml allows"
        )
    for is_so, sentence in REFUSED:
        if is_so(trainer):
            raise BadInput(sentence)
