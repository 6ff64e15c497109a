// The page: its state, its deck, its switches and keys, and the frames in which it moves.

const app = {
  begin: beginRecordings, // how the page begins; with an engine, see play.js
  mode: null, // what is shown: `Recordings`, or what is played
  meanings: {},
  letters: null, // of annotations, by name; null where letters do something else
  shown: new Set(), // annotations
  colors: {},
  time: 0, // in steps of the shown episode
  isPlaying: false,
  isBoardStale: true, // whether the board must be drawn before the next frame
  areTextsStale: true, // whether texts and controls must be written, too
};

/** The keys of the time bar: names in events, label and text in the help, action, button. */
const DECK_KEYS = [
  [[" "], "Space", "play or pause", togglePlay, "play"],
  [["ArrowLeft"], "←", "one step back; with Shift one second", moveBy(-1), "back"],
  [["ArrowRight"], "→", "one step forward; with Shift one second", moveBy(1), "forward"],
  [["Home"], "Home", "to the start", () => showTime(0), "start"],
  [["End"], "End", "to the end", () => showTime(Infinity), "end"],
];

const KEYS = [
  [["t"], "T", "light or dark", () => setTheme(isDark() ? "light" : "dark"), "theme"],
  [["?", "h"], "?", "keys and annotations", toggleHelp, "help-button"],
];

/** Call this after every change; the page is updated once, before the next frame. */
function update() {
  app.isBoardStale = app.areTextsStale = true;
}

function setTime(time) {
  app.time = Math.min(Math.max(time, 0), app.mode.lastStep);
  update();
}

function showTime(time) {
  if (find("deck").hidden) return;
  app.isPlaying = false;
  setTime(time);
  if (app.time >= app.mode.lastStep) app.mode.end();
}

/** An action that moves a step forward (1) or back (-1), or a second with Shift. */
function moveBy(direction) {
  return ({ shiftKey }) => {
    const steps = shiftKey ? Math.max(1, Math.round(1 / app.mode.episode.dt)) : 1;
    const whole = direction > 0 ? Math.floor(app.time + 1e-6) : Math.ceil(app.time - 1e-6);
    showTime(whole + direction * steps);
  };
}

function togglePlay() {
  if (find("deck").hidden) return;
  if (!app.isPlaying && app.time >= app.mode.lastStep) app.time = 0;
  app.isPlaying = !app.isPlaying;
  update();
}

function toggleShown(name) {
  if (!app.shown.delete(name)) app.shown.add(name);
  update();
}

function setTheme(theme) {
  root.dataset.theme = theme;
  readColors();
}

// A page that shows this one as a figure sends its theme.
window.addEventListener("message", ({ data, source }) => {
  if (source !== window.parent || data?.type !== "steer-env-theme") return;
  if (["light", "dark"].includes(data.theme)) setTheme(data.theme);
});

function readColors() {
  app.colors = colorsOfStyle();
  update();
}

function toggleHelp() {
  const help = find("help");
  if (help.open) return help.close();
  app.mode.pause?.();
  const keys = [...app.mode.keys, ...(find("deck").hidden ? [] : DECK_KEYS), ...KEYS];
  const rows = keys.map(([, label, meaning]) => [create("kbd", {}, label), meaning]);
  find("keys").replaceChildren(...entriesOf(rows));
  const shown = Object.entries(app.meanings).filter(([name]) => !app.mode.lacks?.(name));
  find("annotations").replaceChildren(...entriesOf(shown.map(([name, meaning]) => {
    const kbd = app.letters ? [create("kbd", {}, app.letters[name].toUpperCase()), " "] : [];
    return [create("span", {}, ...kbd, LABELS[name] ?? name), meaning];
  })));
  help.showModal();
  // Not by autofocus: where the page is a figure in another one, a browser reports that.
  find("help-title").focus();
}

/** Shows a notice over the board, for as long as it takes to read; "" takes it away. */
function say(text) {
  const notice = Object.assign(find("notice"), { hidden: !text, textContent: text });
  clearTimeout(app.silence);
  const seconds = Math.max(5, text.length / 12);
  app.silence = setTimeout(() => (notice.hidden = true), 1000 * seconds);
}

function fail(error) {
  Object.assign(find("failure"), { hidden: false, textContent: error.message });
  console.error(error);
}

/** Updates texts and controls that do not change in every frame. */
function updateTexts() {
  const { mode } = app;
  find("play").setAttribute("aria-label", app.isPlaying ? "Pause" : "Play");
  find("theme").setAttribute("aria-pressed", isDark());
  for (const button of find("switches").querySelectorAll("[data-name]")) {
    button.setAttribute("aria-pressed", app.shown.has(button.dataset.name));
    button.hidden = mode.lacks?.(button.dataset.name) ?? false;
  }
  const names = mode.names ?? mode.episode.names;
  find("pursuer-name").textContent = breakable(names[0]);
  find("evader-name").textContent = breakable(names[1]);
  find("arena").setAttribute("aria-label", `${names.join(" vs ")}, seen from above`);
  mode.updateTexts();
  const result = app.time < mode.lastStep ? "" : mode.result;
  if (find("result").textContent !== result) find("result").textContent = result;
}

