// An episode that the page plays itself, with the columns that the pictures are made from.

const MOTION = ["x", "y", "heading", "velocityX", "velocityY", "forceX", "forceY", "active"];

/** Plays one game, and keeps every moment in the form of a recorded episode. */
class LiveEpisode {
  /** `players` are the two sides', see `playerNamed`; `seed` is a BigInt. */
  constructor(machine, game, players, seed, isExplained = true) {
    this.engine = new Engine(machine, game, players, 1, isExplained);
    this.game = game;
    this.sides = players;
    this.isExplained = isExplained;
    this.names = players.map(({ name }) => name);
    this.arena = game.arena;
    this.captureRadius = game.captureRadius;
    this.dt = game.dt;
    this.start(seed);
  }

  close() {
    this.engine.close();
  }

  /** Begins the episode of a seed. */
  start(seed) {
    this.seed = String(seed);
    this.engine.start([seed]);
    this.begin();
  }

  /** Begins with what the engine's state is now. */
  begin() {
    this.actions = this.engine.isSteered.map((isSteered) => (isSteered ? [] : null));
    this.distances = [];
    this.captures = [];
    this.farthest = 0;
    this.players = this.newPlayers();
    const centers = this.engine.column("center");
    this.obstacles = Array.from(this.engine.column("obstacle_radius"), (radius, place) => [
      centers[2 * place],
      centers[2 * place + 1],
      radius,
    ]).filter(([, , radius]) => radius > 0);
    this.keep();
  }

  newPlayers() {
    const { engine } = this;
    const [radii, speeds, forces] = ["radius", "max_speed", "max_force"].map((name) =>
      Array.from(engine.column(name)),
    );
    return radii.map((radius, number) => ({
      side: number < engine.teams[PURSUER] ? PURSUER : EVADER,
      radius,
      maxSpeed: speeds[number],
      maxForce: forces[number],
      columns: Object.fromEntries(MOTION.map((name) => [name, []])),
      thoughts: new Map(), // the names so far, and how many numbers each has
    }));
  }

  /** The number of steps so far. */
  get steps() {
    return this.distances.length - 1;
  }

  get isOver() {
    return this.engine.column("phase")[0] === BigInt(this.engine.machine.layout.phases.over);
  }

  get isCaught() {
    return this.captured === this.game.evaders;
  }

  get seconds() {
    return this.steps * this.dt;
  }

  /** The result so far in a few words, as Python's `Status.result`. */
  get result() {
    const seconds = `${this.seconds.toFixed(1)} s`;
    if (this.isCaught) return `caught after ${seconds}`;
    const howFar = this.isOver ? `got away for ${seconds}` : `free after ${seconds}`;
    const { captured: caught } = this;
    const { evaders } = this.game;
    return howFar + (evaders > 1 ? `, ${caught} of ${evaders} caught` : "");
  }

  /** Plays a step; `given` are the actions of sides that neither scripts nor networks play. */
  step(given = []) {
    const { engine } = this;
    engine.chooseActions();
    given.forEach((actions, side) => actions && engine.actionsOf(side).set(actions));
    this.actions.forEach((kept, side) => kept?.push(...engine.actionsOf(side)));
    const before = this.captured;
    engine.play(1, "rest");
    this.keep();
    if (this.captured > before) this.captures.push(this.steps);
  }

  get captured() {
    return Number(this.engine.column("captured")[0]);
  }

  /** Plays to the end. */
  finish() {
    while (!this.isOver) this.step();
    return this;
  }

