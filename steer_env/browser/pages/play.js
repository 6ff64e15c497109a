// The page's program: what is shown, what a person does, and the frames.

const FUTURE = 4; // seconds of both futures that are shown where they branch
const ROUND_PARTS = ["game", "as", "level", "opponent", "seed"]; // of a link
const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** Everything that changes while the page is open. */
const app = {
  link: null,
  machine: null,
  rounds: null,
  lab: null,
  tasks: new Tasks(),
  controls: new Controls(),
  shown: new Set(),
  shownAtFirst: [],
  meanings: {},
  letters: {},
  colors: {},
  time: 0, // of the laboratory, or of a replay, in steps
  isPlaying: false,
  isReplay: false, // whether the end of a round is played again
  speed: 1,
  splits: false,
  isStale: true, // whether the board must be drawn
  ready: NaN, // when the page could be played, in milliseconds from its start
};

const isLab = () => app.link.view !== "play";
const update = () => (app.isStale = true);

/** The keys: their names in events, their label and description in the help, and what they do. */
const KEYS = [
  [["Enter"], "Enter", "begin; next start", () => !isLab() && goOn()],
  [["r"], "R", "again from the same start", () => (isLab() ? resetLab() : again())],
  [[" "], "space", "pause, go on", () => togglePlay()],
  [["v"], "V", "replay the last round", () => !isLab() && replay()],
  [["n"], "N", "a new start", () => newStart()],
  [["m"], "M", "laboratory: map of capture times", () => isLab() && toggleMap()],
  [["p"], "P", "laboratory: parts of forces", () => isLab() && toggleSplits()],
  [["Home"], "Home", "to the start", () => showTime(0)],
  [["End"], "End", "to the end", () => showTime(lastStep())],
  [["Escape"], "Esc", "back", () => !isLab() && goBack()],
  [["?"], "?", "keys", () => showHelp()],
].map(([keys, label, meaning, act]) => ({ keys, label, meaning, act }));

// ---------------------------------------------------------------------------------- changes

/** Changes what is played; what does not fit any more falls back to the default, and is said. */
function changeLink(changes, keepsDaily = false) {
  say("");
  const isOtherRound = ROUND_PARTS.some((name) => name in changes);
  if (isOtherRound && !keepsDaily) app.rounds.daily = null;
  const link = { ...app.link, ...changes };
  const isLab = link.view !== "play";
  const game = gameWith(library.games[link.game], isLab ? changesOf(link.changes) : {});
  for (const name of isLab ? SIDES : ["opponent"]) {
    if (link[name] === null || canPlay(link[name], game)) continue;
    say(`${link[name]} cannot play here: it was trained with other obstacles or players.`);
    link[name] = defaultLink()[name];
  }
  if (!game.levels[link.as]) link.as = otherSide(link.as);
  app.link = link;
  apply();
}

/** Plays what the link says; a round that is the same already goes on, unless it is to be new. */
function apply(isNew = false) {
  const { link } = app;
  const seed = link.seed ?? newSeed();
  link.seed = seed;
  root.classList.toggle("is-arena", link.view === "arena");
  app.tasks.end("outcomes");
  app.lab.outcomes = null;
  find("outcomes").hidden = true;
  app.controls.release();
  if (isLab()) {
    app.lab.play(link, seed);
    app.time = Math.min(app.time, app.lab.episode.steps);
  } else {
    app.tasks.end("map");
    if (isNew || !app.rounds.isOf(link)) app.rounds.prepare(link, seed);
    app.time = 0;
    app.isPlaying = app.isReplay = false;
  }
  keepInAddress();
  updateTexts();
}

function showView(view) {
  if (view === app.link.view) return;
  if (app.rounds.isRunning) app.rounds.pause();
  app.time = 0;
  app.isPlaying = view !== "play" && !stillness.matches;
  changeLink({ view });
}

const newSeed = () => BigInt(crypto.getRandomValues(new Uint32Array(1))[0]);

