"""Attack a pipeline of scikit-learn as it is: words are misspelt until its answer changes."""

import csv
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import unfooled as uf

_, data = sys.argv[1:] or ("", "reviews.csv")

with open(data, encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
classifier = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts[:-16], labels[:-16])
attacked = uf.attack(classifier, (texts[-16:], labels[-16:]), "deepwordbug", "attacked", similarity=None)
print(f"right under attack: {attacked.scores['accuracy_under_attack'].value:.0%}")
print(next((record.adversary[0] for record in attacked.records if record.outcome == "fooled"), "it held"))
