"""What a column is about, as far as its name tells, and which role that suggests.

A quasi-identifier is what other people know or can see of a person: age, sex, home, family, school
and work, dates of events. Sensitive is what would harm a person who is found: illness, treatment,
substances, money. The vocabulary is English, with some German, French and Spanish words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from indistinct.analytics.names import is_one_of, names_one_of, starts_with_one_of

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]


@dataclass(frozen=True)
class Concept:
    """Something that columns are often about.

    A name speaks of it when it is one of the words in ``whole`` (beside ``_BESIDE``), holds one of
    the words in ``anywhere``, or has a word that begins with one of ``stems``. ``measured`` says
    that its numbers are quantities, which may be put into intervals, rather than codes.
    """

    name: str
    role: Role
    why: str
    whole: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    measured: bool = False


_BESIDE = (
    "patient", "person", "subject", "participant", "client", "at", "in", "of", "the", "code",
    "source", "value", "concept", "id", "group", "grp", "class", "cat", "category", "years",
    "year", "yrs", "months", "decade", "band", "range", "begin", "end", "start", "current",
    "admission", "type", "name", "status", "x", "des", "der", "du", "de", "la", "del", "anos",
    "jahre", "jahren", "ans", "gruppe",
)  # fmt: skip

CONCEPTS: tuple[Concept, ...] = (
    Concept(
        "age",
        "quasi-identifier",
        "others know the approximate age",
        whole=("age", "alter", "edad", "ages"),
        anywhere=("age at admission", "age group", "age years", "age in years", "altersgruppe"),
        measured=True,
    ),
    Concept(
        "birth",
        "quasi-identifier",
        "others know a birthday, and registers hold it",
        whole=("birth", "born", "yob", "nacimiento"),
        anywhere=(
            "dob", "birth date", "birth date time", "birth day", "date of birth", "birth year",
            "year of birth", "birth month", "month of birth", "day of birth", "geburtsdatum",
            "geburtstag", "geburtsjahr", "jahrgang", "date de naissance", "annee de naissance",
            "fecha de nacimiento", "fecha nacimiento", "dobyy", "dobmm", "dobdd",
        ),
        measured=True,
    ),
    Concept(
        "death",
        "quasi-identifier",
        "dates of death are printed in newspapers and registers",
        anywhere=("death date", "date of death", "sterbedatum", "date de deces", "fecha de muerte"),
        measured=True,
    ),
    Concept(
        "sex",
        "quasi-identifier",
        "others know it",
        whole=("sex", "gender", "geschlecht", "sexe", "sexo", "male", "female"),
    ),
    Concept(
        "ethnicity",
        "quasi-identifier",
        "others can often see it, and it distinguishes small groups",
        whole=("raza", "etnia", "ethnie", "skin colour", "skin color", "ancestry"),
        anywhere=("race", "hispanic", "racex"),
        stems=("ethnic", "hisp", "raceth", "race"),
    ),
    Concept(
        "nationality",
        "quasi-identifier",
        "others know where a person comes from",
        whole=("country", "land", "pays", "pais", "herkunft", "origin", "migration"),
        anywhere=(
            "nationality", "citizenship", "native country", "country of birth", "birth country",
            "home country", "staatsangehorigkeit", "nationalitat", "nationalitaet", "nationalite",
            "nacionalidad", "geburtsland",
        ),
    ),
    Concept(
        "language",
        "quasi-identifier",
        "others hear it",
        whole=("language", "sprache", "langue", "idioma"),
        anywhere=("mother tongue", "muttersprache", "native language", "home language"),
    ),
    Concept(
        "religion",
        "quasi-identifier",
        "others often know it, and it distinguishes small groups",
        anywhere=("religion", "faith", "konfession", "denomination"),
    ),
    Concept(
        "family",
        "quasi-identifier",
        "others know a person's family",
        whole=("relationship", "marry", "children", "kinder", "enfants", "hijos"),
        anywhere=(
            "married", "marriage", "civil status", "family status", "family size",
            "household size", "number of children", "n children", "num children", "familienstand",
            "etat civil", "situation familiale", "estado civil", "hh size",
        ),
        stems=("marital",),
    ),
    Concept(
        "education",
        "quasi-identifier",
        "others know a person's schooling",
        whole=("degree", "school", "schooling", "bildung", "schule", "etudes", "estudios"),
        anywhere=("schulabschluss", "niveau d etudes", "bildungsgrad"),
        stems=("educ", "formation"),
    ),
    Concept(
        "occupation",
        "quasi-identifier",
        "others know where a person works, and as what",
        whole=("work", "job", "arbeit", "trabajo", "travail", "industry", "employer", "employed"),
        anywhere=(
            "occupation", "profession", "work class", "work type", "employment", "job title",
            "beruf", "metier", "ocupacion", "profesion", "labour force", "labor force",
        ),
    ),
    Concept(
        "place",
        "quasi-identifier",
        "others know where a person lives",
        whole=("state", "region", "residence", "province", "canton", "kanton", "location",
               "district", "place", "ort", "stadt", "urban", "rural", "wohnort", "neighborhood"),
        anywhere=(
            "zip", "zip code", "post code", "postal", "postal code", "city", "town", "village",
            "municipality", "county", "precinct", "suburb", "neighbourhood", "census tract",
            "block group", "birth place",
            "place of birth", "home state", "residence", "bundesland", "plz", "postleitzahl",
            "geburtsort", "gemeinde", "landkreis", "code postal", "ville", "commune",
            "departement", "codigo postal", "ciudad", "municipio", "provincia", "parish",
        ),
    ),
    Concept(
        "stay",
        "quasi-identifier",
        "visitors and neighbours know where and how long somebody was in care",
        whole=("ward", "station", "department", "hospital", "clinic", "facility", "unit", "los",
               "abteilung", "klinik", "service", "servicio", "hopital"),
        anywhere=(
            "length of stay", "days in hospital", "hospital name", "hospital ward", "care unit",
            "verweildauer", "liegedauer", "duree de sejour", "fachabteilung",
        ),
        measured=True,
    ),
    Concept(
        "health",
        "sensitive",
        "it is about a person's health",
        whole=("icd", "code", "condition", "conditions", "description", "outcome", "death", "dead",
               "died", "deceased", "class", "weight", "height", "length", "pulse", "bmi", "cp"),
        anywhere=(
            "icd", "icd codx", "disease", "diseases", "illness", "diag", "dx", "drg", "cause",
            "symptom", "symptoms", "finding", "hiv", "aids", "std", "cancer", "tumor", "tumour",
            "stroke", "heart", "hypertension", "blood", "bp", "pressure", "glucose", "chol",
            "hba", "hemoglobin", "haemoglobin", "testosterone", "urine", "bmi", "lab", "result",
            "test result", "health", "hlth", "mental", "sleep", "surgery", "operation", "ops",
            "procedure", "procedures", "dose", "drug", "drugs", "therapy", "treatment", "trestbps",
            "thalach", "thal", "restecg", "num symptoms", "discharge status", "mortality",
            "babies", "baby", "partner", "partn", "same sex", "orientation", "disability",
            "handicap", "head circ", "krankheit", "befund", "blutdruck", "puls", "grosse",
            "gewicht", "maladie", "traitement", "tension", "poids", "enfermedad", "tratamiento",
            "peso", "hours of sleep", "phys active", "little interest",
        ),
        stems=("diagnos", "disorder", "patholog", "diabet", "depress", "psych", "pregnan",
               "schwanger", "abort", "medica", "medik", "prescri", "choles", "allerg", "vaccin",
               "impf", "infect", "smok", "tobac", "rauch", "tabac", "alco", "alko", "marij",
               "cannab", "cocain", "substanc", "addict", "suicid", "genet", "therap"),
        measured=True,
    ),
    Concept(
        "sexual life",
        "sensitive",
        "it is about a person's sexual life",
        anywhere=("sex", "sexual", "orientation"),
        measured=True,
    ),
    Concept(
        "money",
        "sensitive",
        "it is about a person's finances",
        whole=("coverage", "insurance", "payer"),
        anywhere=(
            "income", "salary", "wage", "wages", "earnings", "cost", "costs", "charge", "charges",
            "expenses", "expense", "debt", "poverty", "capital gain", "capital loss", "payment",
            "credit", "insurance", "healthcare coverage", "einkommen", "gehalt", "lohn", "kosten",
            "salaire", "revenu", "cout", "ingresos", "salario", "sueldo", "coste", "tax",
        ),
        stems=("income", "salar"),
        measured=True,
    ),
    Concept(
        "justice",
        "sensitive",
        "it is about conflicts with the law",
        anywhere=("crime", "offence", "offense", "arrest", "conviction", "sentence", "prison"),
    ),
)  # fmt: skip
"""What columns are about; the first that a name speaks of counts."""

_MONEY_FIRST = ("healthcare expenses", "healthcare coverage", "health insurance")

FREE_TEXT = (
    "comment", "comments", "note", "notes", "remark", "remarks", "free text", "narrative",
    "summary", "anamnesis", "letter", "report", "history", "bemerkung", "bemerkungen", "notiz",
    "kommentar", "freitext", "befundtext", "arztbrief", "commentaire", "remarque", "observaciones",
    "comentario", "nota",
)  # fmt: skip
"""Words for columns of free text."""


def concept_of(name: str) -> tuple[Concept, str] | None:
    """What a column of that name is about, and the word that says so.

    >>> concept, word = concept_of("MaritalStatus")
    >>> concept.name, concept.role, word
    ('family', 'quasi-identifier', 'marital…')
    """
    if word := names_one_of(name, _MONEY_FIRST):
        return next(concept for concept in CONCEPTS if concept.name == "money"), word
    for concept in CONCEPTS:
        word = is_one_of(name, concept.whole, _BESIDE) or names_one_of(name, concept.anywhere)
        if word:
            return concept, word
        if stem := starts_with_one_of(name, concept.stems):
            return concept, f"{stem}…"
    return None
