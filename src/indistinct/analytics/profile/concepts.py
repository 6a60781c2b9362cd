"""What a column is about, as far as its name tells, and which role that suggests.

A quasi-identifier is what other people know or can see of a person: age, sex, home, family, school
and work, dates of events. Sensitive is what would harm a person who is found: illness, treatment,
substances, money. The vocabulary is English, with some words of German and of Romance languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from indistinct.analytics.profile.abbreviations import abbreviated
from indistinct.analytics.profile.names import (
    apart,
    is_one_of,
    names_one_of,
    starts_with_one_of,
    words,
)
from indistinct.analytics.profile.tongues import in_other_tongues

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]


@dataclass(frozen=True)
class Concept:
    """Something that columns are often about.

    A name speaks of it when it is one of the words in ``whole`` (beside ``_BESIDE``), holds one of
    the words in ``anywhere``, ends with one of ``last``, or has a word that begins with one of
    ``stems`` or ends with one of ``endings``, and has no word of ``unless``. ``measured`` says that
    its numbers are quantities, which may be put into intervals, rather than codes.
    """

    name: str
    role: Role
    why: str
    whole: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    measured: bool = False


_BESIDE = (
    "patient", "person", "subject", "participant", "client", "pat", "bene", "beneficiary",
    "mother", "father", "maternal", "paternal", "parent", "donor", "recipient", "spouse", "infant",
    "madre", "padre", "mae", "pai", "mere", "pere", "mutter", "vater", "moeder", "vader", "matki",
    "ojca", "ibu", "ayah", "anne", "baba", "newborn", "at", "in", "of",
    "the", "code", "codes", "cd", "ident", "ind", "flag", "txt",
    "desc", "label", "source", "value", "concept", "id", "group", "grp", "class", "cat",
    "category", "years", "year", "yrs", "yr", "months", "decade", "band", "range", "begin",
    "end", "start", "current", "cleaned", "raw", "new", "old", "n", "num", "no", "nr", "nbr",
    "number", "total", "count", "derived", "recode", "baseline", "bl", "admission", "type", "name",
    "status", "sub", "subtype", "x", "des", "der", "du", "de", "la", "del", "anos", "jahre",
    "jahren", "ans",
    "gruppe", "prev", "previous", "curr", "kg", "cm", "mm", "lb", "lbs", "mg", "dl", "ml", "mmol",
)  # fmt: skip
"""Words that say nothing of what a column is about."""

CONCEPTS: tuple[Concept, ...] = (
    Concept(
        "age",
        "quasi-identifier",
        "others know the approximate age",
        whole=(
            "age", "alter", "edad", "idade", "ages", "fage", "mage", "eta", "leeftijd", "wiek",
            "vek", "alder", "umur", "usia", "tuoi",
        ),
        anywhere=(
            "idade", "edad", "age at", "age group", "age years", "age in years", "age cat",
            "age unit", "age units", "unite age", "altersgruppe", "alter bei", "faixa etaria",
            "grupo etario",
            "tranche age", "fascia eta", "leeftijdsgroep", "kelompok umur",
        ),
        stems=(
            "agegr", "agecat", "agecl", "aged", "ageband", "ageclass", "agem", "agef", "agey",
            "ageg",
            "ageo", "agei",
        ),
        measured=True,
    ),
    Concept(
        "birth",
        "quasi-identifier",
        "others know a birthday, and registers hold it",
        whole=(
            "birth", "born", "yob", "nacimiento", "nascimento", "nasc", "nascita", "geboortedatum",
        ),
        anywhere=(
            "dob", "birth date", "birth date time", "birth day", "date of birth", "birth year",
            "birth dt", "year of birth", "birth month", "month of birth", "day of birth",
            "geburtsdatum", "geburtstag", "geburtsjahr", "jahrgang", "date de naissance",
            "annee de naissance", "data di nascita", "data urodzenia", "datum narozeni",
            "fodelsedatum", "dogum tarihi", "tanggal lahir", "fecha de nacimiento",
            "fecha nacimiento", "dobyy", "dobmm",
            "dobdd",
        ),
        measured=True,
    ),
    Concept(
        "death",
        "quasi-identifier",
        "dates of death are printed in newspapers and registers",
        anywhere=(
            "death date", "death dt", "date of death", "date died", "dod", "sterbedatum",
            "date de deces", "fecha de muerte", "year of death", "month of death", "day of death",
        ),
        measured=True,
    ),
    Concept(
        "sex",
        "quasi-identifier",
        "others know it",
        whole=(
            "geschlecht", "sexe", "sexo", "male", "female", "woman", "women", "man", "men", "sesso",
            "geslacht", "plec", "pohlavi", "kon", "kjonn", "cinsiyet", "jenis kelamin", "gioi tinh",
        ),
        anywhere=("sex", "gender", "sexo", "sexe", "sesso", "geschlecht"),
        endings=("sex", "gender", "gendr", "gndr"),
        unless=(
            "ever", "partner", "partners", "partn", "orientation", "age", "active", "activity",
            "num", "number", "risk", "same", "freq", "life", "abuse", "drive", "worker", "contact",
            "history", "behavior", "behaviour", "first", "unprotected", "disease", "pareja",
            "parejas", "parceiro", "parceiros", "partenaire", "primeiro", "orientacion", "vida",
            "seguro",
        ),
    ),
    Concept(
        "ethnicity",
        "quasi-identifier",
        "others can often see it, and it distinguishes small groups",
        whole=(
            "etnia", "ethnie", "skin colour", "skin color", "ancestry", "white", "black",
            "asian", "latino", "afam", "nonwhite", "caucasian", "caste", "tribe", "minority",
            "aboriginal", "indigenous",
        ),
        anywhere=("race", "hispanic", "racex", "raca", "raza"),
        stems=("ethnic", "hisp", "raceth", "race"),
    ),
    Concept(
        "appearance",
        "quasi-identifier",
        "others can see it",
        whole=("hair", "eyes", "hair color", "hair colour", "eye color", "eye colour"),
        anywhere=(
            "tattoo", "tattoos", "complexion", "handedness", "augenfarbe", "haarfarbe",
            "couleur yeux", "couleur cheveux", "color ojos", "color pelo", "cor olhos",
            "cor cabelo", "colore occhi", "colore capelli", "oogkleur", "haarkleur",
        ),
    ),
    Concept(
        "nationality",
        "quasi-identifier",
        "others know where a person comes from",
        whole=(
            "country", "ctry", "cntry", "land", "pays", "pais", "herkunft", "origin", "origen",
            "origem", "migration",
            "immigrant",
        ),
        anywhere=(
            "nationality", "citizenship", "native country", "country of birth", "birth country",
            "home country", "resident", "residents", "staatsangehorigkeit", "nationalitat",
            "nationalitaet", "nationalite",
            "nacionalidad", "nacionalidade", "geburtsland", "foreign born", "migration background",
            "nazionalita", "cittadinanza", "nationaliteit", "obywatelstwo", "uyruk", "country of",
        ),
        last=("ctry", "cntry", "nation"),
        stems=("countr", "citiz", "citz", "migran", "bornus"),
        unless=("prevalence", "incidence", "rate", "share", "mean"),
    ),
    Concept(
        "language",
        "quasi-identifier",
        "others hear it",
        whole=("language", "sprache", "langue", "idioma"),
        anywhere=(
            "mother tongue", "muttersprache", "native language", "home language",
            "preferred language",
        ),
    ),
    Concept(
        "religion",
        "quasi-identifier",
        "others often know it, and it distinguishes small groups",
        stems=("relig",),
        anywhere=("religion", "faith", "konfession", "denomination"),
    ),
    Concept(
        "family",
        "quasi-identifier",
        "others know a person's family",
        whole=(
            "relationship", "relation", "marry", "children", "kinder", "enfants", "hijos", "child",
            "kids",
            "siblings", "sibsp", "parch", "household", "spouse", "family", "dependents", "twin",
            "twins",
            "famsize", "fam", "adults",
        ),
        anywhere=(
            "married", "marriage", "civil status", "family status", "family size", "lives with",
            "household size", "number of children", "n children", "num children", "familienstand",
            "etat civil", "situation familiale", "estado civil", "hh size", "living with",
            "living alone", "living situation", "living arrangement", "live with", "est civil",
            "est civ",
        ),
        stems=("marital", "mstat", "spous"),
        endings=("marit", "martl", "marstat"),
    ),
    Concept(
        "education",
        "quasi-identifier",
        "others know a person's schooling",
        whole=(
            "degree", "school", "schooling", "bildung", "schule", "etudes", "estudios", "ed",
            "college", "literacy", "literate", "read write", "university", "univ", "yedu",
        ),
        anywhere=(
            "schulabschluss", "niveau d etudes", "bildungsgrad", "qualification", "qualifications",
            "diploma", "diplome", "titulo", "abschluss", "carrera", "year of study",
            "ano de estudio",
        ),
        stems=("edu", "formation", "escol", "qualif", "bildung", "schulb"),
        endings=("educ", "edu"),
    ),
    Concept(
        "occupation",
        "quasi-identifier",
        "others know where a person works, and as what",
        whole=(
            "work", "job", "arbeit", "trabajo", "travail", "industry", "employer", "employed",
            "employees", "unemployed", "selfemp", "empl", "employ", "retired", "company",
            "military",
            "veteran", "sic", "naics", "isic", "nace", "isco",
        ),
        anywhere=(
            "occupation", "profession", "vocation", "job", "work class", "work type",
            "employment", "job title", "self employed", "remote work", "hours per week",
            "work hours", "beruf", "metier", "ocupacion", "profesion",
            "labour force", "labor force",
        ),
        last=("company", "employer", "occupation", "profession"),
        stems=("beruf",),
        unless=("injury", "accident", "interfere"),
    ),
    Concept(
        "place",
        "quasi-identifier",
        "others know where a person lives",
        whole=(
            "state", "region", "residence", "province", "canton", "kanton", "location", "area",
            "district", "place", "ort", "stadt", "urban", "rural", "wohnort", "neighborhood",
            "zone", "site", "center", "centre", "postcode", "admin", "territory", "homeless",
            "departamento", "estado", "comuna", "zona", "community", "cluster", "lugar", "lieu",
            "chiefdom", "woreda", "taluk", "tehsil", "upazila", "oblast", "voivodeship",
            "governorate", "wilaya", "kabupaten", "kecamatan", "barangay", "powiat", "lga",
            "subcounty", "constituency", "house", "dwelling", "block", "division", "registry",
            "sector",
        ),
        anywhere=(
            "zip", "zip code", "post code", "postal", "postal code", "city", "town", "village",
            "municipality", "county", "precinct", "suburb", "neighbourhood", "census tract",
            "block group", "birth place", "province", "urbanicity", "deprivation", "imd",
            "place of birth", "home state", "residence", "bundesland", "plz", "postleitzahl",
            "geburtsort", "gemeinde", "landkreis", "code postal", "ville", "commune",
            "departement", "codigo postal", "ciudad", "cidade", "localidad", "localidade", "barrio",
            "bairro", "provincia", "uf", "ubigeo", "residencia", "parish", "mun", "community",
            "place of",
            "travel history", "lives in", "state code", "home owner", "prefecture", "lugar",
            "ubicacion",
            "cep", "enumeration area", "altitude", "elevation", "state of", "region of",
            "district of", "service area", "hosp division", "hospital division", "fips",
            "urban rural", "rural urban", "site name", "site code",
        ),
        last=(
            "region", "district", "county", "province", "city", "zip", "postcode", "country",
            "place", "community", "zona", "agency", "precinct",
        ),
        stems=("municip", "distrit", "region"),
        unless=("node", "nodes", "metastasis", "metastases", "recurrence", "tumor", "tumour"),
    ),
    Concept(
        "stay",
        "quasi-identifier",
        "visitors and neighbours know where and how long somebody was in care",
        whole=(
            "room", "bed", "floor", "ward", "station", "department", "hospital", "clinic",
            "facility", "unit", "los", "abteilung", "klinik", "service", "servicio", "hopital",
            "dept", "provider", "unidade", "unidad", "inst", "institution",
            "medico", "medecin", "arzt", "laboratory", "laboratoire", "team", "equipe", "equipo",
            "interviewer", "enumerator", "chw", "docteur", "profissional", "consultant",
        ),
        anywhere=(
            "length of stay", "days in hospital", "time in hospital", "hospital name",
            "hospital ward", "care unit", "care site", "admission type", "admission source",
            "admission location", "admission status", "admit type", "admit source",
            "type of admission",
            "source of admission", "patient disposition", "krankenhaus", "servicio de salud",
            "servicio salud",
            "discharge disposition", "discharge location", "discharge type", "patient type",
            "pat type", "patient class", "encounter class", "visit type", "stay", "verweildauer",
            "liegedauer", "vwd", "liegetage", "belegungstage",
            "centre traitement", "centre de traitement", "centro de tratamiento",
            "structure sante", "structure de sante", "formation sanitaire", "etablissement",
            "establecimiento", "estabelecimento", "num beds", "number of beds", "beds",
            "duree de sejour", "fachabteilung", "days stayed", "day count", "day cnt",
            "los icu", "icu los", "los hosp", "hosp los", "los days", "ward code", "ward name",
            "ward description", "ward display", "consultant code",
        ),
        last=(
            "unit", "ward", "hospital", "clinic", "facility", "department", "dept", "specialty",
            "speciality", "center", "centre", "practice", "provider", "physician", "doctor",
            "surgeon", "practitioner", "tech", "technician", "technologist", "clinician",
            "therapist", "midwife", "attending",
        ),
        unless=(
            "dose", "dosage", "strength", "lab", "test", "result", "measurement", "drug",
            "reference", "concept", "observation",
        ),
        measured=True,
    ),
    Concept(
        "travel",
        "quasi-identifier",
        "fellow passengers and lists of passengers know it",
        whole=("passenger", "cabin", "cabina", "ticket", "fare", "embarked", "pclass", "boat"),
        stems=("passenger", "travel"),
        measured=True,
    ),
    Concept(
        "health",
        "sensitive",
        "it is about a person's health",
        whole=(
            "icd", "code", "condition", "conditions", "description", "outcome", "death", "dead",
            "died", "deceased", "class", "weight", "height", "length", "pulse", "bmi", "cp", "wt",
            "ht", "hr", "temp", "waist", "hip", "stage", "grade", "rx", "trt", "tx", "arm",
            "treat", "treated", "placebo", "event", "status", "response", "apgar", "gcs", "pain",
            "score", "risk", "surv", "survived", "alive", "visits", "visit", "sick", "exercise",
            "active", "fruits", "veggies", "diet", "gravida", "parity", "para", "gest", "relapse",
            "recurrence", "remission", "progression", "metastasis", "nodes", "recovered", "time",
            "days", "follow up", "fu", "surv time", "bwt", "time to event", "survival time",
            "substance", "route", "frequency", "freq",
        ),
        anywhere=(
            "icd", "icd codx", "mdc", "test name", "observation name",
            "disease", "diseases", "illness", "diag", "dx", "drg",
            "cause",
            "symptom", "symptoms", "finding", "hiv", "aids", "std", "stds", "cancer", "node",
            "nodes", "organism",
            "microorganism", "pathogen", "isolate", "tumor", "tumour",
            "stroke", "heart", "hypertension", "blood", "bp", "pressure", "glucose", "chol", "hba",
            "hemoglobin", "haemoglobin", "testosterone", "urine", "bmi", "lab", "result",
            "test result", "health", "hlth", "mental", "sleep", "surgery", "operation", "ops",
            "procedure", "procedures", "dose", "drug", "drugs", "therapy", "treatment", "trestbps",
            "thalach", "thal", "restecg", "num symptoms", "discharge status", "mortality",
            "babies", "baby", "partner", "partn", "same sex", "orientation", "disability",
            "handicap", "head circ", "krankheit", "befund", "blutdruck", "puls", "gewicht",
            "maladie", "traitement", "tension", "poids", "enfermedad", "tratamiento", "peso", "imc",
            "hours of sleep", "phys active", "little interest", "physical activity", "pneumonia",
            "copd", "asthma", "tb", "covid", "influenza", "flu", "htn", "hyp", "mi", "chd", "cad",
            "cvd", "chf", "hf", "hbp", "angina", "renal", "kidney", "liver", "lung", "cardio",
            "cardiac", "cardiovascular", "coronary", "pulmonary", "respiratory", "obesity",
            "obese", "overweight", "migraine", "headache", "epilepsy", "seizure", "seizures",
            "sepsis", "fracture", "injury", "trauma", "wound", "ulcer", "reflux", "cough", "fever",
            "infected", "edema", "ascites", "cmv", "gvhd", "esrd", "icu", "hayfever", "polio",
            "goitre", "bleed", "bleeding", "allergies", "transplant", "sbp", "dbp", "sys bp",
            "dia bp", "heart rate", "resp rate", "spo", "oxygen", "temperature", "albumin",
            "bilirubin", "bili", "creatinine", "creat", "urea", "bun", "sodium", "potassium",
            "chloride", "calcium", "magnesium", "phosphate", "iron", "ferritin", "copper", "uric",
            "protein", "platelet", "platelets", "plt", "wbc", "rbc", "hgb", "hct", "hematocrit",
            "neutrophils", "lymphocytes", "inr", "protime", "prothrombin", "crp", "esr",
            "troponin", "bnp", "lactate", "bicarbonate", "tsh", "fti", "psa", "cea", "afp",
            "vitamin", "ldl", "hdl", "trig", "triglycerides", "gluc", "serum", "insulin", "sgot",
            "sgpt", "ast", "alt", "alp", "alk phos", "ldh", "amylase", "lipase", "cd 4",
            "viral load", "hcpcs", "cpt", "ndc", "snomed", "atc", "loinc", "ecg", "ekg", "biopsy",
            "radiologic", "scan", "mri", "xray", "body mass", "birth weight", "bwght", "gestation",
            "emergency", "inpatient", "outpatient", "hospitalizations", "hospitalized",
            "readmitted", "readmission", "intubed", "intubated", "ventilator", "ventilated",
            "expire", "expired", "survival", "fatal", "family history", "seek help", "adl",
            "physical limitation", "activity limitation", "limitation", "impairment", "diff walk",
            "chemo", "chemotherapy", "radiation", "stent", "catheter", "bypass", "nurse",
            "alcoholism", "violence", "cigs", "cigarettes", "packs", "drinks", "drinking",
            "exercise", "stress", "diet", "immunosuppressed", "hours sleep", "verbatim",
            "adverse event", "resultat", "resultado", "ergebnis", "for age",
            "z score",
        ),
        last=("time",),
        stems=(
            "diagnos", "disorder", "patholog", "diabet", "depress", "psych", "pregnan",
            "schwanger", "abort", "medica", "medik", "prescri", "choles", "allerg", "vaccin",
            "impf", "infect", "smok", "tobac", "rauch", "tabac", "alc", "alko", "marij", "cannab",
            "cocain", "substanc", "addict", "suicid", "genet", "therap", "surviv", "cardi",
            "hyperten", "hiperten", "hypo", "hyper", "thyro", "hepat", "nephr", "neuro", "bronch",
            "pneum", "pancr", "surg", "symptom", "comorb", "chronic", "hosp", "anemi", "anaemi",
            "carcin", "leuk", "lymph", "metasta", "transplant", "tuberc", "malari", "immun",
            "steroid", "antib", "alzh", "dement", "osteo", "arthr", "ischem", "infarc", "obes",
            "myop", "ophthal", "retinop", "glauco", "catarac",
        ),
        endings=(
            "time", "itis", "osis", "emia", "aemia", "oma", "pathy", "uria", "ectomy", "plasty",
            "megaly", "algia", "statin", "sartan", "formin", "glinide", "glitazone", "gliptin",
            "gliflozin", "cillin", "mycin", "cycline", "floxacin", "azepam", "oxetine", "prazole",
            "tidine", "thiazide", "semide", "mide", "uride", "piride", "pizide", "carbose",
            "thdy", "stdy", "endy", "itdy", "decod", "term", "hlgt", "bodsys", "glitol", "parin",
            "penia", "globin", "penem", "vir",
            "olol", "triptan",
        ),
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
        whole=(
            "coverage", "insurance", "payer", "payor", "inc", "premium", "scholarship", "welfare",
            "deductible", "copay",
        ),
        anywhere=(
            "income", "salary", "wage", "wages", "earnings", "cost", "costs", "charge", "charges",
            "expenses", "expense", "debt", "poverty", "capital gain", "capital loss", "payment",
            "credit", "insurance", "healthcare coverage", "einkommen", "gehalt", "lohn", "kosten",
            "salaire", "revenu", "cout", "ingresos", "salario", "sueldo", "coste", "tax", "reimb",
            "reimbursement", "medicare", "medicaid", "billing", "amount", "amt", "paid",
            "expenditure", "payer code",
        ),
        stems=("income", "salar"),
        endings=("reimb", "pymt", "income", "inc"),
        measured=True,
    ),
    Concept(
        "justice",
        "sensitive",
        "it is about conflicts with the law",
        anywhere=("crime", "offence", "offense", "arrest", "conviction", "sentence", "prison"),
    ),
    Concept(
        "number of a record",
        "identifier",
        "anyone with the sponsor's files finds the record",
        endings=("spid",),
    ),
    Concept(
        "survey",
        "identifier",
        "weights of a survey tell the group that a person was drawn from",
        whole=("vpsu", "ppsu", "vstra", "varstr", "vestr"),
        anywhere=(
            "sample weight", "sampling weight", "survey weight", "person weight", "per weight",
            "perwt", "hh weight", "hhwt", "household weight", "final weight", "strat weight",
            "weight adj", "stratum", "strata",
        ),
        endings=("psu", "vstra", "stratum", "strata", "strat"),
    ),
    Concept(
        "age",
        "quasi-identifier",
        "others know the approximate age",
        anywhere=("age", "ages"),
        measured=True,
    ),
    Concept(
        "time",
        "quasi-identifier",
        "others know when things happened",
        whole=("year", "month", "week", "season", "quarter", "weekday", "ano", "mes", "semana"),
        anywhere=(
            "survey yr", "survey year", "visit year", "year of", "month of", "day of week",
            "case month", "discharge year", "discharge month", "admission year", "admission month",
            "admit weekday", "admission weekday", "epi week", "week of", "week report",
            "week onset", "week notification", "report week",
            "onset week", "year month", "week number", "yearweek", "yearmonth",
            "registration round", "survey round", "survey wave",
        ),
        measured=True,
    ),
)  # fmt: skip
"""What columns are about; the first that a name speaks of counts."""

_MONEY_FIRST = (
    "healthcare expenses", "healthcare coverage", "health insurance", "insurance provider",
    "insurance company",
)  # fmt: skip

_WHEN = re.compile(r"(year|month|week|quarter|day|date) of \w")
_OF_A_LIFE = ("birth", "death", "life", "age", "pregnancy", "gestation", "cycle", "illness")
"""When something happened is known of any event; a week of pregnancy is none of the year."""

FREE_TEXT = (
    "additional info", "info", "information", "details", "explanation",
    "comment", "comments", "note", "notes", "remark", "remarks", "free text", "narrative",
    "summary", "anamnesis", "letter", "report", "history", "bemerkung", "bemerkungen", "notiz",
    "kommentar", "freitext", "befundtext", "arztbrief", "commentaire", "remarque", "observaciones",
    "comentario", "nota",
)  # fmt: skip
"""Words for columns of free text."""


@lru_cache(maxsize=8192)
def concept_of(name: str) -> tuple[Concept, str] | None:
    """What a column of that name is about, and the word that says so.

    >>> concept, word = concept_of("MaritalStatus")
    >>> concept.name, concept.role, word
    ('family', 'quasi-identifier', 'marital…')
    """
    if word := names_one_of(name, _MONEY_FIRST):
        return concept_named("money"), word
    if _WHEN.match(" ".join(words(name))) and not names_one_of(name, _OF_A_LIFE):
        return concept_named("time"), words(name)[0]
    stem = _stem(name)
    found = _concept_of(name) or (_concept_of(stem) if stem != name else None)
    if found is None and (told := in_other_tongues(name)):
        return concept_named(told[0]), told[1]
    found = found or _of_a_parent(name)
    found = found or _glued(name) or _without_vowels(name)
    if found is None and re.fullmatch("[nl][a-z]{3,}", name):
        # ndisease is a number of diseases, linc the logarithm of an income.
        found = _concept_of(name[1:])
    if found is None and (short := abbreviated(name)):
        return concept_named(short[0]), short[1]
    return found


def _concept_of(name: str) -> tuple[Concept, str] | None:
    parts = [word for word in words(name) if not word.isdigit()]
    while len(parts) > 1 and parts[-1] in _BESIDE:
        parts.pop()
    for concept in CONCEPTS:
        if not set(parts).isdisjoint(concept.unless):
            continue
        word = is_one_of(name, concept.whole, _BESIDE) or names_one_of(name, concept.anywhere)
        if word is None and parts and parts[-1] in concept.last:
            word = parts[-1]
        if word:
            return concept, word
        if stem := starts_with_one_of(name, concept.stems):
            return concept, f"{stem}…"
        for ending in concept.endings:
            if any(part.endswith(ending) and len(part) > max(4, len(ending)) for part in parts):
                return concept, f"…{ending}"
    return None


_OF_PARENTS = ("education", "occupation", "ethnicity", "religion", "sex")


def _of_a_parent(name: str) -> tuple[Concept, str] | None:
    """What a name is about that begins with the letter of a relative: Medu, fjob, csex."""
    if re.fullmatch("[CMFPcmfp]([a-z]{3,}|[A-Z]{3,})\\d*", name) is None:
        return None
    rest = name[1:].rstrip("0123456789").lower()
    for concept in map(concept_named, _OF_PARENTS):
        if rest in (*concept.whole, *concept.anywhere, *concept.stems, *concept.endings):
            return concept, rest
    return None


def _stem(name: str) -> str:
    """The name without an "id" that is written together with a word of the vocabulary: SITEID."""
    stem = name[:-2].lower()
    if name.lower().endswith("id") and any(stem in concept.whole for concept in CONCEPTS):
        return stem
    return apart(name)


def _without_vowels(name: str) -> tuple[Concept, str] | None:
    """What a name without vowels is about, such as ``fml`` and ``gndr``, if others can know it."""
    if not re.fullmatch("[b-df-hj-np-tv-z]{3,}", name.lower()):
        return None
    for concept in CONCEPTS:
        for word in (*concept.whole, *concept.anywhere):
            known = concept.role == "quasi-identifier" and len(word) >= 5 and word.isalpha()
            inner = word[:1] + re.sub("[aeiou]", "", word[1:])
            if known and inner == name.lower():
                return concept, word
    return None


_LEAST_GLUED = 4
_NOT_GLUED = ("discharge", "relation", "damage", "stillbirth", "stillbirths")
"""Words that mean something else, alone or behind others: Bewertungsrelation, autocorrelation."""

_NOUNS = tuple(
    f"{vowel}{end}" for vowel in "aio" for end in ("city", "cidad", "cidade", "lidad", "lidade")
)
"""How words for a quality end, which are no city and no age: toxicity, toxicidade, modalidade."""

_VOCABULARY = tuple({word for one in CONCEPTS for word in (*one.whole, *one.anywhere)})


def _glued(name: str) -> tuple[Concept, str] | None:
    """What a name is about of which a word ends with one of the vocabulary: ``youngkids``."""
    parts = [part for part in words(name) if len(part) > _LEAST_GLUED and not part.endswith(_NOUNS)]
    if not any(part.endswith(_VOCABULARY) for part in parts):
        return None
    for concept in CONCEPTS:
        for word in (*concept.whole, *concept.anywhere):
            if len(word) >= _LEAST_GLUED and any(
                part.endswith(word) and part != word and not part.endswith(_NOT_GLUED)
                for part in parts
            ):
                return concept, f"…{word}"
    return None


def concept_named(name: str) -> Concept:
    """The concept of that name."""
    return next(concept for concept in CONCEPTS if concept.name == name)
