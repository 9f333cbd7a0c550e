"""Small networks, batches and engines that the tests share; nothing is downloaded."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from transformers import (
    AlbertConfig,
    AutoModelForSequenceClassification,
    BertConfig,
    DebertaConfig,
    DebertaV2Config,
    DistilBertConfig,
    ElectraConfig,
    MPNetConfig,
    PretrainedConfig,
    PreTrainedModel,
    RobertaConfig,
)

from unfooled.methods.objective import TrainingTask
from unfooled.models.encoders.classifier import Classifier
from unfooled.types import Batch, Loss, Output, Tokens

ARCHITECTURES = ("bert", "roberta", "albert", "distilbert", "electra", "mpnet", "deberta", "deberta-v2")
VOCABULARY = 60


def configuration(kind: str, classes: int, dropout: float, layers: int, width: int) -> PretrainedConfig:
    """A tiny configuration; weights are drawn wide (0.3) so that outputs really depend on inputs."""
    labels = {"num_labels": classes, "initializer_range": 0.3, "vocab_size": VOCABULARY}
    places = {"max_position_embeddings": 40, **labels}
    if kind == "distilbert":
        rates = {"dropout": dropout, "attention_dropout": dropout, "seq_classif_dropout": dropout}
        sizes = {"dim": width, "n_layers": layers, "n_heads": 4, "hidden_dim": 48}
        return DistilBertConfig(**sizes, **rates, **places, pad_token_id=0)
    common = {
        **places,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
        "pad_token_id": padding_of(kind),
    }
    relative = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "pooler_hidden_size": width}
    relative |= {"pooler_dropout": dropout, "cls_dropout": dropout}
    buckets = {"position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True}
    return {
        "bert": lambda: BertConfig(**common),
        "roberta": lambda: RobertaConfig(**common),
        "albert": lambda: AlbertConfig(**common, embedding_size=16, classifier_dropout_prob=dropout),
        "electra": lambda: ElectraConfig(**common, embedding_size=16, classifier_dropout=dropout),
        "mpnet": lambda: MPNetConfig(**common),
        "deberta": lambda: DebertaConfig(**common, **relative),
        "deberta-v2": lambda: DebertaV2Config(**common, **relative, **buckets),
    }[kind]()


def padding_of(kind: str) -> int:
    return 1 if kind in ("roberta", "mpnet") else 0


def tiny_network(
    kind: str = "bert",
    classes: int = 2,
    dropout: float = 0.0,
    seed: int = 0,
    layers: int = 2,
    width: int = 32,
) -> PreTrainedModel:
    """A Hugging Face classifier with random weights, in training mode."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = AutoModelForSequenceClassification.from_config(configuration(kind, classes, dropout, layers, width))
    return network.train()


def make_tokens(
    lengths: Sequence[int],
    index: Sequence[int],
    columns: int | None = None,
    padding: int = 0,
    segments: bool = False,
) -> Tokens:
    """Random real tokens; those of an example depend on its index alone."""
    width = max(lengths) if columns is None else columns
    ids = torch.full((len(lengths), width), padding)
    mask = torch.zeros(len(lengths), width, dtype=torch.bool)
    for place, (length, example) in enumerate(zip(lengths, index, strict=True)):
        random = torch.Generator().manual_seed(1000 + example)
        ids[place, :length] = torch.randint(5, VOCABULARY, (64,), generator=random)[:length]
        mask[place, :length] = True
    halves = (torch.arange(width) >= 2).long().expand(len(lengths), width) * mask
    return Tokens(ids, mask, halves if segments else None)


def make_batch(
    lengths: Sequence[int] = (5, 3, 7, 4),
    labels: Sequence[int] | None = None,
    classes: int = 2,
    index: Sequence[int] | None = None,
    columns: int | None = None,
    padding: int = 0,
    key: tuple[int, int] = (3, 1),
) -> Batch:
    """A batch of the given lengths; ``columns`` pads it wider than its longest text."""
    index = list(range(len(lengths))) if index is None else index
    labels = [example % classes for example in index] if labels is None else labels
    tokens = make_tokens(lengths, index, columns, padding)
    return Batch(
        index=torch.tensor(index),
        label=torch.tensor(labels),
        views={"original": tokens},
        key=key,
        counts={"examples": len(index), "tokens": int(tokens.mask.sum())},
    )


def make_task(classes: int = 2, labels: Sequence[int] | None = None) -> TrainingTask:
    known = torch.arange(8) % classes if labels is None else torch.tensor(labels)
    return TrainingTask(classes=classes, labels=known, steps=10, seed=0)


class Lone:
    """An engine of one process: means are over the batch, or over ``counts``; remembers each request."""

    def __init__(self, counts: Mapping[str, int] | None = None) -> None:
        self.counts = counts
        self.shares: list[float] = []

    def backward(self, loss: Loss, share: float = 1.0) -> None:
        self.shares.append(share)
        (loss.total(self.counts) * share).backward()


