"""Watch a training in TensorBoard: what its log gets, the tracker gets."""

import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import unfooled as uf

model, data = sys.argv[1:] or ("minilm", "reviews.csv")

run = uf.train(data, "run", model, "freelb", plan={"epochs": 2, "log_every": 1}, track="tensorboard")
events = EventAccumulator(str(run.folder / "tensorboard")).Reload()
for tag in events.Tags()["scalars"]:
    print(tag, [round(event.value, 3) for event in events.Scalars(tag)])
print("to see it: tensorboard --logdir run")
