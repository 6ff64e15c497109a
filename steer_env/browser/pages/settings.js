// The choices on the page: players, games as sliders change them, and the address' hash.

const YOU = "you";

/** All that Python has put into the page; see `browser.games`. Tables have no prototype. */
const library = {};

/** False for what changes the ground of a game, if that is a map. */
const fitsGround = ({ of: [keyword] }, { maps }) =>
  !maps || !["arena_size", "obstacles"].includes(keyword);

/** A game with other values of `SLIDERS`, by their names. */
function gameWith(game, changes = {}) {
  const changed = {}; // as in a description of a game; vehicles in full
  for (const [name, value] of Object.entries(changes)) {
    if (!SLIDERS[name] || SLIDERS[name].isOfScript || !fitsGround(SLIDERS[name], game)) continue;
    const [keyword, limit] = SLIDERS[name].of;
    changed[keyword] = limit ? { ...game[keyword], ...changed[keyword], [limit]: value } : value;
  }
  const added = (changed.obstacles ?? game.obstacles) - game.obstacles;
  const features = game.features + added * library.layout.obstacle_features;
  return { ...game, ...changed, features };
}

/** What a player is called in play; the laboratory shows names, except for networks. */
const titleOf = (name) => library.players[name]?.title ?? name;
const shortNameOf = (name) => (library.players[name]?.layers ? titleOf(name) : name);
const introduced = (name) =>
  [titleOf(name), library.players[name].description].filter(Boolean).join(": ");

const otherSide = (side) => (side === "pursuer" ? "evader" : "pursuer");

/** The changes of a link to the script of a side: lookahead (a name) and other fields. */
function changesOfScript(changes, side) {
  const isOfSide = ([name]) => name.startsWith(`${side}.`);
  const entries = Object.entries(changes).filter(isOfSide);
  return Object.fromEntries(entries.map(([name, value]) => [name.split(".")[1], value]));
}

/** A player by its name, with changes of its script. */
function playerNamed(name, changes = {}) {
  const player = library.players[name];
  if (!player?.fields) return { name, network: player }; // a person has none
  const fields = { ...player.fields, ...changes };
  const laws = library.layout.names.lookahead;
  if (changes.lookahead) fields.lookahead = laws.indexOf(changes.lookahead);
  return { name, script: { ...player, fields } };
}

function canPlay(name, game) {
  if (name === YOU) return true;
  const player = library.players[name];
  return Boolean(player) && (player.features ?? game.features) === game.features;
}

const playersOf = (game) => Object.keys(library.players).filter((name) => canPlay(name, game));

const SPEED = { unit: "m/s", low: 1, high: 8, step: 0.1 };
const FORCE = { unit: "N", low: 1, high: 40, step: 0.5 };
const RADIUS = { unit: "m", low: 0.2, high: 2, step: 0.05 };

/** The sliders: the keyword that each changes, or the limit of a side; its label and range. */
const SLIDERS = {
  pursuerSpeed: { of: ["pursuer", "max_speed"], label: "pursuer’s speed", ...SPEED },
  evaderSpeed: { of: ["evader", "max_speed"], label: "evader’s speed", ...SPEED },
  pursuerForce: { of: ["pursuer", "max_force"], label: "pursuer’s force", ...FORCE },
  evaderForce: { of: ["evader", "max_force"], label: "evader’s force", ...FORCE },
  radius: { of: ["capture_radius"], label: "capture radius", ...RADIUS },
  size: { of: ["arena_size"], label: "arena", unit: "m", low: 12, high: 40, step: 1 },
  obstacles: { of: ["obstacles"], label: "obstacles", unit: "", low: 0, high: 8, step: 1 },
};

/** Those of a field of a side's script, with the most that a link may say. */
const OF_SCRIPTS = {
  lookahead_seconds: { label: "lookahead", unit: "s", low: 0, high: 5, step: 0.1, most: 10 },
  // Across the arena; at the end of its slider, any distance.
  threat_range: { label: "threat range", unit: "m", low: 0, high: 28.5, step: 0.5, most: 1e4 },
};
for (const [field, range] of Object.entries(OF_SCRIPTS)) {
  for (const side of SIDES) {
    SLIDERS[`${side}.${field}`] = { of: [side, field], isOfScript: true, ...range };
  }
}

