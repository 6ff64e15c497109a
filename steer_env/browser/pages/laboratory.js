// The laboratory: an episode of two players, whose rules and places one can bend.

class Laboratory {
  episode = null;
  former = null; // the episode that went on before a vehicle was moved
  origin = null; // the state that the episode begins with; null for its seed's start
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
}

function insideOf({ size, isBounded, hasWalls }, radius, x, y) {
  const limit = isBounded ? size / 2 - (hasWalls ? radius : 0) : Infinity;
  return [x, y].map((value) => Math.min(Math.max(value, -limit), limit));
}

const hasRoom = ({ obstacles, engine }, radius, x, y) =>
  obstacles.every(([left, low, size]) => Math.hypot(x - left, y - low) > size + radius) &&
  engine.hasRoom(radius, x, y);
