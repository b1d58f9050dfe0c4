"""Alerts: what is posted of a failed run, to whom, and that nothing depends on it."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dagster as dg
import pytest

from evals_pipeline.core.settings import AlertSettings, parse_settings
from evals_pipeline.defs.alerts import RedCheck, alert_text, alerts_sensor, post_alert
from evals_pipeline.defs.location import build_location
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp

VARIABLE = "EVALS_ALERT_WEBHOOK"
ON = f'\n[tool.evals.alerts]\nwebhook_env = "{VARIABLE}"\ndagster_url = "http://dagster.test/"\n'
SETTINGS = AlertSettings(webhook_env=VARIABLE)


@contextmanager
def webhook(status=200):
    """A server that keeps what is posted to it."""
    posted = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/T0/secret", posted
    finally:
        server.shutdown()
        server.server_close()


def test_a_red_check_is_told_in_its_own_sentence():
    red = [RedCheck(set_name="bills", check="gate", sentence="hasty: due: regression.")]
    text = alert_text(job="j", partition="hasty", run_link="LINK", red=red, failure="x")
    assert text == "*bills: gate failed.* hasty: due: regression.\nLINK"


def test_a_run_without_a_red_check_says_why_it_failed():
    text = alert_text(job="bills", partition="m|0", run_link="LINK", red=[], failure="no key")
    assert text == "*The run bills m|0 failed.* no key\nLINK"


def test_many_and_long_sentences_stay_readable():
    red = [RedCheck(set_name=str(n), check="gate", sentence="s" * 1000) for n in range(30)]
    text = alert_text(job="j", partition=None, run_link="LINK", red=red, failure=None)
    assert len(text) < 3100
    assert text.endswith("…\nLINK")
    short = [RedCheck(set_name=str(n), check="gate", sentence="s") for n in range(12)]
    text = alert_text(job="j", partition=None, run_link="LINK", red=short, failure=None)
    assert text.splitlines()[-2] == "2 more checks failed."


@pytest.mark.parametrize("status", [403, 500])
def test_a_refusal_is_a_reason_without_the_address(status):
    with webhook(status) as (address, posted):
        problem = post_alert(SETTINGS, {VARIABLE: address}, "hello")
    assert problem == f"the webhook of {VARIABLE} answered with status {status}"
    assert posted == [{"text": "hello"}]


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/secret", "no address: secret", "ftp://a"])
def test_an_address_that_is_not_reached_is_never_repeated(address):
    problem = post_alert(SETTINGS, {VARIABLE: address}, "hello")
    assert problem is not None
    assert "secret" not in problem
    assert VARIABLE in problem


def test_without_a_setting_or_its_variable_nothing_is_posted():
    assert post_alert(AlertSettings(), {}, "hello") == "alerts.webhook_env is not set"
    assert post_alert(SETTINGS, {}, "x") == f"the environment variable {VARIABLE} is not set"


def test_the_address_itself_is_no_setting():
    settings = parse_settings(f"[tool.evals]{ON}", where="p", environ={VARIABLE: "http://a"})
    assert settings.alerts.webhook_env == VARIABLE
    stated = '[tool.evals.alerts]\nwebhook_env = "https://hooks.test/secret"'
    with pytest.raises(Exception, match="name of an environment variable") as refused:
        parse_settings(stated, where="p", environ={})
    assert "secret" not in str(refused.value)


def test_the_sensor_is_there_only_when_it_is_configured(bills):
    def names():
        project = Project.open(bills.root, environ={})
        return {one.name for one in build_location(project).get_repository_def().sensor_defs}

    assert "alerts" not in names()
    switch_on(bills)
    assert "alerts" in names()


def switch_on(bills):
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    bills.write("pyproject.toml", settings + ON)


def red_run(bills, instance):
    """A run whose gate is red, for want of a baseline."""
    project = Project.open(bills.root, environ={})
    location = build_location(project)
    from evals_pipeline.defs.partitions import grids

    grid = next(grid for grid in grids(project) if grid.set_name == "bills")
    for run in (0, 1):
        stamp = make_stamp(bills.root)
        extract_partition(project, grid.cell(f"steady|{run}"), stamp=stamp)
        judge_partition(project, grid.cell(f"steady|{run}"), stamp=stamp)
    return location.resolve_implicit_global_asset_job_def().execute_in_process(
        asset_selection=[grid.key("metrics")],
        partition_key="steady",
        instance=instance,
        raise_on_error=False,
    )


def tick(bills, instance, result, **tags):
    if tags:
        instance.add_run_tags(result.run_id, tags)
    [event] = [one for one in result.all_events if one.event_type_value == "PIPELINE_FAILURE"]
    context = dg.build_run_status_sensor_context(
        sensor_name="alerts",
        dagster_event=event,
        dagster_instance=instance,
        dagster_run=instance.get_run_by_id(result.run_id),
    ).for_run_failure()
    return alerts_sensor(bills.root)(context)


def test_a_red_gate_reaches_the_webhook(bills, instance, monkeypatch):
    switch_on(bills)
    with webhook() as (address, posted):
        monkeypatch.setenv(VARIABLE, address)
        result = red_run(bills, instance)
        tick(bills, instance, result)
    [message] = posted
    assert message["text"].startswith("*bills: gate failed.* steady: ")
    assert "no baseline of steady" in message["text"]
    assert message["text"].endswith(f"http://dagster.test/runs/{result.run_id}")


def test_a_run_that_starts_again_by_itself_is_not_told(bills, instance, monkeypatch):
    switch_on(bills)
    with webhook() as (address, posted):
        monkeypatch.setenv(VARIABLE, address)
        tick(bills, instance, red_run(bills, instance), **{"dagster/will_retry": "true"})
    assert posted == []


def test_a_webhook_that_is_gone_fails_nothing(bills, instance, monkeypatch):
    switch_on(bills)
    monkeypatch.setenv(VARIABLE, "http://127.0.0.1:9/secret")
    tick(bills, instance, red_run(bills, instance))
