// The cards over the board: before a round, the countdown, a pause, and the end.

/** Shows a card, or none; `className` is its box's. */
function showCard(card, className = "") {
  const overlay = find("overlay");
  overlay.hidden = card === null;
  overlay.className = className;
  overlay.replaceChildren(...(card === null ? [] : [card]));
}

function buttonOf(label, key, onclick, className = "") {
  const title = key ? `${label} (${key})` : label;
  return create("button", { type: "button", className, onclick, title }, label);
}

/** The opponent in a few words. */
const aboutOpponent = ({ link, level, opponent }) =>
  link.opponent ? playerNamed(opponent).description : level.text;

/** A card with a heading, other elements, and buttons. */
const cardOf = (heading, elements, buttons) =>
  create(
    "div",
    {},
    create("h2", {}, heading),
    ...elements,
    create("div", { className: "buttons" }, ...buttons),
  );

const hintOf = (text) => create("p", { className: "hint" }, text);

/** The card before a round. */
function readyCard(rounds) {
  const { isPursuer, opponent } = rounds;
  const task = isPursuer ? "Catch it as soon as you can." : "Stay free as long as you can.";
  const about = `${breakable(opponent)}: ${aboutOpponent(rounds)}`;
  return cardOf(task, [hintOf(about), hintOf(STEERING)], [buttonOf("Begin", "Enter", begin, "main")]);
}

const STEERING = "Steer with the arrow keys, or hold the mouse or a finger where to go.";

const countCard = (number) => create("div", { className: "count" }, String(number));

const pauseCard = () => cardOf("Paused", [], [buttonOf("Go on", "Space", togglePause, "main")]);

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
  const elements = [create("table", {}, ...rows), hintOf(rounds.bestText)];
  return cardOf(breakable(rounds.conclusion), elements, [
    buttonOf("Next start", "Enter", goOn, "main"),
    buttonOf("Again", "R", again),
    buttonOf("Replay", "V", replay),
    buttonOf("Copy link", "", share),
    buttonOf("Save round", "", saveRound),
  ]);
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
