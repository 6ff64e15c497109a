// The mode of a page with an engine: rounds that a person plays, and the laboratory.

const BASIC = ["velocity", "trail", "capture", "names", "score"]; // switches of play

const isLab = () => play.link.view !== "play";

/** The mode of the page; `Recordings` is the one without an engine. */
const play = {
  link: null, // what is played, see `readLink`
  machine: null,
  rounds: new Rounds(),
  lab: new Laboratory(),
  controls: new Controls(),
  grab: null, // the vehicle that a pointer is on, and where both were
  isReplay: false, // whether a round is shown again

  /** Keys of the view: those that steer come first, and `press` handles them. */
  get keys() {
    const start = [["n"], "N", "a new start", newStart];
    if (isLab()) return [start, [["r"], "R", "reset vehicles and sliders", resetLab]];
    const steering = [
      [[], "← ↑ ↓ →", "accelerate; so do W A S D, the mouse or a finger"],
      [[], "Space", "pause or go on"],
    ];
    return [
      ...(this.isReplay ? [] : steering),
      [["Enter"], "Enter", "start; next round", goOn],
      [["r"], "R", "the same start again", again],
      start,
      [["v"], "V", "replay the last round", replay],
      [["Escape"], "Esc", "back", goBack],
    ];
  },

  get episode() {
    return (isLab() ? this.lab : this.rounds).episode;
  },

  /** Others from the same start. */
  get others() {
    return (isLab() ? this.lab : this.rounds).ghosts.map(({ episode }) => episode);
  },

  get lastStep() {
    return Math.max(...[this.episode, ...this.others].map(({ steps }) => steps));
  },

  get result() {
    if (find("deck").hidden) return "";
    return `${capitalized(isLab() ? this.episode.result : this.rounds.outcomes[0][1])}.`;
  },

  /** True for a switch to leave out: nothing has its annotation, or it is for the laboratory. */
  lacks(name) {
    if (!isLab() && !BASIC.includes(name)) return true;
    return this.episode.marks.every((marks) => marks[name] === false);
  },

  advance(seconds) {
    if (isLab() || this.isReplay) advanceTime(seconds);
    else this.advanceRound(seconds);
  },

  advanceRound(seconds) {
    const { rounds } = this;
    if (!rounds.isRunning) return;
    const { phase } = rounds;
    if (phase === "count") this.controls.tapped = []; // also the key that began the round
    const placeOfPerson = () => {
      const view = viewOf(rounds.episode, boardSide());
      const [x, y] = rounds.episode.engine.pair("position", rounds.vehicle);
      return { x: view.column(x), y: view.row(y) };
    };
    rounds.advance(seconds, () => this.controls.push(placeOfPerson(), boardSide()));
    app.isBoardStale = true;
    if (rounds.phase !== phase) update();
  },

  /** An embedded picture begins again after 1.5 seconds, and a replay goes back to its result. */
  end() {
    if (this.link.view === "arena" && app.isPlaying) {
      if (app.time >= this.lastStep + 1.5 / this.episode.dt) app.time = 0;
    } else {
      stopAtEnd();
      if (this.isReplay) goBack();
    }
  },

  /** The round waits, as while the help is open. */
  pause() {
    if (!isLab() && this.rounds.isRunning) togglePause();
  },

  draw() {
    const { episode, lab, rounds, isReplay } = this;
    const now = Math.min(app.time, episode.steps);
    if (isLab()) {
      // Before time goes on, four seconds of both futures are shown.
      const future = lab.former && app.time === 0 ? 4 / episode.dt : 0;
      // The paths of both sides' vehicles, had none been moved.
      const { former } = lab;
      const moved = former && former !== episode ? former.players : [];
      const paths = moved.map(({ side }, vehicle) => {
        return { episode: former, vehicles: [vehicle], from: former.from, color: SIDES[side] };
      });
      drawBoard(episode, now, {
        ghosts: [...paths, ...lab.ghosts],
        ghostTime: app.time,
        future,
        view: lab.held?.view,
        banner: lab.ghosts.length && app.time >= this.lastStep ? lab.banner : null,
      });
    } else {
      const isOver = rounds.phase === "end";
      const end = isReplay && app.time < episode.steps ? null : rounds.banner;
      drawBoard(episode, isReplay ? now : rounds.time, {
        ghosts: isOver ? rounds.ghosts : rounds.challengers,
        ghostTime: isReplay ? app.time : isOver ? Infinity : rounds.time,
        chosen: ["ready", "count"].includes(rounds.phase) ? rounds.vehicle : null,
        count: rounds.phase === "count" && rounds.count,
        banner: isOver ? end : this.hint,
      });
    }
  },

  /** The text on the board until the person steers, or null. */
  get hint() {
    const { phase, isPushed, episode } = this.rounds;
    const isIdle = phase === "round" && !isPushed && episode.seconds >= 2;
    if (phase === "pause") return { lines: ["Paused"] };
    if (phase === "ready") return { lines: startOf() };
    return phase === "count" || isIdle ? { lines: steeringOf() } : null;
  },

  updateTexts() {
    root.classList.toggle("is-arena", this.link.view === "arena");
    find("arena").classList.toggle("is-steered", !isLab() && this.rounds.isRunning);
    find("arena").classList.toggle("is-waiting", isReady());
    for (const [tab, isChosen] of [["play", !isLab()], ["lab", isLab()]]) {
      find(`tab-${tab}`).tabIndex = isChosen ? 0 : -1;
      find(`tab-${tab}`).setAttribute("aria-selected", isChosen);
      find(`${tab}-fields`).hidden = !isChosen;
      if (isChosen) find("panel").setAttribute("aria-labelledby", `tab-${tab}`);
    }
    find("deck").hidden = !isLab() && !this.isReplay;
    find("game").value = this.link.game;
    find("seed").value = this.link.seed;
    if (isLab()) updateLabFields();
    else updatePlayFields();
    updateCard();
  },

  /** Handles a key with which a person steers, or pauses; returns whether it was one. */
  press({ key, repeat }) {
    if (this.lab.held) return true; // keys wait
    if (isLab() || this.isReplay) return false;
    if (key === " " && !repeat) togglePause();
    const steers = this.controls.press(key, true);
    if (steers && isReady()) begin();
    return key === " " || steers;
  },

  listen() {
    root.classList.toggle("is-framed", window.parent !== window); // as a figure in a page
    find("tab-play").onclick = () => showView("play");
    find("tab-lab").onclick = () => showView("lab");
    // The arrow keys choose between the tabs, once one has the focus.
    document.querySelector(".tabs").addEventListener("keydown", ({ key }) => {
      if (!["ArrowLeft", "ArrowRight"].includes(key)) return;
      const view = isLab() ? "play" : "lab";
      showView(view);
      find(`tab-${view}`).focus();
    });
    document.addEventListener("keyup", ({ key }) => this.controls.press(key, false));
    const leave = () => {
      this.controls.release();
      this.pause();
    };
    window.addEventListener("blur", leave);
    document.addEventListener("visibilitychange", () => document.hidden && leave());
    window.addEventListener("popstate", () => {
      this.pause();
      readAddress();
      apply();
    });
    listenToPointer(find("arena"));
  },
};

