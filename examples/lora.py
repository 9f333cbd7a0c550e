"""FreeLB of a LoRA adapter: a model of peft is trained as it is."""

import sys

import pandas as pd
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForSequenceClassification, AutoTokenizer, TrainingArguments

import unfooled as uf

model, data = sys.argv[1:] or ("sentence-transformers/all-MiniLM-L6-v2", "reviews.csv")

frame = pd.read_csv(data)
frame["label"] = frame["label"].astype("category").cat.codes
tokenizer = AutoTokenizer.from_pretrained(model)
network = AutoModelForSequenceClassification.from_pretrained(model, num_labels=2)
rows = Dataset.from_pandas(frame).map(lambda row: tokenizer(row["text"], truncation=True))
adapter = get_peft_model(network, LoraConfig(task_type="SEQ_CLS", r=4))
args = TrainingArguments("out", num_train_epochs=2, learning_rate=1e-3, report_to="none")
trainer = uf.RobustTrainer(adapter, args, train_dataset=rows, processing_class=tokenizer, method="freelb")
print("mean loss:", trainer.train().metrics["train_loss"])
trainer.save_model("adapter")
