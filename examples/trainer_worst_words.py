"""Training against the worst words: the dataset keeps its texts, the trainer its tokenizer."""

import sys

import pandas as pd
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, TrainingArguments

import unfooled as uf

model, data = sys.argv[1:] or ("sentence-transformers/all-MiniLM-L6-v2", "reviews.csv")

frame = pd.read_csv(data)
frame["label"] = frame["label"].astype("category").cat.codes
tokenizer = AutoTokenizer.from_pretrained(model)
network = AutoModelForSequenceClassification.from_pretrained(model, num_labels=2)
rows = Dataset.from_pandas(frame).map(lambda row: tokenizer(row["text"], truncation=True))
args = TrainingArguments("out", num_train_epochs=2, logging_steps=2, report_to="none")
method = uf.WorstWords(sources=["wordnet", "inflections", "typos", "mask"])
trainer = uf.RobustTrainer(network, args, train_dataset=rows, processing_class=tokenizer, method=method)
trainer.train()
print([f"{line['loss']:.3f}" for line in trainer.state.log_history if "loss" in line])
trainer.save_model("robust-model")
