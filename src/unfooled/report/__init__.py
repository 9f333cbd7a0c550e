"""Pages and pictures from numbers; no torch."""
