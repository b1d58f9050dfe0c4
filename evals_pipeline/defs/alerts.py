"""Alerts: a failed run, above all a red gate, is told to a webhook in the form that Slack reads.

Off unless the settings name the environment variable that holds the address. The address is a
secret: it is read when there is something to post, and stands in no log, message or error.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import httpx

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.settings import AlertSettings
from evals_pipeline.pipeline.project import Project

_INTERVAL_S = 15
_TIMEOUT_S = 10.0
_SHOWN_CHECKS = 10
_MAX_CHARACTERS = 3000
# Dagster puts it on a failed run that it will start again by itself.
_WILL_RETRY = "dagster/will_retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class RedCheck:
    """A check of severity ERROR that did not pass, with the sentence that it says."""

    set_name: str
    check: str
    sentence: str


def alert_text(
    *, job: str, partition: str | None, run_link: str, red: Sequence[RedCheck], failure: str | None
) -> str:
    """What is posted: the sentences of the red checks, or else why the run failed."""
    where = f"{job} {partition}" if partition else job
    if red:
        lines = [f"*{one.set_name}: {one.check} failed.* {one.sentence}" for one in red]
        if len(lines) > _SHOWN_CHECKS:
            lines[_SHOWN_CHECKS:] = [f"{len(lines) - _SHOWN_CHECKS} more checks failed."]
    else:
        lines = [f"*The run {where} failed.* {failure or 'Its process ended without a reason.'}"]
    text = "\n".join(lines)
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[:_MAX_CHARACTERS]}…"
    return f"{text}\n{run_link}"


def post_alert(settings: AlertSettings, environ: Mapping[str, str], text: str) -> str | None:
    """Posts the text; the reason, without the address, when that was not possible."""
    if settings.webhook_env is None:
        return "alerts.webhook_env is not set"
    address = environ.get(settings.webhook_env, "").strip()
    if not address:
        return f"the environment variable {settings.webhook_env} is not set"
    try:
        answer = httpx.post(address, json={"text": text}, timeout=_TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        # The message of an httpx error may hold the address, so only its kind is said.
        return f"the webhook of {settings.webhook_env} was not reached ({type(error).__name__})"
    if not answer.is_success:
        return f"the webhook of {settings.webhook_env} answered with status {answer.status_code}"
    return None


def alerts_sensor(root: Path) -> dg.SensorDefinition:
    """The sensor that posts what failed; whatever goes wrong with that is logged and no more."""

    @dg.run_failure_sensor(
        name="alerts",
        minimum_interval_seconds=_INTERVAL_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Posts a failed run to the webhook whose address stands in the environment variable "
            "that `alerts.webhook_env` names: for a red gate, its sentence with the fields and "
            "documents. A run that Dagster starts again by itself is not posted."
        ),
    )
    def alerts(context: dg.RunFailureSensorContext) -> None:
        run = context.dagster_run
        if run.tags.get(_WILL_RETRY) == "true":
            context.log.info(f"run {run.run_id} will be retried; nothing is posted")
            return
        try:
            project = Project.open(root, verify_documents=False)
        except EvalsError as error:
            context.log.warning(f"run {run.run_id} is not posted: {error}")
            return
        settings = project.settings.alerts
        text = alert_text(
            job=run.job_name,
            partition=run.tags.get("dagster/partition"),
            run_link=_link(settings, run.run_id),
            red=list(_red_checks(context.instance, run.run_id)),
            failure=_why(context),
        )
        problem = post_alert(settings, project.environ, text)
        if problem is None:
            context.log.info(f"run {run.run_id} is posted")
        else:
            context.log.warning(f"run {run.run_id} is not posted: {problem}")

    return alerts


def _link(settings: AlertSettings, run_id: str) -> str:
    if settings.dagster_url is None:
        return f"Dagster run {run_id}"
    return f"{settings.dagster_url.rstrip('/')}/runs/{run_id}"


def _red_checks(instance: dg.DagsterInstance, run_id: str) -> Iterator[RedCheck]:
    records = instance.get_records_for_run(
        run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION
    ).records
    for record in records:
        event = record.event_log_entry.dagster_event
        if event is None:
            continue
        found = event.asset_check_evaluation_data
        if not found.passed and found.severity is dg.AssetCheckSeverity.ERROR:
            yield RedCheck(
                set_name=found.asset_key.path[0],
                check=found.check_name,
                sentence=found.description or "",
            )


def _why(context: dg.RunFailureSensorContext) -> str | None:
    """The first failed step's own words, else Dagster's about the run."""
    for event in context.get_step_failure_events():
        data = event.step_failure_data
        if data.user_failure_data is not None and data.user_failure_data.description:
            return str(data.user_failure_data.description)
        if data.error is not None:
            return str(data.error.message).strip()
    return context.failure_event.message