/** Changes what is played; what does not fit any more falls back to the default, and is said. */
function changeLink(changes) {
  say("");
  const isOther = ROUND.some((name) => name in changes);
  const link = { ...play.link, ...(isOther ? { round: null } : {}), ...changes };
  const isInLab = link.view !== "play";
  const game = gameWith(library.games[link.game], isInLab ? link.changes : {});
  for (const name of isInLab ? SIDES : ["opponent"]) {
    if (link[name] === null || canPlay(link[name], game)) continue;
    const player = isInLab ? link[name] : titleOf(link[name]);
    say(`${player} cannot play here: it was trained with other obstacles or players.`);
    link[name] = defaultLink()[name];
  }
  if (!game.levels[link.as]) link.as = otherSide(link.as);
  if (link.ghost && !canPlay(link.ghost, game)) link.ghost = null;
  play.link = link;
  apply();
}

/** Plays what the link says; a round that is the same already goes on, unless it is to be new. */
function apply(isNew = false) {
  const { link, lab, rounds } = play;
  link.seed ??= randomSeed();
  play.controls.release();
  if (isLab()) {
    lab.play(link);
    app.time = Math.min(app.time, lab.episode.steps);
  } else {
    if (isNew || !rounds.isOf(link)) rounds.prepare(link);
    app.time = 0;
    app.isPlaying = play.isReplay = false;
  }
  keepInAddress();
  update();
}

const isReady = () => !isLab() && play.rounds.phase === "ready";

/** The annotations that are drawn: in play the basic ones alone. */
const shownNow = () => new Set([...app.shown].filter((name) => !play.lacks(name)));

function showView(view) {
  if (view === play.link.view) return;
  play.pause();
  app.time = 0;
  app.isPlaying = view !== "play" && !stillness.matches;
  changeLink({ view });
}

const randomSeed = () => BigInt(crypto.getRandomValues(new Uint32Array(1))[0]);
const newStart = () => changeLink({ seed: randomSeed() });

function begin() {
  say("");
  play.rounds.begin();
  find("arena").focus({ preventScroll: true });
  update();
}

function goOn() {
  const { phase } = play.rounds;
  if (phase === "ready") begin();
  else if (phase === "pause") togglePause();
  else if (phase === "end") {
    newStart();
    begin();
  }
}

