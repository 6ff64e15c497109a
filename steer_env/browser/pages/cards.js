// The cards over the board: before a round, in a pause, at the end; and what can be kept of it.

function buttonOf(label, key, onclick, className = "") {
  const title = key ? `${label} (${key})` : label;
  return create("button", { type: "button", className, onclick, title }, label);
}

const aboutOpponent = ({ link, level, opponent }) =>
  link.opponent ? playerNamed(opponent).description : level.text;

function cardOf(heading, elements, buttons) {
  const row = create("div", { className: "row buttons" }, ...buttons);
  return create("div", {}, create("h2", {}, heading), ...elements, row);
}

const hintOf = (text) => create("p", { className: "hint" }, text);

function readyCard(rounds) {
  const { isPursuer, opponent } = rounds;
  const task = isPursuer ? "Catch it as soon as you can." : "Stay free as long as you can.";
  const hints = [`${breakable(opponent)}: ${aboutOpponent(rounds)}`, STEERING].map(hintOf);
  return cardOf(task, hints, [buttonOf("Begin", "Enter", begin, "main")]);
}

const STEERING = "Steer with the arrow keys, or hold the mouse or a finger where to go.";

const countCard = ({ count }) => create("div", { className: "count" }, String(count));

const pauseCard = () => cardOf("Paused", [], [buttonOf("Go on", "Space", togglePause, "main")]);

function endCard(rounds) {
  const { episode, ghosts } = rounds;
  const colors = ["", "var(--force)", "var(--apollonius)"];
  const rows = [{ name: YOU, episode }, ...ghosts].map((each, place) => {
    const swatch = create("span", { className: place ? "swatch" : "" });
    swatch.style.color = colors[place];
    const cells = [swatch, breakable(each.name), each.episode.result];
    return create("tr", {}, ...cells.map((cell) => create("td", {}, cell)));
  });
  const elements = [create("table", {}, ...rows), hintOf(rounds.bestText)];
  return cardOf(breakable(rounds.conclusion), elements, [
    buttonOf("Next start", "Enter", goOn, "main"),
    buttonOf("Again", "R", again),
    buttonOf("Replay", "V", replay),
    buttonOf("Copy link", "", share),
    buttonOf("Save round", "", saveRound),
  ]);
}

const CARDS = { ready: readyCard, count: countCard, pause: pauseCard, end: endCard };

function updateOverlay() {
  const { rounds, isReplay } = play;
  const phase = isLab() || isReplay ? "" : rounds.phase;
  const announced = phase === "end" ? rounds.conclusion : "";
  if (find("announcement").textContent !== announced) find("announcement").textContent = announced;
  const overlay = find("overlay");
  overlay.hidden = !(phase in CARDS);
  if (overlay.hidden) return;
  overlay.className = phase === "count" ? "is-count" : phase === "pause" ? "" : cardPlace();
  overlay.replaceChildren(CARDS[phase](rounds));
}

/** A card leaves the person's vehicle visible. */
function cardPlace() {
  const { episode, vehicle } = play.rounds;
  return episode.players[vehicle].columns.y.at(-1) > 0 ? "at-bottom" : "at-top";
}

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

function base64Of({ buffer }) {
  let text = "";
  for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Saves the round as `steer_env record --round` takes it; see Python's `round_file`. */
function saveRound() {
  const { game, sides, engine, seed, steps, players, actions: taken } = play.rounds.episode;
  const actions = {};
  taken.forEach((each, side) => {
    if (each) actions[SIDES[side]] = base64Of(Float32Array.from(each));
  });
  const [pursuer, evader] = sides.map(({ name, script }) =>
    script ? { name, script: script.entry ?? { base: name } } : { name },
  );
  const ends = players.flatMap((_, number) =>
    ["position", "velocity"].flatMap((name) => [...engine.pair(name, number)]),
  );
  const end = base64Of(Float64Array.from(ends));
  const format = "steer_env round 1";
  const round = { format, game: game.keywords, seed, pursuer, evader, actions, steps, end };
  const text = `${JSON.stringify(round, null, 1)}\n`;
  download(`round-${seed}.json`, new Blob([text], { type: "application/json" }));
}
