"""Words of other scripts that columns and categories are called by, and the words they stand for.

A name in Japanese, Chinese, Korean, Cyrillic, Greek or Arabic letters has no seams that the rest of
the vocabulary knows, so what it says is put into English words before it is taken apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_ANYWHERE = {
    "name": "氏名 名前 姓名 患者名 이름 성명 환자명 фио имя фамилия отчество ονομα اسم الاسم",
    "sex": "性別 性别 성별 пол φυλο الجنس",
    "age group": "年代 年龄段 年齢層 年齢階級 연령대 возрастная_группа",
    "age": "年齢 年齡 年龄 年纪 나이 연령 возраст ηλικια العمر",
    "birth date": "生年月日 出生日期 出生年月 生日 생년월일 дата_рождения تاريخ_الميلاد",
    "date of death": "死亡日 死亡年月日 死亡日期 사망일 дата_смерти",
    "death": "死亡 사망 смерть исход_летальный الوفاة",
    "home address": "住所 地址 住址 주소 адрес العنوان",
    "residence": "居住地 居住市区町村 居住 거주지 место_жительства",
    "prefecture": "都道府県 縣市 시도",
    "province": "省份 область край провинция",
    "municipality": "市区町村 市町村 시군구",
    "city": "城市 도시 город πολη المدينة",
    "region": "地区 地域 区域 지역 регион район المنطقة",
    "country": "国家 國家 国名 국가 страна χωρα البلد",
    "nationality": "国籍 國籍 국적 гражданство национальность الجنسية",
    "ethnicity": "民族 этническая",
    "occupation": "職業 职业 직업 профессия должность επαγγελμα المهنة",
    "education": "学歴 學歷 学历 教育 학력 образование",
    "marital": "婚姻 결혼 혼인 семейное_положение",
    "telephone": "電話 电话 手机 전화 휴대폰 телефон الهاتف",
    "social security number": "身份证 マイナンバー 주민등록번호 снилс инн",
    "patient id": (
        "患者番号 患者編號 病歷號 案號 患者编号 病案号 住院号 환자번호 номер_пациента номер_карты"
    ),
    "number": "番号 编号 번호 номер",
    "diagnosis": "診断 診斷 诊断 진단 диагноз التشخيص διαγνωση",
    "disease": "疾患 疾病 病名 질병 질환 заболевание болезнь",
    "symptoms": "症状 증상 симптом симптомы",
    "onset date": "発症日 発症_年月日 發病日 發病日期 发病日期 발병일",
    "admission": "入院 住院 입원 госпитализация поступление",
    "hospital": "病院 医院 병원 больница стационар المستشفى",
    "hospital discharge": "退院 出院 퇴원 выписка",
    "treatment": "治療 治疗 치료 лечение",
    "blood pressure": "血圧 血壓 血压 혈압 давление",
    "weight": "体重 체중 вес",
    "height": "身長 身高 신장 рост",
    "date": "年月日 日付 日期 날짜 일자 дата التاريخ",
    "comments": "備考 备注 비고 примечание комментарий",
    "day of week": "曜日 星期 요일 день_недели",
    "male": "男性 남성 남자 мужской муж ذكر",
    "female": "女性 여성 여자 женский жен أنثى",
    "unknown": "不明 未知 неизвестно",
}
"""English words, and what stands for them; a blank within a word is written ``_``."""

_ALONE = {
    "male": "男 남 м",
    "female": "女 여 ж",
    "province": "省",
    "city": "市",
    "county": "县 郡",
    "year": "年",
    "month": "月",
}
"""The same for what is too short to be read within other words."""


@cache
def _table() -> tuple[re.Pattern[str], dict[str, str]]:
    told: dict[str, str] = {}
    patterns: list[str] = []
    for within, words in ((True, _ANYWHERE), (False, _ALONE)):
        for english, others in words.items():
            for other in others.split():
                spelt = _folded(other.replace("_", " "))
                told[spelt] = english
                plain = re.escape(spelt).replace(r"\ ", "[ _]")
                spaced = within and re.fullmatch(
                    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3 ]+", spelt
                )
                patterns.append(plain if spaced else rf"(?<![^\W\d_]){plain}(?![^\W\d_])")
    patterns.sort(key=len, reverse=True)
    return re.compile("|".join(patterns)), told


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


_OTHER = re.compile(
    r"[\u0370-\u03ff\u0400-\u04ff\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"
)


def in_english(text: str) -> str:
    """The text with known words of other scripts put into English ones.

    >>> in_english("性別"), in_english("Дата рождения"), in_english("Größe")
    (' sex ', ' birth date ', 'Größe')
    """
    if _OTHER.search(text) is None:
        return text
    pattern, told = _table()
    return pattern.sub(lambda found: f" {told[found[0].replace('_', ' ')]} ", _folded(text))