/** From a replay to the end of its round, from a round to its start. */
function goBack() {
  if (!isLab()) apply(!play.isReplay);
}

function again() {
  apply(true);
  begin();
}

function replay() {
  if (play.rounds.phase !== "end") return;
  play.isReplay = app.isPlaying = true;
  app.time = 0;
  update();
}

function togglePause() {
  if (play.rounds.phase === "ready") begin();
  else play.rounds.pause();
  update();
}

function resetLab() {
  play.lab.forget();
  app.time = 0;
  changeLink({ changes: {} });
}

function listenToPointer(canvas) {
  const { controls } = play;
  // Not before the click: a finger that scrolls the page begins no round.
  canvas.onclick = () => (isReady() || play.rounds.phase === "pause") && !isLab() && goOn();
  canvas.onpointerdown = (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture?.(event.pointerId);
    if (isLab()) grabVehicle(placeOf(event));
    else controls.point(placeOf(event), true);
  };
  // A finger on a vehicle moves it; elsewhere on the board it scrolls the page.
  const moveOrScroll = (event) => {
    if (isLab() && vehicleAt(placeOf(event.touches[0])) !== null) event.preventDefault();
  };
  canvas.addEventListener("touchstart", moveOrScroll, { passive: false });
  // A mouse steers without a button, also beside the board.
  document.addEventListener("pointermove", (event) => {
    const place = placeOf(event);
    const steers = event.pointerType !== "touch" || controls.pointer;
    if (play.grab) return dragVehicle(place);
    canvas.style.cursor = isLab() && vehicleAt(place) !== null ? "grab" : "";
    if (!isLab() && play.rounds.isRunning && steers) controls.point(place);
  });
  canvas.onpointerup = canvas.onpointercancel = ({ pointerType }) => {
    if (pointerType === "touch") controls.pointer = null;
    if (play.lab.held) {
      play.lab.release();
      app.isPlaying = play.grab.wasPlaying;
    }
    play.grab = null;
    update();
  };
}

const boardSide = () => find("arena").clientWidth;

function grabVehicle(place) {
  const { episode } = play.lab;
  const vehicle = vehicleAt(place);
  if (vehicle === null) return;
  const pose = poseAt(episode, episode.players[vehicle], Math.min(app.time, episode.steps));
  if (pose.isActive) play.grab = { vehicle, pose, place };
}

function dragVehicle({ x, y }) {
  const { lab, grab } = play;
  const [right, down] = [x - grab.place.x, y - grab.place.y];
  if (!lab.held) {
    if (Math.hypot(right, down) < 4) return; // pixels: it is a click
    grab.wasPlaying = app.isPlaying;
    app.isPlaying = false;
    // The board keeps its view while a vehicle moves, also where it has no walls.
    lab.hold(grab.vehicle, app.time, viewOf(lab.episode, boardSide()));
    app.time = 0;
  }
  const { scale } = lab.held.view;
  lab.move(grab.pose.x + right / scale, grab.pose.y - down / scale);
  update();
}

/** Sets the page to the address' hash, or to what Python has it open with; reports its faults. */
function readAddress() {
  const { link, problems } = readLink(location.hash || library.opening);
  play.link = link;
  app.isPlaying = link.view !== "play" && !stillness.matches;
  app.time = 0;
  const text = `The link is damaged: ${problems.join("; ")}. Defaults take their place.`;
  if (problems.length) say(text);
}

/** Begins the page with its engine; `data` is what Python's `browser.page` describes. */
async function beginPlay({ layout, ...data }) {
  const bytes = await unpacked("code").arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const content = bytes.slice(4 + length); // of maps and networks
  // Numbers that are not finite were texts.
  const restored = (_, each) => (/^-?Infinity$/.test(each) ? Number(each) : each);
  for (const name of ["games", "players"]) {
    data[name] = Object.setPrototypeOf(JSON.parse(JSON.stringify(data[name]), restored), null);
  }
  for (const layer of Object.values(data.players).flatMap(({ layers = [] }) => layers)) {
    for (const name of ["weights", "biases"]) {
      const [first, size] = layer[name];
      layer[name] = new Float32Array(content, first, size / 4);
    }
  }
  for (const { table = {} } of Object.values(data.games)) {
    for (const [name, place] of Object.entries(table)) table[name] = new Uint8Array(content, ...place);
  }
  Object.assign(library, data, { layout });
  const { instance } = await WebAssembly.instantiate(bytes.slice(4, 4 + length));
  play.machine = new Machine(instance.exports, layout);
  app.mode = play;
  readAddress();
  buildPanel();
  const { view, slider } = play.link;
  if (slider && view === "arena") find("stage").append(sliderOf(slider).parentElement);
  apply();
}

app.begin = beginPlay;
globalThis.chase = { app, library, play, Engine, gameWith, playerNamed, shownNow }; // for a console
