from tests.store import samples


def test_fixtures_read_back(store, stamp):
    store.write_fixtures("invoices", [samples.fixture("a")], corpus="c1", gold="g1", stamp=stamp)
    stored = store.read_fixtures("invoices")
    assert (stored.corpus, stored.gold, stored.stamp) == ("c1", "g1", stamp)
    assert [(one.fixture_id, one.path) for one in stored.fixtures] == [("a", None)]
