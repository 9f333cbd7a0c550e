"""Files become rows and texts, one at a time: whatever is wrong with one is a sentence that names the row."""
