"""Cuts a bill of materials down to what running the wheel needs, names the wheel in it, and puts it beside the wheel.

    python tools/sbom.py ENVIRONMENT.json WHEEL

ENVIRONMENT.json is what ``cyclonedx-py environment --pyproject`` says of an environment, tools of developers included.
Kept is whatever a dependency of pyproject.toml leads to; the rest is nothing a user installs.
"""

import hashlib
import json
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
WHOLE = "root-component"  # as cyclonedx-py calls what the bill is of


def needed(direct: list[str]) -> set[str]:
    """The distributions that these requirements lead to in this environment, extras only where they are asked for."""
    waiting, reached = [Requirement(entry) for entry in direct], set[str]()
    seen = set[tuple[str, frozenset[str]]]()
    while waiting:
        wanted = waiting.pop()
        name, extras = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            below = [Requirement(entry) for entry in metadata.requires(name) or []]
        except metadata.PackageNotFoundError:
            raise SystemExit(f"{name} is not installed, so the bill cannot name it; run make install") from None
        reached.add(name)
        waiting += [one for one in below if applies(one, extras)]
    return reached


def applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    """Whether a requirement holds on this machine with these extras."""
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": one}) for one in extras | {""})


def cut(bill: dict[str, Any], direct: list[str], wheel: Path) -> dict[str, Any]:
    """The bill of the wheel alone."""
    names = {one["bom-ref"]: canonicalize_name(one["name"]) for one in bill["components"]}
    wanted, first = needed(direct), {canonicalize_name(Requirement(entry).name) for entry in direct}
    kept = {ref for ref, name in names.items() if name in wanted}
    whole = {
        **bill["metadata"]["component"],
        "version": wheel.name.split("-")[1],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}],
    }
    below = {one["ref"]: sorted(kept & set(one.get("dependsOn", []))) for one in bill["dependencies"]}
    links = [{"ref": ref, "dependsOn": below.get(ref, [])} for ref in sorted(kept)]
    links.append({"ref": WHOLE, "dependsOn": sorted(ref for ref in kept if names[ref] in first)})
    return {
        **bill,
        "metadata": {**bill["metadata"], "component": whole},
        "components": [one for one in bill["components"] if one["bom-ref"] in kept],
        "dependencies": links,
    }


def main(environment: str, wheel: str) -> None:
    """Write the bill beside the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    direct = project["dependencies"]
    bill = cut(json.loads(Path(environment).read_text(encoding="utf-8")), direct, Path(wheel))
    out = Path(wheel).with_suffix(".cdx.json")
    out.write_text(json.dumps(bill, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{out}: {len(bill['components'])} components, {len(direct)} of them direct dependencies")


if __name__ == "__main__":
    main(*sys.argv[1:])
