"""Words of other languages in Latin letters that columns are called by, and what they are about.

Portuguese, Spanish, Catalan, French, Italian, Romanian; Dutch and the Scandinavian languages;
Polish and Czech; Turkish; Indonesian and Malay; Vietnamese; Finnish; Swahili. All are written
without accents. German is with English in :mod:`indistinct.analytics.profile.concepts`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from indistinct.analytics.profile.names import words

_WORDS = {
    "birth": """
        lahir tgl_lahir tanggal_lahir tahun_lahir tarikh_lahir dogum dogum_tarihi dogum_yili
        urodzenia data_urodzenia rok_urodzenia narozeni datum_narozeni naissance date_naissance
        ddn nacimiento nascimento nascita naixement geboorte geboortedatum geboortejaar fodselsdato
        fodelsear ngay_sinh nam_sinh nasterii data_nasterii syntymaaika tarehe_kuzaliwa
        """,
    "age": """
        usia umur yas yasi vek wiek idade edad edat eta varsta leeftijd alder ika tuoi umri
        """,
    "sex": """
        kelamin jenis_kelamin jk jantina cinsiyet plec pohlavi kon kjonn sesso geslacht kjoenn
        gioi_tinh sukupuoli genero genre seks sexul jinsia sexe
        """,
    "ethnicity": """
        suku etnis etnia ethnie cor cor_pele raca raza color_piel pertenencia_etnica
        pueblo etnik etnisitet autoidentificacion indigena grupo_etnico grupo_etnia
        """,
    "nationality": """
        kewarganegaraan warganegara negara uyruk ulke pais pays paese obywatelstwo
        statni_prislusnost
        pais_origen migrante nacionalidad nacionalidade nationalite nazionalita cittadinanza
        quoc_tich herkomst
        """,
    "family": """
        matri matrimonial perkawinan status_kawin medeni_durum stan_cywilny rodinny_stav
        stato_civile burgerlijke_staat sivilstand civilstand hon_nhan hijos filhos figli anak
        jumlah_anak cocuk dzieci kinderen conyuge conjuge situacion_conyugal estado_conyugal
        situation_matrimoniale statut_matrimonial etat_matrimonial parite_familiale
        """,
    "education": """
        pendidikan egitim wyksztalcenie vzdelani istruzione titolo_studio scolarita opleiding
        utdanning utbildning uddannelse hoc_van escolaridad escolaridade instruccion instrucao
        niveau_instruction niveau_etude niveau_etudes scolarite studii estudios nivel_estudios
        elimu koulutus
        """,
    "occupation": """
        pekerjaan meslek zawod povolani professione lavoro beroep yrke nghe_nghiep ocupacion
        ocupacao ocupacio profissao profesion metier emploi travail profession ocupatie ammatti
        kazi trabajo trabalho oficio ofici settore_lavorativo
        """,
    "religion": """
        agama wyznanie religione religiao religie nabozenstvi ton_giao dini
        """,
    "language": """
        bahasa jezyk jazyk lingua llengua taal sprak idioma langue lengua habla_lengua
        lengua_indigena
        """,
    "place": """
        vecindad desa kelurahan kecamatan kabupaten kota provinsi wilayah dusun ilce sehir
        mahalle miasto
        gmina wojewodztwo powiat mesto obec okres comune provincia regione citta gemeente
        woonplaats postkode postnummer kommune kommun fylke localite lieu_de_vie lieu_vie quartier
        arrondissement
        departement milieu milieu_residence secteur aire_sante zone_sante barrio vereda municipio
        colonia alcaldia parroquia departamento dpto depto diresa judet localitate thanh_pho
        quan_huyen cp cod_postal kod_pocztowy psc cap wilaya commune domicile lieu_residence
        comunidad_autonoma ccaa poblacion_residencia localidad entidad entidad_federativa mkoa
        wilaya kata kijiji kunta
        """,
    "stay": """
        rumah_sakit puskesmas posyandu ruangan hastane szpital oddzial nemocnice oddeleni ospedale
        reparto ziekenhuis afdeling sykehus sjukhus avdelning benh_vien hopital centre_sante
        formation_sanitaire fosa upgd eess ips establecimiento unidad_medica spital sectie
        hospitalizacion_dias
        dia_admissao dia_internacao dia_ingreso estancia dias_estancia duree_sejour
        tempo_internacao tiempo_estancia mode_entree mode_sortie lama_rawat lama_dirawat
        degenza czas_pobytu hospitaali servicio_clinico
        """,
    "health": """
        berat_badan tinggi_badan berat tinggi gula_darah tekanan_darah penyakit keluhan gejala
        diagnosa obat komplikasi riwayat status_gizi gizi kilo boy tani hastalik tedavi ilac
        sikayet tansiyon waga wzrost choroba rozpoznanie leczenie leki cisnienie vaha vyska nemoc
        diagnoza lecba tlak peso altezza malattia terapia farmaco pressione gewicht lengte ziekte
        behandeling medicatie bloeddruk vekt hoyde sykdom behandling blodtrykk can_nang chieu_cao
        trieu_chung enfermedad enfermedades taille tension maladie glycemie depressao depresion
        ansiedade ansiedad talla estatura altura dolor sintoma sintomas fiebre febre tosse tos
        fievre toux vomissement vomissements diarrhee diarrea greutate inaltime boala hasil_tes
        hasil_lab wynik vysledek esito uitslag resultat resultado ket_qua hta kematian olum zgon
        umrti deces obito obitos defuncion fallecido fallecida fallecimiento morte decesso
        overlijden alta alta_medica motivo motivo_consulta motif motif_consultation antecedentes
        antecedents embarazo embarazada gravidez gravida grossesse enceinte hamil kehamilan gebelik
        ciaza tehotenstvi vacuna vacunas vacina vaccin vaccinatie imunisasi fumador
        fumante fumeur merokok sigara palenie kourak fumatore roker royker cirugia cirurgia
        chirurgie operasi ameliyat zabieg operace intervento hospitalizado internado tratamiento
        tratamento traitement survie sobrevida sopravvivenza evolucion evolucao evolution
        gravedad gravidade severite
        """,
    "money": """
        pendapatan penghasilan gelir dochod prijem reddito inkomen inntekt inkomst thu_nhap
        precio preco prix costo custo prezzo harga biaya ucret ingresos renda rendimento revenus
        revenu isee tarif aseguradora seguro obra_social prevision mutuelle jaminan asuransi sigorta
        """,
    "time": """
        tahun bulan minggu tanggal hafta tydzien miesiac tyden mesic settimana giorno maand
        maned uke semaine mois annee jour heure hora jam_kejadian semana mes ano anno dia
        trimestre
        """,
}
"""Words, in the order in which concepts are looked for; a blank within one is written ``_``."""

_LONG = 4
_SENTENCE = 5
"""Longer names are questions, of which no word says what the answers are about."""


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for concept, text in _WORDS.items():
        for word in text.split():
            found.setdefault(word.replace("_", ""), concept)
    return found


@lru_cache(maxsize=4096)
def in_other_tongues(name: str) -> tuple[str, str] | None:
    """The concept that a name in another language speaks of, and the word that says so.

    The first word counts, as in most of these languages what a name is about stands first. A word
    of three letters or fewer has to be the whole name, but for numbers; questions say nothing.

    >>> in_other_tongues("usia bulan"), in_other_tongues("Municipio_residencia")
    (('age', 'usia'), ('place', 'municipio'))
    >>> in_other_tongues("cp"), in_other_tongues("cp_type") is None
    (('place', 'cp'), True)
    """
    parts = [word for word in words(name) if not word.isdigit()]
    if len(parts) > _SENTENCE:
        return None
    table = _table()
    whole = "".join(parts)
    if whole in table:
        return table[whole], whole
    pairs = ["".join(pair) for pair in pairwise(parts)]
    for word in (*pairs, *(part for part in parts if len(part) >= _LONG)):
        if word in table:
            return table[word], word
    return None
