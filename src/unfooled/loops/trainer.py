"""``RobustTrainer``: transformers' Trainer, its loss and its passes those of a method.

``RobustMixin`` makes one of any Trainer of one's own: ``class Mine(RobustMixin, MyTrainer)``. Loaders, optimiser,
schedule, evaluation, checkpoints and trackers stay the trainer's. What it would get wrong is taken over: every mean is
over the whole update (its passes and processes), gradients are added up over processes once and by us (the wrapper for
that, DistributedDataParallel, is never called), and a method's own head is cleared, clipped, saved and resumed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
import transformers
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.loops.building import (
    TrainingSet,
    chosen_method,
    longest,
    names_of,
    objective_over,
    task_of,
    training_set,
    wants_texts,
)
from unfooled.loops.confusion import CountedMetrics
from unfooled.loops.inputs import INDEX
from unfooled.loops.kept import stored_state, write_state
from unfooled.loops.refused import check_trainer
from unfooled.loops.robust import Robust
from unfooled.loops.rows import (
    NumberedCollator,
    NumberedRows,
    added_rows,
    check_alike,
    check_rows,
    column,
    encoded_rows,
    label_column,
    text_columns,
    texts_of,
)
from unfooled.methods.objective import Method
from unfooled.methods.table import METHODS
from unfooled.terminal import say

if TYPE_CHECKING:
    from transformers import Trainer as _Trainer
else:
    _Trainer = object  # whichever trainer the mixin is mixed with


class RobustMixin(_Trainer):
    """A method's training for any subclass of transformers' Trainer.

    ``method`` is a name or settings such as ``uf.FreeLB(passes=2)``. ``text`` names the column of texts (two of a pair
    by ``"premise,hypothesis"``), for methods that change words, and ``max_length`` is where they were cut.
    """

    train_dataset: Any  # the trainer's own
    data_collator: Any
    compute_metrics: Any
    _signature_columns: list[str]

    def __init__(
        self,
        *arguments: Any,
        method: str | Method = "freelb",
        text: str | None = None,
        max_length: int | None = None,
        **named: Any,
    ) -> None:
        super().__init__(*arguments, **named)
        check_trainer(self)
        self.method: Method = chosen_method(method, task_of(self.model))
        self.robust: Robust | None = None
        self._text, self._max_length = text, max_length
        if self.train_dataset is not None:
            check_rows(self.train_dataset)
            self._texts(label_column(self.train_dataset, self.label_names))  # what is missing is said before training

    # What is trained on.

    def _texts(self, label: str) -> tuple[str, ...]:
        """The columns of texts, where the method needs them; what else it needs is refused by its name."""
        if not wants_texts(self.method):
            return ()
        who = METHODS.name_of(type(self.method)) or type(self.method).__name__
        if not hasattr(self.processing_class, "get_vocab"):
            raise BadInput(f"{who} reads words by a tokenizer; give the trainer processing_class=tokenizer")
        return text_columns(self.train_dataset, self._text, label, who)

    def _cut(self, texts: tuple[str, ...]) -> Mapping[str, Any]:
        limit = longest(self.processing_class, self.model, self._max_length)
        return self.processing_class(*texts, truncation=True, max_length=limit)

    def _numbered(self) -> tuple[TrainingSet, NumberedRows]:
        """The training set as the method may know it, and its rows with their numbers."""
        dataset, names = self.train_dataset, names_of(self.model)
        check_rows(dataset)
        label = label_column(dataset, self.label_names)
        columns = self._texts(label)
        texts = texts_of(dataset, columns) if columns else []
        if columns:
            check_alike(dataset, texts, columns, self._cut)
        known = training_set(self.method, task_of(self.model), names, column(dataset, label), texts, self.args.seed)
        more = known.texts[known.originals :], columns, (label, known.labels[known.originals :].tolist()), self._cut
        return known, NumberedRows(dataset, added_rows(dataset, *more) if columns else ())

    def get_train_dataloader(self) -> Any:
        """The trainer's own loader, over rows that say their number."""
        if self.train_dataset is None:
            return super().get_train_dataloader()
        self._known, rows = self._numbered()
        given = self.train_dataset, self.data_collator
        self.train_dataset, self.data_collator = rows, NumberedCollator(self.data_collator)
        try:
            loader = super().get_train_dataloader()
        finally:
            self.train_dataset, self.data_collator = given
        self._encoded = lambda: encoded_rows(rows, loader.collate_fn, self._padding())
        return loader

    def _padding(self) -> int:
        own = getattr(self.processing_class, "pad_token_id", None)
        return int(own if own is not None else getattr(self.model.config, "pad_token_id", None) or 0)

    def _set_signature_columns_if_needed(self) -> None:
        super()._set_signature_columns_if_needed()
        if INDEX not in self._signature_columns:
            self._signature_columns = [*self._signature_columns, INDEX]

    # What is trained.

    def _prepare_for_training(self, max_steps: int, train_dataloader: Any, resume_from_checkpoint: Any) -> Any:
        self.robust = self._built(max_steps)  # anew in every train(): model, rows and steps may be others
        return super()._prepare_for_training(max_steps, train_dataloader, resume_from_checkpoint)

    def _built(self, steps: int) -> Robust:
        """The method around the trainer's model."""
        seed, known, tokenizer = self.args.seed, self._known, self.processing_class
        tokenizer = tokenizer if hasattr(tokenizer, "get_vocab") else None
        objective = objective_over(self.model, self.method, known, steps, seed, tokenizer, self._max_length)
        if self.accelerator.mixed_precision == "bf16":
            objective.model.autocast = torch.bfloat16
        size = self._train_batch_size * self.args.world_size
        robust = Robust(objective, lambda: self._encoded(), known.labels, task_of(self.model).loss, steps, seed, size)
        notes = [*known.notes, *objective.notes]
        if robust.listens() and self.args.eval_strategy == "no":
            notes.append("the method learns from evaluations where its settings say so, and eval_strategy is no")
        if self.is_world_process_zero():
            for note in notes:
                say(note, error=True)
        return robust

    def create_optimizer(self, model: Any = None) -> Any:
        """The trainer's optimiser, which also moves what is the method's own."""
        optimizer = super().create_optimizer(model)
        moved = {parameter for group in optimizer.param_groups for parameter in group["params"]}
        own = [] if self.robust is None else [one for one in self.robust.own_parameters() if one not in moved]
        if own and self.lr_scheduler is not None:
            raise BadInput(
                "the method has a head of its own, of which the given scheduler knows nothing; give the optimiser "
                "alone, or name both in the TrainingArguments"
            )
        for is_matrix in (True, False):
            some = [parameter for parameter in own if (parameter.ndim >= 2) == is_matrix]
            if some:
                decay = {"weight_decay": self.args.weight_decay if is_matrix else 0.0}
                optimizer.add_param_group({"params": some, **decay})
        return optimizer

    # An update.

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: torch.device) -> Any:
        """The batches of an update; the counts that its means are over, and what the method wants before it."""
        batches, items = super().get_batch_samples(epoch_iterator, num_batches, device)
        if batches:
            for parameter in self._robust.own_parameters():
                parameter.grad = None  # the trainer clears the model's alone
            with plain_forward(self.model):
                self._robust.begin([self._robust.batch(batch, self._epoch) for batch in batches])
        return batches, items

    @property
    def _epoch(self) -> int:
        return int(self.state.epoch or 0)

    @property
    def _robust(self) -> Robust:
        if self.robust is None:
            raise BadInput("there is no method yet: it is built where training begins, by train()")
        return self.robust

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Tensor:
        """The method's passes over a batch; after the last of an update its gradients are added up over processes."""
        robust = self._robust
        if callable(getattr(self.optimizer, "train", None)):
            self.optimizer.train()  # schedule-free optimisers know two modes
        model.train()
        batch = robust.batch(self._prepare_inputs(inputs), self._epoch)
        with plain_forward(self.model):
            loss = robust.one_pass(batch)
        if self.accelerator.sync_gradients:
            robust.reduced()
        # The trainer adds these up over passes and takes their mean over processes.
        return loss.total(robust.counts).detach() * self.args.world_size

    def _clip_grad_norm(self, model: Any) -> Any:
        return self._finite(self.accelerator.clip_grad_norm_(self._robust.trained(), self.args.max_grad_norm))

    def _get_grad_norm(self, model: Any, grad_norm: Any = None) -> Any:
        if grad_norm is None:
            grad_norm = self._finite(self.accelerator.clip_grad_norm_(self._robust.trained(), float("inf")))
        return super()._get_grad_norm(model, grad_norm=grad_norm)

    def _finite(self, norm: Tensor) -> Tensor:
        if not torch.isfinite(norm):
            raise self._robust.not_finite()
        return norm

    def log(self, logs: dict[str, float], *arguments: Any, **named: Any) -> None:
        """The trainer's log, with the mean of each term of the method's loss beside the loss."""
        if self.robust is not None and self.is_in_train and "loss" in logs:
            logs |= {f"loss_{name.replace(' ', '_')}": mean for name, mean in self.robust.means().items()}
        super().log(logs, *arguments, **named)

    # Evaluations and checkpoints.

    def _evaluate(self, trial: Any, ignore_keys_for_eval: Any, skip_scheduler: bool = False) -> dict[str, float]:
        if skip_scheduler or not self._robust.listens() or not task_of(self.model).confusion:
            return super()._evaluate(trial, ignore_keys_for_eval, skip_scheduler)  # a look before the first step too
        own, counted = self.compute_metrics, CountedMetrics(self.compute_metrics, len(names_of(self.model)))
        self.compute_metrics = counted
        try:
            metrics = super()._evaluate(trial, ignore_keys_for_eval, skip_scheduler)
        finally:
            self.compute_metrics = own
        self._robust.looked(counted.evaluation(metrics))
        return metrics

    def _save_optimizer_and_scheduler(self, output_dir: str) -> None:
        super()._save_optimizer_and_scheduler(output_dir)
        state = self._robust.own_state()
        if self.args.should_save:
            write_state(output_dir, state, self.method)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None:
            self._robust.load_own_state(stored_state(checkpoint, self.method), checkpoint)


class RobustTrainer(RobustMixin, transformers.Trainer):
    """transformers' Trainer with ``method=``: a paper's way of training, by name or settings."""


@contextmanager
def plain_forward(network: Any) -> Iterator[None]:
    """While open, a network's own forward stands where accelerate has put one in reduced precision.

    Passes are in that precision anyway (``Door.autocast``), but for those that must not be: an ascent in small steps.
    """
    wrapped = vars(network).pop("forward", None)
    try:
        yield
    finally:
        if wrapped is not None:
            network.forward = wrapped
