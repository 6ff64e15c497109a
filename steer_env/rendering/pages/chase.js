// Starts the page; handles buttons, keys, the pointer and the address' hash.

/** The keys: their names in events, their label and description in the help, action, button. */
const KEYS = [
  [[" "], "space", "play or pause", togglePlay, "play"],
  [["ArrowLeft"], "←", "one step back; with Shift one second", moveBy(-1), "back"],
  [["ArrowRight"], "→", "one step forward; with Shift one second", moveBy(1), "forward"],
  [["Home"], "Home", "to the start", () => step(-Infinity), "start"],
  [["End"], "End", "to the end", () => step(Infinity), "end"],
  [["[", "p"], "[", "previous episode", () => moveEpisode(-1), "previous"],
  [["]", "n"], "]", "next episode", () => moveEpisode(1), "next"],
  [["-"], "−", "slower", () => changeSpeed(-1)],
  [["+", "="], "+", "faster", () => changeSpeed(1)],
  [["g"], "G", "all episodes side by side", toggleAll, "all"],
  [["b"], "B", "numbers of the next vehicle", chooseNextVehicle],
  [["a"], "A", "show everything, or reset", toggleEverything],
  [["t"], "T", "light or dark", toggleTheme, "theme"],
  [["?", "h"], "?", "keys and annotations", toggleHelp, "help-button"],
].map(([keys, label, meaning, act, button]) => ({ keys, label, meaning, act, button }));

/** Returns an action that moves a step forward (1) or back (-1), or a second with Shift. */
function moveBy(direction) {
  return ({ shiftKey }) =>
    step(direction * (shiftKey ? Math.max(1, Math.round(1 / current().dt)) : 1));
}

// ---------------------------------------------------------------------------- building

/** What distinguishes an episode from the others: names, seed, or both. */
function labelOfEpisode(episode) {
  const names = distinctNames(episode);
  const parts = names.length ? [names.join(" against ")] : [];
  if (!names.length || differs((each) => each.seed)) parts.push(`seed ${episode.seed}`);
  return parts.join(", ");
}

function buildEpisodes() {
  find("episode").replaceChildren(
    ...state.episodes.map((episode, index) => {
      return new Option(`${index + 1}. ${labelOfEpisode(episode)}: ${episode.result}`, index);
    }),
  );
  find("choice").hidden = state.episodes.length < 2;
}

function buildSwitches() {
  for (const [name, meaning] of Object.entries(state.meanings)) {
    const toggle = () => toggleShown(name);
    addSwitch(labelOf(name), keyOf(name), capitalized(meaning), toggle).dataset.name = name;
  }
  addSwitch("everything", "A", "Show everything, or reset", toggleEverything);
}

function addSwitch(label, key, title, onclick) {
  const properties = { type: "button", title: `${title} (${key})`, onclick };
  const button = create("button", properties, label, create("kbd", {}, key));
  find("switches").append(button);
  return button;
}

/** The key of an annotation. */
function keyOf(name) {
  return state.letters[name].toUpperCase();
}

function buildHelp() {
  const keys = KEYS.map(({ label, meaning }) => [create("kbd", {}, label), meaning]);
  const annotations = Object.entries(state.meanings).map(([name, meaning]) => {
    return [create("span", {}, create("kbd", {}, keyOf(name)), ` ${labelOf(name)}`), meaning];
  });
  find("keys").append(...entriesOf(keys));
  find("annotations").append(...entriesOf(annotations));
}

// --------------------------------------------------------------------- input

function listen() {
  for (const { label, meaning, act, button } of KEYS) {
    if (!button) continue;
    find(button).title = `${capitalized(meaning)} (${label})`;
    find(button).addEventListener("click", () => act({}));
  }
  find("episode").addEventListener("change", (event) => showEpisode(Number(event.target.value)));
  find("speed").addEventListener("change", (event) => {
    state.speed = Number(event.target.value);
    update();
  });
  find("scrub").addEventListener("input", (event) => {
    state.isPlaying = false;
    showTime(Number(event.target.value));
  });
  document.addEventListener("keydown", handleKey);
  document.addEventListener("click", ({ target, detail }) => {
    // After a click, the space bar plays and pauses instead of pressing the button again.
    if (detail > 0) target.closest("button")?.blur();
  });
  listenToPointer(find("arena"));
  window.addEventListener("hashchange", () => {
    readAddress();
    update();
  });
  new ResizeObserver(update).observe(find("stage"));
  window.addEventListener("resize", update); // also if only the display's sharpness changes
  find("tiles").addEventListener("scroll", update);
  darkness.addEventListener("change", () => {
    readColors();
    update();
  });
}

