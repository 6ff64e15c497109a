// The address' hash: what is played, in a form that can be shared.

const VIEWS = ["play", "lab", "arena"];
const LARGEST_SEED = 2n ** 64n - 1n;
/** What the page shows if the address says nothing; Python may have chosen some of it. */
function defaultLink() {
  const { seed, ...opening } = library.opening;
  return {
    view: "play",
    game: "walls",
    as: "pursuer",
    level: "normal",
    opponent: null, // the level's
    pursuer: "pursuit",
    evader: "evade",
    seed: null, // a new one
    changes: {}, // numbers of sliders, by name
    thoughts: { pursuer: {}, evader: {} }, // changed fields of scripts
    ...opening,
    ...(seed ? { seed: BigInt(seed) } : {}),
  };
}

/**
 * Reads a hash such as #seed=7&as=evader&level=hard; returns {link, problems}.
 *
 * What is not valid is left as by default, and said.
 */
function readLink(hash) {
  const link = defaultLink();
  const problems = [];
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const choose = (name, choices) => {
    if (!given.has(name)) return;
    if (choices.includes(given.get(name))) link[name] = given.get(name);
    else problems.push(`${name} “${shortened(given.get(name))}” is not known`);
  };
  choose("view", VIEWS);
  choose("game", Object.keys(library.games));
  choose("as", SIDES);
  choose("level", library.levels);
  readSliders(given, link, problems);
  const game = library.games[link.game];
  const players = [...Object.keys(library.scripts), ...Object.keys(library.policies)];
  const fitting = (changes) => players.filter((name) => canPlay(name, gameWith(game, changes)));
  if (given.get("opponent") === "")
    link.opponent = null; // the level's
  else choose("opponent", fitting({}));
  for (const side of SIDES) choose(side, fitting(changesOf(link.changes)));
  if (given.has("seed")) {
    if (isSeed(given.get("seed"))) link.seed = BigInt(given.get("seed"));
    else problems.push(`seed “${shortened(given.get("seed"))}” is not a number up to 2^64 - 1`);
  }
  if (!game.levels[link.as]) {
    if (given.has("as")) problems.push(`a person steers one vehicle, not the ${link.as}s here`);
    link.as = otherSide(link.as);
  }
  // An embedded picture shows a game of two scripts unless it says otherwise.
  if (!given.has("view") && SIDES.some((side) => given.has(side))) link.view = "lab";
  return { link, problems };
}

function readSliders(given, link, problems) {
  for (const [name, { low, high }] of Object.entries(SLIDERS)) {
    if (!given.has(name)) continue;
    const value = Number(given.get(name));
    if (given.get(name) !== "" && value >= low && value <= high) link.changes[name] = value;
    else problems.push(`${name} must be from ${low} to ${high}`);
  }
  if ("obstacles" in link.changes) link.changes.obstacles = Math.round(link.changes.obstacles);
  for (const side of SIDES) {
    const thoughts = link.thoughts[side];
    const law = given.get(`${side}.lookahead`);
    if (law !== null && library.layout.names.lookahead.includes(law)) thoughts.lookahead = law;
    else if (law !== null) problems.push(`lookahead law “${shortened(law)}” is not known`);
    for (const [name, high] of [
      ["lookahead_seconds", 10],
      ["threat_range", 1e4],
    ]) {
      const text = given.get(`${side}.${name}`);
      if (text === null) continue;
      const isEndless = name === "threat_range" && text === "Infinity";
      const isNumber = text !== "" && Number(text) >= 0 && Number(text) <= high;
      if (isEndless || isNumber) thoughts[name] = Number(text);
      else problems.push(`${side}.${name} must be from 0 to ${high}`);
    }
  }
}

const isSeed = (text) => /^\d{1,20}$/.test(text) && BigInt(text) <= LARGEST_SEED;

/** A text from outside, short and in one line, for messages. */
function shortened(text) {
  const plain = text.replace(/[\p{C}\p{Z}]+/gu, " ");
  return plain.length > 24 ? `${plain.slice(0, 24)}…` : plain;
}

/** The hash of a link: only what differs from the default. */
function hashOf(link) {
  const plain = defaultLink();
  const parts = new URLSearchParams();
  for (const name of ["view", "game", "as", "level", "opponent", "pursuer", "evader", "seed"]) {
    const isPlayed =
      link.view === "play"
        ? !SIDES.includes(name)
        : !["as", "level", "opponent"].includes(name);
    if (isPlayed && link[name] !== plain[name]) parts.set(name, link[name] ?? "");
  }
  if (link.view !== "play") {
    for (const [name, value] of Object.entries(link.changes)) parts.set(name, value);
    for (const side of SIDES) {
      for (const [name, value] of Object.entries(link.thoughts[side]))
        parts.set(`${side}.${name}`, value);
    }
  }
  return `#${parts}`;
}
