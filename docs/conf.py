"""Settings of the documentation: ``sphinx-build -W --keep-going -b html docs docs/_build/html``. Needs no network."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

project = "disjoint-centroids"
author = "The disjoint-centroids developers"
copyright = author
release = version = version_of(project)

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
highlight_language = "none"  # code blocks say what they are; most others are shell commands
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # the docstrings say it in words
autosummary_generate = True
numpydoc_show_class_members = False  # the class template lists them
toc_object_entries_show_parents = "hide"

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"[/\\]plot_",
    "ignore_pattern": r"three_tables\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),  # tables, but not where an object lies in memory
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "disjoint-centroids"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
# These pages have no others beside or below them to list at the side.
html_sidebars = {name: [] for name in ("index", "start", "genindex", "search")}
html_theme_options = {
    "show_toc_level": 2,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def inline_formula(translator: Any, node: nodes.math) -> None:
    """A formula within a line, as MathML."""
    translator.body.append(_mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def displayed_formula(translator: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own, as MathML."""
    translator.body.append(f'<div class="formula">{_mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def _mathml(formula: str, *, as_block: bool) -> str:
    return tex2mathml(formula.replace(r"\dots", r"\ldots"), as_block=as_block)


def skip_foreign(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what is inherited from scikit-learn: its docstrings link to pages that are not here."""
    home = getattr(getattr(obj, "fget", obj), "__module__", None)
    return True if isinstance(home, str) and not home.startswith("disjoint_centroids") else None


def setup(app: Sphinx) -> None:
    """Browsers draw MathML by themselves, so that formulas need no script from elsewhere."""
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    app.connect("autodoc-skip-member", skip_foreign)
