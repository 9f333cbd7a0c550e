"""What methods put on top of a network."""
