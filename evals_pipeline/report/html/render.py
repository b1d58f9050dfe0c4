"""Renders the page from its record: templates, style and script are inlined, nothing is loaded.

Everything is made visible and escaped by the templates; the rows travel as JSON in which no sign
can end the script element that holds them, and a policy in the head lets no script run but the
page's own.
"""

import base64
import hashlib
import json
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evals_pipeline.core.visible import visible_block, visible_line
from evals_pipeline.report.calibration_table import parameters_text
from evals_pipeline.report.gate_words import comparison_words, cost_words, set_level_reasons
from evals_pipeline.report.html import breakdowns, drawings, view
from evals_pipeline.report.html.claim_rows import claim_rows
from evals_pipeline.report.html.field_rows import field_rows
from evals_pipeline.report.html.field_table import field_table
from evals_pipeline.report.html.page import ReportPage
from evals_pipeline.report.html.rows import LONGEST_NAME
from evals_pipeline.report.numbers import (
    count_text,
    delta_text,
    document_text,
    money_text,
    share_text,
    value_text,
)

_PACKAGE = "evals_pipeline.report.html"
_LONGEST_LINE = 1_000
# In JSON these stand only inside strings, where the escape means the same.
_IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def render_page(page: ReportPage) -> str:
    """The whole page as one HTML text."""
    script = _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            summary=view.summary(page),
            style=Markup(_asset("page.css")),
            script=Markup(script),
            script_digest=digest,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        share=share_text,
        delta=delta_text,
        money=money_text,
        line=_line,
        name=_name,
        block=visible_block,
        value=value_text,
        moment=_moment,
    )
    environment.globals.update(
        view=view,
        breakdowns=breakdowns,
        drawings=drawings,
        count=count_text,
        document=document_text,
        field_table=field_table,
        comparison_words=comparison_words,
        cost_words=cost_words,
        parameters_text=parameters_text,
        set_level_reasons=set_level_reasons,
        field_rows=lambda section: _in_script(field_rows(section)),
        claim_rows=lambda section: _in_script(claim_rows(section)),
    )
    return environment


@cache
def _asset(name: str) -> str:
    return files(_PACKAGE).joinpath("assets", name).read_text(encoding="utf-8")


def _in_script(value: dict[str, Any]) -> Markup:
    """JSON that may stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_IN_SCRIPT))


def _visible(value: object) -> object:
    """Whatever a template prints, with no sign in it that cannot be seen or turns what follows."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible_block(value)
    return value


def _line(text: str) -> str:
    """A sentence on one line; what no person would read to its end is cut."""
    return visible_line(text, limit=_LONGEST_LINE)


def _name(text: str) -> str:
    """A name on one line."""
    return visible_line(text, limit=LONGEST_NAME)


def _moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M UTC")
