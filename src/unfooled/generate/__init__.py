"""Texts made from texts, as files of JSON lines."""
