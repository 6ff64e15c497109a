// The cards over the board: before a round, the countdown, a pause, and the end.

/** Shows a card, or none; `className` is its box's. */
function showCard(card, className = "") {
  const overlay = find("overlay");
  overlay.hidden = card === null;
  overlay.className = className;
  overlay.replaceChildren(...(card === null ? [] : [card]));
}

const buttonOf = (label, key, onclick, className = "") =>
  create(
    "button",
    { type: "button", className, onclick, title: key ? `${label} (${key})` : label },
    label,
  );

/** The opponent in a few words. */
const aboutOpponent = ({ link, level, opponent }) =>
  link.opponent ? playerNamed(opponent).description : level.text;

/** The card before a round. */
function readyCard(rounds) {
  const { isPursuer, opponent } = rounds;
  const task = isPursuer ? "Catch it as soon as you can." : "Stay free as long as you can.";
  return create(
    "div",
    {},
    create("h2", {}, task),
    create("p", { className: "hint" }, `${breakable(opponent)}: ${aboutOpponent(rounds)}`),
    create("p", { className: "hint" }, STEERING),
    create("div", { className: "buttons" }, buttonOf("Begin", "Enter", begin, "main")),
  );
}

const STEERING = "Steer with the arrow keys, or hold the mouse or a finger where to go.";

const countCard = (number) => create("div", { className: "count" }, String(number));

function pauseCard() {
  return create(
    "div",
    {},
    create("h2", {}, "Paused"),
    create("div", { className: "buttons" }, buttonOf("Go on", "Space", togglePause, "main")),
  );
}

/** The card after a round: what came of it, beside the others. */
function endCard(rounds) {
  const { episode, ghosts } = rounds;
  const colors = ["", "var(--force)", "var(--apollonius)"];
  const rows = [{ name: YOU, episode }, ...ghosts].map((each, place) => {
    const swatch = create("span", { className: place ? "swatch" : "" });
    swatch.style.color = colors[place];
    const cells = [swatch, breakable(each.name), each.episode.result];
    return create("tr", {}, ...cells.map((cell) => create("td", {}, cell)));
  });
  return create(
    "div",
    {},
    create("h2", {}, breakable(rounds.conclusion)),
    create("table", {}, ...rows),
    create("p", { className: "hint" }, rounds.bestText),
    create(
      "div",
      { className: "buttons" },
      buttonOf("Next start", "Enter", goOn, "main"),
      buttonOf("Again", "R", again),
      buttonOf("Replay", "V", replay),
      buttonOf("Copy link", "", share),
    ),
    create(
      "div",
      { className: "buttons" },
      buttonOf("Save round", "", saveRound),
      buttonOf("Save page", "", savePage),
    ),
  );
}

/** Shows the card that fits the phase of the round. */
function updateOverlay() {
  const { rounds, isReplay } = play;
  const phase = isLab() || isReplay ? "" : rounds.phase;
  const announced = phase === "end" ? rounds.conclusion : "";
  if (find("announcement").textContent !== announced) find("announcement").textContent = announced;
  if (phase === "ready") showCard(readyCard(rounds), cardPlace());
  else if (phase === "count") showCard(countCard(rounds.count), "is-count");
  else if (phase === "pause") showCard(pauseCard());
  else if (phase === "end") showCard(endCard(rounds), cardPlace());
  else showCard(null);
}

/** A card leaves the person's vehicle visible. */
function cardPlace() {
  const { episode, vehicle } = play.rounds;
  const column = episode.players[vehicle].columns.y;
  return column[column.length - 1] > 0 ? "at-bottom" : "at-top";
}
