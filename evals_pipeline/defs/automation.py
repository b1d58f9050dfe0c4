"""What carries on by itself: from judged matches to figures, gate, baseline and calibration.

Extractions are not automated, because Dagster's automation follows materialisations and would pay
for calls again; the sensors launch those, by content.
"""

import dagster as dg

from evals_pipeline.defs.jobs import RETRY_TAGS


def carry_on_sensor() -> dg.AutomationConditionSensorDefinition:
    """The sensor that evaluates the automation conditions; on by default."""
    return dg.AutomationConditionSensorDefinition(
        name="carry_on",
        target=dg.AssetSelection.all(),
        minimum_interval_seconds=15,
        run_tags={**RETRY_TAGS, "evals/trigger": "carry_on"},
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Makes the figures of a model version once all of its runs are judged, with the gate "
            "and the other checks, and what follows from them."
        ),
    )
