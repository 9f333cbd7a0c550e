"""The one table of engines: how processes that train one model share it."""

from unfooled.table import Table
from unfooled.training.engine import Engine

ENGINES: Table[type[Engine]] = Table(
    "engine",
    {
        "replicas": (
            "unfooled.training.engine:Engine",
            "Moves an objective's parameters: begin an update, backward any number of times, update.",
        ),
        "fsdp": (
            "unfooled.training.sharded:ShardedEngine",
            "The encoder's weights, gradients, averages and the optimiser's tensors shared out over processes.",
        ),
    },
)
