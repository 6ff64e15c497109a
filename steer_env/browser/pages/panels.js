// The choices beside the board: of the game to play, and of the laboratory.

/** Fills a select with a side's players, in groups, unless it did for the same key. */
function fillPlayers(select, side, game, key, { first = [], chosen, text }) {
  if (select.dataset.key === key) return;
  select.dataset.key = key;
  const playable = playersOf(game);
  const optionOf = (name) => new Option(isLab() ? name : titleOf(name), name);
  const isOf = ({ side: made }) => [side, null].includes(made);
  const group = (label, isIn) => {
    const isListed = (name) => !chosen.includes(name) && isIn(library.players[name]);
    const options = playable.filter(isListed).map(optionOf);
    return options.length ? [create("optgroup", { label }, ...options)] : [];
  };
  const others = side === "pursuer" ? "scripts that run away" : "scripts that chase";
  select.replaceChildren(
    ...first,
    ...chosen.filter((name) => playable.includes(name)).map((name) => new Option(text(name), name)),
    ...group("trained networks", (player) => player.layers && isOf(player)),
    ...group("scripts", (player) => player.fields && isOf(player)),
    ...group(others, (player) => player.fields && !isOf(player)),
  );
}

/** Fills a row of buttons of which one is chosen; `part` of the link is what they choose. */
function fillSegments(box, names, part) {
  for (const name of names) {
    const onclick = () => changeLink({ [part]: name, opponent: null });
    box.append(create("button", { type: "button", onclick }, name));
  }
}

function chooseSegment(box, chosen) {
  for (const button of box.children) {
    button.setAttribute("aria-pressed", button.textContent === chosen);
  }
}

function buildPanel() {
  const games = Object.values(library.games);
  find("game").append(...games.map(({ title, name }) => new Option(title, name)));
  find("game").onchange = ({ target }) => {
    const game = target.value;
    const inLab = { changes: {}, ...usualPlayers(game) };
    changeLink({ game, ...(isLab() ? inLab : { opponent: null }) });
  };
  fillSegments(find("levels"), library.levels, "level");
  fillSegments(find("sides"), SIDES, "as");
  find("opponent").onchange = ({ target }) => changeLink({ opponent: target.value || null });
  find("players").replaceChildren(...SIDES.map(playerField));
  const names = Object.keys(SLIDERS).filter((name) => !SLIDERS[name].isOfScript);
  find("sliders").replaceChildren(...names.map(createSlider));
  find("reset").onclick = resetLab;
  find("new-seed").onclick = newStart;
  find("share").onclick = share;
  find("seed").onchange = ({ target }) => {
    const seed = target.value.trim();
    if (isSeed(seed)) changeLink({ seed: BigInt(seed) });
    else say("A start is a number up to 2^64 - 1.");
    update();
  };
}

function updatePlayFields() {
  const { rounds } = play;
  const { link, game, level } = rounds;
  chooseSegment(find("levels"), link.level);
  chooseSegment(find("sides"), link.as);
  for (const button of find("sides").children) button.disabled = !game.levels[button.textContent];
  const side = otherSide(link.as);
  const chosen = library.chosen[side];
  const first = [new Option(`This level: ${titleOf(level.opponent)}`, "")];
  const key = [link.game, link.as, link.level].join();
  fillPlayers(find("opponent"), side, game, key, { first, chosen, text: introduced });
  find("opponent").value = link.opponent ?? "";
  find("opponent-text").textContent = aboutOpponent(rounds);
}

function playerField(side) {
  const select = create("select", { id: `lab-${side}` });
  select.onchange = () => {
    const entries = Object.entries(play.link.changes);
    const kept = entries.filter(([name]) => !name.startsWith(`${side}.`));
    changeLink({ [side]: select.value, changes: Object.fromEntries(kept) });
  };
  const law = create("select", { id: `law-${side}`, ariaLabel: `How the ${side} looks ahead` });
  law.onchange = () => change(`${side}.lookahead`, law.value);
  const laws = library.layout.names.lookahead;
  const textOf = (name) => (name === "closing" ? "closing speed" : name.replaceAll("_", " "));
  law.append(...laws.map((name) => new Option(`lookahead: ${textOf(name)}`, name)));
  const label = create("label", { htmlFor: select.id, className: side }, side);
  const sliders = Object.keys(SLIDERS).filter((name) => name.startsWith(`${side}.`));
  const parts = [create("h2", {}, label), select, law, ...sliders.map(createSlider)];
  return create("div", { className: "player" }, ...parts);
}

const change = (name, value) => changeLink({ changes: { ...play.link.changes, [name]: value } });
const idOfSlider = (name) => `slider-${name.replace(".", "-")}`;
const sliderOf = (name) => find(idOfSlider(name));

function createSlider(name) {
  const { label, low, high, step } = SLIDERS[name];
  const id = idOfSlider(name);
  const input = create("input", { type: "range", id, min: low, max: high, step });
  input.oninput = () => {
    const isEndless = name.endsWith(".threat_range") && input.value >= high;
    change(name, isEndless ? Infinity : Number(input.value));
  };
  const texts = [create("label", { htmlFor: id }, label), create("output", { htmlFor: id })];
  return create("div", { className: "slider" }, ...texts, input);
}

/** Shows a slider with its value in the laboratory, or hides it. */
function updateSlider(name, isShown) {
  const input = sliderOf(name);
  const value = valueOf(SLIDERS[name], play.lab.game, play.lab.sides);
  input.parentElement.hidden = !isShown;
  if (value === undefined) return;
  const within = Math.min(value, Number(input.max));
  if (Number(input.value) !== within) input.value = within;
  const number = `${Number(value.toFixed(2))} ${SLIDERS[name].unit}`;
  input.previousElementSibling.textContent = value === Infinity ? "any distance" : number;
}

function updateLabFields() {
  const { link, lab } = play;
  for (const [side, name] of SIDES.entries()) {
    const select = find(`lab-${name}`);
    const text = (player) => `${titleOf(player)}: ${player}`;
    const options = { chosen: library.chosen[name], text };
    fillPlayers(select, name, lab.game, `${link.game} ${lab.game.obstacles}`, options);
    select.value = link[name];
    updateLookahead(name, lab.sides[side]);
  }
  for (const [name, { of: [keyword, limit], isOfScript }] of Object.entries(SLIDERS)) {
    const isIdle = limit === "max_force" && lab.game[keyword].model === "simple_motion";
    if (!isOfScript) updateSlider(name, !isIdle && fitsGround(SLIDERS[name], lab.game));
  }
}

function updateLookahead(side, { script }) {
  const { names } = library.layout;
  const law = script?.predicts ? names.lookahead[script.fields.lookahead] : "";
  const behavior = script ? names.behavior[script.fields.behavior] : "idle";
  const hasThreats = behavior !== "wander" && behavior !== "idle";
  find(`law-${side}`).hidden = !law;
  if (law) find(`law-${side}`).value = law;
  updateSlider(`${side}.lookahead_seconds`, law === "constant");
  updateSlider(`${side}.threat_range`, hasThreats);
}
