// What a person does: buttons, keys, pointers, and the address; and the start of the page.

function listen() {
  find("tab-play").onclick = () => showView("play");
  find("tab-lab").onclick = () => showView("lab");
  find("theme").onclick = toggleTheme;
  find("help-button").onclick = showHelp;
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
  document.addEventListener(
    "change",
    ({ target }) => target.tagName === "SELECT" && target.blur(),
  );
  document.querySelector(".tabs").addEventListener("keydown", moveBetweenTabs);
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

/** The arrow keys choose between the tabs, once one has the focus. */
function moveBetweenTabs({ key }) {
  if (!["ArrowLeft", "ArrowRight"].includes(key)) return;
  showView(isLab() ? "play" : "lab");
  find(isLab() ? "tab-lab" : "tab-play").focus();
}

/** Nobody steers while the page is in the background. */
function leave() {
  app.controls.release();
  if (!isLab() && app.rounds.isRunning) togglePlay();
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
  if (app.lab.held || isHandledBy(target, key) || (find("help").open && key !== "?")) return;
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

/** Whether an element has a use for a key of its own. */
function isHandledBy({ tagName, type, role }, key) {
  if (tagName === "BUTTON")
    return key === " " || key === "Enter" || (role === "tab" && /Arrow/.test(key));
  if (tagName === "INPUT" && type === "range") return /^(Arrow|Page|Home|End)/.test(key);
  return tagName === "SELECT" || tagName === "INPUT";
}

// -------------------------------------------------------------------------------- the pointer

const LEAST_DRAG = 4; // pixels: less is a click, which moves nothing

function listenToPointer(canvas) {
  const placeOf = ({ offsetX: x, offsetY: y }) => ({ x, y });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture?.(event.pointerId);
    if (isLab()) grabVehicle(event);
    else app.controls.point(placeOf(event));
  });
  // A finger on a vehicle moves it; elsewhere on the board it scrolls the page.
  canvas.addEventListener(
    "touchstart",
    (event) => {
      const box = canvas.getBoundingClientRect();
      const [{ clientX, clientY }] = event.touches;
      const place = { offsetX: clientX - box.left, offsetY: clientY - box.top };
      if (isLab() && vehicleAt(place) !== null) event.preventDefault();
    },
    { passive: false },
  );
  canvas.addEventListener("pointermove", (event) => {
    if (isLab()) {
      if (app.grab) dragVehicle(event);
      else canvas.style.cursor = vehicleAt(event) === null ? "" : "grab";
    } else if (app.controls.pointer) {
      app.controls.point(placeOf(event));
    }
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(kind, () => {
      app.controls.point(null);
      app.grab = null;
      if (app.lab.held) dropVehicle();
    });
  }
}

/** The number of the vehicle under a pointer, or null. */
function vehicleAt({ offsetX, offsetY }) {
  const distances = app.lab.episode.players.map((player) => {
    const { x, y, isActive } = placeOnBoard(player);
    return isActive ? Math.hypot(x - offsetX, y - offsetY) : Infinity;
  });
  const least = Math.min(...distances);
  return least < Math.max(24, 0.05 * boardSide()) ? distances.indexOf(least) : null;
}

/** Where a vehicle of the laboratory is on the board, in pixels. */
function placeOnBoard(player) {
  const { episode } = app.lab;
  const view = viewOf(episode, boardSide());
  const pose = poseAt(episode, player, Math.min(app.time, episode.steps));
  return { x: view.column(pose.x), y: view.row(pose.y), isActive: pose.isActive };
}

/** Notes which vehicle a pointer is on, and where on it. */
function grabVehicle({ offsetX, offsetY }) {
  const vehicle = vehicleAt({ offsetX, offsetY });
  if (vehicle === null) return;
  const { x, y } = placeOnBoard(app.lab.episode.players[vehicle]);
  app.grab = { vehicle, start: [offsetX, offsetY], aside: [x - offsetX, y - offsetY] };
}

function dragVehicle({ offsetX, offsetY }) {
  const { vehicle, start, aside } = app.grab;
  if (!app.lab.held) {
    if (Math.hypot(offsetX - start[0], offsetY - start[1]) < LEAST_DRAG) return;
    app.isPlaying = false;
    // The board keeps its view while a vehicle moves, also where it has no walls.
    app.lab.hold(vehicle, app.time, viewOf(app.lab.episode, boardSide()));
    app.time = 0;
    updateTexts();
  }
  const { view } = app.lab.held;
  const x = view.center.x + (offsetX + aside[0] - view.side / 2) / view.scale;
  const y = view.center.y - (offsetY + aside[1] - view.side / 2) / view.scale;
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
  app.rounds.daily = null;
  app.isPlaying = link.view !== "play" && !stillness.matches;
  app.time = 0;
  say(
    problems.length ? `The link is damaged: ${problems.join("; ")}. The rest is as usual.` : "",
  );
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
  const meanings = Object.entries(app.meanings).map(([name, meaning]) => [
    labelOf(name),
    meaning,
  ]);
  find("annotations").append(...entriesOf(meanings));
}

/** The bytes of an element's text: zlib's compressed data in base64. */
async function bytesOf(id) {
  const packed = Uint8Array.from(atob(find(id).textContent.trim()), (letter) =>
    letter.charCodeAt(0),
  );
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
  for (const name of ["games", "scripts", "policies"]) Object.setPrototypeOf(kept[name], null);
  Object.assign(library, kept, { layout });
  Object.assign(app, { meanings, letters, shown: new Set(shown) });
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

start().catch(fail);

// For the curious, at the browser's console: the loop, what it plays, and the page's state.
globalThis.chase = { app, library, Engine, LiveEpisode, gameWith, playerNamed, conclude };
