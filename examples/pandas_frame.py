"""Train from a DataFrame, attack what was trained, and write the page."""

import sys

import pandas as pd

import unfooled as uf

model, data = sys.argv[1:] or ("minilm", "reviews.csv")

frame = pd.read_csv(data)
run = uf.train(frame[:-16], "run", model, uf.FreeLB(passes=2), plan={"epochs": 2})
attacked = uf.attack(run.model, frame[-16:], "deepwordbug", out="results", similarity=None)
page = uf.report("results", "report.html")
print(f"accuracy under attack: {attacked.scores['accuracy_under_attack'].value:.0%}; see {page}")
