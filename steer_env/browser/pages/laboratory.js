// The laboratory: an episode of two players, whose rules and places one can bend.

class Laboratory {
  episode = null;
  former = null; // the episode that went on before a vehicle was moved
  origin = null; // the state that the episode begins with; null for its seed's start
  map = null;
  showsMap = false;
  making = null; // what makes a map, a piece between two frames
  toMake = []; // the cells along a side of the maps that come next
  ghosts = []; // another player from the same start, in the place of the first of its side

  play(link) {
    this.game = gameWith(library.games[link.game], link.changes);
    const { name, obstacles, arena_size } = this.game;
    const start = [link.seed, name, obstacles, arena_size].join(); // its states fit each other
    if (start !== this.start) this.forget();
    else if (this.former !== this.episode) this.dropFormer(); // it followed other rules
    this.start = start;
    this.held = null;
    this.seed = link.seed;
    this.sides = SIDES.map((side) => playerNamed(link[side], changesOfScript(link.changes, side)));
    this.ghost = link.ghost;
    this.renew();
  }

  renew(isExplained = true) {
    const before = this.episode;
    this.episode = this.episodeOf(this.sides, isExplained);
    if (before !== this.former) before?.engine.close();
    this.begin = this.episode.engine.snapshot();
    this.episode.finish();
    for (const { episode } of this.ghosts) episode.engine.close();
    this.ghosts = this.ghost && !this.held ? [this.ghostOf(this.ghost)] : [];
    this.requestMap();
  }

  episodeOf(sides, isExplained) {
    const episode = new LiveEpisode(this.game, sides, this.seed, isExplained);
    if (this.origin) this.setOrigin(episode);
    return Object.assign(episode, { names: sides.map(({ name }) => shortNameOf(name)) });
  }

  ghostOf(name) {
    const side = SIDES.indexOf(library.players[name].side ?? "pursuer");
    const sides = this.sides.map((each, number) => (number === side ? playerNamed(name) : each));
    const episode = this.episodeOf(sides, false).finish();
    const vehicles = side === PURSUER ? [0, this.game.pursuers] : [this.game.pursuers, 0];
    return { title: shortNameOf(name), episode, vehicles, color: GHOST_COLORS[0] };
  }

  /** The outcomes of the ghost and of the player in its place. */
  get banner() {
    const [{ episode, vehicles, title }] = this.ghosts;
    const { side } = episode.players[vehicles[0]];
    const lineOf = (name, each) => `${name} ${outcomeOf(side === PURSUER, each)}`;
    const own = shortNameOf(this.sides[side].name);
    return { lines: [lineOf(own, this.episode), lineOf(title, episode)] };
  }

  /** Puts an episode at the origin, with the limits that the game has now. */
  setOrigin(episode) {
    const { engine } = episode;
    engine.restore(this.origin);
    const { pursuer, evader, pursuers } = this.game;
    for (const name of library.layout.names.limit) {
      engine.column(name).fill(pursuer[name], 0, pursuers).fill(evader[name], pursuers);
    }
    engine.machine.functions.measure_distances(engine.call);
    episode.begin();
  }

  forget() {
    this.origin = this.held = null;
    this.dropFormer();
  }

  dropFormer() {
    if (this.former !== this.episode) this.former?.engine.close();
    this.former = null;
  }

  /** Takes hold of a vehicle at a moment, in steps; at the end, of where it was a step before. */
  hold(vehicle, time, view = null) {
    const { engine, steps } = this.episode;
    const moment = Math.max(Math.min(Math.floor(time), steps - 1), 0);
    const end = engine.snapshot();
    engine.restore(this.begin);
    for (let step = 0; step < moment; step++) engine.step();
    this.held = { vehicle, state: engine.snapshot(), view };
    engine.restore(end);
    this.dropFormer();
    this.former = this.episode;
    this.former.from = moment;
  }

  /** Puts the held vehicle at a place, in meters, if it has room, and plays on from there. */
  move(x, y) {
    const { vehicle, state } = this.held;
    const { radius } = this.former.players[vehicle];
    const [right, up] = insideOf(this.former.region, radius, x, y);
    if (!hasRoom(this.former, radius, right, up)) return;
    const { offset } = this.former.engine.places.position;
    new Float64Array(state.buffer, offset).set([right, up], 2 * vehicle);
    this.origin = state.slice();
    this.renew(false);
  }

  release() {
    this.held = null;
    if (this.episode === this.former) this.former = null; // it was not moved
    else this.renew(); // with explanations
  }

  toggleMap() {
    this.showsMap = !this.showsMap;
    this.map = null;
    this.stop();
    this.requestMap();
    update();
  }

