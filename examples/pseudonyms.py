"""An identifier published as a keyed pseudonym, so that the custodian can find a record again.

python examples/pseudonyms.py
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import polars as pl
from visits import visits

import indistinct as ind

os.environ["VISITS_KEY"] = secrets.token_hex()

keys = ind.Policy.load(Path(__file__).parent / "release.toml").to_dict()
keys["attributes"]["visit_id"]["transform"] = {
    "pseudonymize": {"key_env": "VISITS_KEY", "length": 12}
}
release = ind.anonymize(pl.DataFrame(visits()), ind.Policy.from_dict(keys))
print(release.tables.select("visit_id", "sex", "postcode", "diagnosis").head(3))
