// Files of a round: to play again anywhere, as a moving picture, and as a page; and links.

const ROUND_FORMAT = "steer_env round 1";
const LARGEST_FILE = 2 ** 24; // bytes
const GIF_SIDE = 400; // pixels
const GIF_RATE = 15; // frames a second
const GIF_REST = 2; // seconds at the end
const UNIT = 0.001; // of the numbers in a page, in meters, radians, meters a second, newtons

/** Copies a link to what is played. */
async function share() {
  const address = location.href.split("#")[0] + hashOf(app.link);
  try {
    await navigator.clipboard.writeText(address);
    const isMoved = isLab() && app.lab.origin;
    say(isMoved ? "The link is copied, without what was moved." : "The link is copied.");
  } catch {
    say(`Copy this link: ${address}`);
  }
}

/** Has the browser keep a file. */
function download(name, blob) {
  const link = create("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const base64Of = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};

// ------------------------------------------------------------------------------- rounds

/** An episode as Python's `Recording.load` takes it. */
function roundOf(episode) {
  const { game, sides, engine } = episode;
  const actions = {};
  SIDES.forEach((side, number) => {
    const taken = episode.actions[number];
    if (taken) actions[side] = base64Of(new Uint8Array(Float32Array.from(taken).buffer));
  });
  const described = ({ name, script, changes }) => {
    const finite = Object.entries(changes ?? {}).map(([key, value]) => [
      key,
      value === Infinity ? "Infinity" : value,
    ]);
    return script ? { name, script: { base: name, ...Object.fromEntries(finite) } } : { name };
  };
  return {
    format: ROUND_FORMAT,
    game: game.keywords,
    seed: episode.seed,
    pursuer: described(sides[PURSUER]),
    evader: described(sides[EVADER]),
    actions,
    steps: episode.steps,
    end: base64Of(new Uint8Array(endOf(engine).buffer)),
  };
}

/** Where everybody is in the end, and how fast: x, y, vx, vy of each player. */
function endOf(engine) {
  const [places, velocities] = [engine.column("position"), engine.column("velocity")];
  const numbers = Array.from({ length: engine.numPlayers }, (_, number) => [
    ...places.slice(2 * number, 2 * number + 2),
    ...velocities.slice(2 * number, 2 * number + 2),
  ]);
  return Float64Array.from(numbers.flat());
}

function saveRound({ episode }) {
  const text = `${JSON.stringify(roundOf(episode), null, 1)}\n`;
  download(`round-${episode.seed}.json`, new Blob([text], { type: "application/json" }));
}

/** Opens the file that a person has chosen. */
async function openRound(input) {
  const [file] = input.files;
  input.value = "";
  if (!file) return;
  try {
    if (file.size > LARGEST_FILE) throw new Error("it is too large");
    showRound(readRound(JSON.parse(await file.text())));
  } catch (error) {
    say(`${shortened(file.name)} cannot be opened: ${shortenedMessage(error.message)}.`);
  }
}

const shortenedMessage = (text) => text.replace(/\.$/, "").slice(0, 200);

/** A round from a file: {episode, link}; throws an Error that says what is wrong. */
function readRound(given) {
  if (!isTable(given) || given.format !== ROUND_FORMAT) throw new Error("it is not a round");
  const { game, link } = gameOfKeywords(given.game);
  const { steps } = given;
  const isSound = Number.isInteger(steps) && steps >= 0 && steps <= game.horizon;
  if (!isSound) throw new Error("its steps are damaged");
  if (typeof given.seed !== "string" || !isSeed(given.seed))
    throw new Error("its seed is damaged");
  const players = SIDES.map((side) => playerOfRound(given[side]));
  const actions = SIDES.map((side, number) =>
    players[number].script ? null : actionsOfRound(given.actions?.[side], side, game, steps),
  );
  const episode = new LiveEpisode(
    app.machine,
    game,
    players.map(asRecorded),
    BigInt(given.seed),
  );
  try {
    replayActions(episode, actions, steps);
    if (
      episode.steps !== steps ||
      base64Of(new Uint8Array(endOf(episode.engine).buffer)) !== given.end
    ) {
      throw new Error("it does not end as it says: it is damaged, or of another version");
    }
  } catch (error) {
    episode.close();
    throw error;
  }
  episode.sides = players; // who can play on from here, as ghosts' opponents
  players.forEach(({ name, changes }, side) => {
    if (name !== YOU) [link[SIDES[side]], link.thoughts[SIDES[side]]] = [name, changes ?? {}];
  });
  return { episode, link: { ...link, seed: BigInt(given.seed) } };
}

const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A network's actions are in the file, so that they are the same to the bit. */
const asRecorded = (player) => (player.network ? { ...player, network: undefined } : player);

function replayActions(episode, actions, steps) {
  for (let step = 0; step < steps && !episode.isOver; step++) {
    episode.step(
      actions.map((all, side) => {
        const size = 2 * episode.engine.teams[side];
        return all?.subarray(step * size, (step + 1) * size);
      }),
    );
  }
}

function playerOfRound(given) {
  if (!isTable(given) || typeof given.name !== "string")
    throw new Error("a player has no name");
  const { name, script } = given;
  if (script === undefined) {
    if (name in library.scripts) throw new Error(`the script of ${shortened(name)} is missing`);
    return playerNamed(name);
  }
  const { base, ...changes } = isTable(script) ? script : {};
  if (!(base in library.scripts)) {
    throw new Error(`the script ${shortened(String(base))} is not one that this page has`);
  }
  return playerNamed(base, thoughtsOfRound(changes));
}

/** Changed fields of a script, which are those that the page can change. */
function thoughtsOfRound(changes) {
  const laws = library.layout.names.lookahead;
  const isNumber = (value) =>
    value === "Infinity" ? true : Number.isFinite(value) && value >= 0;
  for (const [field, value] of Object.entries(changes)) {
    const isKnown = LOOKAHEAD_FIELDS.includes(field);
    if (isKnown && (field === "lookahead" ? laws.includes(value) : isNumber(value))) continue;
    throw new Error(`its script's ${shortened(field)} is not one that this page can have`);
  }
  const numbers = Object.entries(changes).map(([field, value]) => [
    field,
    field === "lookahead" ? value : Number(value),
  ]);
  return Object.fromEntries(numbers);
}

function actionsOfRound(text, side, { pursuers, evaders }, steps) {
  const team = side === "pursuer" ? pursuers : evaders;
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error(`the actions of the ${side} are damaged`);
  }
  if (bytes.length !== 8 * team * steps) {
    throw new Error(`the ${side} has not an action for each step`);
  }
  const actions = new Float32Array(bytes.buffer);
  if (!actions.every(Number.isFinite))
    throw new Error(`an action of the ${side} is not finite`);
  return actions;
}

const CHANGEABLE = ["capture_radius", "arena_size", "obstacles", ...SIDES];

/** The game of a page with these keywords, and a link to it. */
function gameOfKeywords(given) {
  if (!isTable(given)) throw new Error("its game is damaged");
  const full = (keywords) => ({ ...library.defaults, ...keywords });
  const wanted = full(given);
  const isAlike = (keys) => (game) =>
    keys.every((key) => sorted(full(game.keywords)[key]) === sorted(wanted[key]));
  const keys = Object.keys({ ...library.defaults, ...given });
  const rigid = keys.filter((key) => !CHANGEABLE.includes(key));
  const games = Object.values(library.games).filter(isAlike(rigid));
  if (!games.length) throw new Error("this page does not have its game");
  const found = games.map((base) => [base, changesOfKeywords(full(base.keywords), wanted)]);
  const [base, changes] = found.sort(
    ([, one], [, other]) => extentOf(one) - extentOf(other),
  )[0];
  const link = { ...defaultLink(), game: base.name, changes: slidersOf(changes) };
  return { game: gameWith(base, changes), link };
}

/** How many numbers changes change. */
const extentOf = (changes) =>
  Object.values(changes).reduce(
    (sum, each) => sum + (isTable(each) ? Object.keys(each).length : 1),
    0,
  );

/** JSON of a value, with the keys of tables in order. */
const sorted = (value) =>
  JSON.stringify(value, (_, each) =>
    isTable(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  );

/** What must change in a game to get another one; see `gameWith`. */
function changesOfKeywords(base, wanted) {
  const changes = {};
  const take = (name, key, low, high, isValid = Number.isFinite) => {
    const value = wanted[key];
    if (!isValid(value) || value < low || value > high)
      throw new Error(`its ${key} is damaged`);
    if (value !== base[key]) changes[name] = value;
  };
  take("captureRadius", "capture_radius", 1e-6, 100);
  take("arenaSize", "arena_size", 1, 1000);
  take("obstacles", "obstacles", 0, 64, Number.isInteger);
  for (const side of SIDES) {
    const limits = library.layout.names.limit;
    const others = (table) =>
      sorted(
        Object.fromEntries(Object.entries(table).filter(([key]) => !limits.includes(key))),
      );
    const vehicle = { ...library.defaults[side], ...wanted[side] };
    if (others(vehicle) !== others(base[side]))
      throw new Error("this page does not have its game");
    const isSound = limits.every((name) => vehicle[name] >= 1e-6 && vehicle[name] <= 1e4);
    if (!isSound) throw new Error(`its ${side} is damaged`);
    const changed = limits.filter((name) => vehicle[name] !== base[side][name]);
    if (changed.length)
      changes[side] = Object.fromEntries(changed.map((name) => [name, vehicle[name]]));
  }
  return changes;
}

/** Shows a round from a file: a person's as it ended, another one in the laboratory. */
function showRound({ episode, link }) {
  const side = episode.names.indexOf(YOU);
  if (side >= 0) {
    app.link = { ...link, view: "play", as: SIDES[side] };
    app.rounds.show(episode, app.link);
    app.link = app.rounds.link;
    app.isReplay = app.isPlaying = false;
    say("");
    keepInAddress();
    updateTexts();
    return;
  }
  const stranger = episode.names.find((name) => !canPlay(name, episode.game));
  episode.close();
  if (stranger !== undefined) throw new Error(`${shortened(stranger)} is not on this page`);
  app.link = { ...link, view: "lab" };
  app.time = 0;
  say("");
  apply();
}

// ------------------------------------------------------------------------ moving pictures

/** Saves the board with all ghosts as a moving picture, a frame of it after each of the page. */
function saveGif(rounds) {
  say("Drawing the GIF …");
  app.tasks.begin("gif", gifTask(rounds));
}

function* gifTask({ episode, ghosts: others, vehicle }) {
  const canvas = create("canvas", { width: GIF_SIDE, height: GIF_SIDE });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const ghosts = others.map((ghost) => ({ ...ghost, vehicle }));
  const last = Math.max(episode.steps, ...ghosts.map((ghost) => ghost.episode.steps));
  const view = new View(episode, GIF_SIDE);
  const [shown, colors] = [new Set(app.shown), app.colors];
  const imageAt = (time) => {
    const own = Math.min(time, episode.steps);
    paintBoard(context, view, episode, own, shown, colors, { ghosts, ghostTime: time });
    return context.getImageData(0, 0, GIF_SIDE, GIF_SIDE);
  };
  const samples = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    samples.push(imageAt(Math.round(share * last)));
    yield;
  }
  const gif = new Gif(GIF_SIDE, GIF_SIDE, paletteOf(samples));
  const stride = Math.max(Math.round(1 / (GIF_RATE * episode.dt)), 1);
  for (let step = 0; step < last + stride; step += stride) {
    const time = Math.min(step, last);
    gif.add(imageAt(time), time < last ? stride * episode.dt : GIF_REST);
    yield;
  }
  download(`round-${episode.seed}.gif`, gif.blob());
  say("The GIF is saved.");
}

// ---------------------------------------------------------------------------------- pages

/** Saves the round and its ghosts as the page that `steer_env record --html` writes. */
async function savePage({ episode, ghosts }) {
  const episodes = [episode, ...ghosts.map((ghost) => ghost.episode)].map(packedEpisode);
  const { meanings, letters } = app;
  const shown = [...app.shown];
  const text = JSON.stringify({ meanings, letters, shown, episodes });
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const data = base64Of(new Uint8Array(await new Response(stream).arrayBuffer()));
  const title = escaped(episode.names.join(" against "));
  const parts = { "%TITLE%": title, "%DATA%": data };
  const page = library.template.replace(/%(TITLE|DATA)%/g, (place) => parts[place]);
  download(`round-${episode.seed}.html`, new Blob([page], { type: "text/html" }));
}

const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** An episode in the form that Python's `rendering/html.py` describes. */
function packedEpisode(episode) {
  const { names, descriptions, seed, result, steps, dt, arena, captureRadius, obstacles } =
    episode;
  const players = episode.players.map(({ side, radius, maxSpeed, maxForce, columns }) => {
    const drawn = Object.entries(columns).filter(([name]) => !name.startsWith("share "));
    const packed = drawn.map(([name, values]) => [name, packedColumn(values)]);
    return { side, radius, maxSpeed, maxForce, columns: Object.fromEntries(packed) };
  });
  const distances = packedColumn(episode.distances);
  const captured = episode.isCaught;
  const facts = {
    names,
    descriptions,
    seed,
    result,
    captured,
    steps,
    dt,
    arena,
    captureRadius,
  };
  return { ...facts, obstacles, distances, players };
}

/** A column as its unit and the second differences of its values in units. */
function packedColumn(values) {
  let [change, last] = [0, 0];
  const differences = Array.from(values, (value) => {
    const units = Math.round(value / UNIT);
    const difference = units - last - change;
    change = units - last;
    last = units;
    return difference;
  });
  return [UNIT, ...differences];
}
