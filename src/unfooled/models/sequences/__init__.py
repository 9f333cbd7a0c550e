"""Networks that write: language models and translators."""
