"""How Sphinx builds the site from the pages that `python -m scripts.site` puts together."""

from scripts.site import checks

import feint

project = "feint"
author = "The feint developers"
copyright = "The feint developers"
version = release = feint.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4  # pages link to headings
smartquotes_action = "De"  # dashes and ellipses; some docstrings show JSON, with straight quotes
default_role = "code"  # docstrings mark code with single backticks
suppress_warnings = ["myst.header"]  # SECURITY.md starts lists of its own below tables

autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, not entries of their own
maximum_signature_line_length = 80
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "feint"
html_favicon = "_static/mark.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}


def setup(app):
    """Install the conversions of docstrings and the checks that fail the build."""
    checks.install(app)
