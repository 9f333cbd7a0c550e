"""Training sets as functions: (epoch, update) → the batches of one process."""
