"""Names of columns that are written together from short forms, as health registers do.

``CODMUNRES`` is cod + mun + res, the code of the municipality of residence; ``DTNASC`` a date of
birth; ``ESCMAE`` the schooling of the mother. A name is read so only if all of it is made of known
parts, and at least one of them says what the column is about. The forms are those of the health
registers of Brazil, Spanish and French speaking countries, Germany, and of surveys in English.
"""

from __future__ import annotations

from functools import lru_cache

from indistinct.analytics.profile.names import words


def _forms(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ABOUT = {
    "birth": "nasc nac nacim nais naiss geb gebdat",
    "age": "idade idad edad alter age ageyr agemn",
    "sex": "sexo sexe sex gen genero geschl gendr gndr",
    "ethnicity": "raca racacor etnia ethn race pueblo pue reth",
    "nationality": "citz citzn citizn",
    "language": "lang",
    "family": (
        "estciv esciv civ hh sib sibs nsib nsibs conj fil filho filhos famil hijos marst marit"
        " hhsize marit martl mstat chld fmsiz hhsiz famsz adult adults"
    ),
    "education": (
        "niv etud etudes esc escol escola seri serie educ edlev instr instru instrucao nivel"
    ),
    "occupation": (
        "wrk wrkfull wrkpart miliz milit emp empl"
        " ciuo ocup ocupa ocupac prof cbo trab trabalho occ occup atividade"
        " ativida activid"
    ),
    "place": (
        "mun mn munic municip munici uf cep bairro logr dist distr distrito prov dep depto dpto"
        " comuna com reg rg regiao regional plz ort gem ags resid resi zona loc local lococor"
        " mup vill villnum areag sitio nacion"
        " pais paisnat natural naturalidade localid barrio pueblo canton cantao county cnty zipc"
        " cluster psu urb metro cty"
    ),
    "stay": (
        "estab hosp beds unid unidade unidad espec especial cnes clin serv interna internac leito"
        " cama sala alta ward dias perm estada estadia estancia diar diarias"
    ),
    "health": (
        "diag cid cie cau causa causab causabas basica obs gest gestac gestacao parto gravidez grav"
        " peso apgar sint sintoma trat tratam esquema exame exam result resul evol evoluc class"
        " classi proc proced vacina vac dose morbid comorb puerp obito mort morte consult"
        " consultas anomal anomalia ttt dx rx trt hiv risco circ assist med medic uti fol fup"
    ),
    "money": "hhin hhinc fminc",
    "time": (
        "dia dias dt dat data date fec fch fecha datum sem semana ano mes hora hor heure jahr"
        " monat"
    ),
}  # fmt: skip
"""What short forms are about, by the concept that they speak of."""

_BESIDE = _forms(
    "cod co cd nu num nr no tp tipo ti id ident ds desc descr sg cs fl in ind st qt qtd qtde "
    "at dif ob cap category vl val n pri prim sec secun not notif fin final inf infec mae pai fal "
    "agr res ocor ocorr natu nat mov zi solic rea trans dig digita evolu saida entr inicio "
    "ocu rem mad madre def mth moth mat fath chld entry exit pm dm "
    "hom homb hombre muj mujer marido mulher esposo esposa conjuge "
    "mons mths var cnt stat sze siz len "
    "ini pac pcte paciente pat pcnt pcn del de da do la el um vivo morto cor tot total"
)
"""Short forms that say nothing by themselves: code, number, kind, of the mother, of residence."""

_CONCEPT = {part: concept for concept, parts in _ABOUT.items() for part in parts.split()}
_PARTS = _BESIDE | set(_CONCEPT)
_LONGEST = max(map(len, _PARTS))
_FIRST_OF_DATES = _forms("dia dias dt dat data date fec fch fecha datum")


def abbreviated(name: str) -> tuple[str, str] | None:
    """The concept that a name of short forms speaks of, and the form that says so.

    The first form counts, as in Romance languages, unless it is that of a date.

    >>> abbreviated("CODMUNRES"), abbreviated("ESCMAE2010")
    (('place', 'mun'), ('education', 'esc'))
    >>> abbreviated("EDADM"), abbreviated("COD_MUN_O")
    (('age', 'edad'), ('place', 'mun'))
    >>> abbreviated("DTNASC"), abbreviated("command") is None
    (('birth', 'nasc'), True)
    """
    parts: list[str] = []
    for word in words(name):
        if word.isdigit() or (len(word) == 1 and word != words(name)[0]):
            continue
        taken = _parts(word) or _of_one(word)
        if taken is None or (word.capitalize() in name and _is_chance(taken)):
            return None
        parts += taken
    about = [part for part in parts if part in _CONCEPT]
    if about and about[0] in _FIRST_OF_DATES and "birth" in map(_CONCEPT.get, about):
        about = [part for part in about if _CONCEPT[part] == "birth"]
    return (_CONCEPT[about[0]], about[0]) if about else None


_ONE = 5


def _of_one(word: str) -> tuple[str, ...] | None:
    """The parts of a word of which the last letter says whose it is: EDADM is of the mother."""
    last = word[-1] in "mphf" and len(word) >= _ONE
    return _parts(word[:-1]) if last else None


_LONG = 3


def _is_chance(parts: tuple[str, ...]) -> bool:
    """Whether a written word is made of known forms by chance, as Resistin of resi, st and in."""
    long = sum(len(part) for part in parts if len(part) >= _LONG)
    return len(parts) >= _LONG and 2 * long <= sum(map(len, parts))


@lru_cache(maxsize=4096)
def _parts(word: str) -> tuple[str, ...] | None:
    """The fewest known parts that a word is written together from; None if there are none."""
    best: list[tuple[str, ...] | None] = [()]
    for end in range(1, len(word) + 1):
        found = None
        for start in range(max(0, end - _LONGEST), end):
            before, part = best[start], word[start:end]
            if (
                before is not None
                and part in _PARTS
                and (found is None or len(before) + 1 < len(found))
            ):
                found = (*before, part)
        best.append(found)
    return best[-1]
