"""A head that guesses each token from its state in the encoder's last layer, as in masked language models."""

from collections.abc import Mapping
from pathlib import Path

import torch.nn.functional as F
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from unfooled.errors import BadInput

KEEPSAKE = "reconstructor"  # its name in an objective, and the name of its file beside a trained model
# Where masked language models keep the same layers: dense, LayerNorm, the decoder's bias.
MASKED_HEADS = {
    "BERT": ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
    "ALBERT": ("predictions.dense", "predictions.LayerNorm", "predictions.bias"),
    "DistilBERT": ("vocab_transform", "vocab_layer_norm", "vocab_projector.bias"),
    "RoBERTa": ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"),
}


class Reconstructor(nn.Module):
    """Dense H → d, GELU, LayerNorm, then a decoder d → V tied to the word embeddings, and a bias of its own.

    Tied means the same tensor: the decoder adds no weights, and d is whatever width the embedding table has, be it
    factorised (ALBERT's 128 of 768) or full. New parameters: H·d + d + 2d + V.
    """

    def __init__(self, lookup: nn.Module, state_width: int) -> None:
        super().__init__()
        words, width = lookup.weight.shape
        self.dense = nn.Linear(state_width, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.bias = nn.Parameter(self.dense.weight.new_zeros(words))
        self._lookup: list[nn.Module] = [lookup]  # in a list: not registered twice
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def take_over(self, tensors: Mapping[str, Tensor], refusal: str) -> None:
        """Go on from trained layers; those of another width or vocabulary are refused with a sentence."""
        try:
            self.load_state_dict(tensors)
        except RuntimeError:
            raise BadInput(refusal) from None

    @property
    def weight(self) -> Tensor:
        """The decoder's weight [V, d]: the table of word embeddings itself."""
        return self._lookup[0].weight

    def forward(self, states: Tensor) -> Tensor:
        """What the decoder reads [..., d], of token states [..., H], in the precision of the weights."""
        return self.norm(F.gelu(self.dense(states.to(self.dense.weight.dtype)), approximate="tanh"))

    def logits(self, states: Tensor) -> Tensor:
        """A logit for every word of the vocabulary [..., V]; for training rather ``losses.tokens.reconstruction``."""
        return F.linear(self(states), self.weight, self.bias)


def pretrained_head(network: nn.Module) -> dict[str, Tensor]:
    """The reconstructor's tensors from the masked-language-model head of the checkpoint a network was loaded from."""
    source = str(getattr(network, "name_or_path", ""))
    found = stored_head(source)
    if found is None:
        raise BadInput(
            f"{source or 'the model'} has no masked-language-model head ({', '.join(MASKED_HEADS)} as pretrained have "
            'one), so method.init = "pretrained" has nothing to start from; use "fresh"'
        )
    return {mine: tensor(*place) for mine, place in found.items()}


def has_pretrained_head(network: nn.Module) -> bool:
    """Whether the checkpoint a network was loaded from has such a head."""
    return stored_head(str(getattr(network, "name_or_path", ""))) is not None


def stored_head(source: str) -> dict[str, tuple[Path, str]] | None:
    """Where the tensors of a model's masked-language-model head stand: file and name; None where it has none."""
    stored: dict[str, Path] = {}
    for path in weight_files(source):
        try:
            with safe_open(path, "pt") as file:
                stored |= dict.fromkeys(list(file.keys()), path)
        except (OSError, SafetensorError) as error:
            raise BadInput(f"{path} cannot be read ({error}); restore the file") from None
    for dense, norm, bias in MASKED_HEADS.values():
        # Checkpoints of the first years call a LayerNorm's weight and bias gamma and beta.
        last = ("gamma", "beta") if f"{norm}.gamma" in stored else ("weight", "bias")
        names = (f"{dense}.weight", f"{dense}.bias", f"{norm}.{last[0]}", f"{norm}.{last[1]}", bias)
        if all(name in stored for name in names):
            own = ("dense.weight", "dense.bias", "norm.weight", "norm.bias", "bias")
            return {mine: (stored[name], name) for mine, name in zip(own, names, strict=True)}
    return None


def tensor(path: Path, name: str) -> Tensor:
    """One tensor of a safetensors file, in single precision."""
    with safe_open(path, "pt") as file:
        stored: Tensor = file.get_tensor(name)
    return stored.float()


def weight_files(source: str) -> list[Path]:
    """The weight files of the model folder that a network was loaded from."""
    folder = Path(source)
    return sorted(folder.glob("model*.safetensors")) if source and folder.is_dir() else []
