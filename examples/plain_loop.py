"""Training against the worst words in a PyTorch loop of one's own."""

import sys

import pandas as pd
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import unfooled as uf

model, data = sys.argv[1:] or ("sentence-transformers/all-MiniLM-L6-v2", "reviews.csv")

frame = pd.read_csv(data)
network = AutoModelForSequenceClassification.from_pretrained(model, num_labels=2)
labels = frame["label"].astype("category").cat.codes
method = uf.WorstWords(sources=["wordnet", "inflections", "typos", "mask"])  # or uf.FreeLB(), …
robust = uf.robust(network, AutoTokenizer.from_pretrained(model), frame["text"], labels, method, steps=6)
optimizer = torch.optim.AdamW(robust.parameters(), lr=5e-5)
for rows in DataLoader(range(len(robust)), batch_size=8, shuffle=True):
    loss = robust.learn(rows)
    optimizer.step()
    optimizer.zero_grad()
    print(f"loss {loss:.4f}")
network.save_pretrained("robust-model")
