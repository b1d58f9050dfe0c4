"""One self-contained page: verdict first, then every figure down to the miss and its place."""

from evals_pipeline.report.html.page import ReportPage
from evals_pipeline.report.html.render import render_page

__all__ = ["ReportPage", "render_page"]
