"""Words, no tensors: a text and its words, WordNet, parts of speech, word forms, neighbours."""