/** Handles a key, unless the focused element handles it. */
function handleKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  if (target.tagName === "SELECT" || (find("help").open && key !== "?")) return;
  if (target.tagName === "BUTTON" && (key === " " || key === "Enter")) return;
  if (key === "Escape") {
    state.pinned = state.hovered = null;
    update();
    return;
  }
  const letter = key.toLowerCase();
  const name = Object.keys(state.meanings).find((each) => state.letters[each] === letter);
  const entry = KEYS.find(({ keys }) => keys.includes(key) || keys.includes(letter));
  if (!name && !entry) return;
  event.preventDefault();
  if (name) toggleShown(name);
  else entry.act(event);
}

function listenToPointer(canvas) {
  canvas.addEventListener("pointermove", (event) => {
    const hovered = event.pointerType === "mouse" ? vehicleAt(event) : null;
    canvas.style.cursor = hovered === null ? "" : "pointer";
    if (hovered === state.hovered) return;
    state.hovered = hovered;
    update();
  });
  canvas.addEventListener("pointerleave", () => {
    state.hovered = null;
    update();
  });
  canvas.addEventListener("click", (event) => {
    const number = vehicleAt(event);
    state.pinned = number === state.pinned ? null : number;
    update();
  });
}

/** The number of the vehicle under the pointer, or null. */
function vehicleAt({ offsetX, offsetY }) {
  const episode = current();
  const { view } = episode;
  let nearest = null;
  let least = Infinity;
  episode.players.forEach((player, number) => {
    const pose = poseAt(episode, player, state.time);
    const distance = Math.hypot(view.column(pose.x) - offsetX, view.row(pose.y) - offsetY);
    const reach = Math.max(22, 1.5 * view.drawnRadius(player.radius) * view.scale);
    if (distance < reach && distance < least) [nearest, least] = [number, distance];
  });
  return nearest;
}

// ------------------------------------------------------------------------- the address' hash

/**
 * Sets the state from a hash such as #episode=2&step=120&paused&show=aim,trail.
 *
 * Several episodes are shown side by side, unless the hash names one of them, or a vehicle, or
 * says view=one; with view=all they always are.
 */
function readAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = (name) => (hash.has(name) ? Number(hash.get(name)) : NaN);
  if (number("episode") >= 1) {
    state.index = Math.min(Math.floor(number("episode")), state.episodes.length) - 1;
  }
  const namesOne = ["episode", "vehicle"].some((name) => hash.has(name));
  const view = hash.get("view") ?? (namesOne ? "one" : "all");
  state.showsAll = view !== "one" && state.episodes.length > 1;
  if (number("step") >= 0) state.time = Math.min(Math.floor(number("step")), lastStep());
  if (SPEEDS.includes(number("speed"))) state.speed = number("speed");
  if (hash.has("show")) {
    const names = Object.keys(state.meanings);
    const given = hash.get("show").split(",");
    state.shown = new Set(names.filter((name) => given.includes(name) || given.includes("all")));
  }
  if (["light", "dark"].includes(hash.get("theme"))) root.dataset.theme = hash.get("theme");
  const vehicle = number("vehicle");
  const isOne = vehicle >= 1 && vehicle <= current().players.length;
  state.pinned = isOne ? Math.floor(vehicle) - 1 : null;
  state.isPlaying = !hash.has("paused") && !stillness.matches;
  readColors();
}

/** Writes the state to the address, so that the moment can be shared. */
function keepInAddress() {
  const parts = [`episode=${state.index + 1}`, `step=${Math.floor(state.time + 1e-6)}`, "paused"];
  if (state.showsAll) parts.push("view=all"); // otherwise the episode says that it is one
  if (state.speed !== 1) parts.push(`speed=${state.speed}`);
  const shown = [...state.shown];
  const { shownAtFirst } = state;
  const isSame =
    shown.length === shownAtFirst.length && shownAtFirst.every((name) => state.shown.has(name));
  if (!isSame) parts.push(`show=${shown.join(",")}`);
  if (root.dataset.theme) parts.push(`theme=${root.dataset.theme}`);
  if (state.pinned !== null) parts.push(`vehicle=${state.pinned + 1}`);
  try {
    history.replaceState(null, "", `#${parts.join("&")}`);
  } catch {
    // A page inside another, such as a notebook, may not change the address.
  }
}

// ------------------------------------------------------------------------------------ start

async function start() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error(
      "This browser is too old to unpack the recordings: " +
        "it needs Chrome 111, Firefox 113, Safari 16.4, or a later version.",
    );
  }
  const { meanings, letters, shown, episodes } = await unpack(find("data").textContent);
  for (const episode of episodes) {
    episode.farthest = episode.distances.reduce((one, other) => Math.max(one, other));
    episode.captures = capturesOf(episode);
  }
  Object.assign(state, { meanings, letters, episodes, shown: new Set(shown), shownAtFirst: shown });
  readAddress();
  buildEpisodes();
  buildTiles();
  buildSwitches();
  buildHelp();
  find("speed").append(...SPEEDS.map((speed) => new Option(`${speed}×`, speed)));
  listen();
  find("main").hidden = false;
  update();
  requestAnimationFrame(onFrame);
}

start().catch((error) => {
  find("failure").hidden = false;
  find("failure").textContent = error.message;
  console.error(error);
});