/** The value of a slider; a network has none of a script. */
function valueOf({ of: [keyword, field], isOfScript }, game, sides) {
  if (isOfScript) return sides[SIDES.indexOf(keyword)].script?.fields[field];
  return field ? game[keyword][field] : game[keyword];
}

const defaultLink = () => ({
  view: "play",
  game: "walls",
  as: "pursuer",
  level: library.levels[0],
  opponent: null, // the level's
  seed: null, // a new one
  round: null, // the pushes of whoever sent the link, see `Rounds`
  ghost: null, // another player beside an embedded one
  slider: null, // the one below an embedded board
  ...library.textbook, // pursuer, evader
  changes: {}, // numbers of sliders by name, and laws of lookahead
});

const usualPlayers = (game) => library.games[game].racers ?? library.textbook;

/** Reads a hash such as #seed=7&as=evader; lists its invalid parts, for which it has defaults. */
function readLink(hash) {
  const link = defaultLink();
  const problems = [];
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const read = (name, parse, problem, into = link) => {
    if (!given.has(name)) return;
    const value = parse(given.get(name));
    if (value !== undefined) into[name] = value;
    else problems.push(`${name} “${shortened(given.get(name))}” ${problem}`);
  };
  const choose = (name, choices, into = link) =>
    read(name, (text) => choices.find((each) => each === text), "is not known", into);
  choose("view", ["play", "lab", "arena"]);
  choose("game", Object.keys(library.games));
  Object.assign(link, usualPlayers(link.game));
  choose("as", SIDES);
  choose("level", library.levels);
  for (const [name, { low, high, most = high }] of Object.entries(SLIDERS)) {
    const isEndless = (text) => text === "Infinity" && name.endsWith(".threat_range");
    const isValid = (text) => text !== "" && Number(text) >= low && Number(text) <= most;
    const parse = (text) => (isEndless(text) || isValid(text) ? Number(text) : undefined);
    read(name, parse, `must be from ${low} to ${most}`, link.changes);
  }
  if ("obstacles" in link.changes) link.changes.obstacles = Math.round(link.changes.obstacles);
  const game = library.games[link.game];
  if (given.get("opponent") === "") link.opponent = null; // the level's
  else choose("opponent", playersOf(game));
  for (const side of SIDES) {
    choose(side, playersOf(gameWith(game, link.changes)));
    choose(`${side}.lookahead`, library.layout.names.lookahead, link.changes);
  }
  const seedOf = (text) => (isSeed(text) ? BigInt(text) : undefined);
  read("seed", seedOf, "is not a number up to 2^64 - 1");
  const isRound = (text) => /^([\w-]{2}){1,4000}$/.test(text);
  read("round", (text) => (isRound(text) ? text : undefined), "is damaged");
  choose("ghost", playersOf(gameWith(game, link.changes)));
  choose("slider", Object.keys(SLIDERS));
  if (!game.levels[link.as]) {
    if (given.has("as")) problems.push(`a person steers one vehicle, not the ${link.as}s here`);
    link.as = otherSide(link.as);
  }
  // An embedded picture shows a game of two scripts unless it says otherwise.
  if (!given.has("view") && SIDES.some((side) => given.has(side))) link.view = "lab";
  return { link, problems };
}

const isSeed = (text) => /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n;

function shortened(text) {
  const plain = text.replace(/[\p{C}\p{Z}]+/gu, " ");
  return plain.length > 24 ? `${plain.slice(0, 24)}…` : plain;
}

/** The hash of a link: only what differs from the default. */
function hashOf(link) {
  const plain = { ...defaultLink(), ...usualPlayers(link.game) };
  const parts = new URLSearchParams();
  const isInLab = link.view !== "play";
  const rest = isInLab ? [...SIDES, "ghost", "slider"] : ["as", "level", "opponent", "round"];
  for (const name of ["view", "game", ...rest, "seed"]) {
    if (link[name] !== plain[name]) parts.set(name, link[name] ?? "");
  }
  for (const [name, value] of Object.entries(isInLab ? link.changes : {})) parts.set(name, value);
  return `#${parts}`;
}

/** Writes the address' hash, a moment later: browsers refuse to write it often. */
function keepInAddress() {
  clearTimeout(app.keeping);
  app.keeping = setTimeout(() => {
    try {
      history.replaceState(null, "", hashOf(play.link));
    } catch {
      // A page inside another, such as a notebook, may not change the address.
    }
  }, 200);
}
