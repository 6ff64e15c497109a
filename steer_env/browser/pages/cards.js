// The card of a round: before it, while it lasts, at its end; and what can be kept of it.

function buttonOf(label, key, onclick, className = "") {
  const title = key ? `${label} (${key})` : label;
  return create("button", { type: "button", className, onclick, title }, label);
}

/** The opponent's title and character, and its top speed beside the person's. */
function aboutOpponent({ isPursuer, game, opponent }) {
  const [evader, pursuer] = [game.evader.max_speed, game.pursuer.max_speed];
  const faster = Math.sign(isPursuer ? evader - pursuer : pursuer - evader);
  const speed = ["slower than you", "as fast as you", "faster than you"][faster + 1];
  return `${introduced(opponent)}; ${speed}.`;
}

function cardOf(heading, elements, buttons) {
  const row = create("div", { className: "row buttons" }, ...buttons);
  return [create("h2", {}, heading), ...elements, row];
}

const hintOf = (text) => create("p", { className: "hint" }, text);

function taskOf({ isPursuer, game }) {
  if (game.racers) return isPursuer ? "Keep it out of the gray disc." : "Get into the gray disc.";
  return isPursuer ? "Catch it as soon as you can." : "Stay free as long as you can.";
}

const steeringOf = () =>
  fingers.matches
    ? "Hold a finger on the board: your vehicle pushes that way."
    : "Move the mouse, or hold the arrow keys: your vehicle pushes that way.";

/** Visitors without a best time read how vehicles move. */
function readyCard(rounds) {
  const { isPursuer, game } = rounds;
  const reach = Number(game.capture_radius.toFixed(2));
  const isSeen = reach > (isPursuer ? game.pursuer : game.evader).radius; // below the vehicle
  const ring = isPursuer ? "catch within the ring around you" : "are caught within its ring";
  const touch = isPursuer ? "catch when you touch it" : "are caught when it touches you";
  const { model } = isPursuer ? game.pursuer : game.evader;
  const glides = model === "simple_motion" ? [] : ["You glide on without a push: to brake, push back."];
  const lessons = [
    steeringOf(),
    ...glides,
    `You ${isSeen ? ring : touch}: within ${reach} m.`,
  ];
  const isNew = Object.keys(bestTimes).length === 0;
  const hints = (isNew ? lessons : [aboutOpponent(rounds)]).map(hintOf);
  return cardOf(taskOf(rounds), hints, [buttonOf("Begin", "Enter", begin, "main")]);
}

function runningCard(rounds) {
  const isPaused = rounds.phase === "pause";
  const button = buttonOf(isPaused ? "Go on" : "Pause", "Space", togglePause, "main");
  return cardOf(isPaused ? "Paused" : taskOf(rounds), [], [button]);
}

function endCard(rounds) {
  const colors = ["", "var(--force)", "var(--apollonius)"];
  const rows = rounds.outcomes.map((cells, place) => {
    const swatch = create("span", { className: place ? "swatch" : "" });
    swatch.style.color = colors[place];
    return create("tr", {}, ...[swatch, ...cells].map((cell) => create("td", {}, cell)));
  });
  const elements = [create("table", {}, ...rows), hintOf(rounds.bestText)];
  return cardOf(`${capitalized(rounds.outcomes[0][1])}.`, elements, [
    buttonOf("Next start", "Enter", goOn, "main"),
    buttonOf("Again", "R", again),
    buttonOf("Replay", "V", replay),
    buttonOf("Copy link", "", share),
    buttonOf("Save round", "", saveRound),
  ]);
}

const CARDS = { ready: readyCard, end: endCard };

/** Shows the card of the round, made anew only for another one: it keeps its focus and clicks. */
function updateCard() {
  const { rounds, isReplay } = play;
  const card = find("round");
  card.hidden = isLab() || isReplay;
  const said = rounds.phase === "end" && !card.hidden ? rounds.outcomes : [];
  const announced = said.map((parts) => parts.join(": ")).join("; ");
  if (find("announcement").textContent !== announced) find("announcement").textContent = announced;
  const { phase, episode } = rounds;
  const shown = [phase === "count" ? "round" : phase, episode];
  if (card.hidden || shown.every((each, place) => each === play.shown?.[place])) return;
  play.shown = shown;
  card.replaceChildren(...(CARDS[phase] ?? runningCard)(rounds));
  card.parentElement.scrollTop = 0; // it is above the choices
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
