// What can be kept of a round: a link, and a file that Python replays.

const ROUND_FORMAT = "steer_env round 1";

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

/** The bytes of a typed array in base64. */
function base64Of({ buffer }) {
  let text = "";
  for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Saves the round as `steer_env record --round` takes it; see Python's `round_file`. */
function saveRound() {
  const { episode } = play.rounds;
  const { game, sides, engine, seed, steps } = episode;
  const actions = {};
  SIDES.forEach((side, number) => {
    const taken = episode.actions[number];
    if (taken) actions[side] = base64Of(Float32Array.from(taken));
  });
  const described = ({ name, script }) =>
    script ? { name, script: script.entry ?? { base: name } } : { name };
  const [pursuer, evader] = sides.map(described);
  const players = { pursuer, evader };
  const end = base64Of(endOf(engine));
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
