"""What would be sent to a model for one document of a set."""

from typing import Any

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.pipeline.documents import source_documents
from evals_pipeline.pipeline.grid import Serving
from evals_pipeline.pipeline.model_answers import open_door, prompt_extractor
from evals_pipeline.pipeline.project import Project


def preview(
    project: Project, set_name: str, how: Serving, *, fixture: str | None = None
) -> dict[str, Any]:
    """The messages, the schema and the key of the question for one document in run 0.

    Raises:
        RefusedError: the model version is asked nothing, or the set is empty.
        UnknownNameError: the set has no such document.
        InputError: the prompt is faulty, or the document cannot be shown to the model.
    """
    if how.prompt_path is None:
        raise RefusedError(f"{how.model.name} answers {set_name} without a prompt.")
    extractor = prompt_extractor(project, set_name, how)
    documents = list(source_documents(project, set_name))
    if not documents:
        raise RefusedError(f"{set_name} has no document.")
    chosen = [
        one
        for one in documents
        if fixture is None or one.name == fixture or one.fixture_id.startswith(fixture)
    ]
    if not chosen:
        raise UnknownNameError("document", fixture or "", [one.name for one in documents])
    door = open_door(project, how.model)
    request = extractor.request(chosen[0], endpoint=door.endpoint, run_index=0)
    return {
        "set": set_name,
        "model_version": how.model.name,
        "model": door.endpoint.model,
        "document": chosen[0].fixture_id,
        "name": chosen[0].name,
        "prompt": str(how.prompt_path.relative_to(project.root)),
        "prompt_sha256": extractor.prompt.sha256,
        "answer_key": door.key_of(request),
        "is_recorded": door.find(request) is not None,
        "messages": [
            {"role": one.role, "text": one.text, "n_images": one.n_images}
            for one in request.messages
        ],
        "schema": request.schema,
    }
