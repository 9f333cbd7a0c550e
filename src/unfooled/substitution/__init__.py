"""Words that may stand for others: where they come from, what exchanging them would do, which are the worst."""
