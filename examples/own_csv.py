"""Train on a CSV of your own, measure the model on rows it has not seen, and ship none that does not hold."""

import csv
import sys

import unfooled as uf

model, data = sys.argv[1:] or ("minilm", "reviews.csv")

with open(data, encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
run = uf.train(rows[:-16], "run", model, "worst_words", plan={"epochs": 2})
uf.evaluate(run.model, rows[-16:], "results", ["clean", "a2t"], settings={"a2t": {"similarity": None}})
for ruling in uf.gate("results", ["accuracy.clean >= 0.6", "accuracy_under_attack.a2t >= 0.3"]):
    print("ship it:" if ruling.passed else "do not ship it:", ruling.says())
