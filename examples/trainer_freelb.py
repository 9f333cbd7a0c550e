"""FreeLB in transformers' own Trainer: another class, one more argument."""

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
args = TrainingArguments("out", num_train_epochs=2, report_to="none")
method = uf.FreeLB(passes=3, step_size=0.03)
trainer = uf.RobustTrainer(network, args, train_dataset=rows, processing_class=tokenizer, method=method)
print("mean loss:", trainer.train().metrics["train_loss"])
trainer.save_model("robust-model")
