"""Networks."""

from unfooled.models.encoders.classifier import Classifier, still
from unfooled.models.encoders.predict import probabilities
from unfooled.models.encoders.pretrained import ModelSettings, TextModel, build, load, save
from unfooled.models.encoders.text_cnn import TextCNN, TextCNNConfig
from unfooled.models.sequences.tensorized import Tensorized, TensorizedConfig

__all__ = [
    "Classifier",
    "ModelSettings",
    "Tensorized",
    "TensorizedConfig",
    "TextCNN",
    "TextCNNConfig",
    "TextModel",
    "build",
    "load",
    "probabilities",
    "save",
    "still",
]
