// The choices beside the board: of the game to play, and of the laboratory.

const FARTHEST = 28.5; // meters: across the arena; at the end of its slider, any distance

/** Fills a select with players' names, in groups; the first entry may be another. */
function fillPlayers(select, side, game, first = []) {
  const { policies, own, other } = namesFor(side, game);
  const group = (label, names) => {
    const options = names.map((name) => new Option(name, name));
    return options.length ? [Object.assign(create("optgroup", {}, ...options), { label })] : [];
  };
  select.replaceChildren(
    ...first.map(([text, value]) => new Option(text, value)),
    ...group("trained networks", policies),
    ...group("scripts", own),
    ...group(side === "pursuer" ? "scripts that run away" : "scripts that chase", other),
  );
}

/** A row of buttons of which one is chosen. */
function fillSegments(box, names, onchoose) {
  const buttonFor = (name) => {
    const button = create("button", { type: "button", onclick: () => onchoose(name) }, name);
    button.dataset.name = name;
    return button;
  };
  box.replaceChildren(...names.map(buttonFor));
}

function chooseSegment(box, chosen) {
  for (const button of box.children) {
    button.setAttribute("aria-pressed", button.dataset.name === chosen);
  }
}

function buildPanel() {
  const games = Object.values(library.games);
  find("game").append(...games.map(({ title, name }) => new Option(title, name)));
  find("game").onchange = ({ target }) => {
    changeLink({ game: target.value, ...(isLab() ? { changes: {} } : { opponent: null }) });
  };
  const choose = (part) => (name) => changeLink({ [part]: name, opponent: null });
  fillSegments(find("levels"), library.levels, choose("level"));
  fillSegments(find("sides"), SIDES, choose("as"));
  find("opponent").onchange = ({ target }) => changeLink({ opponent: target.value || null });
  find("players").replaceChildren(...SIDES.map(playerField));
  find("sliders").replaceChildren(...Object.keys(SLIDERS).map(sliderField));
  find("reset").onclick = resetLab;
  find("map").onclick = toggleMap;
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
  for (const button of find("sides").children)
    button.disabled = !game.levels[button.dataset.name];
  const key = [link.game, link.as, link.level].join();
  if (find("opponent").dataset.key !== key) {
    const first = [[`the level’s: ${level.opponent}`, ""]];
    fillPlayers(find("opponent"), otherSide(link.as), game, first);
    find("opponent").dataset.key = key;
  }
  find("opponent").value = link.opponent ?? "";
  find("level-text").textContent = `${capitalized(level.text)}.`;
  find("opponent-text").textContent = link.opponent ? aboutOpponent(rounds) : "";
  const best = rounds.best.of(rounds.challenge);
  const against = link.opponent ? `against ${breakable(link.opponent)}` : "at this level";
  find("best").textContent = best === null ? "" : `Best ${against}: ${best.toFixed(1)} s.`;
}

/** The choice of a side's player, and of how it looks ahead. */
function playerField(side) {
  const select = create("select", { id: `lab-${side}` });
  select.onchange = () => changeLink({ [side]: select.value, thoughts: thoughtsWith(side, null) });
  const law = create("select", { id: `law-${side}`, ariaLabel: `How the ${side} looks ahead` });
  law.onchange = () => changeLink({ thoughts: thoughtsWith(side, { lookahead: law.value }) });
  const laws = library.layout.names.lookahead;
  law.append(...laws.map((name) => new Option(`looks ahead: ${name}`, name)));
  const label = create("label", { htmlFor: select.id, className: side }, side);
  const seconds = thoughtSlider(side, "lookahead_seconds", "looks ahead", "s", 5, 0.1);
  const threat = thoughtSlider(side, "threat_range", "minds others within", "m", FARTHEST, 0.5);
  const parts = [create("h2", {}, label), select, law, seconds, threat];
  return create("div", { className: "player" }, ...parts);
}

const thoughtsWith = (side, change) => ({
  ...play.link.thoughts,
  [side]: change === null ? {} : { ...play.link.thoughts[side], ...change },
});

function thoughtSlider(side, name, label, unit, high, step) {
  const onchange = (value) => {
    const isEndless = name === "threat_range" && value >= FARTHEST;
    changeLink({ thoughts: thoughtsWith(side, { [name]: isEndless ? Infinity : value }) });
  };
  return slider(`${side}-${name}`, { label, unit, low: 0, high, step }, onchange);
}

function sliderField(name) {
  const onchange = (value) => changeLink({ changes: { ...play.link.changes, [name]: value } });
  return slider(`slider-${name}`, SLIDERS[name], onchange);
}

function slider(id, { label, unit, low, high, step }, onchange) {
  const input = create("input", { type: "range", id, min: low, max: high, step });
  input.dataset.unit = unit;
  input.oninput = () => onchange(Number(input.value));
  const parts = [create("label", { htmlFor: id }, label), create("output", { htmlFor: id }), input];
  return create("div", { className: "slider" }, ...parts);
}

function setSlider(id, value) {
  const input = find(id);
  const within = Math.min(value, Number(input.max));
  if (Number(input.value) !== within) input.value = within;
  const number = `${Number(value.toFixed(2))} ${input.dataset.unit}`;
  input.previousElementSibling.textContent = value === Infinity ? "any distance" : number;
}

function updateLabFields() {
  const { link, lab } = play;
  for (const [side, name] of SIDES.entries()) {
    const select = find(`lab-${name}`);
    const key = `${link.game} ${lab.game.obstacles}`;
    if (select.dataset.key !== key) {
      fillPlayers(select, name, lab.game);
      select.dataset.key = key;
    }
    select.value = link[name];
    updateThoughts(name, lab.sides[side]);
  }
  for (const [name, value] of Object.entries(valuesOfSliders(lab.game))) {
    setSlider(`slider-${name}`, value);
  }
  find("map").setAttribute("aria-pressed", lab.showsMap);
  find("map-legend").hidden = !lab.showsMap;
  find("map-legend").textContent = lab.map ? legendOf(lab.map) : "";
}

function legendOf(map) {
  const [soonest, latest] = rangeOfMap(map).map((seconds) => `${seconds.toFixed(1)} s`);
  const rest = `Without color: not within ${map.longest.toFixed(1)} s.`;
  const caught = map.evaders > 1 ? "all are caught" : "it is caught";
  if (soonest === "NaN s") return `Wherever the evader begins, it gets away. ${rest}`;
  return `If the evader began there, ${caught} after ${soonest} (strong) to ${latest} (pale). ${rest}`;
}

/** Shows how a script looks ahead; what it has no use for is hidden. */
function updateThoughts(side, { script }) {
  const names = library.layout.names;
  const behavior = script && names.behavior[script.fields.behavior];
  const predicts = Boolean(script?.predicts);
  const law = script && names.lookahead[script.fields.lookahead];
  find(`law-${side}`).hidden = !predicts;
  if (predicts) find(`law-${side}`).value = law;
  find(`${side}-lookahead_seconds`).parentElement.hidden = !(predicts && law === "constant");
  find(`${side}-threat_range`).parentElement.hidden =
    !script || behavior === "wander" || behavior === "rest";
  if (!script) return;
  setSlider(`${side}-lookahead_seconds`, script.fields.lookahead_seconds);
  setSlider(`${side}-threat_range`, script.fields.threat_range);
}
