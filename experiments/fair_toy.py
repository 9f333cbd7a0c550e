"""What a toy run needs: the first rows of every data set, and an encoder of two small layers, both made here."""

import gzip
import os
import shutil
from itertools import islice
from pathlib import Path

import torch
from transformers import AutoTokenizer, BertConfig, BertModel

from unfooled.models.locate import locate

ROOT = Path("runs/fair-toy")
LINES = 160  # of each file
WHOLE = ("counterfitted_neighbors",)  # a table that is checked by its hash
ENCODER = ROOT / "encoder"


def toy_world() -> None:
    """Have UNFOOLED_DATA name a folder of the first rows of all data, and make the encoder."""
    data = ROOT / "data"
    if not data.is_dir():
        beside = ROOT / "data-writing"
        shutil.rmtree(beside, ignore_errors=True)
        for file in sorted(Path(os.environ["UNFOOLED_DATA"]).glob("*/*")):
            copied = beside / file.parent.name / file.name
            copied.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".gz" and file.parent.name not in WHOLE:
                with gzip.open(file, "rb") as whole, gzip.open(copied, "wb") as first:
                    first.writelines(spread(file, whole))
            elif file.is_file():
                shutil.copy(file, copied)
        os.replace(beside, data)
    os.environ["UNFOOLED_DATA"] = str(data.resolve())
    if not ENCODER.is_dir():
        save_encoder()


def spread(file: Path, lines: "gzip.GzipFile") -> list[bytes]:
    """The first lines of running text and of what stands line by line beside another file; of rows every so many-th."""
    if ".jsonl" not in file.name or "contrast" in file.parent.name or "cad" in file.parent.name:
        return list(islice(lines, LINES))
    every = lines.readlines()
    return every[:: max(len(every) // LINES, 1)][:LINES]


def save_encoder() -> None:
    """A random BERT of two layers with MiniLM's words."""
    tokenizer = AutoTokenizer.from_pretrained(str(locate("minilm").folder), local_files_only=True)
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(ENCODER)
    tokenizer.save_pretrained(ENCODER)
