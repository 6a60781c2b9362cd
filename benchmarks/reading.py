"""How long it takes to read conditions of patients, and to build a hierarchy of many values."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from common import describe_machine, ms, parser, show, timed
from indistinct.hierarchies.build import build_taxonomy
from indistinct.sources.formats.fhir import fhir_records

CONDITIONS = 20_000
ZIP_CODES = 100_000


def export(place: Path) -> Path:
    """A bulk export: one patient with many conditions."""
    patient = {"resourceType": "Patient", "id": "p", "gender": "female"}
    (place / "Patient.ndjson").write_text(json.dumps(patient) + "\n", encoding="utf-8")
    with (place / "Condition.ndjson").open("w", encoding="utf-8") as file:
        for at in range(CONDITIONS):
            condition = {
                "resourceType": "Condition",
                "id": f"c{at}",
                "subject": {"reference": "Patient/p"},
                "code": {"coding": [{"display": "asthma"}]},
            }
            file.write(json.dumps(condition) + "\n")
    return place


def main() -> None:
    """Run the benchmark."""
    parser(__doc__).parse_args()
    print(describe_machine())
    values = [f"{n:05d}" for n in range(ZIP_CODES)]
    counts = [1] * len(values)
    mask = timed(
        lambda: build_taxonomy("zip", {"mask": {}}, values, counts, directory=".").compile()
    )
    with tempfile.TemporaryDirectory() as place:
        folder = export(Path(place))
        fhir = timed(lambda: fhir_records(folder).frame.height)
    show(
        "reading and building (target: about a second each)",
        ["what", "best", "median"],
        [
            [f"a hierarchy of {ZIP_CODES:,} zip codes", ms(mask.best), ms(mask.median)],
            [f"a FHIR export of {fhir.result:,} conditions", ms(fhir.best), ms(fhir.median)],
        ],
    )
    print(describe_machine())


if __name__ == "__main__":
    main()
