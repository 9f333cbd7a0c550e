"""Attacks during anybody's training, in the trainer's own log and trackers."""

import sys

import pandas as pd
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

import unfooled as uf

model, data = sys.argv[1:] or ("sentence-transformers/all-MiniLM-L6-v2", "reviews.csv")

frame = pd.read_csv(data)
frame["label"] = frame["label"].astype("category").cat.codes
tokenizer = AutoTokenizer.from_pretrained(model)
network = AutoModelForSequenceClassification.from_pretrained(model, num_labels=2)
rows = Dataset.from_pandas(frame).map(lambda row: tokenizer(row["text"], truncation=True))
args = TrainingArguments("out", num_train_epochs=2, report_to="none")
trainer = Trainer(network, args, train_dataset=rows, processing_class=tokenizer)
quick = {"deepwordbug": {"similarity": None}}
callback = uf.RobustnessCallback(trainer, frame, ["clean", "deepwordbug"], "epoch", limit=8, settings=quick)
trainer.add_callback(callback)
trainer.train()
print([line for line in trainer.state.log_history if "eval_deepwordbug_accuracy_under_attack" in line])
