"""What trials that look into a network share: tensors, batch by batch."""
