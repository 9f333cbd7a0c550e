"""Numbers: trials make records, metrics read records, the suite runs and resumes, results stores."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unfooled.evaluation.metrics import METRICS, Score
    from unfooled.evaluation.records import Attack, Record
    from unfooled.evaluation.results import Results, Row, open_results, read_summary
    from unfooled.evaluation.suite import TRIALS, evaluate
    from unfooled.evaluation.trials import PGDSettings, clean, pgd

# Imported on first use: whoever only reads results (report, gate) need not wait for torch.
_ROOMS = {
    "metrics": ("METRICS", "Score"),
    "records": ("Attack", "Record"),
    "results": ("Results", "Row", "open_results", "read_summary"),
    "suite": ("TRIALS", "evaluate"),
    "trials": ("PGDSettings", "clean", "pgd"),
}
__all__ = [
    "METRICS",
    "TRIALS",
    "Attack",
    "PGDSettings",
    "Record",
    "Results",
    "Row",
    "Score",
    "clean",
    "evaluate",
    "open_results",
    "pgd",
    "read_summary",
]


def __getattr__(name: str) -> object:
    for room, names in _ROOMS.items():
        if name in names:
            return vars(import_module(f"{__name__}.{room}"))[name]
    raise AttributeError(f"module {__name__} has no attribute {name}")
