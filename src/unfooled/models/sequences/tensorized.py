"""The Tensorized Transformer (Ma et al., 2019): attention as a product of three vectors per head entry.

With one head of R entries, Q, K, V = X Wq, X Wk, X Wv, and a diagonal core tensor g per core:

    T[i, j, k] = Σ_r g_r Q_ir K_jr V_kr,    output_i = Wo · flatten_jk(mean over cores of T[i])

No softmax and no scaling; Wo reads the length squared, so a network is made for one segment length. As in the layer
ATCL builds on, keys of position P are added: T(Q + u, K, V) + T(Q + v, P, V) with P_j a linear map of a sinusoid.

Paper says / we do, because:
- The released layer never applies its mask: position i reads its future, and the published perplexities with it. We
  set T[i, j, k] = 0 wherever j > i or k > i. ``causal=False`` is the released behaviour, for forensics alone.
- Cores share Q, K and V, so their mean is taken of the vectors g before the product: the same, at the cost of one core.
- Both products are added up in the rank dimension before they meet V: one [T, T, T] tensor per text, not two per core.
- The released cores begin as the softmax of uninitialised memory; ours as the softmax of a standard normal draw.
- A shorter segment reads the corner of Wo that belongs to it: the same as padding, since what is masked is 0.
Saved and opened like any Hugging Face model once this module is imported.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers import AutoConfig, AutoModelForCausalLM, GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers import initialization as init
from transformers.modeling_outputs import CausalLMOutput

from unfooled.errors import BadInput
from unfooled.models.sequences.adaptive import AdaptiveHead


class TensorizedConfig(PretrainedConfig):
    """Sizes of a Tensorized Transformer; the defaults are those for the Penn Treebank."""

    model_type = "unfooled_tensorized"

    vocab_size: int = 10_000
    hidden_size: int = 256
    num_hidden_layers: int = 3
    head_width: int = 40
    inner_width: int = 2100
    segment_length: int = 32
    max_position_embeddings: int = 32
    cores: int = 1
    dropout: float | int = 0.3
    causal: bool = True
    cutoffs: tuple[int, ...] | list[int] = ()  # of the adaptive softmax: classes of words, frequent ones first
    checkpointing: bool = False
    tie_word_embeddings: bool = True

    def __post_init__(self, **general: object) -> None:
        self.cutoffs, self.max_position_embeddings = list(self.cutoffs), self.segment_length
        super().__post_init__(**general)


class ScaledEmbedding(nn.Embedding):
    """A lookup whose vectors are multiplied by √d: what is perturbed is the vector the network reads."""

    @property
    def embed_scale(self) -> float:
        """√d, by the name that scaled lookups of transformers give it."""
        return math.sqrt(self.embedding_dim)

    def forward(self, ids: Tensor) -> Tensor:
        """The scaled vectors of these tokens."""
        return super().forward(ids) * self.embed_scale


class MultiLinearAttention(nn.Module):
    """LN(x + dropout(Wo · T(x))) with T the product of three vectors."""

    def __init__(self, config: TensorizedConfig) -> None:
        super().__init__()
        self.length, self.causal = config.segment_length, config.causal
        width, rank = config.hidden_size, config.head_width
        self.qkv = nn.Linear(width, 3 * rank, bias=False)
        self.position_keys = nn.Linear(width, rank, bias=False)
        self.cores = nn.Parameter(torch.empty(config.cores, rank))
        self.output = nn.Linear(config.segment_length**2, width, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.LayerNorm(width)

    def forward(self, states: Tensor, codes: Tensor, content_bias: Tensor, position_bias: Tensor) -> Tensor:
        """States [B, t, d] → [B, t, d]; ``codes`` [t, d] are the positions' sinusoids."""
        mixed = self.mixed(self.product(states, codes, content_bias, position_bias))
        return self.norm(states + self.dropout(mixed))

    def product(self, states: Tensor, codes: Tensor, content_bias: Tensor, position_bias: Tensor) -> Tensor:
        """T [B, t, t, t]: of each position i, all pairs (j, k) it may read."""
        query, key, value = self.qkv(states).chunk(3, dim=-1)  # [B, t, R]
        position = self.position_keys(codes)  # [t, R]
        # Σ over r comes last, so (Q + u) K and (Q + v) P are one tensor [B, t, t, R] when they meet g V.
        pairs = (query + content_bias)[:, :, None] * key[:, None] + (query + position_bias)[:, :, None] * position
        batch, length, _, rank = pairs.shape
        weighted = value * self.cores.mean(dim=0)  # (1/h) Σ_c g^c: cores share Q, K and V
        triples = torch.bmm(pairs.reshape(batch, length * length, rank), weighted.transpose(1, 2))
        triples = triples.view(batch, length, length, length)
        return triples.masked_fill_(future(length, triples.device), 0.0) if self.causal else triples

    def mixed(self, triples: Tensor) -> Tensor:
        """Wo · flatten(T): the corner of Wo that belongs to so many positions."""
        length = triples.shape[1]
        weight = self.output.weight
        if length < self.length:
            weight = weight.view(-1, self.length, self.length)[:, :length, :length].flatten(1)
        return F.linear(triples.flatten(2), weight)