/** Says something above the board; nothing for "". */
function say(text) {
  find("notice").hidden = !text;
  find("notice").textContent = text;
}

function keepInAddress() {
  clearTimeout(app.keeping); // browsers refuse to write it often
  app.keeping = setTimeout(writeAddress, 200);
}

function writeAddress() {
  try {
    history.replaceState(null, "", hashOf(app.link));
  } catch {
    // A page inside another, such as a notebook, may not change the address.
  }
}

// ---------------------------------------------------------------------------------- rounds

function begin() {
  say("");
  app.rounds.begin();
  app.isReplay = false;
  find("arena").focus({ preventScroll: true });
  updateTexts();
}

/** What Enter does: begins, goes on, or takes the next start. */
function goOn() {
  const { phase } = app.rounds;
  if (phase === "ready") begin();
  else if (phase === "pause") togglePlay();
  else if (phase === "end") {
    nextRound();
    begin();
  }
}

/** From a replay to the end of its round, from a round to its start. */
function goBack() {
  if (app.isReplay) {
    app.isReplay = app.isPlaying = false;
    updateTexts();
  } else if (app.rounds.phase === "end" && app.rounds.goesOnToday) nextRound();
  else if (app.rounds.phase !== "ready") again(false);
}

/** The next of the day's starts, or a new one. */
function nextRound() {
  const { daily, goesOnToday } = app.rounds;
  if (goesOnToday) changeLink({ seed: app.rounds.dailySeed(daily.day) }, true);
  else newStart();
}

const newStart = () => changeLink({ seed: newSeed() });

function beginDaily() {
  app.rounds.daily = null;
  changeLink({ seed: app.rounds.dailySeed(today()) }, true);
  say("Five starts, the same for everybody today; the times add up.");
}

function again(isBegun = true) {
  if (app.rounds.isForeign) return;
  const { daily } = app.rounds;
  app.rounds.daily = null; // each of the day's is played once
  say(daily && isBegun ? "Today’s five are over: each start counts once." : "");
  apply(true);
  if (isBegun) begin();
}

function replay() {
  if (app.rounds.phase !== "end") return;
  app.isReplay = app.isPlaying = true;
  app.time = 0;
  updateTexts();
}

function togglePlay() {
  if (!isLab() && !app.isReplay) {
    if (app.rounds.phase === "ready") begin();
    else app.rounds.pause();
  } else {
    if (!app.isPlaying && app.time >= lastStep()) app.time = 0;
    app.isPlaying = !app.isPlaying;
  }
  updateTexts();
}

// -------------------------------------------------------------------------- the laboratory

function resetLab() {
  app.lab.forget();
  app.time = 0;
  changeLink({ changes: {}, thoughts: { pursuer: {}, evader: {} } });
}

function toggleMap() {
  app.lab.toggleMap();
  updateTexts();
}

function toggleSplits() {
  app.splits = !app.splits;
  updateTexts();
}

function compare() {
  find("outcomes").hidden = false;
  app.lab.compare(find("other").value, update);
}

/** Keys and meanings; the round waits. */
function showHelp() {
  if (app.rounds.isRunning) togglePlay();
  toggleHelp();
}

// -------------------------------------------------------------------------------- the deck

const shownEpisode = () => (isLab() ? app.lab.episode : app.rounds.episode);

/** The last step that the bar of time reaches: of the longest episode on the board. */
function lastStep() {
  const others = isLab() ? [] : app.rounds.ghosts.map(({ episode }) => episode);
  return Math.max(...[shownEpisode(), ...others].map(({ steps }) => steps));
}

const showsDeck = () => isLab() || app.isReplay;

function showTime(time) {
  if (!showsDeck()) return;
  app.time = Math.min(Math.max(time, 0), lastStep());
  app.isPlaying = false;
  if (app.isReplay && app.time >= lastStep()) app.isReplay = false; // back to the result
  updateTexts();
}

