"""One HTML file that shows what was labelled and how far to trust it; needs jinja2, and matplotlib for many rows."""

from sskpca.report.page import render_report

__all__ = ["render_report"]
