"""Papers: one file each. METHODS is the one table of their names; each is imported when it is used."""

from unfooled.methods.table import METHODS
from unfooled.table import lazily

PLACES = {
    **METHODS.exports,
    **{name: f"unfooled.methods.objective:{name}" for name in ("Method", "Objective", "TrainingTask")},
}
__all__ = ["METHODS", *PLACES]
__getattr__ = lazily(__name__, PLACES)
