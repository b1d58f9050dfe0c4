"""Opens what the setting ``storage`` names: a folder, or an address of an object store."""

from pathlib import Path

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.setting_values import STORES
from evals_pipeline.places.disk import DiskPlace
from evals_pipeline.places.objects import ObjectPlace
from evals_pipeline.places.place import Place

__all__ = ["STORES", "place_at"]


def place_at(folder: Path, storage: Path | str) -> Place:
    """The storage of a project that lies in ``folder``; touches neither disk nor network.

    Raises:
        SetupError: the package that speaks to the object store is not installed.
    """
    if isinstance(storage, Path):
        return DiskPlace(folder / storage)
    scheme, _, rest = storage.partition("://")
    if scheme == "file":
        return DiskPlace(folder / rest)
    return _open(storage, scheme)


def _open(address: str, scheme: str) -> ObjectPlace:
    from fsspec.core import url_to_fs

    try:
        # Listings of a moment ago would hide what other machines have written since.
        system, root = url_to_fs(address, use_listings_cache=False)
    except ImportError:
        package = STORES[scheme]
        what = '"evals-pipeline[s3]"' if scheme == "s3" else package
        raise SetupError(
            f"storage: {scheme}:// needs the package {package}, which is not installed. "
            f"Run: pip install {what}"
        ) from None
    return ObjectPlace(system=system, scheme=scheme, root=root.rstrip("/"))
