"""Texts on disk become examples: files, columns, labels, splits, datasets and batches. Nothing is imported here."""
