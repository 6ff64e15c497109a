// What can be kept of a round: a link, a file that Python replays, and a page of recordings.

const ROUND_FORMAT = "steer_env round 1";
const UNIT = 0.001; // of the numbers in a page, in meters, radians, meters a second, newtons
const pristine = root.cloneNode(true); // the page as it was written

/** Copies a link to what is played. */
async function share() {
  const address = location.href.split("#")[0] + hashOf(play.link);
  try {
    await navigator.clipboard.writeText(address);
    const isMoved = isLab() && play.lab.origin;
    say(isMoved ? "The link is copied, without what was moved." : "The link is copied.");
  } catch {
    say(`Copy this link: ${address}`);
  }
}

const base64Of = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};
const base64OfArray = (array) => base64Of(new Uint8Array(array.buffer));

/** Saves the round as `steer_env record --round` takes it; see Python's `round_file`. */
function saveRound() {
  const { episode } = play.rounds;
  const { game, sides, engine, seed, steps } = episode;
  const actions = {};
  SIDES.forEach((side, number) => {
    const taken = episode.actions[number];
    if (taken) actions[side] = base64OfArray(Float32Array.from(taken));
  });
  const described = ({ name, script }) =>
    script ? { name, script: script.entry ?? { base: name } } : { name };
  const [pursuer, evader] = sides.map(described);
  const players = { pursuer, evader };
  const end = base64OfArray(endOf(engine));
  const round = { format: ROUND_FORMAT, game: game.keywords, seed, ...players, actions, steps, end };
  const text = `${JSON.stringify(round, null, 1)}\n`;
  download(`round-${seed}.json`, new Blob([text], { type: "application/json" }));
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

/** Saves the round and its ghosts as a page of recordings: this page without its engine. */
async function savePage() {
  const { episode, ghosts } = play.rounds;
  const episodes = [episode, ...ghosts.map((ghost) => ghost.episode)].map(packedEpisode);
  const { meanings, letters } = app;
  const text = JSON.stringify({ meanings, letters, shown: [...app.shown], episodes });
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const data = base64Of(new Uint8Array(await new Response(stream).arrayBuffer()));
  const copy = pristine.cloneNode(true);
  for (const part of copy.querySelectorAll("[data-engine]")) part.remove();
  copy.querySelector("#data").textContent = data;
  copy.querySelector("title").textContent = episode.names.join(" against ");
  const page = new Blob([`<!DOCTYPE html>\n${copy.outerHTML}`], { type: "text/html" });
  download(`round-${episode.seed}.html`, page);
}

/** An episode in the form that Python's `rendering/html.py` describes. */
function packedEpisode(episode) {
  const { names, descriptions, seed, result, steps, dt, arena, captureRadius, obstacles } =
    episode;
  const facts = { names, descriptions, seed, result, steps, dt, arena, captureRadius, obstacles };
  const players = episode.players.map(({ side, radius, maxSpeed, maxForce, columns }) => {
    const packed = Object.entries(columns).map(([name, values]) => [name, packedColumn(values)]);
    return { side, radius, maxSpeed, maxForce, columns: Object.fromEntries(packed) };
  });
  const distances = packedColumn(episode.distances);
  return { ...facts, captured: episode.isCaught, distances, players };
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
