"""Settings without tensors: what a person may set, checked when it is given."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Frozen, typed settings that refuse unknown names; every room's settings derive from it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
