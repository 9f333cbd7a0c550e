"""A Hugging Face encoder–decoder behind the call every method makes: tokens, perhaps perturbed, become logits."""

from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Door, added
from unfooled.types import Output, Tokens


class Translator(Door):
    """Source tokens [B, T] and what the decoder reads [B, S] become the logits of each next target token [B, S, V]."""

    def __init__(self, network: PreTrainedModel) -> None:
        if not network.config.is_encoder_decoder:
            raise BadInput(f"{type(network).__name__} has no encoder and decoder; use one that translates")
        super().__init__(network, network.get_encoder().get_input_embeddings())
        self._head: list[nn.Module] = [network.get_output_embeddings()]

    @property
    def feature_width(self) -> int:
        """The number of entries of an encoder state."""
        return int(self.network.config.hidden_size)

    def forward(self, tokens: Tokens, delta: Tensor | None = None, states: bool = True) -> Output:
        """Logits of the target; features: the states its softmax reads [B, S, H]; the encoder's top states [B, T, H].

        ``delta`` [B, T, d] is added to the looked-up vectors of the *source*: the encoder has run before the decoder
        begins, so that a table both share is moved on one side alone.
        """
        if tokens.decoder is None:
            raise ValueError("a translator is taught with what its decoder reads; give tokens.decoder")
        seen: list[Tensor] = []
        with self.precision(tokens.ids.device):
            encoded = self.encoded(tokens, delta)
            read = {"attention_mask": tokens.mask.long(), "decoder_input_ids": tokens.decoder}
            with self._head[0].register_forward_pre_hook(lambda _, given: seen.append(given[0])):
                logits = self.network(encoder_outputs=encoded, use_cache=False, **read).logits
        return Output(logits=logits, features=seen[0], states=encoded.last_hidden_state)

    def encoded(self, tokens: Tokens, delta: Tensor | None = None) -> Any:
        """What the encoder makes of the source, its looked-up vectors moved by ``delta``."""
        with added(self._lookup[0], delta):
            return self.network.get_encoder()(input_ids=tokens.ids, attention_mask=tokens.mask.long())
