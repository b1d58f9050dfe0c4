"""Close texts that do not say the same, and others that do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.judge.guards import suspect_reasons

NUMBERS = [
    ("The deposit is 1,250 EUR.", "The deposit is 12,500 EUR."),
    ("The deposit is 1,250 EUR.", "The deposit is 1.25 EUR."),
    ("The deposit is 1,250 EUR.", "The deposit is 1,250 USD."),
    ("The crate weighs 5 kg.", "The crate weighs 5 g."),
    ("The dose is 2 mg.", "The dose is 2 ml."),
    ("Founded in 1998.", "Founded in 1989."),
    ("Signed on 5 March 2024.", "Signed on 6 March 2024."),
    ("Signed in March 2024.", "Signed in May 2024."),
    ("It rose from 3% to 6%.", "It rose from 6% to 3%."),
    ("More than 5 people came.", "Fewer than 5 people came."),
    ("Two dogs bark.", "Three dogs bark."),
    ("Two dogs bark.", "One dog barks."),
    ("It has twelve pages.", "It has 20 pages."),
    ("The first quarter was dry.", "The second quarter was dry."),
    ("Flight A320 left.", "Flight A330 left."),
    ("Version 2.1.0 broke it.", "Version 2.2.0 broke it."),
    ("It was -5 °C at night.", "It was 5 °C at night."),
    ("The rate is 5%.", "The rate is 5 basis points."),
    ("The gate opens at 5:30 pm.", "The gate opens at 6:30 pm."),
    ("1.5 million users pay.", "1.5 billion users pay."),
    ("Sales rose by 12 percent.", "Sales rose."),
    ("3万人が来た。", "5万人が来た。"),
]
NEGATIONS = [
    ("The permit was issued.", "The permit was not issued."),
    ("He can swim.", "He can't swim."),
    ("Somebody was hurt.", "Nobody was hurt."),
    ("There is a bridge.", "There is no bridge."),
    ("It always worked.", "It never worked."),
    ("She pays with cash.", "She pays without cash."),
    ("The permit was approved.", "The permit was rejected."),
    ("The bill is paid.", "The bill is unpaid."),
    ("The act is legal.", "The act is illegal."),
    ("Revenue rose last year.", "Revenue fell last year."),
    ("She is not old and is not ill.", "She is not old and is ill."),
    ("Das Tor ist offen.", "Das Tor ist nicht offen."),
    ("Le portail est ouvert.", "Le portail n'est pas ouvert."),
    ("La puerta está abierta.", "La puerta no está abierta."),
    ("Brama jest otwarta.", "Brama nie jest otwarta."),
    ("ドアは開いている。", "ドアは開いていない。"),
]
SUBJECTS = [
    ("Acme Ltd paid the invoice.", "Borealis GmbH paid the invoice.", ()),
    ("The mill in Halden closed.", "The mill in Oslo closed.", ()),
    ("Acme paid 940 for repairs.", "Paid 940 for repairs.", ("Borealis",)),
    ("The costs of Halden Mill rose.", "The costs rose.", ("Oslo Works",)),
    ("Latvia left the union in 1931.", "Estonia left the union in 1931.", ()),
    ("Latvia left the union in 1931.", "Estonia left the union in 1931.", ("Estonia",)),
    ("Latvia left the union in 1931.", "It left the union in 1931.", ("Estonia",)),
    ("Latvia left the union in 1931.", "Membership of the union ended then.", ("Estonia",)),
    ("Texas is hot in summer.", "Kansas is hot in summer.", ()),
    ("Halden hosts the fair.", "Bergen hosts the fair.", ()),
    ("Ada Moen led the survey.", "Ole Moen led the survey.", ()),
    ("The survey was led by Ada Moen.", "The survey was led by Ole Moen.", ()),
    ("Ada Moen led the survey.", "She led the survey.", ("Ole Moen",)),
    ("Acme Ltd paid the invoice.", "Borealis GmbH has paid an invoice.", ()),
    ("Acme sued Borealis in 2019.", "Borealis sued Acme in 2019.", ()),
    ("Acme Ltd paid Borealis 940 EUR.", "Borealis paid Acme Ltd 940 EUR.", ()),
    ("The line runs from Halden to Oslo.", "The line runs from Oslo to Halden.", ()),
    ("The mill in Zürich closed.", "The mill in Basel closed.", ()),
    ("The shop of Müller closed.", "The shop of Möller closed.", ()),
    ("Kenya sells tea.", "Uganda sells tea.", ()),
    ("Kenya exports the tea.", "Uganda exports the tea.", ()),
]
SWAPPED = [
    ("John Adams beat Thomas Jefferson in 1796.", "Thomas Jefferson beat John Adams in 1796."),
    ("Anna Berg sued Karl Holm.", "Karl Holm sued Anna Berg."),
    ("Acme Corp paid Borealis Ltd in May.", "Borealis Ltd paid Acme Corp in May."),
    ("New York beat Los Angeles.", "Los Angeles beat New York."),
    ("John Adams defeated Jefferson.", "Jefferson defeated John Adams."),
    ("Ole Moen was beaten by Ada Lund.", "Ada Lund was beaten by Ole Moen."),
    ("The Bank of Norway sued Acme.", "Acme sued the Bank of Norway."),
    ("Jan van Dam taught Ole Moen.", "Ole Moen taught Jan van Dam."),
    ("Later Anna Berg sued Karl Holm.", "Later Karl Holm sued Anna Berg."),
    ("President Ole Moen beat Ada Lund.", "President Ada Lund beat Ole Moen."),
    ("President Ole Moen beat Ada Lund.", "Ada Lund beat President Ole Moen."),
    ("Ole of Acme beat Ada of Borealis.", "Ole of Borealis beat Ada of Acme."),
    ("José García beat Ana López.", "Ana Lopez beat Jose Garcia."),
    ("Stephen King sued Prince.", "Prince sued Stephen King."),
    ("Judge Moen sued Senator Moen.", "Senator Moen sued Judge Moen."),
]
ALIKE = [
    ("The coin weighs 1.1 g.", "Weight of the coin: 1,1 g."),
    ("Sales rose 12 percent.", "Sales grew by 12%."),
    ("Signed on 5 March 2024.", "Signed 2024-03-05."),
    ("Signed on 5 March 2024.", "Signed on 03/05/2024."),
    ("She began on 1 July 2019.", "She began in July 2019."),
    ("It has twenty-five rooms.", "It has 25 rooms."),
    ("It cost $3.5 million.", "It cost USD 3,500,000."),
    ("It cost 3,5 Millionen Euro.", "It cost EUR 3.5 million."),
    ("An amount of 1,250 euros.", "Ein Betrag von 1.250 Euro."),
    ("An amount of 1 250 euros.", "An amount of 1'250 euros."),
    ("The third quarter closed well.", "Q3 closed well."),
    ("About 500 people came.", "497 people came."),
    ("The trip takes 90 minutes.", "The trip takes 1.5 hours."),
    ("Two-thirds of members voted.", "2/3 of members voted."),
    ("It starts at 5:30 pm.", "It starts at 17:30."),
    ("Half of the 40 seats are taken.", "20 of 40 seats are taken."),
    ("It costs no more than 5 euros.", "It costs at most 5 euros."),
    ("In the 1990s it shrank.", "It shrank, mostly in the 1990s."),
    ("Martin, 58, will be freed today.", "Martin will be freed today."),
    ("It was not approved.", "It was rejected."),
    ("The claim was denied.", "The claim was not granted."),
    ("He is unable to attend.", "He cannot attend."),
    ("It has yet to grow.", "It does not grow."),
    ("There are no defects.", "It is free of defects."),
    ("No one came.", "Nobody came."),
    ("The fire is treated as arson.", "The fire is arson, though no suspect has been named."),
    ("The van was found in a car park.", "The van was found without its number plates on."),
    ("心配する必要はありません。", "心配しなくても大丈夫です。"),
    ("The parcel came without damage.", "The parcel came undamaged."),
    ("The plant is inactive.", "The plant is not active."),
    ("Choir no. 5 sang.", "Choir number 5 sang."),
    ("He not only sang.", "He sang and did more."),
    ("The dog is indoors.", "The dog is inside the house."),
    ("Das Tor ist nicht offen.", "The gate is not open."),
    ("The GDR issued it.", "The German Democratic Republic issued it."),
    ("Acme Corp. hired her.", "Acme Corporation hired her."),
    ("The US signed.", "America signed."),
    ("Revenue rose to 5 million EUR.", "Turnover rose to 5 million EUR."),
    ("Workers joined the union.", "Employees joined the union."),
    ("Annual costs rose.", "Yearly costs rose."),
    ("Construction began in 1931.", "Work began in 1931."),
    ("Recently the mill was sold.", "Lately the mill was sold."),
    ("Mass is 5 g.", "Weight is 5 g."),
    ("Petrol costs 2 euros a litre.", "Gasoline costs 2 euros a litre."),
    ("Maize is grown in the valley.", "Corn is grown in the valley."),
    ("Pollution harms the river.", "Contamination harms the river."),
    ("William Moen led the survey.", "Bill Moen led the survey."),
    ("A. Moen led the survey.", "Ada Moen led the survey."),
    ("Professor Moen led the survey.", "Director Moen led the survey."),
    ("Moen led the survey.", "Ada Moen led the survey."),
    ("Peking hosts the fair.", "Beijing hosts the fair."),
    ("Norway borders Sweden.", "Sweden borders Norway."),
    ("Acme and Borealis merged.", "Borealis and Acme merged."),
    ("Acme met Borealis in Oslo.", "Borealis met Acme in Oslo."),
    ("The fair in Zurich opened in May.", "The fair in Zürich opened in May."),
    ("The fair in Zürich opened.", "The fair in Zu\u0308rich opened."),
    ("The mill of Lopez closed.", "The mill of López closed."),
    ("Jose Garcia led the survey.", "José García led the survey."),
    ("The road to Sao Paulo is closed.", "The road to São Paulo is closed."),
    ("The mill in Lodz closed.", "The mill in Łódź closed."),
    ("The house in Weststrasse burnt.", "The house in Weststraße burnt."),
    ("The shop of Mueller closed.", "The shop of Müller closed."),
    ("John Adams beat Thomas Jefferson.", "Thomas Jefferson was beaten by John Adams."),
    ("Acme Corp paid Borealis Ltd.", "Borealis Ltd was paid by Acme Corp."),
    ("Anna Berg and Karl Holm founded it.", "Karl Holm and Anna Berg founded it."),
    ("Neither Anna Berg nor Karl Holm came.", "Neither Karl Holm nor Anna Berg came."),
    ("Anna Berg, Karl Holm and Ada Moen came.", "Ada Moen, Karl Holm and Anna Berg came."),
    ("Offices: New York, Los Angeles, Oslo.", "Offices: Oslo, Los Angeles, New York."),
    ("It ships to Norway, to Sweden and to us.", "It ships to Sweden, to Norway and to us."),
    ("Anna Berg met Karl Holm in Oslo.", "Karl Holm met Anna Berg in Oslo."),
    ("Anna Berg was married to Karl Holm.", "Karl Holm was married to Anna Berg."),
    ("Acme Corp merged with Borealis Ltd.", "Borealis Ltd merged with Acme Corp."),
    (
        "The film stars Anna Berg alongside Ole Moen.",
        "The film stars Ole Moen alongside Anna Berg.",
    ),
    ("John Adams, the author, signed it.", "The author, John Adams, signed it."),
    ("Ole Moen, chairman of Acme Corp, left.", "Acme Corp chairman Ole Moen left."),
    ("Director is Anna Berg.", "Anna Berg is Director."),
    ("In New York Anna Berg sued Karl Holm.", "Anna Berg sued Karl Holm in New York."),
    ("Anna Berg sold Karl Holm the mill.", "Karl Holm bought the mill from Anna Berg."),
    ("The distance from New York to Los Angeles.", "The distance from Los Angeles to New York."),
]


@pytest.mark.parametrize(("want", "got"), NUMBERS)
def test_other_numbers_are_suspect(want, got):
    assert any(reason.startswith("numbers: ") for reason in suspect_reasons(want, got))
    assert suspect_reasons(got, want)


@pytest.mark.parametrize(("want", "got"), NEGATIONS)
def test_a_denial_is_suspect(want, got):
    assert any(reason.startswith("negation: ") for reason in suspect_reasons(want, got))
    assert suspect_reasons(got, want)


@pytest.mark.parametrize(("want", "got", "subjects"), SUBJECTS)
def test_another_subject_is_suspect(want, got, subjects):
    assert any(reason.startswith("subject: ") for reason in suspect_reasons(want, got, subjects))


@pytest.mark.parametrize(("want", "got"), SWAPPED)
def test_names_that_changed_places_are_suspect(want, got):
    for one, other in ((want, got), (got, want)):
        (reason,) = suspect_reasons(one, other)
        assert reason.startswith("subject: want ")
        assert " before " in reason


@pytest.mark.parametrize("name", ["New York", "Los Angeles", "General Motors", "Jan van Dam"])
def test_names_that_changed_places_are_told_whole(name):
    assert suspect_reasons(f"{name} beat Ole Moen.", f"Ole Moen beat {name}.") == (
        f"subject: want {name} before Ole Moen, got Ole Moen before {name}",
    )


@pytest.mark.parametrize(("want", "got"), ALIKE)
def test_another_way_of_saying_the_same_is_not_suspect(want, got):
    assert suspect_reasons(want, got) == ()
    assert suspect_reasons(got, want) == ()


def test_a_reason_names_both_sides():
    assert suspect_reasons("It weighs 5 kg.", "It weighs 7 kg.") == (
        "numbers: want 5 kg, got 7 kg",
    )


@pytest.mark.parametrize(
    ("want", "got", "subject"),
    [
        ("Latvia left the union in 1931.", "Latvia left it in 1931.", "Latvia"),
        ("Latvia left the union in 1931.", "It left the union in 1931.", "Republic of Latvia"),
        ("Ada Moen led the survey.", "Led the survey.", "A. Moen"),
        ("Ada Moen led the survey.", "Led the survey.", "Moen"),
        ("José García led the survey.", "Led the survey.", "Jose Garcia"),
        ("Ada Moen led the survey of Ole Moen.", "Led the survey.", "Ole Moen"),
        ("Shipments doubled in 2020.", "Deliveries doubled in 2020.", "Acme"),
        ("Revenue rose in 2020.", "Turnover rose in 2020.", "Acme"),
    ],
)
def test_a_subject_that_may_be_meant_is_not_suspect(want, got, subject):
    assert suspect_reasons(want, got, (subject,)) == ()


def test_a_subject_completes_a_claim_that_leaves_it_out():
    want = "Coin 5 of 1948 was struck at Berlin."
    assert suspect_reasons(want, "Was struck at Berlin.", ("Coin 5 of 1948",)) == ()
    assert suspect_reasons("Was struck at Berlin.", want, ("Coin 5 of 1948",)) == ()


@given(text=st.text(max_size=60))
@settings(max_examples=50, deadline=None)
def test_a_text_never_contradicts_itself(text):
    assert suspect_reasons(text, text) == ()
    assert suspect_reasons(text, f" {text} ") == ()


@given(value=st.integers(0, 10**9), other=st.integers(0, 10**9))
@settings(max_examples=50, deadline=None)
def test_whole_numbers_are_suspect_just_when_they_differ(value, other):
    reasons = suspect_reasons(
        f"The fund holds {value:,} shares.", f"The fund holds {other} shares."
    )
    assert bool(reasons) == (value != other)


@pytest.mark.parametrize(
    "piece", ["1 ", "1,", "one hundred ", "twenty-", "not ", "Ab ", "1/2/", "half a ", "un", "9"]
)
def test_a_long_text_is_read_in_bounded_time(piece):
    # The suite's timeout is the limit; unbounded reading of these takes minutes.
    suspect_reasons(piece * 4000, piece * 4000 + "x")
