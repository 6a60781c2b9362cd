// The best-known promises in plain words, each with a class of five people that keeps it or breaks
// it. Which promises there are, and what they need, the server says.

const same = (values) => values.map((value) => ["[40, 50)", "81***", value]);

const WORDS = {
  "k-anonymity": {
    title: "Nobody stands alone",
    says: "Everybody looks like at least k − 1 others in what others could know.",
    keeps: "that a row is assigned to a person",
    names: { k: "People who look alike (k)" },
    remark: "Five people look alike: an attacker who knows age and postcode finds five rows, not one (k = 5).",
    rows: same(["flu", "asthma", "flu", "angina", "gout"]),
  },
  "distinct-l-diversity": {
    title: "Several values in every group",
    says: "Among those who look alike there are at least l different values.",
    keeps: "that a group has one value only, which then is everybody's",
    names: { l: "Different values (l)" },
    remark: "Three different illnesses (l = 3): looking alike does not give the illness away.",
    rows: same(["flu", "flu", "angina", "gout", "flu"]),
  },
  "max-posterior": {
    title: "No value is nearly certain",
    says: "Among those who look alike no value is more frequent than a bound.",
    keeps: "that a value is believed with high probability",
    names: { bound: "Largest share of one value" },
    remark: "Two of five have flu: it is believed with 40 %, below a bound of 50 %.",
    rows: same(["flu", "flu", "angina", "gout", "asthma"]),
  },
  "t-closeness": {
    title: "Groups look like the whole",
    says: "In every group the values are distributed nearly as in the whole table.",
    keeps: "that being in a group says much about a person",
    names: { t: "Largest distance (t)" },
    remark: "If two fifths of the whole table have flu too, this group tells nothing new.",
    rows: same(["flu", "flu", "angina", "gout", "asthma"]),
  },
  "entropy-l-diversity": {
    title: "Values spread evenly",
    says: "Among those who look alike values are as mixed as l equally frequent ones.",
    keeps: "that few values dominate a group",
    names: { l: "As mixed as so many values (l)" },
    remark: "Five values once each: as mixed as can be (l = 5).",
    rows: same(["flu", "asthma", "cold", "angina", "gout"]),
  },
  "enhanced-beta-likeness": {
    title: "No value becomes much more likely",
    says: "Being in a group raises the probability of a value by a bounded factor.",
    keeps: "that rare, harmful values pile up in a group",
    names: { beta: "Largest relative gain (β)" },
    remark: "Angina: one of ten in the whole table, one of five here. That is twice as likely (β = 1).",
    rows: same(["flu", "flu", "angina", "flu", "gout"]),
  },
  "km-anonymity": {
    title: "A few values find nobody",
    says: "An attacker who knows m values of a person's records finds at least k people with them.",
    keeps: "that a person's set of values identifies them",
    names: { k: "People who have them (k)", m: "Values known (m)" },
    remark: "Three people have flu: an attacker who knows one illness finds three (k = 3, m = 1).",
    rows: same(["flu, gout", "flu", "gout", "flu, gout", "asthma"]),
  },
};

// A promise that the server offers, in our words where there are some.
export const inWords = (offered) => ({ title: offered.model, names: {}, ...offered, ...WORDS[offered.model] });
export const isPlain = (offered) => offered.model in WORDS;
