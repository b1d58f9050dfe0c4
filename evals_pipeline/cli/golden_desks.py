"""From what was typed to the golden set, the document and the terms that are meant."""

from datetime import date
from pathlib import Path

from evals_pipeline.core.errors import Fault, InputError, RefusedError
from evals_pipeline.pipeline.labelling import LabellingDesk, find_desk
from evals_pipeline.pipeline.people import who_labels, would_be_committed
from evals_pipeline.pipeline.project import Project
from evals_pipeline.sets.redaction.terms import Term, read_term, read_term_list


def open_desk(set_name: str | None, document: str | None, by: str | None) -> LabellingDesk:
    """The set that is meant, for whoever sits at the terminal.

    Raises:
        EvalsError: There is no such set or document, or nobody says who they are.
    """
    project = Project.open()
    return find_desk(
        project,
        set_name=set_name,
        reference=document,
        by=who_labels(project.root, stated=by),
        today=date.today(),  # noqa: DTZ011 - the labeller's own day
    )


def open_desks(
    names: tuple[str, ...], *, by: str | None = None, must_say_who: bool = False
) -> list[LabellingDesk]:
    """The named sets, or all.

    Args:
        names: Golden sets.
        by: Who looks at them.
        must_say_who: Whether that is noted somewhere; looking at labels needs no name.

    Raises:
        EvalsError: There is no such set, or nobody says who they are.
    """
    project = Project.open()
    today = date.today()  # noqa: DTZ011 - the labeller's own day
    who = who_labels(project.root, stated=by) if must_say_who else ""
    chosen = names or tuple(project.golden_folders)
    if not chosen:
        raise RefusedError("there is no golden set yet. Start one: evals golden new NAME")
    return [
        find_desk(project, set_name=name, reference=None, by=who, today=today) for name in chosen
    ]


def read_terms(
    project: Project, masks: tuple[str, ...], mask_lists: tuple[Path, ...]
) -> tuple[Term, ...]:
    """The texts to be masked, from the command line and from lists.

    A list inside the repository would put there what masking keeps out of it.
    """
    terms = [read_term(text) for text in masks]
    for path in mask_lists:
        if would_be_committed(path, project.root):
            remedy = "Move it out of the repository, or have git ignore it."
            problem = "lies in the repository, with all that is to be kept out of it"
            raise InputError([Fault(where=str(path), problem=problem, remedy=remedy)])
        terms += read_term_list(path.read_text(encoding="utf-8"), where=str(path))
    return tuple(terms)
