// The page's program: what is shown, what a person does, and the frames.

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
  app.lab.compare(find("other").value, (outcomes) => {
    writeOutcomes(outcomes);
    update();
  });
}

/** Keys and meanings; the round waits. */
function showHelp() {
  if (app.rounds.isRunning) togglePlay();
  toggleHelp();
}
