"""What comes from the Hugging Face hub, and what goes there: only what a person names, at a revision that is recorded.

A name that stands in a file (a log, a recipe, a run folder) is never looked up there: whoever wrote the file would
choose what this machine fetches. What was fetched before is used as it lies on the disk.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from unfooled.errors import BadInput, either

# Weights as safetensors and what is needed to read and write texts; never code, never pickles.
FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "*.spm")
_typed: ContextVar[frozenset[str] | None] = ContextVar("typed", default=None)


@contextmanager
def only_typed(*names: str | None) -> Iterator[None]:
    """Within this, nothing but what has one of these names, which a person gave, is asked of the hub."""
    token = _typed.set(frozenset(name for name in names if name is not None))
    try:
        yield
    finally:
        _typed.reset(token)


def may_fetch(name: str) -> bool:
    """Whether a name was given by a person, and not read from a file."""
    names = _typed.get()
    return names is None or name in names


def refuse_untyped(name: str) -> None:
    """Refuse to ask a server whose name was read from a file."""
    if not may_fetch(name):
        raise BadInput(
            f"{name} is asked over a network, and it was read from a file, which never chooses what is asked; "
            "if it is a server that you trust, name it yourself"
        )


def parted(name: str) -> tuple[str, str | None]:
    """A hub name and the revision behind its @, None where it has none.

    >>> parted("owner/model@1a2b"), parted("bert-base-uncased")
    (('owner/model', '1a2b'), ('bert-base-uncased', None))
    """
    repository, at, revision = name.partition("@")
    return repository, revision if at else None


def hub_answers() -> bool:
    """Whether the hub can be reached; asked once, because its library retries for a minute."""
    import urllib.error
    import urllib.request

    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        urllib.request.urlopen(urllib.request.Request(constants.ENDPOINT, method="HEAD"), timeout=5)  # noqa: S310
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def cached(name: str) -> Path | None:
    """The folder of a hub model that an earlier call has fetched, None where there is none."""
    from huggingface_hub import try_to_load_from_cache

    repository, revision = parted(name)
    try:
        stored = try_to_load_from_cache(repository, "config.json", revision=revision)
    except ValueError:  # not a name a hub could have
        return None
    return Path(stored).parent if isinstance(stored, str) else None


def fetched(name: str) -> Path:
    """The folder of a hub model, its last part the revision; fetched now where the hub can be reached."""
    from huggingface_hub import snapshot_download

    repository, revision = parted(name)
    try:
        return Path(snapshot_download(repository, revision=revision, allow_patterns=list(FILES)))
    except Exception as error:  # whatever the network or that library raises is one sentence here
        reason = first_line(error)
        raise BadInput(f"{name} could not be had from the Hugging Face hub ({reason}); check the name") from None


def revision_of(dataset: str, wanted: str | None) -> str:
    """The revision that a hub dataset is at now, or that a name for one (a branch) stands for."""
    from huggingface_hub import dataset_info

    return str(dataset_info(dataset, revision=wanted).sha)


def check_own_name(name: str) -> None:
    """Refuse what is no name of a model on the hub, before anything is asked of it."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # public, by its own list

    try:
        validate_repo_id(name)
    except HFValidationError:
        whole = False
    else:
        whole = "/" in name
    if not whole:
        raise BadInput(f"{name} is no name of a model on the hub; give the owner and the name, as in me/my-model")


def send(name: str, files: Mapping[str, Path | bytes], private: bool, message: str) -> str:
    """Send files to a model of the hub in one commit, by the login that is there; where they can be seen.

    The model is made where there is none yet; one that anybody can read is not taken for a private one.
    """
    from huggingface_hub import CommitOperationAdd, HfApi, constants, get_token

    if constants.HF_HUB_OFFLINE:
        raise BadInput("HF_HUB_OFFLINE is set, so nothing can be sent to the hub; set it to 0 for this command")
    if get_token() is None:
        raise BadInput("nobody is logged in to the Hugging Face hub here; run: hf auth login, or set HF_TOKEN")
    api, added = HfApi(), [CommitOperationAdd(place, where) for place, where in files.items()]
    with saying_why(name):
        place = api.create_repo(name, private=private or None, exist_ok=True)
        if private and not api.model_info(name).private:
            leave = either("leave out --private", "private=False")
            raise BadInput(f"{name} is there already, and anybody can read it; make it private on the hub, or {leave}")
        api.create_commit(name, added, commit_message=message)
    return str(place)


@contextmanager
def saying_why(name: str) -> Iterator[None]:
    """Whatever the network or the hub's library raises, as one sentence."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except BadInput:
        raise
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        todo = {401: "log in again: hf auth login", 403: "use a token that may write to it"}.get(status, "try again")
        raise BadInput(f"the hub refused {name} ({status}: {first_line(error)}); {todo}") from None
    except Exception as error:
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        raise BadInput(f"{name} could not be sent to the hub ({first_line(cause)}); try again") from None


def first_line(error: Exception) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
