"""What theta-sensitivity for single records makes of people with many."""

from __future__ import annotations

import numpy as np
from tests.recoding.people import PEOPLE, SYMPTOM, table_1

from indistinct.privacy.promise import promise
from indistinct.recoding.exchange import ThetaSettings, theta_sensitive
from indistinct.recoding.linked import people_per_class, rows_as_people


def test_records_are_taken_for_people() -> None:
    data, person_of = rows_as_people(table_1(), SYMPTOM)
    assert data.table.combinations == 16
    assert np.bincount(person_of).tolist() == [len(own[3]) for own in PEOPLE.values()]
    held = data.table.sensitive[SYMPTOM]
    values = [held.domain[at] for at in held.value.tolist()]
    for at, own in enumerate(PEOPLE.values()):
        mine = [value for value, of in zip(values, person_of.tolist(), strict=True) if of == at]
        assert sorted(map(str, mine)) == sorted(own[3])
    assert data.table.codes[0][person_of == 1].tolist() == [data.table.codes[0][3]] * 2


def test_a_class_of_records_may_be_one_persons() -> None:
    data, person_of = rows_as_people(table_1(), SYMPTOM)
    wanted = [promise("theta-sensitive", k=2, sensitive=SYMPTOM)]
    plan = theta_sensitive(data, wanted, ThetaSettings(partition="mondrian"))
    people = people_per_class(plan.class_of, person_of)
    assert np.bincount(plan.class_of[plan.class_of >= 0]).min() >= 2
    assert people.min() == 1
    assert people_per_class(np.array([-1, 0, 0, 1]), np.array([0, 1, 1, 2])).tolist() == [1, 1]
