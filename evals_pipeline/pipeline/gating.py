"""The gate of a golden set, over what the store and git hold."""

from collections.abc import Sequence
from dataclasses import replace

from evals_pipeline.baseline.acknowledgements import Acknowledgement
from evals_pipeline.baseline.compare import refused
from evals_pipeline.baseline.gate import gate
from evals_pipeline.baseline.inputs import GateInputs
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import GateReport
from evals_pipeline.core.run_records import RunStamp
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.grid import serving
from evals_pipeline.pipeline.measuring import measure, require_golden
from evals_pipeline.pipeline.project import Project
from evals_pipeline.store import ReadOnlyError

_NOT_KEPT = "this verdict is not kept: the storage folder is read-only here"


def gate_model(
    project: Project,
    set_name: str,
    model_version: str,
    *,
    since: str | None = None,
    accepts: Sequence[Acknowledgement] = (),
    against: str | None = None,
    stamp: RunStamp | None = None,
) -> GateReport:
    """What a change did to a golden set, per field, for one model version.

    Args:
        project: Where everything is.
        set_name: A golden set.
        model_version: Whose figures to gate.
        since: The revision whose baseline to compare with; None finds it (``baseline.choose``).
        accepts: Drops that are accepted beside those of commit trailers.
        against: Another model version whose baseline, or figures, to compare with; None takes
            what the settings say, else the model version's own.
        stamp: Who gates; the verdict is stored when it is given.

    Raises:
        InputError: the set or a baseline file does not load.
        UnknownNameError, RefusedError: the set is a suite, or the model version cannot serve it.
    """
    require_golden(project, set_name)
    how = serving(project, set_name, model_version)
    other = against if against is not None else how.model.against
    try:
        report = gate(
            GateInputs(
                golden=project.golden_set(set_name),
                model_version=model_version,
                measurement=measure(project, set_name, model_version),
                prompt_path=how.prompt_path,
                predictions_path=how.predictions_path,
                since=since,
                accepts=accepts,
                against=other,
                against_measurement=None if other is None else measure(project, set_name, other),
                min_documents=project.settings.min_documents,
                max_documents=project.settings.max_documents,
            )
        )
    except RefusedError as refusal:
        report = refused(set_name, model_version, (str(refusal),))
    if stamp is not None:
        digests = input_digests(project, set_name, model_version)
        try:
            project.store.write_gate(report, digests, stamp)
        except ReadOnlyError:
            # Whoever may only read has a verdict all the same.
            return replace(report, hints=(*report.hints, _NOT_KEPT))
    return report
