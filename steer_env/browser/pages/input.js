// What a person does: buttons, keys, pointers, and the address; and the start of the page.

function listen() {
  find("tab-play").onclick = () => showView("play");
  find("tab-lab").onclick = () => showView("lab");
  find("theme").onclick = toggleTheme;
  find("help-button").onclick = toggleHelp;
  find("start").onclick = () => showTime(0);
  find("play").onclick = togglePlay;
  find("speed").onchange = ({ target }) => (app.speed = Number(target.value));
  find("scrub").oninput = ({ target }) => showTime(Number(target.value));
  document.addEventListener("keydown", handleKey);
  document.addEventListener("keyup", ({ key }) => app.controls.press(key, false));
  document.addEventListener("click", ({ target, detail }) => {
    // After a click, the space bar plays and pauses instead of pressing the button again.
    if (detail > 0) target.closest("button")?.blur();
  });
  listenToPointer(find("arena"));
  window.addEventListener("blur", leave);
  document.addEventListener("visibilitychange", () => document.hidden && leave());
  window.addEventListener("hashchange", () => {
    readAddress();
    apply();
  });
  new ResizeObserver(update).observe(find("stage"));
  window.addEventListener("resize", update);
  darkness.addEventListener("change", recolor);
}

/** Nobody steers while the page is in the background. */
function leave() {
  app.controls.release();
  if (["count", "round"].includes(app.rounds.phase)) togglePlay();
}

function toggleTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  recolor();
}

function recolor() {
  app.colors = colorsOfStyle();
  if (app.lab.map) app.lab.map.canvas = null;
  updateTexts();
}

/** Handles a key, unless the focused element handles it. */
function handleKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  const isWriting = target.tagName === "SELECT" || target.tagName === "INPUT";
  if (isWriting || (find("help").open && key !== "?")) return;
  if (target.tagName === "BUTTON" && (key === " " || key === "Enter")) return;
  if (!isLab() && app.controls.press(key, true)) {
    event.preventDefault();
    return;
  }
  const letter = key.toLowerCase();
  const entry = KEYS.find(({ keys }) => keys.includes(key) || keys.includes(letter));
  if (entry && !event.repeat) {
    event.preventDefault();
    entry.act();
  }
}

// -------------------------------------------------------------------------------- the pointer

function listenToPointer(canvas) {
  const placeOf = ({ offsetX: x, offsetY: y }) => ({ x, y });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture?.(event.pointerId);
    if (isLab()) holdVehicle(event);
    else app.controls.point(placeOf(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (isLab()) {
      if (app.lab.held) dragVehicle(event);
      else canvas.style.cursor = vehicleAt(event) === null ? "" : "grab";
    } else if (app.controls.pointer) {
      app.controls.point(placeOf(event));
    }
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(kind, () => {
      app.controls.point(null);
      if (app.lab.held) dropVehicle();
    });
  }
}

/** The number of the vehicle under a pointer, or null. */
function vehicleAt({ offsetX, offsetY }) {
  const { episode } = app.lab;
  const view = viewOf(episode, boardSide());
  const distances = episode.players.map((player) => {
    const pose = poseAt(episode, player, Math.min(app.time, episode.steps));
    const isNear = pose.isActive ? 1 : Infinity;
    return isNear * Math.hypot(view.column(pose.x) - offsetX, view.row(pose.y) - offsetY);
  });
  const least = Math.min(...distances);
  return least < Math.max(24, 0.05 * view.side) ? distances.indexOf(least) : null;
}

function holdVehicle(event) {
  const vehicle = vehicleAt(event);
  if (vehicle === null) return;
  app.isPlaying = false;
  app.lab.hold(vehicle, Math.floor(Math.min(app.time, app.lab.episode.steps)));
  app.time = 0;
  dragVehicle(event);
  updateTexts();
}

function dragVehicle({ offsetX, offsetY }) {
  const view = viewOf(app.lab.former, boardSide());
  const x = view.center.x + (offsetX - view.side / 2) / view.scale;
  const y = view.center.y - (offsetY - view.side / 2) / view.scale;
  app.lab.move(x, y);
  update();
}

function dropVehicle() {
  app.lab.release();
  updateTexts();
}

// -------------------------------------------------------------------------------- the start

/** Sets the page to the address' hash; what is wrong with it is said. */
function readAddress() {
  const { link, problems } = readLink(location.hash);
  app.link = link;
  app.isPlaying = link.view !== "play" && !stillness.matches;
  app.time = 0;
  say(problems.length ? `The link is damaged: ${problems.join("; ")}. The rest is as usual.` : "");
}

function buildSwitches() {
  for (const [name, meaning] of Object.entries(app.meanings)) {
    const onclick = () => {
      if (!app.shown.delete(name)) app.shown.add(name);
      updateTexts();
    };
    const properties = { type: "button", title: capitalized(meaning), onclick };
    const button = create("button", properties, labelOf(name));
    button.dataset.name = name;
    find("switches").append(button);
  }
}

function buildHelp() {
  const steering = [
    [create("kbd", {}, "arrows"), "or W A S D: push in that direction"],
    [create("span", {}, "mouse, touch"), "held: push toward the pointer"],
    [create("span", {}, "gamepad"), "push with a stick"],
  ];
  const keys = KEYS.map(({ label, meaning }) => [create("kbd", {}, label), meaning]);
  find("keys").append(...entriesOf([...steering, ...keys]));
  const meanings = Object.entries(app.meanings).map(([name, meaning]) => [labelOf(name), meaning]);
  find("annotations").append(...entriesOf(meanings));
}

/** The bytes of an element's text: zlib's compressed data in base64. */
async function bytesOf(id) {
  const packed = Uint8Array.from(atob(find(id).textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** JSON in which numbers that are not finite are texts. */
const parsed = (text) =>
  JSON.parse(text, (_, value) => (/^-?Infinity$/.test(value) ? Number(value) : value));

async function start() {
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
    throw new Error(
      "This browser is too old for the game: it needs Chrome 111, Firefox 113, Safari 16.4, " +
        "or a later version.",
    );
  }
  const [bytes, text] = await Promise.all([bytesOf("code"), bytesOf("data")]);
  const { layout, meanings, letters, shown, ...kept } = parsed(new TextDecoder().decode(text));
  const length = new DataView(bytes).getUint32(0, true);
  const numbers = new Float32Array(bytes.slice(4 + length));
  for (const policy of Object.values(kept.policies)) {
    for (const layer of policy.layers) {
      for (const name of ["weights", "biases"]) {
        const [first, count] = layer[name];
        layer[name] = numbers.subarray(first, first + count);
      }
    }
  }
  Object.assign(library, kept, { layout });
  Object.assign(app, { meanings, letters, shown: new Set(shown), shownAtFirst: shown });
  app.machine = await Machine.start(bytes.slice(4, 4 + length), layout);
  app.rounds = new Rounds(app.machine);
  app.lab = new Laboratory(app.machine, app.tasks);
  app.colors = colorsOfStyle();
  find("speed").append(...SPEEDS.map((speed) => new Option(`${speed}×`, speed)));
  readAddress();
  buildPlayPanel();
  buildLabPanel();
  buildSwitches();
  buildHelp();
  find("main").hidden = false;
  apply();
  listen();
  app.ready = performance.now();
  requestAnimationFrame(onFrame);
}

start().catch((error) => {
  find("failure").hidden = false;
  find("failure").textContent = error.message;
  console.error(error);
});

// For the curious, at the browser's console: the loop, what it plays, and the page's state.
globalThis.chase = { app, library, Engine, LiveEpisode, gameWith, playerNamed };
