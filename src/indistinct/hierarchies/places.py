"""States of the United States and countries: how they are written, and what they belong to.

Divisions and regions of states are those of the United States Census Bureau; regions of countries
those of the United Nations (M49, "Standard country or area codes for statistical use"), codes those
of ISO 3166-1.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

_STATES = """
    New England/Northeast: CT Connecticut, ME Maine, MA Massachusetts, NH New Hampshire, RI Rhode
     Island, VT Vermont
    Middle Atlantic/Northeast: NJ New Jersey, NY New York, PA Pennsylvania
    East North Central/Midwest: IL Illinois, IN Indiana, MI Michigan, OH Ohio, WI Wisconsin
    West North Central/Midwest: IA Iowa, KS Kansas, MN Minnesota, MO Missouri, NE Nebraska, ND
     North Dakota, SD South Dakota
    South Atlantic/South: DE Delaware, DC District of Columbia|Washington DC, FL Florida, GA
     Georgia, MD Maryland, NC North Carolina, SC South Carolina, VA Virginia, WV West Virginia
    East South Central/South: AL Alabama, KY Kentucky, MS Mississippi, TN Tennessee
    West South Central/South: AR Arkansas, LA Louisiana, OK Oklahoma, TX Texas
    Mountain/West: AZ Arizona, CO Colorado, ID Idaho, MT Montana, NV Nevada, NM New Mexico, UT
     Utah, WY Wyoming
    Pacific/West: AK Alaska, CA California, HI Hawaii, OR Oregon, WA Washington
    Territories/Territories: AS American Samoa, GU Guam, MP Northern Mariana Islands, PR Puerto
     Rico, VI Virgin Islands
