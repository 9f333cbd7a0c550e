"""Searching for settings: where they may lie, and the trainings that several processes share."""