def future(length: int, where: torch.device) -> Tensor:
    """True at [i, j, k] where j > i or k > i."""
    later = torch.ones(length, length, dtype=torch.bool, device=where).triu(diagonal=1)
    return later[:, :, None] | later[:, None, :]


class Feed(nn.Module):
    """LN(x + dropout(W2 dropout(relu(W1 x))))."""

    def __init__(self, config: TensorizedConfig) -> None:
        super().__init__()
        self.widen = nn.Linear(config.hidden_size, config.inner_width)
        self.narrow = nn.Linear(config.inner_width, config.hidden_size)
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.LayerNorm(config.hidden_size)

    def forward(self, states: Tensor) -> Tensor:
        """States [B, t, d] → [B, t, d]."""
        inner = self.dropout(F.relu(self.widen(states)))
        return self.norm(states + self.dropout(self.narrow(inner)))


class Tensorized(PreTrainedModel, GenerationMixin):
    """A causal language model of multi-linear attention; input and output share one table of word vectors."""

    config_class = TensorizedConfig
    config: TensorizedConfig
    base_model_prefix = "tensorized"
    _input_embed_layer = "embedding"
    _tied_weights_keys = {"lm_head.weight": "embedding.weight"}  # noqa: RUF012

    def __init__(self, config: TensorizedConfig) -> None:
        super().__init__(config)
        width, words = config.hidden_size, config.vocab_size
        self.embedding = ScaledEmbedding(words, width)
        self.content_bias = nn.Parameter(torch.empty(config.head_width))  # u, shared by layers
        self.position_bias = nn.Parameter(torch.empty(config.head_width))  # v
        self.attentions = nn.ModuleList(MultiLinearAttention(config) for _ in range(config.num_hidden_layers))
        self.feeds = nn.ModuleList(Feed(config) for _ in range(config.num_hidden_layers))
        self.dropout = nn.Dropout(config.dropout)
        self.lm_head = AdaptiveHead(width, words, config.cutoffs) if config.cutoffs else nn.Linear(width, words)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding | AdaptiveHead):
            init.normal_(module.weight, std=0.02)
            if getattr(module, "bias", None) is not None:
                init.zeros_(module.bias)
        if isinstance(module, AdaptiveHead):
            init.normal_(module.cluster_weight, std=0.02)
            init.zeros_(module.cluster_bias)
        elif isinstance(module, nn.LayerNorm):
            init.normal_(module.weight, mean=1.0, std=0.02)
            init.zeros_(module.bias)
        elif isinstance(module, MultiLinearAttention):
            init.copy_(module.cores, torch.randn(module.cores.shape).softmax(dim=-1))
        elif isinstance(module, Tensorized):
            init.normal_(module.content_bias, std=0.02)
            init.normal_(module.position_bias, std=0.02)

    def states(self, input_ids: Tensor) -> Tensor:
        """What the softmax reads [B, t, d], of tokens [B, t], t at most the segment length."""
        config, length = self.config, input_ids.shape[1]
        if length > config.segment_length:
            raise BadInput(
                f"a segment of {length} tokens is longer than the model, made for {config.segment_length}; cut it"
            )
        codes = self.dropout(sinusoids(length, config.segment_length, config.hidden_size, input_ids.device))
        states = self.dropout(self.embedding(input_ids))
        codes = codes.to(states.dtype)
        for attention, feed in zip(self.attentions, self.feeds, strict=True):
            given = (states, codes, self.content_bias, self.position_bias)
            if config.checkpointing and torch.is_grad_enabled():
                states = feed(checkpoint(attention, *given, use_reentrant=False))
            else:
                states = feed(attention(*given))
        return self.dropout(states)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,  # padding stands on the right, where causal attention never looks
        labels: Tensor | None = None,
        return_dict: bool = True,
        **_: object,
    ) -> CausalLMOutput:
        """Logits [B, t, V]; with an adaptive softmax they are log-probabilities. ``labels`` are shifted here."""
        logits = self.lm_head(self.states(input_ids))
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), labels[:, 1:].flatten())
        return CausalLMOutput(loss=loss, logits=logits)

    def prepare_inputs_for_generation(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: object
    ) -> dict[str, Tensor]:
        """The newest tokens that fit into one segment."""
        return {"input_ids": input_ids[:, -self.config.segment_length :]}


def sinusoids(length: int, segment: int, width: int, where: torch.device) -> Tensor:
    """The code [length, width] of positions counted from the end of the segment: sines, then cosines."""
    places = torch.arange(segment - 1, segment - 1 - length, -1.0, device=where)
    rates = 10_000 ** (-torch.arange(0.0, width, 2.0, device=where) / width)
    angles = places[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)


AutoConfig.register(TensorizedConfig.model_type, TensorizedConfig)
AutoModelForCausalLM.register(TensorizedConfig, Tensorized)
