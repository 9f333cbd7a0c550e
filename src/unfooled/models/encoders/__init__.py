"""Networks that read a text and answer with classes, numbers, sets or spans."""
