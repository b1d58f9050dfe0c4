"""``evals list``: what is here, and who serves what."""

from typing import Any

import click

from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import print_json, print_table, say
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.harness_records import HarnessKind, HarnessSuite
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.extract.routing import RoutingChoice
from evals_pipeline.pipeline.extractors import AnyExtractor
from evals_pipeline.pipeline.grid import models_for, routing
from evals_pipeline.pipeline.harness_suites import cells_of_suite, harness_suites
from evals_pipeline.pipeline.project import Project


@click.command("list", epilog="Example: evals list --format json")
@format_option("json")
def command(form: str) -> None:
    """Sets, extractors, model versions, and which suite routes to which extractor and why."""
    project = Project.open(verify_documents=False)
    sets = [
        _set_row(project, name) for name in (*project.set_names(), *project.calibration_names())
    ]
    harnesses = [_harness_row(project, suite) for suite in _harness_suites(project)]
    extractors = [
        {"extractor": one.extractor_id, "output": one.output.value} for one in project.extractors
    ]
    models = [
        {"model_version": name, "provider": model.provider.value, "model": model.model}
        for name, model in project.settings.models.items()
    ]
    if form == "json":
        failures = [
            {"name": one.name, "faults": [str(fault) for fault in one.error.faults]}
            for one in project.load_failures()
        ]
        print_json(
            {
                "sets": sets,
                "harnesses": harnesses,
                "extractors": extractors,
                "models": models,
                "failures": failures,
            }
        )
        return
    _print([*sets, *harnesses], extractors, models)
    for failure in project.load_failures():
        say(f"skipped {failure.name}: {failure.error}")
    for warning in project.warnings():
        say(f"warning: {warning}")


def _set_row(project: Project, name: str) -> dict[str, Any]:
    try:
        return _loaded_row(project, name)
    except InputError as error:
        say(f"{name} does not load; run: evals validate")
        return {
            "set": name,
            "kind": "unreadable",
            "fixtures": 0,
            "models": [],
            "routing": [f"{counted(len(error.faults), 'fault')}"],
        }


def _loaded_row(project: Project, name: str) -> dict[str, Any]:
    kind = project.kind_of(name)
    if kind is SetKind.FIELDS:
        golden = project.golden_set(name)
        reasons = [f"{golden.source_type}: {counted(len(golden.fields), 'field')}"]
        count = len(golden.documents)
    else:
        suite = project.suite(name)
        choices = [routing(project, source_type) for source_type in suite.source_types]
        reasons = [_why(one) for one in choices]
        count = len(suite.cases)
    is_calibration = name in project.calibration_names()
    return {
        "set": name,
        "kind": "calibration" if is_calibration else kind.value,
        "fixtures": count,
        "models": list(models_for(project, name)),
        "routing": reasons,
    }


def _why(choice: RoutingChoice[AnyExtractor]) -> str:
    """The rule that decided, with the source type where it does not name it itself."""
    reason = choice.reasons[-1] if choice.reasons else ""
    return reason if choice.source_type in reason else f"{choice.source_type}; {reason}"


def _harness_suites(project: Project) -> list[HarnessSuite]:
    return [suite for kind in HarnessKind for suite in harness_suites(project, kind).suites]


def _harness_row(project: Project, suite: HarnessSuite) -> dict[str, Any]:
    choice = routing(project, suite.source_type)
    return {
        "set": suite.suite_id,
        "kind": suite.kind.value,
        "fixtures": len(suite.cases),
        "models": [cell.model_version for cell in cells_of_suite(project, suite)],
        "routing": [_why(choice)],
    }


def _print(
    sets: list[dict[str, Any]], extractors: list[dict[str, Any]], models: list[dict[str, Any]]
) -> None:
    print_table(
        ("set", "kind", "fixtures", "model versions", "why"),
        [
            (
                one["set"],
                one["kind"],
                str(one["fixtures"]),
                "\n".join(one["models"]) or "none",
                "\n".join(one["routing"]),
            )
            for one in sets
        ],
        right=("fixtures",),
        whole=("model versions",),
    )
    print_table(("extractor", "emits"), [(one["extractor"], one["output"]) for one in extractors])
    print_table(
        ("model version", "provider", "model"),
        [(one["model_version"], one["provider"], one["model"] or "") for one in models],
    )
