"""A Hugging Face causal language model behind the call every method makes: tokens, perhaps perturbed, become logits."""

from torch import Tensor, nn
from transformers import PreTrainedModel

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Door, added
from unfooled.models.sequences.adaptive import AdaptiveHead
from unfooled.models.sequences.tensorized import Tensorized
from unfooled.types import Output, Tokens


class LanguageModel(Door):
    """Tokens [B, T] become the logits of each next token [B, T, V]; padding stands on the right."""

    def __init__(self, network: PreTrainedModel) -> None:
        super().__init__(network, network.get_input_embeddings())
        head = network.get_output_embeddings()
        if head is None:
            raise BadInput(f"{type(network).__name__} is no language model: it has no layer that scores words")
        self._head: list[nn.Module] = [head]

    @property
    def feature_width(self) -> int:
        """The number of entries of the state that the softmax reads."""
        return int(self._head[0].weight.shape[1])

    def forward(self, tokens: Tokens, delta: Tensor | None = None, states: bool = True) -> Output:
        """Logits of the next tokens, and the states right before the softmax [B, T, H], which are also the features.

        ``delta`` [B, T, d] is added to the looked-up vectors. No mask is given to the network: what is padded stands
        on the right, where causal attention never looks. Behind an adaptive softmax there are no logits of all
        words; ``rated`` gives the loss of labels without them.
        """
        seen: list[Tensor] = []
        with added(self._lookup[0], delta), self.precision(tokens.ids.device):
            if isinstance(self.network, Tensorized) and isinstance(self.network.lm_head, AdaptiveHead):
                return adaptive_output(self.network, self.network.states(tokens.ids))
            with self._head[0].register_forward_pre_hook(lambda _, given: seen.append(given[0])):
                logits = self.network(input_ids=tokens.ids, use_cache=False).logits
        return Output(logits=logits, features=seen[0], states=seen[0])


def adaptive_output(network: Tensorized, states: Tensor) -> Output:
    """The output of a network with an adaptive softmax: states, and how to rate labels by them."""
    head = network.lm_head

    def rated(labels: Tensor) -> Tensor:
        return head.losses(states.flatten(0, 1), labels.flatten()).view_as(labels)

    return Output(logits=states.new_empty(0), features=states, states=states, rated=rated)
