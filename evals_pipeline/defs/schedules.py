"""The nightly drift run: the same prompts and documents asked anew of the pinned model versions."""

import dagster as dg


def nightly_schedule(everything: dg.JobDefinition) -> dg.ScheduleDefinition:
    """Everything, sampled anew at two in the night; off by default, for it pays for every call."""
    return dg.ScheduleDefinition(
        name="nightly",
        job=everything,
        cron_schedule="0 2 * * *",
        run_config={"ops": {"materialise_everything": {"config": {"fresh": True}}}},
        default_status=dg.DefaultScheduleStatus.STOPPED,
        tags={"evals/trigger": "nightly"},
        description=(
            "Asks every model version again for every document and gates the figures, to see a "
            "drift behind an unchanged name. It pays for every call, so it is off until somebody "
            "starts it."
        ),
    )