// --------------------------------------------------------------------------------- frames

function updateTexts() {
  update();
  const { view } = app.link;
  const isSteered = !isLab() && app.rounds.isRunning;
  find("arena").classList.toggle("is-steered", isSteered);
  find("tab-play").tabIndex = isLab() ? -1 : 0;
  find("tab-lab").tabIndex = isLab() ? 0 : -1;
  find("tab-play").setAttribute("aria-selected", view === "play");
  find("tab-lab").setAttribute("aria-selected", view !== "play");
  find("play-panel").hidden = isLab();
  find("lab-panel").hidden = !isLab();
  find("deck").hidden = !showsDeck();
  find("play").setAttribute("aria-label", app.isPlaying ? "Pause" : "Play");
  find("speed").value = app.speed;
  find("theme").setAttribute("aria-pressed", isDark());
  for (const button of find("switches").children) {
    button.setAttribute("aria-pressed", app.shown.has(button.dataset.name));
  }
  const names = shownEpisode().names.join(" against ");
  find("arena").setAttribute("aria-label", `${names}, seen from above`);
  if (isLab()) updateLabPanel();
  else updatePlayPanel();
  updateOverlay();
}

function updateOverlay() {
  const { rounds } = app;
  announce(!isLab() && rounds.phase === "end" ? rounds.conclusion : "");
  if (isLab() || app.isReplay) return showCard(null);
  if (rounds.phase === "ready") return showCard([readyCard(rounds, begin)], cardPlace());
  if (rounds.phase === "count") return showCard([countCard(rounds.count)], "is-count");
  if (rounds.phase === "pause") return showCard([pauseCard(togglePlay)]);
  if (rounds.phase === "end") return showCard([endCard(rounds, END_ACTIONS)], cardPlace());
  return showCard(null);
}

/** A card leaves the person's vehicle visible. */
function cardPlace() {
  const { episode, vehicle } = app.rounds;
  const column = episode.players[vehicle].columns.y;
  return column[column.length - 1] > 0 ? "at-bottom" : "at-top";
}

const END_ACTIONS = {
  next: goOn,
  again: () => again(),
  replay,
  share,
  saveRound: () => saveRound(app.rounds),
  saveGif: () => saveGif(app.rounds),
  savePage: () => savePage(app.rounds),
};

function drawPage() {
  const { lab, rounds, shown, colors } = app;
  const canvas = find("arena");
  if (isLab()) {
    const map = lab.showsMap && lab.map ? paintedMap(lab.map) : null;
    // Before time goes on, both futures are shown, as far as a look can follow.
    const future = lab.former && app.time === 0 ? FUTURE / lab.game.dt : 0;
    const time = Math.min(app.time, lab.episode.steps);
    const options = {
      ghosts: formerGhosts(),
      ghostTime: time,
      future,
      map,
      view: lab.held?.view,
    };
    drawBoard(canvas, lab.episode, time, shown, colors, { ...options, splits: app.splits });
    if (lab.outcomes) drawOutcomes(lab.outcomes);
  } else {
    const time = app.isReplay ? app.time : rounds.time;
    const isOver = rounds.phase === "end";
    const ghosts = isOver
      ? rounds.ghosts.map((ghost) => ({ ...ghost, vehicle: rounds.vehicle }))
      : [];
    const ghostTime = app.isReplay ? app.time : Infinity;
    const own = Math.min(time, rounds.episode.steps);
    drawBoard(canvas, rounds.episode, own, shown, colors, {
      ghosts,
      ghostTime,
      chosen: isOver ? null : rounds.vehicle,
    });
  }
  if (showsDeck()) drawDeck();
}

/** What would have come of both sides' vehicles, had none been moved. */
function formerGhosts() {
  const { former, episode } = app.lab;
  if (!former || former === episode) return [];
  return former.players.map((player, vehicle) => {
    return {
      episode: former,
      vehicle,
      from: former.from,
      color: sideColor(app.colors, player),
    };
  });
}

