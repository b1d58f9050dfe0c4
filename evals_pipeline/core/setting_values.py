"""How the values of settings are read: paths, folders, storage, executors, variables' names."""

import os
import re
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from evals_pipeline.core.edges import complete_refusal, read_text
from evals_pipeline.core.strict_yaml import QuotedText

STORES = {"s3": "s3fs", "gs": "gcsfs", "abfs": "adlfs", "memory": "fsspec"}
"""Object stores that ``storage`` can lie in, with the package that speaks to each.

Only those that put an object in place whole: a half-written table would be read as one. What is in
``memory`` ends with the process, which is for tests.
"""


def _read_path(raw: object) -> object:
    return Path(str(read_text(raw)))


def _read_folders(raw: object) -> object:
    """One folder or a list of them; a variable parts several as PATH does."""
    if isinstance(raw, str) and not isinstance(raw, QuotedText):
        return [part for part in raw.split(os.pathsep) if part]
    return [raw] if isinstance(raw, str) else raw


def _read_executor(raw: object) -> object:
    text = str(read_text(raw))
    if text not in ("in_process", "multiprocess") and not _is_in_module(text):
        raise complete_refusal(
            f'got {text!r}; expected in_process, multiprocess, or "module:attribute" of one of '
            "Dagster's executors"
        )
    return text


def _is_in_module(text: str) -> bool:
    module, mark, attribute = text.partition(":")
    return bool(mark) and all(part.isidentifier() for part in (*module.split("."), attribute))


def _read_storage(raw: object) -> object:
    text = str(read_text(raw))
    scheme, mark, rest = text.partition("://")
    if not mark:
        return Path(text)
    if scheme == "file" or (scheme in STORES and rest.strip("/") and not _has_password(rest)):
        return text
    # An address may hold a key, so the message must not repeat it.
    known = ", ".join(f"{name}://" for name in STORES if name != "memory")
    raise complete_refusal(
        f"must be a folder, or a bucket and a folder behind one of {known}; keys belong in the "
        "environment"
    )


def _has_password(rest: str) -> bool:
    """Whether an address holds ``user:password@``."""
    before, mark, _ = rest.partition("@")
    return bool(mark) and ":" in before


def _read_variable(raw: object) -> object:
    text = str(read_text(raw))
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,99}", text):
        # The text may be the key itself, so the message must not repeat it.
        raise complete_refusal("must be the name of an environment variable, never the key itself")
    return text


PathSetting = Annotated[Path, BeforeValidator(_read_path)]
Folders = Annotated[tuple[PathSetting, ...], BeforeValidator(_read_folders)]
StorageSetting = Annotated[Path | str, BeforeValidator(_read_storage)]
Executor = Annotated[str, BeforeValidator(_read_executor)]
Variable = Annotated[str, BeforeValidator(_read_variable)]
