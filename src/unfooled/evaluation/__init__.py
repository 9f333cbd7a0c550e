"""Numbers: trials make records, metrics read records, the suite runs and resumes, results stores."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unfooled.evaluation.behaviour import behave
    from unfooled.evaluation.contrast import Member, contrast_scores
    from unfooled.evaluation.hit_scores import hits_by
    from unfooled.evaluation.material import Material, Source
    from unfooled.evaluation.metrics import METRICS, Score
    from unfooled.evaluation.records import Attack, Record
    from unfooled.evaluation.results import Results, Row, open_results, read_summary
    from unfooled.evaluation.suite import evaluate
    from unfooled.evaluation.trial_table import SUITES, TRIALS
    from unfooled.evaluation.trials import PGDSettings, clean, pgd
    from unfooled.evaluation.verdict import Verdict, verdicts

# Imported on first use: whoever only reads results (report, gate) need not wait for torch.
_ROOMS = {
    "behaviour": ("behave",),
    "contrast": ("Member", "contrast_scores"),
    "hit_scores": ("hits_by",),
    "material": ("Material", "Source"),
    "metrics": ("METRICS", "Score"),
    "records": ("Attack", "Record"),
    "results": ("Results", "Row", "open_results", "read_summary"),
    "suite": ("evaluate",),
    "trial_table": ("SUITES", "TRIALS"),
    "trials": ("PGDSettings", "clean", "pgd"),
    "verdict": ("Verdict", "verdicts"),
}
__all__ = [
    "METRICS",
    "SUITES",
    "TRIALS",
    "Attack",
    "Material",
    "Member",
    "PGDSettings",
    "Record",
    "Results",
    "Row",
    "Score",
    "Source",
    "Verdict",
    "behave",
    "clean",
    "contrast_scores",
    "evaluate",
    "hits_by",
    "open_results",
    "pgd",
    "read_summary",
    "verdicts",
]


def __getattr__(name: str) -> object:
    for room, names in _ROOMS.items():
        if name in names:
            return vars(import_module(f"{__name__}.{room}"))[name]
    raise AttributeError(f"module {__name__} has no attribute {name}")
