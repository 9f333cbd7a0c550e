"""Records that hold features, and what is kept of them in memory: those stay in their log."""
