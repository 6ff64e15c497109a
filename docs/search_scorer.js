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
