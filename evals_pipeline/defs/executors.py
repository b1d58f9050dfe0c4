"""How the steps of a run are carried out: one of Dagster's executors, by the setting ``executor``.

Nothing of ours runs steps. In this process they run one after the other, which is what one cell of
a grid wants; Dagster's other executors, of its packages or of anybody's, are named by module.
"""

from importlib import import_module

import dagster as dg

from evals_pipeline.core.errors import SetupError

_OWN = {"in_process": dg.in_process_executor, "multiprocess": dg.multiprocess_executor}


def executor_of(name: str) -> dg.ExecutorDefinition:
    """The executor that the setting names.

    Raises:
        SetupError: its module does not load, or holds no executor of that name.
    """
    if name in _OWN:
        return _OWN[name]
    module_name, _, attribute = name.partition(":")
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise SetupError(
            f"executor: {name}: {error}. Install the package that holds {module_name}, or correct "
            "the name."
        ) from error
    found = getattr(module, attribute, None)
    if not isinstance(found, dg.ExecutorDefinition):
        raise SetupError(
            f"executor: {name}: {module_name} has no Dagster executor {attribute!r}. Name one as "
            '"module:attribute", for example "dagster_k8s:k8s_job_executor".'
        )
    return found
