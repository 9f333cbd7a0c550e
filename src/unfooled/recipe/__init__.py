"""A run as settings, and the card of what it made."""