"""

_COUNTRIES = """
    Northern Africa/Africa: DZ DZA Algeria, EG EGY Egypt, LY LBY Libya, MA MAR Morocco, SD SDN
     Sudan, TN TUN Tunisia, EH ESH Western Sahara
    Eastern Africa/Africa: BI BDI Burundi, KM COM Comoros, DJ DJI Djibouti, ER ERI Eritrea, ET ETH
     Ethiopia, KE KEN Kenya, MG MDG Madagascar, MW MWI Malawi, MU MUS Mauritius, YT MYT Mayotte, MZ
     MOZ Mozambique, RE REU Réunion, RW RWA Rwanda, SC SYC Seychelles, SO SOM Somalia, SS SSD South
     Sudan, TZ TZA Tanzania|United Republic of Tanzania, UG UGA Uganda, ZM ZMB Zambia, ZW ZWE
     Zimbabwe
    Middle Africa/Africa: AO AGO Angola, CM CMR Cameroon, CF CAF Central African Republic, TD TCD
     Chad, CG COG Congo|Republic of the Congo, CD COD Democratic Republic of the Congo|DRC, GQ GNQ
     Equatorial Guinea, GA GAB Gabon, ST STP Sao Tome and Principe
    Southern Africa/Africa: BW BWA Botswana, SZ SWZ Eswatini|Swaziland, LS LSO Lesotho, NA NAM
     Namibia, ZA ZAF South Africa
    Western Africa/Africa: BJ BEN Benin, BF BFA Burkina Faso, CV CPV Cabo Verde|Cape Verde, CI CIV
     Côte d'Ivoire|Ivory Coast, GM GMB Gambia, GH GHA Ghana, GN GIN Guinea, GW GNB Guinea-Bissau,
     LR LBR Liberia, ML MLI Mali, MR MRT Mauritania, NE NER Niger, NG NGA Nigeria, SH SHN Saint
     Helena, SN SEN Senegal, SL SLE Sierra Leone, TG TGO Togo
    Caribbean/Americas: AI AIA Anguilla, AG ATG Antigua and Barbuda, AW ABW Aruba, BS BHS Bahamas,
     BB BRB Barbados, VG VGB British Virgin Islands, KY CYM Cayman Islands, CU CUB Cuba, CW CUW
     Curaçao, DM DMA Dominica, DO DOM Dominican Republic, GD GRD Grenada, GP GLP Guadeloupe, HT HTI
     Haiti, JM JAM Jamaica, MQ MTQ Martinique, MS MSR Montserrat, PR PRI Puerto Rico, BL BLM Saint
     Barthélemy, KN KNA Saint Kitts and Nevis, LC LCA Saint Lucia, MF MAF Saint Martin, VC VCT
     Saint Vincent and the Grenadines, SX SXM Sint Maarten, TT TTO Trinidad and
     Tobago|Trinidad&Tobago, TC TCA Turks and Caicos Islands, VI VIR Virgin Islands
    Central America/Americas: BZ BLZ Belize, CR CRI Costa Rica, SV SLV El Salvador, GT GTM
     Guatemala, HN HND Honduras, MX MEX Mexico|México, NI NIC Nicaragua, PA PAN Panama
    South America/Americas: AR ARG Argentina, BO BOL Bolivia, BR BRA Brazil|Brasil, CL CHL Chile,
     CO COL Colombia, EC ECU Ecuador, FK FLK Falkland Islands, GF GUF French Guiana, GY GUY Guyana,
     PY PRY Paraguay, PE PER Peru, SR SUR Suriname, UY URY Uruguay, VE VEN Venezuela
    Northern America/Americas: BM BMU Bermuda, CA CAN Canada, GL GRL Greenland, PM SPM Saint Pierre
     and Miquelon, US USA United States|United States of America|U.S.|U.S.A.|America
    Central Asia/Asia: KZ KAZ Kazakhstan, KG KGZ Kyrgyzstan, TJ TJK Tajikistan, TM TKM
     Turkmenistan, UZ UZB Uzbekistan
    Eastern Asia/Asia: CN CHN China|Mainland China|People's Republic of China, HK HKG Hong Kong, MO
     MAC Macao|Macau, KP PRK North Korea, JP JPN Japan, MN MNG Mongolia, KR KOR South
     Korea|Republic of Korea|Korea, TW TWN Taiwan
    South-eastern Asia/Asia: BN BRN Brunei|Brunei Darussalam, KH KHM Cambodia, ID IDN Indonesia, LA
     LAO Laos|Lao People's Democratic Republic, MY MYS Malaysia, MM MMR Myanmar|Burma, PH PHL
     Philippines, SG SGP Singapore, TH THA Thailand, TL TLS Timor-Leste|East Timor, VN VNM Viet
     Nam|Vietnam
    Southern Asia/Asia: AF AFG Afghanistan, BD BGD Bangladesh, BT BTN Bhutan, IN IND India, IR IRN
     Iran|Islamic Republic of Iran, MV MDV Maldives, NP NPL Nepal, PK PAK Pakistan, LK LKA Sri
     Lanka
    Western Asia/Asia: AM ARM Armenia, AZ AZE Azerbaijan, BH BHR Bahrain, CY CYP Cyprus, GE GEO
     Georgia, IQ IRQ Iraq, IL ISR Israel, JO JOR Jordan, KW KWT Kuwait, LB LBN Lebanon, OM OMN
     Oman, PS PSE Palestine|State of Palestine, QA QAT Qatar, SA SAU Saudi Arabia, SY SYR
     Syria|Syrian Arab Republic, TR TUR Turkey|Türkiye, AE ARE United Arab Emirates|UAE, YE YEM
     Yemen
    Eastern Europe/Europe: BY BLR Belarus, BG BGR Bulgaria, CZ CZE Czechia|Czech Republic, HU HUN
     Hungary, MD MDA Moldova|Republic of Moldova, PL POL Poland, RO ROU Romania, RU RUS
     Russia|Russian Federation, SK SVK Slovakia, UA UKR Ukraine
    Northern Europe/Europe: DK DNK Denmark, EE EST Estonia, FO FRO Faroe Islands, FI FIN Finland,
     GG GGY Guernsey, IS ISL Iceland, IE IRL Ireland|Republic of Ireland, IM IMN Isle of Man, JE
     JEY Jersey, LV LVA Latvia, LT LTU Lithuania, NO NOR Norway, SE SWE Sweden, GB GBR United
     Kingdom|UK|Great Britain|England|Scotland|Wales|Northern Ireland
    Southern Europe/Europe: AL ALB Albania, AD AND Andorra, BA BIH Bosnia and Herzegovina, HR HRV
     Croatia, GI GIB Gibraltar, GR GRC Greece, VA VAT Holy See|Vatican, IT ITA Italy|Italia, MT MLT
     Malta, ME MNE Montenegro, MK MKD North Macedonia|Macedonia, PT PRT Portugal, SM SMR San
     Marino, RS SRB Serbia, SI SVN Slovenia, ES ESP Spain|España, XK XKX Kosovo
    Western Europe/Europe: AT AUT Austria|Österreich, BE BEL Belgium, FR FRA France, DE DEU
     Germany|Deutschland, LI LIE Liechtenstein, LU LUX Luxembourg, MC MCO Monaco, NL NLD
     Netherlands|The Netherlands|Holland, CH CHE Switzerland|Schweiz
    Australia and New Zealand/Oceania: AU AUS Australia, NZ NZL New Zealand
    Melanesia/Oceania: FJ FJI Fiji, NC NCL New Caledonia, PG PNG Papua New Guinea, SB SLB Solomon
     Islands, VU VUT Vanuatu
    Micronesia/Oceania: GU GUM Guam, KI KIR Kiribati, MH MHL Marshall Islands, FM FSM Micronesia,
     NR NRU Nauru, MP MNP Northern Mariana Islands, PW PLW Palau
    Polynesia/Oceania: AS ASM American Samoa, CK COK Cook Islands, PF PYF French Polynesia, NU NIU
     Niue, WS WSM Samoa, TO TON Tonga, TV TUV Tuvalu, WF WLF Wallis and Futuna
"""


class Place(NamedTuple):
    """What a state or country belongs to."""

    name: str
    group: str
    region: str


def _plain(text: str) -> str:
    """A name without accents, blanks, signs and capitals.

    >>> _plain("Côte-d'Ivoire")
    'cotedivoire'
    """
    letters = unicodedata.normalize("NFKD", text)
    return re.sub(r"[^a-z]", "", letters.encode("ascii", "ignore").decode().lower())


@cache
def _known(kind: str) -> dict[str, Place]:
    """Every way of writing a place, by :func:`_plain`."""
    lines = re.sub(r"\n {5}", " ", {"us-state": _STATES, "country": _COUNTRIES}[kind]).splitlines()
    found: dict[str, Place] = {}
    for line in filter(None, map(str.strip, lines)):
        home, _, members = line.partition(": ")
        group, _, region = home.partition("/")
        for member in members.split(", "):
            parts = member.split(" ")
            codes = [part for part in parts[:2] if part.isupper() and len(part) in (2, 3)]
            names = " ".join(parts[len(codes) :]).split("|")
            place = Place(names[0], group, region)
            found |= dict.fromkeys(map(_plain, (*codes, *names)), place)
    return found


def place_of(kind: str, text: str) -> Place | None:
    """The state or country that a text names, by its code or its name.

    >>> place_of("us-state", "MA")
    Place(name='Massachusetts', group='New England', region='Northeast')
    >>> place_of("country", "south korea") == place_of("country", "KOR")
    True
    >>> place_of("country", "S701x1015") is None
    True
    """
    return None if re.search(r"\d", text) else _known(kind).get(_plain(text))
