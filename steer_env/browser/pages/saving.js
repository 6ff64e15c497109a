// Files of a round: to play again anywhere, as a moving picture, and as a page; and links.

const ROUND_FORMAT = "steer_env round 1";
const LARGEST_FILE = 2 ** 24; // bytes
const GIF_SIDE = 400; // pixels
const GIF_RATE = 15; // frames a second
const GIF_REST = 200; // hundredths of a second at the end
const UNIT = 0.001; // of the numbers in a page, in meters, radians, meters a second, newtons

/** Copies a link to what is played. */
async function share() {
  const address = location.href.split("#")[0] + hashOf(app.link);
  try {
    await navigator.clipboard.writeText(address);
    say("The link is copied.");
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
    const finite = Object.entries(changes ?? {}).map(([key, value]) => [key, value === Infinity ? "Infinity" : value]);
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
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(given) || given.format !== ROUND_FORMAT) throw new Error("it is not a round");
  const { game, link } = gameOfKeywords(isObject(given.game) ? given.game : {});
  if (typeof given.seed !== "string" || !isSeed(given.seed)) throw new Error("its seed is damaged");
  const players = SIDES.map((side) => playerOfRound(given[side]));
  const actions = SIDES.map((side, number) => {
    if (players[number].script) return null;
    return actionsOfRound(given.actions?.[side], side, game, given.steps);
  });
  const episode = new LiveEpisode(app.machine, game, players, BigInt(given.seed));
  for (let step = 0; step < given.steps && !episode.isOver; step++) {
    episode.step(
      actions.map((all, side) => {
        const size = 2 * episode.engine.teams[side];
        return all?.subarray(step * size, (step + 1) * size);
      }),
    );
  }
  if (base64Of(new Uint8Array(endOf(episode.engine).buffer)) !== given.end) {
    throw new Error("it does not end as it says: it is damaged, or of another version");
  }
  players.forEach(({ name, changes }, side) => {
    if (name !== YOU) [link[SIDES[side]], link.thoughts[SIDES[side]]] = [name, changes ?? {}];
  });
  return { episode, link: { ...link, seed: BigInt(given.seed) } };
}

function playerOfRound(given) {
  const { name, script } = given ?? {};
  if (typeof name !== "string") throw new Error("a player has no name");
  if (!script) {
    const played = { name: name === YOU ? YOU : shortened(name), description: "recorded" };
    // What a network of this page did is in the file, but it can play on from there.
    return { ...played, network: library.policies[name] };
  }
  const { base, ...changes } = script;
  const known = Object.keys(changes).every((field) => LOOKAHEAD_FIELDS.includes(field));
  if (!Object.hasOwn(library.scripts, base) || !known) {
    throw new Error(`the script ${shortened(String(base))} is not one that this page has`);
  }
  return playerNamed(base, { ...changes, ...numbersOfThoughts(changes) });
}

const numbersOfThoughts = (changes) =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([field]) => field !== "lookahead")
      .map(([field, value]) => [field, Number(value)]),
  );

function actionsOfRound(text, side, { pursuers, evaders, horizon }, steps) {
  const team = side === "pursuer" ? pursuers : evaders;
  if (!Number.isInteger(steps) || steps < 0 || steps > horizon) throw new Error("its steps are damaged");
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error(`the actions of the ${side} are damaged`);
  }
  if (bytes.length !== 8 * team * steps) throw new Error(`the ${side} has not an action for each step`);
  const actions = new Float32Array(bytes.buffer);
  if (!actions.every(Number.isFinite)) throw new Error(`an action of the ${side} is not finite`);
  return actions;
}

/** The game of a page with these keywords, and a link to it. */
function gameOfKeywords(keywords) {
  const { capture_radius: captureRadius, arena_size: arenaSize, pursuer, evader, ...rest } = keywords;
  const matches = ({ keywords: own }) => JSON.stringify(own) === JSON.stringify(rest);
  let base = Object.values(library.games).find(matches);
  const changes = { captureRadius, arenaSize, pursuer, evader };
  if (!base && Number.isInteger(rest.obstacles)) {
    const { obstacles, ...others } = rest;
    base = Object.values(library.games).find(({ keywords: own }) => JSON.stringify(own) === JSON.stringify(others));
    changes.obstacles = obstacles;
  }
  if (!base) throw new Error("this page does not have its game");
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { game: gameWith(base, given), link: { ...defaultLink(), game: base.name, changes: slidersOf(given) } };
}

/** The sliders that changes stand for; see `changesOf`. */
function slidersOf(changes) {
  const sliders = {};
  for (const [name, [first, second]] of Object.entries(SLIDERS)) {
    const value = second ? changes[first]?.[second] : changes[first];
    if (value !== undefined) sliders[name] = value;
  }
  return sliders;
}

/** Shows a round from a file: a person's as it ended, another one in the laboratory. */
function showRound({ episode, link }) {
  const side = episode.names.indexOf(YOU);
  say("");
  if (side < 0) {
    episode.close();
    app.time = 0;
    app.link = { ...link, view: "lab" };
    apply();
    return;
  }
  const opponent = episode.names[1 - side];
  app.link = { ...link, view: "play", as: SIDES[side], opponent };
  app.rounds.show(episode, app.link);
  app.isReplay = app.isPlaying = false;
  updateTexts();
}

// ------------------------------------------------------------------------ moving pictures

/** Saves the board with all ghosts as a moving picture, drawn in pieces between frames. */
function saveGif(rounds) {
  say("Drawing the GIF …");
  app.tasks.begin("gif", gifTask(rounds));
}

function* gifTask(rounds) {
  const canvas = create("canvas", { width: GIF_SIDE, height: GIF_SIDE });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const { episode, vehicle } = rounds;
  const ghosts = rounds.ghosts.map((ghost) => ({ ...ghost, vehicle }));
  const last = Math.max(episode.steps, ...ghosts.map((ghost) => ghost.episode.steps));
  const stride = Math.max(Math.round(1 / (GIF_RATE * episode.dt)), 1);
  const [images, delays] = [[], []];
  const view = new View(episode, GIF_SIDE);
  for (let step = 0; step < last + stride; step += stride) {
    const time = Math.min(step, last);
    paintBoard(context, view, episode, Math.min(time, episode.steps), app.shown, app.colors, { ghosts, ghostTime: time });
    images.push(context.getImageData(0, 0, GIF_SIDE, GIF_SIDE));
    delays.push(Math.round(100 * stride * episode.dt));
    yield;
  }
  delays[delays.length - 1] = GIF_REST;
  yield;
  download(`round-${episode.seed}.gif`, gifOf(images, delays));
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
  const page = library.template.replace("{title}", () => title).replace("{data}", () => data);
  download(`round-${episode.seed}.html`, new Blob([page], { type: "text/html" }));
}

const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** An episode in the form that Python's `rendering/html.py` describes. */
function packedEpisode(episode) {
  const { names, descriptions, seed, result, steps, dt, arena, captureRadius, obstacles } = episode;
  const players = episode.players.map(({ side, radius, maxSpeed, maxForce, columns }) => {
    const drawn = Object.entries(columns).filter(([name]) => !name.startsWith("share "));
    const packed = drawn.map(([name, values]) => [name, packedColumn(values)]);
    return { side, radius, maxSpeed, maxForce, columns: Object.fromEntries(packed) };
  });
  const distances = packedColumn(episode.distances);
  const captured = episode.isCaught;
  const facts = { names, descriptions, seed, result, captured, steps, dt, arena, captureRadius };
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
