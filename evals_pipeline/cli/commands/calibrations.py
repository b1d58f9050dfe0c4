"""``evals calibrations``: the fits that are stored, the refused ones too."""

import click

from evals_pipeline.cli.options import format_option, models_option
from evals_pipeline.cli.output import print_json, print_table, say
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.pipeline.calibration import forget_fits, stored_fits
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.report.calibration_table import fit_json, fit_word, parameters_text
from evals_pipeline.report.numbers import share_text


@click.group("calibrations")
def command() -> None:
    """List or forget stored calibration fits."""


@command.command("list", epilog="Example: evals calibrations list --format json")
@format_option("json")
def listing(form: str) -> None:
    """Every stored fit: accepted or refused, its figures, and whether it is still of today."""
    found = stored_fits(Project.open())
    if form == "json":
        rows = [
            {
                **fit_json(fit),
                "fitted_at": stored.stamp.at.isoformat(),
                "commit": stored.stamp.commit,
                "outdated": stored.is_outdated,
            }
            for stored in found
            for fit in stored.fits
        ]
        print_json({"fits": rows})
        return
    if not found:
        say('no fit is stored. Run "evals calibrate EXTRACTOR" or "evals calibrate SET".')
        return
    print_table(
        ("set", "model version", "method", "verdict", "fit", "stated", "fitted", "held out", "of"),
        [
            (
                fit.set_name,
                fit.model_version,
                fit.method,
                fit_word(fit),
                parameters_text(fit),
                share_text(fit.ece_before),
                share_text(fit.ece_after),
                f"{share_text(fit.heldout_ece_before)} to {share_text(fit.heldout_ece_after)}",
                f"{stored.stamp.at.date()}{' (outdated)' if stored.is_outdated else ''}",
            )
            for stored in found
            for fit in stored.fits
        ],
        right=("stated", "fitted"),
    )


@command.command("forget", epilog="Example: evals calibrations forget prose-articles-001 --model M")
@click.argument("set_name", metavar="SET")
@models_option
def forget(set_name: str, models: tuple[str, ...]) -> None:
    """Forget the stored fits of SET, for every model version or for those named."""
    project = Project.open()
    stamp = make_stamp(project.root)
    known = [
        fits.fits[0].model_version
        for fits in stored_fits(project)
        if fits.fits[0].set_name == set_name
    ]
    chosen = [model for model in known if not models or model in models]
    if not chosen:
        raise RefusedError(
            f"{set_name}: no fit is stored"
            f"{' for ' + ', '.join(models) if models else ''}. See: evals calibrations list"
        )
    for model in chosen:
        count = forget_fits(project, set_name, model, stamp=stamp)
        click.echo(f"forgot {counted(count, 'fit')} of {set_name}, {model}")
