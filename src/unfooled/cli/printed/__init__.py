"""Results on the terminal, as tables and as texts."""
