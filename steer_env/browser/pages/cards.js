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

function taskOf({ isPursuer, game, opponent }) {
  if (game.racers) return isPursuer ? "Keep it out of the gray disc." : "Get into the gray disc.";
  if (!isPursuer) return "Stay free as long as you can.";
  const isTitled = library.chosen.evader.includes(opponent) && game.evaders === 1;
  return `Catch ${isTitled ? `the ${titleOf(opponent)}` : "it"} as fast as you can.`;
}

const steeringOf = () => [
  fingers.matches ? "Hold a finger on the board:" : "Point with the mouse or hold an arrow key:",
  "you accelerate that way",
];

/** The lines on the board before a round: a challenge from the link, and how to start. */
function startOf() {
  const [challenger] = play.rounds.challengers;
  const start = fingers.matches
    ? ["Tap here to start"]
    : ["Click here or press", "an arrow key to start"];
  if (!challenger) return start;
  const { isPursuer } = play.rounds;
  const done = capitalized(outcomeOf(isPursuer, challenger.episode).replace("caught it", "caught"));
  const question = isGood(isPursuer, challenger.episode) ? "Can you?" : "Can you do better?";
  return [`${done}. ${question}`, ...start];
}

/** Before the first round one reads how vehicles move. */
function readyCard(rounds) {
  const { isPursuer, game } = rounds;
  const reach = Number(game.capture_radius.toFixed(2));
  const isSeen = reach > (isPursuer ? game.pursuer : game.evader).radius; // below the vehicle
  const ring = isPursuer ? "catch it when it is inside your ring" : "are caught inside its ring";
  const touch = isPursuer ? "catch it when you touch it" : "are caught when it touches you";
  const { model } = isPursuer ? game.pursuer : game.evader;
  const glides = "You keep gliding when you let go. To brake, push the other way.";
  const lessons = [
    `${steeringOf().join(" ")}.`,
    ...(model === "simple_motion" ? [] : [glides]),
    `You ${isSeen ? ring : touch} (${reach} m).`,
  ];
  const limit = `${Number((game.horizon * game.dt).toFixed(1))} s`;
  const holds = isPursuer === Boolean(game.racers);
  const goal = holds ? `You win if you hold out for ${limit}.` : `You have ${limit}.`;
  const hints = [...(rounds.isFirst ? lessons : []), goal].map(hintOf);
  return cardOf(taskOf(rounds), hints, [buttonOf("Start", "Enter", begin, "main")]);
}

function runningCard(rounds) {
  const isPaused = rounds.phase === "pause";
  const button = buttonOf(isPaused ? "Go on" : "Pause", "Space", togglePause, "main");
  return cardOf(isPaused ? "Paused" : taskOf(rounds), [], [button]);
}

function adviceFor({ isPursuer, pushes, game }) {
  const rest = LETTERS[PUSH_LEVELS].repeat(2);
  const steps = pushes.match(/../g) ?? [];
  const idle = steps.filter((step) => step === rest).length;
  if (idle > 0.3 * steps.length) return "Keep steering all the time.";
  if (game.racers) return isPursuer ? "Stay between it and the disc." : "Go where it comes too late.";
  if (isPursuer) return "Aim at where it will be, not at where it is.";
  return "Turn aside late: it needs time to turn, too.";
}

function endCard(rounds) {
  const colors = [null, ...rounds.ghosts.map(({ color }) => `var(--${color})`)];
  const rows = rounds.outcomes.map((cells, place) => {
    const swatch = create("span", { className: place ? "swatch" : "" });
    swatch.style.color = colors[place];
    return create("tr", {}, ...[swatch, ...cells].map((cell) => create("td", {}, cell)));
  });
  const next = library.levels[library.levels.indexOf(rounds.link.level) + 1];
  const harder = rounds.isWon && next;
  const goHarder = () => {
    changeLink({ level: next, opponent: null, seed: randomSeed() });
    begin();
  };
  const hints = rounds.isWon ? [] : [hintOf(adviceFor(rounds))];
  return cardOf(rounds.sentence, [create("table", {}, ...rows), ...hints], [
    buttonOf("Next round", "Enter", goOn, "main"),
    ...(harder ? [buttonOf(`Next: ${next}`, "", goHarder)] : []),
    buttonOf("Same start again", "R", again),
    buttonOf("Replay", "V", replay),
    buttonOf("Copy link", "", share),
  ]);
}

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
  const cardFor = { ready: readyCard, end: endCard }[phase] ?? runningCard;
  card.replaceChildren(...cardFor(rounds));
  card.parentElement.scrollTop = 0; // it is above the choices
}

/** Copies a link to what is shown, with a round that has ended; from a file, a command. */
async function share() {
  const { link, rounds, lab } = play;
  const isOver = !isLab() && rounds.phase === "end";
  const hash = hashOf({ ...link, round: isOver ? rounds.pushes : link.round });
  const isOwn = [link.game, link.opponent].some((name) => library.own.includes(name));
  const isFile = location.protocol === "file:" && !isOwn;
  const address = location.href.split("#")[0] + hash;
  const copy = isFile ? `steer-env play --link "${hash.slice(1)}"` : address;
  const what = isFile ? "Command" : "Link";
  try {
    await navigator.clipboard.writeText(copy);
    say(`${what} copied${isLab() && lab.origin ? ", without what was moved" : ""}`);
  } catch {
    say(`Copy this: ${copy}`);
  }
}
