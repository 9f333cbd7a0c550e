"""Networks."""

from unfooled.models.classifier import Classifier, still
from unfooled.models.predict import probabilities
from unfooled.models.pretrained import ModelSettings, TextModel, build, load, save
from unfooled.models.tensorized import Tensorized, TensorizedConfig
from unfooled.models.text_cnn import TextCNN, TextCNNConfig

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