  /** Makes the map again: a coarse one first, a fine one when nothing changes. */
  requestMap() {
    if (this.across !== COARSE) this.stop();
    if (this.showsMap) this.toMake = [COARSE, FINE];
  }

  stop() {
    this.making?.return(); // its `finally` frees what it has
    this.making = null;
    this.toMake = [];
  }

  /** Goes on with maps for 11 of a frame's 16.7 milliseconds. */
  advance() {
    const until = performance.now() + 11;
    while (performance.now() < until) {
      if (!this.making && this.toMake.length) {
        this.across = this.toMake.shift();
        this.making = mapInPieces(this.episode, this.begin, this.across);
      }
      if (!this.making) return;
      const { done, value } = this.making.next();
      if (!done) continue;
      Object.assign(this, value);
      return update();
    }
  }
}

const COARSE = 20; // cells along a side, while something is dragged
const FINE = 64;

/** Gives many games the state of one game, but for the places of a vehicle. */
function spread(engine, state, source, vehicle, cells) {
  const games = engine.numGames;
  for (const name of Object.keys(engine.machine.layout.arrays.state)) {
    const { offset, kind, count } = source.places[name];
    const numbers = numbersOf(kind);
    const values = new KINDS[kind](state.buffer, offset, count * numbers);
    const all = engine.column(name);
    for (let place = 0; place < all.length; place++) {
      const row = Math.floor(place / (games * numbers));
      all[place] = values[row * numbers + (place % numbers)];
    }
  }
  engine.column("position").set(cells.flat(), 2 * vehicle * games);
}

function insideOf({ size, isBounded, hasWalls }, radius, x, y) {
  const limit = isBounded ? size / 2 - (hasWalls ? radius : 0) : Infinity;
  return [x, y].map((value) => Math.min(Math.max(value, -limit), limit));
}

const hasRoom = ({ obstacles, engine }, radius, x, y) =>
  obstacles.every(([left, low, size]) => Math.hypot(x - left, y - low) > size + radius) &&
  engine.hasRoom(radius, x, y);

/** Plays from `state`, with the first evader in each cell, in pieces; returns the map. */
function* mapInPieces(episode, state, across) {
  const { region, game, sides } = episode;
  const evader = game.pursuers;
  const { radius } = episode.players[evader];
  // The middles of cells, row by row from below; a vehicle fits between walls.
  const middle = (place) => (region.size / 2) * ((2 * place + 1) / across - 1);
  const cells = Array.from({ length: across * across }, (_, place) =>
    insideOf(region, radius, middle(place % across), middle(Math.floor(place / across))),
  );
  const engine = new Engine(play.machine, game, sides, cells.length);
  try {
    spread(engine, state, episode.engine, evader, cells);
    const begun = Number(engine.column("steps")[0]);
    const horizon = Math.min(Math.round(10 / game.dt), game.horizon - begun); // ten seconds
    const slice = engine.isSteered.includes(true) ? 1 : 6;
    for (let step = 0; step < horizon && engine.isRunning(); step += slice) {
      engine.step(Math.min(slice, horizon - step));
      yield;
    }
    const [steps, captured] = [engine.column("steps"), engine.column("captured")];
    const seconds = cells.map(([x, y], place) => {
      const isCaught = Number(captured[place]) === game.evaders;
      const counts = isCaught && hasRoom(episode, radius, x, y);
      return counts ? (Number(steps[place]) - begun) * game.dt : Infinity;
    });
    const finite = seconds.filter((time) => time < Infinity);
    const range = { soonest: Math.min(...finite), latest: Math.max(...finite) };
    return { map: { across, game, seconds, ...range, longest: horizon * game.dt }, making: null };
  } finally {
    engine.close();
  }
}

/** A map with its canvas in the present colors, a pixel for each cell: strong where it is soon. */
function paintedMap(map) {
  const { across, seconds, soonest, latest } = map;
  if (map.colors === app.colors) return map;
  map.colors = app.colors;
  map.canvas = create("canvas", { width: across, height: across });
  const context = map.canvas.getContext("2d");
  context.fillStyle = app.colors.pursuer;
  const [[soon], [late]] = [looks.lines["soon caught"], looks.lines["late caught"]];
  seconds.forEach((time, place) => {
    if (time === Infinity) return;
    const share = (time - soonest) / Math.max(latest - soonest, 1e-9);
    context.globalAlpha = soon - (soon - late) * share;
    context.fillRect(place % across, across - 1 - Math.floor(place / across), 1, 1);
  });
  return map;
}
