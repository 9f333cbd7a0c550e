"""The documentation site: ``make docs`` builds it from the Markdown pages as they stand, README and its kin among them.

The source is the repository's root, so that links between pages are the same on the site, in an editor and on a forge.
Nothing of the site is fetched from anywhere: the theme brings its own style and script; the search runs in the page.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

import unfooled  # noqa: E402

project, author = "unfooled", "The unfooled developers"
version = release = unfooled.__version__
copyright = "The unfooled developers, Apache-2.0"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
PAGES = {"docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}
exclude_patterns = sorted(entry.name for entry in ROOT.iterdir() if entry.name not in PAGES)
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
highlight_language = "text"
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_inherit_docstrings = False

html_theme = "furo"
html_title = f"unfooled {version}"
html_extra_path = ["front"]
html_copy_source = False
html_show_sphinx = False
templates_path: list[str] = []

TOCTREES = re.compile(r"```\{toctree\}.*?```", re.DOTALL)


def with_unplaced_pages(app, docname: str, source: list[str]) -> None:
    """Pages that the front page places nowhere stand in its last list: a page that is added cannot be lost."""
    if docname != root_doc:
        return
    listed = " ".join(TOCTREES.findall(source[0]))
    placed = set(re.findall(r"[\w./-]+", listed))
    own = (name.removeprefix("docs/") for name in app.env.found_docs if name.startswith("docs/") and name != root_doc)
    others = sorted(name for name in own if "/" not in name and name not in placed)  # folders have a page of their own
    source[0] = source[0].replace("% pages that are placed nowhere", "\n".join(others))


def setup(app) -> None:
    """Called by Sphinx."""
    app.connect("source-read", with_unplaced_pages)
