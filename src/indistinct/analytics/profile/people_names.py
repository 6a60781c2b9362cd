"""Whether texts are names of people, told by the names that most people have.

A few hundred given and family names are those of a sixth of the different names, or more, in most
lists of people that are written in Latin letters. Towns, counties and hospitals are called after
people too, but hardly one in twenty by such a name.
"""

from __future__ import annotations

import polars as pl

from indistinct.analytics.profile.names import all_words


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMES = _listed(
    """
    aaron adam adriana agnes ahmed aisha alberto alejandra alejandro alessandro alexander alexandra
    alfonso alfredo ali alice alicia allan amanda amelia amina amit amy ana andre andrea andreas
    andres andrew angela angelo anita anna anne annie anthony antoine antonia antonio arthur ashley
    barbara beatriz ben benjamin bernard bernardo bertha betty brandon brenda brian bruno camila
    camille carla carlos carmen carol carolina caroline catalina catherine cecilia cesar charles
    chloe christian christina christine christopher clara claude claudia clemente cristina cynthia
    daniel daniela david deborah diana diego dieter domingo donald donna dorothy eduardo edward
    elena
    elisa elizabeth emilia emily emma enrique eric erika ernesto esther eugenia eva fatima felipe
    ferdinand fernanda fernando francesca francesco francisca francisco franco frank franz frederic
    fritz gabriel gabriela gary george georges gerard gertrud giovanni giulia giuseppe gloria grace
    greta guillermo gustavo hannah hans harold hassan heather heinrich helen helena helga henri
    henry
    hermann hugo ian ibrahim ignacio ines ingrid irene isabel isabella ivan jack jacques jaime james
    jan jane janet jason javier jean jeanne jeffrey jennifer jeremy jessica jesus joan joao joaquin
    johann john jonathan jorge jose josefa joseph josepha joshua josue juan juana judith julia
    julian
    julie julio jurgen karen karl katarzyna katherine kathleen keith kelly kenneth kevin kimberly
    klaus krzysztof kumar larry laura lauren laurent leonardo liam linda lisa louis louise lucas
    lucia lucie luigi luis luisa luiz magdalena manuel manuela marc marcel marcelo marcia marco
    marcos margaret margarita maria mariana marie mario mariusz mark marta martha martin martina
    mary
    mateo matteo matthew mehmet melissa michael michel michelle miguel mohamed mohammad mohammed
    monica monika mustafa nancy natalia nathalie nathan nicholas nicola nicolas nicole noah nuno
    olga oliver olivia oscar pablo pamela paola patricia patrick paul paula paulo pedro peter petra
    philip philippe pierre pilar piotr priya rachel rafael rahul raj ramon raquel raul rebecca
    renate
    ricardo richard rita robert roberto rodrigo roger ronald rosa rosario ruben ruth ryan samuel
    sandra santiago sara sarah scott sebastian sergio sharon sophia sophie stefan stephanie stephen
    steven susan susana sven sylvie teresa theresa thomas timothy tomas ursula valentina vanessa
    vera vicenta vicente victor victoria virginia walter william wolfgang xavier yusuf
    abdullah aguilar alvarez alves anderson andersen andersson bailey baker barbosa bauer becker
    bell bennett bernard blanco brown campbell cardoso carter carvalho castillo castro chen clark
    collins cook cooper costa cruz davies davis delgado diaz dias dominguez dubois dupont durand
    edwards evans fernandes fernandez ferreira fischer flores foster fuentes garcia garrido gil
    gomes gomez goncalves gonzales gonzalez gray green gupta gutierrez hall hansen harris hernandez
    hill hoffmann howard hughes hussain iglesias jackson jansen jensen jimenez johansson johnson
    jones khan king klein koch kowalski krause larsen lee lefebvre leroy lewis lima lopes lopez
    machado marin marques martinez martins mendes mendoza meyer miller mitchell molina moore morales
    moreau moreira moreno morgan morris muller munoz murphy navarro nelson neumann nguyen nielsen
    nowak nunes nunez oliveira olsen ortega ortiz parker patel pedersen pereira perez petersen
    phillips pires prieto quispe ramirez ramos reed reis reyes ribeiro richards richardson richter
    rivera roberts robinson rocha rodrigues rodriguez rogers rojas romano romero rossi roux rubio
    ruiz russo salazar sanchez santana santos sanz schmidt schneider schroder schulz schwarz serrano
    sharma silva simon singh smit smith soares sosa sousa souza stewart suarez taylor teixeira
    thompson torres tran turner valdez vargas vasquez vazquez vega vieira visser wagner walker wang
    ward watson weber white wilson wolf wood wright yang yilmaz young zhang zimmermann
    """
)

_NO_PEOPLE = _listed(
    """
    san santa saint sainte st sao santo hospital clinic clinica hospitalar university county city
    puerto villa ciudad rio district school center centre
    """
)
"""Words of texts that are called after somebody: of places and of institutions."""

_SHARE = 0.12
_KINDS = 8
_MOST_WORDS = 6


def are_names_of_people(texts: pl.Series) -> bool:
    """Whether every eighth text holds one of the most frequent names, and several of these occur.

    Arguments:
        texts: different texts, each once.


    >>> are_names_of_people(pl.Series(["blood", "urine", "liver"]))
    False
    """
    seen: set[str] = set()
    held = 0
    for text in texts.to_list():
        parts = all_words(text)
        if len(parts) > _MOST_WORDS or not _NO_PEOPLE.isdisjoint(parts):
            continue
        known = _NAMES.intersection(parts)
        seen |= known
        held += bool(known)
    return len(seen) >= _KINDS and held >= _SHARE * len(texts)
