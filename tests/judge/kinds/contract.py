"""What every value kind keeps to; a test class of a kind subclasses ``KindContract``."""

import random
from typing import Any, ClassVar

import pytest

from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.judge.kinds.protocol import Kind, Side
from evals_pipeline.judge.kinds.reader import ValueReader, kinds, make_reader
from tests.judge.kinds.asking import ODD_VALUES


class KindContract:
    """Subclasses state the kind's name, a few values that it reads, and a few that it does not."""

    kind: ClassVar[str]
    readable: ClassVar[list[Any]]
    unreadable: ClassVar[list[Any]]
    settings: ClassVar[dict[str, Any]] = {}
    convention: ClassVar[SourceConvention] = SourceConvention(locale="de_DE", currency="EUR")

    def reader(self, side: Side = Side.EXTRACTED) -> ValueReader:
        spec = FieldSpec(name="value", kind=self.kind, **self.settings)
        return make_reader(spec, self.convention, side)

    def test_it_is_registered_under_its_name(self):
        kind = kinds().get(self.kind)()
        assert isinstance(kind, Kind)
        assert kind.name == self.kind

    def test_every_readable_value_has_a_canonical_form(self):
        for value in self.readable:
            form = self.reader().read(value).form
            assert form is not None
            assert form.text, value
            assert form.problem is None

    def test_every_unreadable_value_says_why(self):
        for value in self.unreadable:
            form = self.reader().read(value).form
            assert form is not None
            assert form.text is None, value
            assert form.problem

    @pytest.mark.parametrize("side", list(Side))
    def test_no_value_makes_it_raise(self, side: Side):
        reader = self.reader(side)
        want = reader.read(self.readable[0])
        for value in ODD_VALUES:
            reading = reader.read(value)
            assert reading.form is None or (reading.form.text is None) == bool(reading.form.problem)
            assert reader.judge(want, reading).outcome in FieldOutcome
            assert reader.judge(reading, want).outcome in FieldOutcome

    def test_a_value_equals_itself_even_unread(self):
        labels, extracted = self.reader(Side.LABEL), self.reader()
        for value in [*self.readable, *self.unreadable, *ODD_VALUES]:
            verdict = extracted.judge(labels.read(value), extracted.read(value))
            assert verdict.outcome.is_correct, value

    def test_what_was_read_before_does_not_change_what_is_read_next(self):
        values: list[JsonValue] = [*self.readable, *self.unreadable, *ODD_VALUES]
        alone = {repr(value): self.reader().read(value) for value in values}
        random.Random(3).shuffle(values)
        reader = self.reader()
        for value in [*values, *values]:
            assert repr(reader.read(value)) == repr(alone[repr(value)])


class ScalarKindContract(KindContract):
    """A kind whose canonical text is itself a label that says the same."""

    def test_the_canonical_text_reads_as_itself(self):
        labels = self.reader(Side.LABEL)
        for value in self.readable:
            text = self.reader().read(value).text
            assert labels.read(text).text == text
