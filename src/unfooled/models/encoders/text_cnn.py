"""TextCNN (Kim, 2014): convolutions over word vectors, the maximum over time, one linear layer.

Saved and opened like any Hugging Face model once this module is imported.
Paper says / we do: Kim pads every sentence to the corpus maximum; here a window may hang over the end of the
text into zeros, but padding never starts a window, so that the result does not depend on the batch.
His bound of 3 on the norms of the last layer's rows is left out; weight decay stands in for it.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForSequenceClassification, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class TextCNNConfig(PretrainedConfig):
    """Sizes of a TextCNN; the defaults are Kim's."""

    model_type = "unfooled_text_cnn"

    vocab_size: int = 30522
    embedding_width: int = 300
    filters: int = 100
    windows: tuple[int, ...] | list[int] = (3, 4, 5)
    dropout: float | int = 0.5
    pad_token_id: int | None = 0
    hidden_size: int = 300

    def __post_init__(self, **general: object) -> None:
        self.windows, self.hidden_size = list(self.windows), self.filters * len(self.windows)
        super().__post_init__(**general)


class TextCNN(PreTrainedModel):
    """Word vectors → convolutions → maximum over time → dropout → logits."""

    config_class = TextCNNConfig
    config: TextCNNConfig
    base_model_prefix = "text_cnn"
    _input_embed_layer = "embedding"

    def __init__(self, config: TextCNNConfig) -> None:
        super().__init__(config)
        self.embedding = nn.Embedding(config.vocab_size, config.embedding_width, padding_idx=config.pad_token_id)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(config.embedding_width, config.filters, window) for window in config.windows
        )
        self.dropout = nn.Dropout(config.dropout)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Embedding):
            nn.init.uniform_(module.weight, -0.25, 0.25)  # Kim's range for words without a pretrained vector
        elif isinstance(module, nn.Linear | nn.Conv1d):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,  # given by most tokenizers; a convolution has no use for it
        labels: Tensor | None = None,
        return_dict: bool = True,
    ) -> SequenceClassifierOutput:
        """Logits [B, C] of token ids [B, T]."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        vectors = (self.embedding(input_ids) * mask[..., None]).transpose(1, 2)  # [B, d, T]
        peaks = []
        for convolution in self.convolutions:
            hanging = F.pad(vectors, (0, convolution.kernel_size[0] - 1))
            heights = F.relu(convolution(hanging)) * mask[:, None, :]  # relu ≥ 0, so 0 never wins unduly
            peaks.append(heights.amax(dim=2))
        logits = self.classifier(self.dropout(torch.cat(peaks, dim=1)))
        loss = None if labels is None else F.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)


AutoConfig.register(TextCNNConfig.model_type, TextCNNConfig)
AutoModelForSequenceClassification.register(TextCNNConfig, TextCNN)
