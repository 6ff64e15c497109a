// What is seen: the board, its deck, the texts beside it, and the frames in which all move.

const FUTURE = 4; // seconds of both futures that are shown where they branch

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

/** Draws the outcomes of many games as bars. */
function drawOutcomes(outcomes) {
  const { context, width, height } = prepare(find("histogram"));
  drawHistogram(context, width, height, outcomes, app.colors);
}

/** Writes the outcomes of many games, below the bars. */
function writeOutcomes(outcomes) {
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
  if (!rounds.isRunning) return;
  const { phase, count } = rounds;
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
