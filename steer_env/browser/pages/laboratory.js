// The laboratory: an episode of two players, whose rules and places one can bend.

const TIME_FOR_MAP = 11; // milliseconds of a frame's 16.7

class Laboratory {
  constructor(machine) {
    this.machine = machine;
    this.episode = null;
    this.former = null; // the episode that went on before a vehicle was moved
    this.origin = null; // the state that the episode begins with; null for its seed's start
    this.map = null;
    this.showsMap = false;
    this.making = null; // what makes the map, a piece between two frames
  }

  /** Plays the episode of a link to its end. */
  play(link, seed) {
    const game = gameWith(library.games[link.game], changesOf(link.changes));
    const isOther = this.game && this.shapeOf(game) !== this.shapeOf(this.game);
    if (isOther || String(seed) !== this.seed) this.forget();
    else if (this.former !== this.episode) this.dropFormer(); // it followed other rules
    this.held = null;
    this.game = game;
    this.seed = String(seed);
    this.sides = SIDES.map((side) => playerNamed(link[side], link.thoughts[side]));
    this.renew();
  }

  /** What must be the same in games whose states fit each other. */
  shapeOf({ name, obstacles, arena }) {
    return [name, obstacles, arena.size].join();
  }

  /** Plays the episode again, from its origin. */
  renew(isExplained = true) {
    const before = this.episode;
    const seed = BigInt(this.seed);
    this.episode = new LiveEpisode(this.machine, this.game, this.sides, seed, isExplained);
    if (before !== this.former) before?.close();
    if (this.origin) this.setOrigin(this.origin);
    this.begin = this.episode.engine.snapshot();
    this.episode.finish();
    this.requestMap();
  }

  /** Puts the episode at a state, with the limits that the game has now. */
  setOrigin(state) {
    const { engine } = this.episode;
    engine.restore(state);
    const { limit } = this.machine.layout.names;
    limit.forEach((name, place) => {
      const column = engine.column(name);
      for (let number = 0; number < engine.numPlayers; number++) {
        const side = number < this.game.pursuers ? "pursuer" : "evader";
        column[number] = this.game.limits[side][place];
      }
    });
    this.machine.functions.measure_distances(engine.records.memory);
    this.episode.begin();
  }

  /** Forgets the moved vehicles. */
  forget() {
    this.origin = this.held = null;
    this.dropFormer();
  }

  dropFormer() {
    if (this.former !== this.episode) this.former?.close();
    this.former = null;
  }

  // ------------------------------------------------------------------- a vehicle that is moved

  /** Takes hold of a vehicle at a moment, in steps; at the end, of where it was a step before. */
  hold(vehicle, time, view = null) {
    const { engine, steps } = this.episode;
    const moment = Math.max(Math.min(Math.floor(time), steps - 1), 0);
    const end = engine.snapshot();
    engine.restore(this.begin);
    for (let step = 0; step < moment; step++) engine.step();
    this.held = { vehicle, state: engine.snapshot(), view };
    engine.restore(end);
    if (this.former !== this.episode) this.former?.close();
    this.former = this.episode;
    this.former.from = moment;
  }

  /** Puts the held vehicle at a place, in meters, if it has room, and plays on from there. */
  move(x, y) {
    const { vehicle, state } = this.held;
    const { radius } = this.former.players[vehicle];
    const [right, up] = insideOf(this.game.arena, radius, x, y);
    if (isInObstacle(this.former.obstacles, radius, right, up)) return;
    const place = new Float64Array(state.buffer, this.former.engine.places.position.offset);
    place[2 * vehicle] = right;
    place[2 * vehicle + 1] = up;
    this.origin = state.slice();
    this.renew(false);
  }

  /** Lets the held vehicle go. */
  release() {
    this.held = null;
    if (this.episode !== this.former)
      this.renew(); // with explanations
    else this.former = null; // it was not moved
  }

  // --------------------------------------------------------------------------------- the map

  toggleMap() {
    this.showsMap = !this.showsMap;
    this.map = null;
    if (this.showsMap) this.requestMap();
    else this.stopMap();
  }

  /** Has the map made anew: a coarse one first, a fine one when nothing changes. */
  requestMap() {
    if (!this.showsMap) return;
    if (this.making && this.isCoarse) this.isMapStale = true;
    else this.makeMap(COARSE);
  }

  makeMap(across) {
    this.stopMap();
    this.isCoarse = across === COARSE;
    this.isMapStale = false;
    this.making = mapInPieces(this.machine, this.episode, this.begin, across);
  }

  stopMap() {
    this.making?.return(); // its `finally` frees what it has
    this.making = null;
  }

  /** Goes on with the map for the time that a frame leaves; returns whether it is a new one. */
  advance() {
    const until = performance.now() + TIME_FOR_MAP;
    while (this.making && performance.now() < until) {
      const { done, value } = this.making.next();
      if (!done) continue;
      this.map = value;
      this.making = null;
      if (this.isMapStale || this.isCoarse) this.makeMap(this.isMapStale ? COARSE : FINE);
      return true;
    }
    return false;
  }
}
