"""Teach a sentence encoder synonyms from antonyms, and see how often it tells them apart."""

import json
import sys
from pathlib import Path

from datasets import Dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.sentence_transformer.losses import TripletLoss

import unfooled as uf

model, data = sys.argv[1:] or ("sentence-transformers/all-MiniLM-L6-v2", "reviews.csv")

triplets = uf.generate_versions(data, "triplets.jsonl", text="text", format="triplets").file
rows = [json.loads(line) for line in Path(triplets).read_text(encoding="utf-8").splitlines()]
encoder = SentenceTransformer(model)
hits = uf.HitsEvaluator([row["anchor"] for row in rows])
print("before:", hits(encoder))
how = SentenceTransformerTrainingArguments("encoder", num_train_epochs=1, report_to="none", save_strategy="no")
SentenceTransformerTrainer(encoder, how, Dataset.from_list(rows), loss=TripletLoss(encoder), evaluator=hits).train()
print("after:", hits(encoder))
