// The cards over the board: before a round, the countdown, a pause, and the end.

/** Shows a card made of elements, or none; `className` is its box's. */
function showCard(elements, className = "") {
  const overlay = find("overlay");
  overlay.hidden = elements === null;
  overlay.className = className;
  overlay.replaceChildren(...(elements === null ? [] : elements));
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
function readyCard(rounds, begin) {
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

function pauseCard(resume) {
  return create(
    "div",
    {},
    create("h2", {}, "Paused"),
    create("div", { className: "buttons" }, buttonOf("Go on", "Space", resume, "main")),
  );
}

/** The card after a round: what came of it, beside the others. */
function endCard(rounds, actions) {
  const { episode, ghosts } = rounds;
  const colors = ["", "var(--force)", "var(--apollonius)"];
  const row = (name, { result }, place) => {
    const swatch = create("span", { className: place ? "swatch" : "" });
    swatch.style.color = colors[place];
    const cells = [
      create("td", {}, swatch),
      create("td", {}, breakable(name)),
      create("td", {}, result),
    ];
    return create("tr", {}, ...cells);
  };
  const again = rounds.isForeign ? [] : [buttonOf("Again", "R", actions.again)];
  const rows = [
    row(YOU, episode, 0),
    ...ghosts.map((ghost, place) => row(ghost.name, ghost.episode, place + 1)),
  ];
  return create(
    "div",
    {},
    create("h2", {}, breakable(rounds.conclusion)),
    create("table", {}, ...rows),
    create(
      "p",
      { className: "hint" },
      [rounds.bestText, dailyText(rounds)].filter(Boolean).join(" "),
    ),
    create(
      "div",
      { className: "buttons" },
      buttonOf("Next start", "Enter", actions.next, "main"),
      ...again,
      buttonOf("Replay", "V", actions.replay),
      buttonOf("Copy link", "", actions.share),
    ),
    create(
      "div",
      { className: "buttons" },
      buttonOf("Save round", "", actions.saveRound),
      buttonOf("Save GIF", "", actions.saveGif),
      buttonOf("Save page", "", actions.savePage),
    ),
  );
}

/** Where the person stands in the day's five rounds. */
function dailyText({ daily, ghosts }) {
  if (!daily) return "";
  const played = daily.times.length;
  const mine = sumOf(daily.times).toFixed(1);
  const theirs = sumOf(daily.others).toFixed(1);
  const name = ghosts[0].name;
  if (played < DAILY_ROUNDS)
    return `Today’s five: ${mine} s after ${played} (${name} ${theirs} s).`;
  const best = daily.isBest ? " Your best today." : "";
  return `Today’s five: ${mine} s in all; ${name} ${theirs} s.${best}`;
}