  /** Appends the present moment to all columns. */
  keep() {
    const { engine } = this;
    const distance = engine.column("distance")[0];
    this.distances.push(distance);
    this.farthest = Math.max(this.farthest, distance);
    const forces =
      this.steps > 0 ? engine.lastForces() : new Float64Array(2 * engine.numPlayers);
    const columnsOf = (...names) => names.map((name) => engine.column(name));
    const [places, velocities] = columnsOf("position", "velocity");
    const [headings, active] = columnsOf("heading", "active");
    this.players.forEach(({ columns }, number) => {
      const at = (values, axis) => values[2 * number + axis];
      columns.x.push(this.continued(columns.x, at(places, 0), this.period));
      columns.y.push(this.continued(columns.y, at(places, 1), this.period));
      const heading = Math.atan2(at(headings, 1), at(headings, 0));
      columns.heading.push(this.continued(columns.heading, heading, 2 * Math.PI));
      columns.velocityX.push(at(velocities, 0));
      columns.velocityY.push(at(velocities, 1));
      columns.forceX.push(at(forces, 0));
      columns.forceY.push(at(forces, 1));
      columns.active.push(active[number]);
    });
    if (!this.isExplained) return;
    if (!this.isOver) engine.explain();
    this.players.forEach((player, number) => this.keepThoughts(player, number));
  }

  get period() {
    return this.arena.kind === "torus" ? this.arena.size : 0;
  }

  /** A value that goes on without jumps from the last of a column, if it has a period. */
  continued(column, value, period) {
    if (!column.length || !period) return value;
    const last = column[column.length - 1];
    return last + (value - last) - period * Math.round((value - last) / period);
  }

  /** Appends what a player's script explained, as annotations. */
  keepThoughts(player, number) {
    const { script } = this.sides[player.side];
    const { columns } = player;
    const isActive = columns.active[columns.active.length - 1] > 0.5 && !this.isOver;
    const thoughts = isActive && script ? this.thoughtsOf(script, number) : {};
    const circle = isActive && player.side === PURSUER && this.engine.apollonius(number);
    if (circle) {
      const [x, y] = this.engine.column("position").slice(2 * number, 2 * number + 2);
      thoughts.apollonius = [circle[0] - x, circle[1] - y, circle[2]];
    }
    for (const [name, { length }] of Object.entries(thoughts))
      player.thoughts.set(name, length);
    for (const [name, length] of player.thoughts) {
      const numbers = thoughts[name];
      columns[name] ??= Array(this.steps).fill(0);
      columns[name].push(numbers ? 1 : 0);
      for (let index = 0; index < length; index++) {
        const part = (columns[`${name}.${index}`] ??= Array(this.steps).fill(numbers[index]));
        part.push(numbers ? numbers[index] : part[part.length - 1]); // it keeps its last value
      }
    }
  }

  /** Annotations of a player with their numbers, offsets as in Python's recorded pages. */
  thoughtsOf({ fields }, number) {
    const { engine } = this;
    const { names } = engine.machine.layout;
    const read = (name) => engine.explanation(number, name);
    const place = engine.column("position").slice(2 * number, 2 * number + 2);
    const heading = engine.column("heading").slice(2 * number, 2 * number + 2);
    const beside = ([x, y]) => [x - place[0], y - place[1]];
    const ahead = ([x, y]) => {
      const [right, up] = beside([x, y]);
      return [right * heading[0] + up * heading[1], up * heading[0] - right * heading[1]];
    };
    const has = fields.parts.slice(0, fields.num_parts).map((part) => names.part[part]);
    const isWanderer = names.behavior[fields.behavior] === "wander";
    const behaves = has.includes("behavior") && !isWanderer;
    const found = {};
    if (behaves && fields.threat_range < Infinity) found.threat_range = [fields.threat_range];
    if (behaves && read("has_opponent")[0] && read("has_aim")[0]) {
      found.aim = beside(read("aim"));
      found.lead = beside(read("opponent"));
    }
    if (has.includes("wander") || isWanderer) {
      const [center, target] = [read("wander_center"), read("wander_target")].map(ahead);
      found.wander = [...center, read("wander_radius")[0], ...target];
    }
    if (has.includes("walls") && this.arena.kind === "walls") {
      const tips = read("feelers");
      found.feelers = [0, 2, 4].flatMap((tip) => ahead([tips[tip], tips[tip + 1]]));
    }
    if (has.includes("obstacles") && this.obstacles.length)
      found.corridor = [...read("corridor")];
    return found;
  }
}
