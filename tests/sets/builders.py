"""Folders of suites and golden sets, as tests fill them."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from evals_pipeline.core.errors import Fault, InputError


def sha(content: bytes | str) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def faults_of(load: Callable[[], object]) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        load()
    return caught.value.faults


@dataclass(frozen=True)
class Project:
    """A project folder that tests fill."""

    root: Path

    @property
    def suites(self) -> Path:
        return self.root / "suites"

    @property
    def fixtures(self) -> Path:
        return self.root / "suites" / "fixtures"

    @property
    def golden(self) -> Path:
        return self.root / "golden"

    def suite(self, text: str, *, name: str = "a.yaml") -> Path:
        path = self.suites / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def fixture(
        self, name: str, content: bytes = b"A ship sank.\n", *, source_type: str = "LOG_PAGE"
    ) -> Path:
        folder = self.fixtures / name
        folder.mkdir(parents=True, exist_ok=True)
        manifest = f"fixture_id: {name}\nsource_type: {source_type}\nexpected_acceptors: [logs]\n"
        (folder / "manifest.yaml").write_text(manifest, encoding="utf-8")
        snapshot = json.dumps({"snapshot_id": "1", "content_hash": sha(content), "etag": None})
        (folder / "snapshot.json").write_text(snapshot, encoding="utf-8")
        (folder / "content.bin").write_bytes(content)
        return folder

    def golden_set(self, schema: str, *, name: str = "slips") -> Path:
        folder = self.golden / name
        (folder / "documents").mkdir(parents=True, exist_ok=True)
        (folder / "labels").mkdir(exist_ok=True)
        (folder / "set.yaml").write_text(schema, encoding="utf-8")
        return folder

    def label(
        self,
        folder: Path,
        fields: object,
        *,
        content: str = "slip",
        ext: str = "txt",
        **more: object,
    ) -> Path:
        doc = f"{sha(content)}.{ext}"
        (folder / "documents" / doc).write_bytes(content.encode())
        record = {
            "doc": doc,
            "labelled_by": "mt",
            "labelled_at": "2031-05-04",
            "fields": fields,
        } | more
        path = folder / "labels" / f"{sha(content)}.json"
        path.write_text(json.dumps(record), encoding="utf-8")
        return path
