"""``unfooled verify``: an attack's claims, asked again."""

from pathlib import Path

from typer import Exit

from unfooled.verifying import verify


def run(folder: Path, model: str | None) -> None:
    """Say how many adversaries fool the model as claimed; exit code 1 if one does not."""
    found = verify(folder, model)
    if not found.checked:
        print(f"{folder} claims no adversary")
        return
    agreeing = found.checked - len(found.disagreeing)
    print(f"{agreeing} of {found.checked} claimed adversaries fool the model as the log says")
    if found.disagreeing:
        some = ", ".join(map(str, found.disagreeing[:10])) + (", …" if len(found.disagreeing) > 10 else "")
        print(f"not so: examples {some}")
        raise Exit(1)
