"""English words: forms, senses, neighbours, opposites."""