function draw() {
  app.mode.draw();
  if (find("deck").hidden) return;
  const { episode, others, lastStep } = app.mode;
  const time = Math.min(app.time, lastStep);
  const { context, width, height } = prepare(find("distances"));
  drawTimeline(context, width, height, episode, others, time, lastStep, app.colors);
  const seconds = (steps) => (steps * episode.dt).toFixed(2);
  find("time").textContent = `${seconds(time)} / ${seconds(lastStep)} s`;
  const scrub = find("scrub");
  scrub.max = lastStep;
  scrub.value = Math.floor(time + 1e-6);
  scrub.setAttribute("aria-valuetext", `${seconds(time)} seconds`);
}

let lastFrame = null;

/** Lets time pass, a quarter of a second at most, and draws what has changed. */
function onFrame(now) {
  requestAnimationFrame(onFrame);
  const elapsed = lastFrame === null ? 0 : Math.min((now - lastFrame) / 1000, 0.25);
  lastFrame = now;
  try {
    app.mode.advance(elapsed);
    const { areTextsStale, isBoardStale } = app;
    app.areTextsStale = app.isBoardStale = false;
    if (areTextsStale) updateTexts();
    if (isBoardStale || areTextsStale) draw();
  } catch (error) {
    app.isPlaying = false;
    fail(error);
  }
}

function advanceTime(seconds) {
  if (!app.isPlaying) return;
  app.time += (seconds * find("speed").value) / app.mode.episode.dt;
  app.isBoardStale = true;
  if (app.time >= app.mode.lastStep) app.mode.end();
}

function stopAtEnd() {
  app.time = app.mode.lastStep;
  app.isPlaying = false;
  update();
}

function handleKey(event) {
  const { target, key, repeat } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isHandledBy(target, key) || (find("help").open && key !== "?")) return;
  if (app.mode.press(event)) return event.preventDefault();
  const isOfKey = ([keys]) => keys.includes(key) || keys.includes(key.toLowerCase());
  const entry = [...app.mode.keys, ...DECK_KEYS, ...KEYS].find(isOfKey);
  if (!entry) return;
  event.preventDefault();
  if (!repeat || key.startsWith("Arrow")) entry[3](event);
}

function isHandledBy({ tagName, type, role }, key) {
  if (tagName === "BUTTON")
    return key === " " || key === "Enter" || (role === "tab" && /Arrow/.test(key));
  if (tagName === "INPUT" && type === "range") return /^(Arrow|Page|Home|End)/.test(key);
  return tagName === "SELECT" || tagName === "INPUT";
}

function listen() {
  for (const [, label, meaning, act, button] of [...app.mode.keys, ...DECK_KEYS, ...KEYS]) {
    if (!button) continue;
    find(button).title = `${capitalized(meaning)} (${label})`;
    find(button).addEventListener("click", () => act({}));
  }
  find("scrub").oninput = ({ target }) => showTime(Number(target.value));
  document.addEventListener("keydown", handleKey);
  document.addEventListener("click", ({ target, detail }) => {
    // After a click, the space bar plays and pauses instead of pressing the button again.
    if (detail > 0) target.closest("button")?.blur();
  });
  document.addEventListener("change", ({ target }) => {
    if (target.tagName === "SELECT") target.blur();
  });
  new ResizeObserver(update).observe(find("stage"));
  window.addEventListener("resize", update); // also if only the display's sharpness changes
  darkness.addEventListener("change", readColors);
  app.mode.listen();
}

function buildSwitches() {
  for (const [name, meaning] of Object.entries(app.meanings)) {
    const key = app.letters?.[name].toUpperCase() ?? "";
    const title = capitalized(meaning) + (key && ` (${key})`);
    const properties = { type: "button", title, onclick: () => toggleShown(name) };
    const kbd = key ? [create("kbd", {}, key)] : [];
    const button = create("button", properties, LABELS[name] ?? name, ...kbd);
    button.dataset.name = name;
    find("switches").append(button);
  }
}

async function start() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error(
      "This browser is too old: it needs Chrome 111, Firefox 113, Safari 16.4, or later.",
    );
  }
  const { meanings, letters, shown, looks: table, ...rest } = await unpacked("data").json();
  looks = table;
  Object.assign(app, { meanings, letters, shown: new Set(shown) });
  readColors();
  await app.begin(rest);
  buildSwitches();
  find("main").hidden = false;
  listen();
  app.ready = performance.now();
  requestAnimationFrame(onFrame);
}

// Once the whole program is there, with its engine if it has one.
document.addEventListener("DOMContentLoaded", () => start().catch(fail));
