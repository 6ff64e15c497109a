// What is played: games with changes, by sliders and by name in links; and players by name.

const YOU = "you";

/** All that Python has put into the page; see `browser.games`. Tables have no prototype. */
const library = { layout: {}, games: {}, scripts: {}, policies: {}, opening: {} };

/**
 * A game with other limits, another size or other obstacles.
 *
 * `changes` may have captureRadius, arenaSize, obstacles, and for each side limits by name.
 */
function gameWith(game, changes = {}) {
  const names = library.layout.names.limit;
  const limits = {};
  for (const side of SIDES) {
    const changed = changes[side] ?? {};
    limits[side] = names.map((name, place) => changed[name] ?? game.limits[side][place]);
  }
  const obstacles = changes.obstacles ?? game.obstacles;
  const added = (obstacles - game.obstacles) * library.layout.obstacle_features;
  return {
    ...game,
    limits,
    obstacles,
    features: game.features + added,
    captureRadius: changes.captureRadius ?? game.captureRadius,
    arena: { ...game.arena, size: changes.arenaSize ?? game.arena.size },
    keywords: { ...game.keywords, ...keywordsOf(game, changes) },
  };
}

/** Changes as keywords of Python's environments, where vehicles are described in full. */
function keywordsOf({ keywords }, { captureRadius, arenaSize, obstacles, ...sides }) {
  const given = { capture_radius: captureRadius, arena_size: arenaSize, obstacles };
  for (const [side, limits] of Object.entries(sides)) {
    given[side] = { ...library.defaults[side], ...keywords[side], ...limits };
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The changes that a level makes to a game, for a person on a side. */
function changesOfLevel(level, side) {
  return {
    captureRadius: level.captureRadius,
    [otherSide(side)]: { max_speed: level.maxSpeed },
  };
}

const otherSide = (side) => (side === "pursuer" ? "evader" : "pursuer");

/**
 * A player by its name: a script, a policy, or somebody who is steered from outside.
 *
 * `changes` are fields of a script: lookahead (a name), lookahead_seconds, threat_range.
 */
function playerNamed(name, changes = {}) {
  const network = library.policies[name];
  if (network) return { name, network, description: "a trained network" };
  const script = library.scripts[name];
  if (!script) return { name, description: "" }; // a person
  const fields = { ...script.fields, ...changes };
  if (changes.lookahead)
    fields.lookahead = library.layout.names.lookahead.indexOf(changes.lookahead);
  return { name, script: { ...script, fields }, description: script.description };
}

/** Whether a player of this name can play a side of a game. */
function canPlay(name, game) {
  if (name in library.scripts || name === YOU) return true;
  return name in library.policies && library.policies[name].features === game.features;
}

/** The names of all that can play a side of a game: scripts of that side first. */
function namesFor(side, game) {
  const isOf = (name) => sideOf(name) === side || sideOf(name) === null;
  const policies = Object.keys(library.policies).filter(
    (name) => isOf(name) && canPlay(name, game),
  );
  const scripts = Object.keys(library.scripts);
  return { policies, own: scripts.filter(isOf), other: scripts.filter((name) => !isOf(name)) };
}

/** The side that a player was made for; null for both. */
function sideOf(name) {
  if (name in library.policies) return library.policies[name].side;
  return library.scripts[name]?.side ?? null;
}

// --------------------------------------------------------------------------------- sliders

const SPEED = { unit: "m/s", low: 1, high: 8, step: 0.1 };
const FORCE = { unit: "N", low: 1, high: 40, step: 0.5 };
const RADIUS = { unit: "m", low: 0.2, high: 2, step: 0.05 };

/** What each slider changes of a game (see `gameWith`), what it is called, and its range. */
const SLIDERS = {
  pursuerSpeed: { of: ["pursuer", "max_speed"], label: "pursuer’s speed", ...SPEED },
  evaderSpeed: { of: ["evader", "max_speed"], label: "evader’s speed", ...SPEED },
  pursuerForce: { of: ["pursuer", "max_force"], label: "pursuer’s force", ...FORCE },
  evaderForce: { of: ["evader", "max_force"], label: "evader’s force", ...FORCE },
  radius: { of: ["captureRadius"], label: "capture radius", ...RADIUS },
  size: { of: ["arenaSize"], label: "arena", unit: "m", low: 12, high: 40, step: 1 },
  obstacles: { of: ["obstacles"], label: "obstacles", unit: "", low: 0, high: 8, step: 1 },
};

/** The changes of a game that sliders stand for; see `gameWith`. */
function changesOf(sliders) {
  const changes = {};
  for (const [name, value] of Object.entries(sliders)) {
    const [first, second] = SLIDERS[name].of;
    if (second) changes[first] = { ...changes[first], [second]: value };
    else changes[first] = value;
  }
  return changes;
}

/** The values of all sliders in a game. */
function valuesOfSliders({ limits, captureRadius, arena, obstacles }) {
  const values = { captureRadius, arenaSize: arena.size, obstacles };
  const { limit } = library.layout.names;
  return Object.fromEntries(
    Object.entries(SLIDERS).map(([name, { of: [first, second] }]) => [
      name,
      second ? limits[first][limit.indexOf(second)] : values[first],
    ]),
  );
}
