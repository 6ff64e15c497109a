// Ranks guides before the reference, and both before what programs write. Without it all pages
// that have a word somewhere are equal, and the alphabet decides.
const PLACES = [
  [/^docs\/(index|sources|beside_others)$/, 4],
  [/^docs\/api\//, 8],
  [/^docs\/game\/generated\/(?!environments)/, 10],
  [/^docs\//, 20],
  [/^(examples|agents|baselines\/PROTOCOL)/, 6],
  [/^(CHANGELOG|CONTRIBUTING|SECURITY)/, 0],
];

var Scorer = {
  score: ([page, , , , score]) =>
    score + (PLACES.find(([pattern]) => pattern.test(page)) ?? [, 2])[1],
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

// Sphinx finds the words of a page's `search` comments only letter by letter, and lists a page once
// for each of its sections. Here an entry is found by its words, in any order, and each page once.
if (typeof Search !== "undefined" && Search._performSearch) {
  const perform = Search._performSearch;
  const wordsOf = (text) => {
    const stemmer = new Stemmer();
    const words = splitQuery(text.toLowerCase()).filter((word) => !stopwords.has(word));
    return new Set(words.map((word) => stemmer.stemWord(word)));
  };
  const entriesOf = (query) => {
    const { indexentries, docnames, titles, filenames } = Search._index;
    const asked = wordsOf(query);
    const found = [];
    for (const [entry, places] of Object.entries(indexentries)) {
      const words = wordsOf(entry);
      const common = [...words].filter((word) => asked.has(word)).length;
      const share = common / Math.max(words.size, asked.size);
      if (common < Math.min(words.size, asked.size) || !(share >= 0.5)) continue;
      const score = 100 * share + 5 * (entry === query.toLowerCase().trim());
      for (const [file, id, isMain] of places) {
        if (!isMain) continue; // of the reference, which is found by its names
        const place = [docnames[file], titles[file], id ? `#${id}` : "", null];
        const rank = Scorer.score([...place, score]);
        found.push([...place, rank, filenames[file], SearchResultKind.index]);
      }
    }
    return found;
  };
  Search._performSearch = (query, ...terms) => {
    const others = perform(query, ...terms).filter(([, , , , , , kind]) => kind !== "index");
    const seen = new Set();
    return [...others, ...entriesOf(query)]
      .sort(_orderResultsByScoreThenName)
      .reverse() // the best one is the last for Sphinx
      .filter(([page, title, , description]) => {
        const name = description ? `${page} ${title}` : page; // a name of the reference, or a page
        return !seen.has(name) && seen.add(name);
      })
      .reverse();
  };
}
