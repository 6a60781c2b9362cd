// The promises in plain words, each with a class of five people that keeps it or breaks it.
// [model, title, what it says, what it keeps off, settings, example]
// A setting is [name, title, first value, step, least, most]; an example has a remark and five rows.

const same = (values) => values.map((value) => ["[40, 50)", "81***", value]);

export const MODELS = [
  {
    model: "k-anonymity", title: "Nobody stands alone",
    says: "Everybody looks like at least k − 1 others in what others could know.",
    keeps: "that a row is assigned to a person",
    settings: [["k", "People who look alike (k)", 5, 1, 1]],
    remark: "Five people look alike: an attacker who knows age and postcode finds five rows, not one (k = 5).",
    rows: same(["flu", "asthma", "flu", "angina", "gout"]),
  },
  {
    model: "distinct-l-diversity", title: "Several values in every group", sensitive: true,
    says: "Among those who look alike there are at least l different values.",
    keeps: "that a group has one value only, which then is everybody's",
    settings: [["l", "Different values (l)", 3, 1, 2]],
    remark: "Three different illnesses (l = 3): looking alike does not give the illness away.",
    rows: same(["flu", "flu", "angina", "gout", "flu"]),
  },
  {
    model: "max-posterior", title: "No value is nearly certain", sensitive: true,
    says: "Among those who look alike no value is more frequent than a bound.",
    keeps: "that a value is believed with high probability",
    settings: [["bound", "Largest share of one value", 0.5, 0.05, 0.05, 1]],
    remark: "Two of five have flu: it is believed with 40 %, below a bound of 50 %.",
    rows: same(["flu", "flu", "angina", "gout", "asthma"]),
  },
  {
    model: "t-closeness", title: "Groups look like the whole", sensitive: true,
    says: "In every group the values are distributed nearly as in the whole table.",
    keeps: "that being in a group says much about a person",
    settings: [["t", "Largest distance (t)", 0.3, 0.05, 0.01, 1]],
    remark: "If two fifths of the whole table have flu too, this group tells nothing new.",
    rows: same(["flu", "flu", "angina", "gout", "asthma"]),
  },
  {
    model: "entropy-l-diversity", title: "Values spread evenly", sensitive: true,
    says: "Among those who look alike values are as mixed as l equally frequent ones.",
    keeps: "that few values dominate a group",
    settings: [["l", "As mixed as so many values (l)", 2.5, 0.5, 1]],
    remark: "Five values once each: as mixed as can be (l = 5).",
    rows: same(["flu", "asthma", "cold", "angina", "gout"]),
  },
  {
    model: "enhanced-beta-likeness", title: "No value becomes much more likely", sensitive: true,
    says: "Being in a group raises the probability of a value by a bounded factor.",
    keeps: "that rare, harmful values pile up in a group",
    settings: [["beta", "Largest relative gain (β)", 1, 0.25, 0.05]],
    remark: "Angina: one of ten in the whole table, one of five here. That is twice as likely (β = 1).",
    rows: same(["flu", "flu", "angina", "flu", "gout"]),
  },
  {
    model: "km-anonymity", title: "A few values find nobody", sensitive: true, people: true,
    says: "An attacker who knows m values of a person's records finds at least k people with them.",
    keeps: "that a person's set of values identifies them",
    settings: [["k", "People who have them (k)", 5, 1, 1], ["m", "Values known (m)", 1, 1, 1]],
    remark: "Three people have flu: an attacker who knows one illness finds three (k = 3, m = 1).",
    rows: same(["flu, gout", "flu", "gout", "flu, gout", "asthma"]),
  },
];

export const modelNamed = (name) => MODELS.find((item) => item.model === name);
