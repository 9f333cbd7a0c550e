"""Networks; each is imported when it is used, so that the names of models are known without torch."""

from unfooled.table import lazily

HOMES = {
    "encoders.classifier": ("Classifier", "still"),
    "encoders.predict": ("probabilities",),
    "encoders.pretrained": ("ModelSettings", "TextModel", "build", "load", "save"),
    "encoders.text_cnn": ("TextCNN", "TextCNNConfig"),
    "sequences.tensorized": ("Tensorized", "TensorizedConfig"),
}
PLACES = {name: f"unfooled.models.{home}:{name}" for home, names in HOMES.items() for name in names}
__all__ = sorted(PLACES)
__getattr__ = lazily(__name__, PLACES)