function paintedMap(map) {
  map.canvas ??= paintMap(map, app.colors);
  return map;
}

/** Shows the outcomes of many games: bars, and below them the numbers. */
function drawOutcomes(outcomes) {
  const { context, width, height } = prepare(find("histogram"));
  drawHistogram(context, width, height, outcomes, app.colors);
  const lines = outcomes.map((each, place) => {
    const swatch = create("span", { className: `bar bar-${place}` });
    return create("p", { className: "hint" }, swatch, each.words);
  });
  find("outcomes-text").replaceChildren(...lines);
}

/** Has a screen reader say a text. */
function announce(text) {
  if (find("announcement").textContent !== text) find("announcement").textContent = text;
}

function drawDeck() {
  const { context, width, height } = prepare(find("distances"));
  const episode = shownEpisode();
  const others = isLab() ? [] : app.rounds.ghosts.map((ghost) => ghost.episode);
  const time = Math.min(app.time, lastStep());
  drawTimeline(context, width, height, episode, others, time, lastStep(), app.colors);
  const seconds = (steps) => (steps * episode.dt).toFixed(2);
  find("time").textContent = `${seconds(time)} / ${seconds(lastStep())} s`;
  const scrub = find("scrub");
  scrub.max = lastStep();
  scrub.value = Math.floor(time + 1e-6);
  scrub.setAttribute("aria-valuetext", `${seconds(time)} seconds`);
}

let lastFrame = null;

/** Lets time pass and draws what has changed; called before every frame. */
function onFrame(now) {
  requestAnimationFrame(onFrame);
  try {
    advance(now);
  } catch (error) {
    app.isStale = app.isPlaying = false;
    fail(error);
  }
}

/** Says that the program has a fault, and goes on as far as it can. */
function fail(error) {
  find("failure").hidden = false;
  find("failure").textContent = error.message;
  console.error(error);
}

function advance(now) {
  const elapsed = lastFrame === null ? 0 : (now - lastFrame) / 1000;
  lastFrame = now;
  if (!isLab() && app.controls.isButtonPressed()) goOn();
  if (isLab() || app.isReplay) advanceReplay(elapsed);
  else advanceRound(elapsed);
  if (isLab()) app.lab.advance();
  if (app.tasks.advance()) update();
  if (app.isStale) {
    app.isStale = false;
    drawPage();
  }
}

function advanceReplay(elapsed) {
  if (!app.isPlaying) return;
  const { dt } = shownEpisode();
  app.time += (Math.min(elapsed, LONGEST_FRAME) * app.speed) / dt;
  update();
  if (app.time < lastStep()) return;
  // An embedded picture begins again after a moment; other replays stay at their end.
  if (app.link.view === "arena" && app.time < lastStep() + 1.5 / dt) return;
  app.time = app.link.view === "arena" ? 0 : lastStep();
  app.isPlaying = app.link.view === "arena";
  if (!app.isPlaying) {
    app.isReplay = false;
    updateTexts();
  }
}

function advanceRound(elapsed) {
  const { rounds } = app;
  const { phase } = rounds;
  if (!["count", "round"].includes(phase)) return;
  const count = rounds.count;
  const isOver = rounds.advance(elapsed, () => app.controls.push(placeOfPerson(), boardSide()));
  update();
  if (isOver || rounds.phase !== phase) updateTexts();
  else if (phase === "count" && rounds.count !== count) updateOverlay();
}

const boardSide = () => find("arena").clientWidth;

/** Where the person's vehicle is on the board, in pixels. */
function placeOfPerson() {
  const { episode, vehicle } = app.rounds;
  const view = viewOf(episode, boardSide());
  const places = episode.engine.column("position");
  return { x: view.column(places[2 * vehicle]), y: view.row(places[2 * vehicle + 1]) };
}