class Recording(nn.Module):
    """A model that remembers the perturbation, logits and training mode of each of its passes."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.deltas: list[Tensor | None] = []
        self.logits: list[Tensor] = []
        self.modes: list[bool] = []

    @property
    def width(self) -> int:
        return self.model.width

    @property
    def autocast(self) -> torch.dtype | None:
        return self.model.autocast

    @autocast.setter
    def autocast(self, dtype: torch.dtype | None) -> None:
        self.model.autocast = dtype

    def forward(self, tokens: Tokens, delta: Tensor | None = None, **wanted: bool) -> Output:
        output = self.model(tokens, delta, **wanted)
        self.deltas.append(None if delta is None else delta.detach().clone())
        self.logits.append(output.logits.detach().clone())
        self.modes.append(self.model.training)
        return output


class LinearModel(nn.Module):
    """Two logits ∓s with s = Σ_t E_t · w over real tokens: the gradient's direction is ±w everywhere."""

    def __init__(self, width: int = 4, seed: int = 0) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        self.width = width
        self.autocast: torch.dtype | None = None
        self.lookup = nn.Embedding(VOCABULARY, width)
        self.lookup.weight.data = 0.3 * torch.randn(VOCABULARY, width, generator=random)
        self.direction = nn.Parameter(torch.randn(width, generator=random))

    def forward(self, tokens: Tokens, delta: Tensor | None = None) -> Output:
        vectors = self.lookup(tokens.ids) + (0 if delta is None else delta)
        score = ((vectors * tokens.mask[..., None]) @ self.direction).sum(dim=1)
        return Output(torch.stack([-score, score], dim=1), vectors.sum(dim=1))

    def unit_ascent(self, batch: Batch) -> Tensor:
        """The unit vector [B, T, d] that raises each example's loss fastest, by hand."""
        away = torch.where(batch.label == 1, -1.0, 1.0)[:, None, None]
        path = away * batch.tokens.mask[..., None] * self.direction.detach()
        return path / path.flatten(1).norm(dim=1)[:, None, None]


def network_logits(classifier: Classifier, batch: Batch, delta: Tensor | None = None) -> Tensor:
    """The network's logits without our door: plain, or with inputs_embeds = lookup + delta."""
    mask = batch.tokens.mask.long()
    if delta is None:
        return classifier.network(input_ids=batch.tokens.ids, attention_mask=mask).logits
    embedded = classifier.network.get_input_embeddings()(batch.tokens.ids) + delta
    return classifier.network(inputs_embeds=embedded, attention_mask=mask).logits


def cross_entropies(logits: Tensor, labels: Tensor) -> Tensor:
    """-log softmax(logits)[label] of each example [B], written out."""
    largest = logits.max(dim=1).values.detach()
    partition = (logits - largest[:, None]).exp().sum(dim=1).log() + largest
    return partition - torch.stack([row[label] for row, label in zip(logits, labels, strict=True)])


def gradient_by_hand(classifier: Classifier, batch: Batch, delta: Tensor) -> Tensor:
    """d Σ L_C / d delta at E + delta, through inputs_embeds."""
    delta = delta.detach().clone().requires_grad_()
    losses = cross_entropies(network_logits(classifier, batch, delta), batch.label)
    return torch.autograd.grad(losses.sum(), delta)[0]


def unit_by_sentence(gradient: Tensor) -> Tensor:
    """Each example over its own Frobenius norm, in a loop."""
    return torch.stack([one / (one.double() ** 2).sum().sqrt().to(one.dtype) for one in gradient])


def parameter_gradients(value: Tensor, module: nn.Module) -> dict[str, Tensor]:
    """The gradient of a scalar with respect to each named parameter; 0 where it has none."""
    named = dict(module.named_parameters())
    found = torch.autograd.grad(value, list(named.values()), allow_unused=True)
    return {
        name: torch.zeros_like(parameter) if gradient is None else gradient
        for (name, parameter), gradient in zip(named.items(), found, strict=True)
    }


def collected_gradients(module: nn.Module) -> dict[str, Tensor]:
    """What ``.grad`` holds for each named parameter; 0 where it holds nothing."""
    return {
        name: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.clone()
        for name, parameter in module.named_parameters()
    }


def largest_difference(first: Mapping[str, Tensor], second: Mapping[str, Tensor]) -> float:
    """The largest absolute difference between two sets of named tensors."""
    assert first.keys() == second.keys()
    return max(float((first[name].double() - second[name].double()).abs().max()) for name in first)


def naive_size(vector: Sequence[float], norm: str) -> float:
    """The l1, l2 or linf norm of a list of numbers, in a loop over double-precision values."""
    if norm == "l1":
        return sum(abs(float(entry)) for entry in vector)
    if norm == "l2":
        peak = max(abs(float(entry)) for entry in vector)
        return peak * sum((float(entry) / peak) ** 2 for entry in vector) ** 0.5 if peak else 0.0
    return max(abs(float(entry)) for entry in vector)


def naive_sizes(delta: Tensor, norm: str, scope: str) -> list[list[float]]:
    """The norm of each sentence (one per example) or of each token (T per example), in loops."""
    rows = delta.double()
    if scope == "sentence":
        return [[naive_size(example.flatten().tolist(), norm)] for example in rows]
    return [[naive_size(token.tolist(), norm) for token in example] for example in rows]


def assert_close(found: dict[str, Tensor], expected: dict[str, Tensor], near: float = 1e-6) -> None:
    """Gradients are the same up to rounding: absolutely where they are below 1, else beside the largest of them."""
    assert set(found) == set(expected)
    worst = max((found[key] - expected[key]).abs().max().item() for key in expected)
    largest = max(value.abs().max().item() for value in expected.values())
    assert worst <= near * max(largest, 1.0)
    assert largest > 1e-3  # there is something to compare
