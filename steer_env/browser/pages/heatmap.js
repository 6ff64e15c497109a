// The time to capture over the evader's start: a game for each cell, all played by the loop.

const COARSE = 20; // cells along a side, while something is dragged
const FINE = 64;
const LONGEST = 10; // seconds: later captures count as none
const [STRONGEST, PALEST] = [150, 25]; // opacities of the soonest and the latest capture, of 255
const SLICE = 6; // steps of all cells between two looks at the clock

/** The states of many games that differ from one game's in the place of a vehicle. */
function spread(engine, state, source, vehicle, cells) {
  const { counts } = engine;
  const [into] = engine.stateBlock;
  const { machine } = engine;
  for (const name of Object.keys(machine.layout.arrays.state)) {
    const from = source.places[name];
    const to = engine.places[name];
    const numbers = numbersOf(to.kind);
    const bytes = state.slice(from.offset, from.offset + from.count * sizeOf(from.kind));
    const values = new KINDS[from.kind](bytes.buffer);
    const all = machine.array(into + to.offset, to.kind, to.count);
    const rows = to.count / counts.games;
    for (let row = 0; row < rows; row++) {
      const ofRow = values.subarray(row * numbers, (row + 1) * numbers);
      for (let game = 0; game < counts.games; game++) {
        all.set(ofRow, (row * counts.games + game) * numbers);
      }
    }
  }
  const places = engine.column("position");
  cells.forEach(([x, y], game) => {
    const at = 2 * (vehicle * counts.games + game);
    places[at] = x;
    places[at + 1] = y;
  });
}

/** The middles of the cells of an arena, row by row from below; a vehicle fits between walls. */
function middlesOf(arena, across, radius) {
  const middle = (place) => (arena.size / 2) * ((2 * place + 1) / across - 1);
  return Array.from({ length: across * across }, (_, place) =>
    insideOf(arena, radius, middle(place % across), middle(Math.floor(place / across))),
  );
}

/** The place nearest to one where a vehicle is inside the arena. */
function insideOf({ kind, size }, radius, x, y) {
  const limit = kind === "open" ? Infinity : size / 2 - (kind === "walls" ? radius : 0);
  return [x, y].map((value) => Math.min(Math.max(value, -limit), limit));
}

/** Whether a vehicle at a place would overlap an obstacle. */
const isInObstacle = (obstacles, radius, x, y) =>
  obstacles.some(([left, low, size]) => Math.hypot(x - left, y - low) <= size + radius);

/**
 * Plays the game of each cell, in pieces; returns the map.
 *
 * `state` is what `episode` begins with; the first evader's place is what differs.
 */
function* mapInPieces(machine, episode, state, across) {
  const { game, sides, obstacles } = episode;
  const evader = game.pursuers;
  const { radius } = episode.players[evader];
  const cells = middlesOf(game.arena, across, radius);
  const engine = new Engine(machine, game, sides, across * across);
  try {
    spread(engine, state, episode.engine, evader, cells);
    const begun = Number(engine.column("steps")[0]);
    const horizon = Math.min(Math.round(LONGEST / game.dt), game.horizon - begun);
    const slice = engine.isSteered.includes(true) ? 1 : SLICE;
    for (let step = 0; step < horizon && engine.isRunning(); step += slice) {
      engine.step(Math.min(slice, horizon - step));
      yield;
    }
    const steps = engine.column("steps");
    const captured = engine.column("captured");
    const seconds = cells.map(([x, y], place) => {
      const isCaught = Number(captured[place]) === game.evaders;
      const counts = isCaught && !isInObstacle(obstacles, radius, x, y);
      return counts ? (Number(steps[place]) - begun) * game.dt : Infinity;
    });
    const { evaders, dt } = game;
    return { across, halfSize: game.arena.size / 2, seconds, evaders, longest: horizon * dt };
  } finally {
    engine.close();
  }
}

/** The canvas of a map in the colors of now. */
function paintedMap(map) {
  if (map.colors !== app.colors) {
    map.colors = app.colors;
    map.canvas = paintMap(map, app.colors);
  }
  return map;
}

/** Paints a map into a small canvas of its own, a pixel for each cell: strong where it is soon. */
function paintMap(map, colors) {
  const { across, seconds } = map;
  const canvas = create("canvas", { width: across, height: across });
  const context = canvas.getContext("2d");
  const channels = channelsOf(colors.pursuer);
  const image = context.createImageData(across, across);
  const [soonest, latest] = rangeOfMap(map);
  seconds.forEach((time, place) => {
    const share = (time - soonest) / Math.max(latest - soonest, 1e-9);
    const opacity = time === Infinity ? 0 : STRONGEST - (STRONGEST - PALEST) * share;
    const row = across - 1 - Math.floor(place / across);
    image.data.set([...channels, Math.round(opacity)], 4 * (row * across + (place % across)));
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The soonest and the latest capture of a map, in seconds; nan if there is none. */
function rangeOfMap({ seconds }) {
  const found = seconds.filter((time) => time < Infinity);
  return found.length ? [Math.min(...found), Math.max(...found)] : [NaN, NaN];
}

/** The channels of a color such as rgb(1 2 3). */
function channelsOf(color) {
  return color
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map(Number);
}
