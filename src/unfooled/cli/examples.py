"""Two examples for the help of every command: the usual call, and one that shows what else it can do."""

EXAMPLES: dict[str, tuple[str, str]] = {
    "demo": ("unfooled demo", "unfooled demo --out runs/demo --quiet"),
    "play": ("unfooled play", "unfooled play runs/plain runs/robust --port 8100"),
    "train": (
        "unfooled train --data reviews.csv --method worst_words --out runs/robust",
        "unfooled train --data pairs.xlsx --text premise,hypothesis --label gold --out runs/pairs --set plan.epochs=5",
    ),
    "evaluate": (
        "unfooled evaluate runs/robust --data unseen.csv --out runs/results",
        "unfooled evaluate owner/model --data unseen.csv --labels LABEL_0=bad,LABEL_1=good --out results --json",
    ),
    "generate": (
        "unfooled generate corpus.txt --out versions.jsonl",
        "unfooled generate --from-rar runs/rar --data unseen.csv --out adversaries.jsonl",
    ),
    "attack": (
        'unfooled attack runs/robust --text "A film to remember."',
        "unfooled attack runs/robust --data unseen.csv --attack textfooler --limit 200 --out runs/textfooler",
    ),
    "merge": (
        "unfooled merge runs/shard-1 runs/shard-2 --out runs/results",
        "unfooled merge runs/shard-* --out runs/results --json",
    ),
    "verify": ("unfooled verify runs/textfooler", "unfooled verify runs/results --model moved/model --json"),
    "translate": (
        'unfooled translate runs/translator "A dog runs."',
        "unfooled translate runs/translator lines.txt --beams 1",
    ),
    "list": ("unfooled list", "unfooled list methods --json"),
    "compare": (
        "unfooled compare --data reviews.csv --test unseen.csv --methods finetune,worst_words --out runs/compared",
        "unfooled compare --data reviews.csv --test unseen.csv --methods finetune,freelb --out runs/both --workers 2",
    ),
    "tune": (
        "unfooled tune --data reviews.csv --methods finetune,freelb --bounds plan --out runs/tuned",
        "unfooled tune --data reviews.csv --methods carl --bounds carl-table8 --trials 20 --out runs/carl --workers 2",
    ),
    "report": (
        "unfooled report runs/results --out report.html",
        'unfooled report runs/results --require "accuracy_under_attack.pwws >= 0.4"',
    ),
    "gate": (
        'unfooled gate runs/results --require "accuracy_under_attack.pwws >= 0.4"',
        'unfooled gate runs/results --require "fickleness <= 0.3" --junit gate.xml --json',
    ),
    "predict": (
        'unfooled predict runs/robust "A film to remember."',
        "unfooled predict runs/robust unseen.csv --text review > answers.jsonl",
    ),
    "push": (
        "unfooled push runs/robust me/robust-reviews --private",
        "unfooled push runs/robust me/robust-reviews --results runs/results --license apache-2.0",
    ),
}


def epilog(command: str) -> str:
    """The examples as they stand below a command's options, each on a line of its own."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in EXAMPLES[command])]) if command in EXAMPLES else ""
