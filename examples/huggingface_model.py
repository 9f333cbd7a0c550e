"""Attack a Hugging Face model that is in memory, and whose labels are called LABEL_0 and LABEL_1."""

import sys

from transformers import AutoModelForSequenceClassification, AutoTokenizer

import unfooled as uf

name, data = sys.argv[1:] or ("owner/model", "reviews.csv")

model, tokenizer = AutoModelForSequenceClassification.from_pretrained(name), AutoTokenizer.from_pretrained(name)
model.config.id2label = {0: "LABEL_0", 1: "LABEL_1"}  # as many models come
names = {"LABEL_0": "negative", "LABEL_1": "positive"}  # what the data calls them
attacked = uf.attack((model, tokenizer), data, "pwws", "attacked", labels=names, limit=16, similarity=None)
score = attacked.scores["accuracy_under_attack"]
print(f"right under attack: {score.text} [{score.interval}], n = {score.n}; see {attacked.folder}")
