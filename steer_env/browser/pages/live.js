// An episode that the page plays itself, with the columns that the pictures are made from.

const MOTION = ["x", "y", "heading", "velocityX", "velocityY", "forceX", "forceY", "active"];

/** Plays one game, and keeps every moment in the form of a recorded episode. */
class LiveEpisode {
  /** `players` are the two sides', see `playerNamed`; `seed` is a BigInt. */
  constructor(game, players, seed, isExplained = true) {
    this.engine = new Engine(play.machine, game, players, 1, isExplained);
    const { zones, capture_radius: captureRadius, dt } = game;
    const region = { ...game.region, size: game.arena_size };
    const names = players.map(({ name }) => name);
    Object.assign(this, { game, sides: players, seed: String(seed), names, isExplained });
    Object.assign(this, { region, zones, captureRadius, dt });
    this.engine.start([seed]);
    this.begin();
  }

  begin() {
    const { engine } = this;
    this.distances = [];
    this.players = Array.from(engine.column("radius"), (radius, number) => ({
      side: number < engine.teams[PURSUER] ? PURSUER : EVADER,
      radius,
      maxSpeed: engine.column("max_speed")[number],
      maxForce: engine.column("max_force")[number],
      columns: Object.fromEntries(MOTION.map((name) => [name, []])),
      thoughts: new Map(), // the names so far, and how many numbers each has
    }));
    const radii = [...engine.column("obstacle_radius")];
    const discs = radii.map((radius, place) => [...engine.pair("center", place), radius]);
    this.obstacles = discs.filter(([, , radius]) => radius > 0);
    this.map = this.game.maps?.[Number(engine.column("map")[0])];
    this.marks = this.sides.map(({ script }, side) => this.marksOf(script, side));
    this.keep();
  }

  /** The result so far in a few words, as Python's `Status.result`. */
  get result() {
    const seconds = `${this.seconds.toFixed(1)} s`;
    if (this.isCaught) return `caught after ${seconds}`;
    if (this.hasReached) return `reached the target after ${seconds}`;
    const whole = Number(this.seconds.toFixed(1));
    const howFar = this.isOver ? `got away (${whole} s)` : `still free after ${seconds}`;
    const { evaders } = this.game;
    return howFar + (evaders > 1 ? `, ${this.captured} of ${evaders} caught` : "");
  }

  /** Plays a step; `given` are the actions of sides that neither scripts nor networks play. */
  step(given = []) {
    const { engine } = this;
    engine.chooseActions();
    given.forEach((actions, side) => actions && engine.actionsOf(side).set(actions));
    engine.play(1, "idle");
    this.keep();
  }

  finish() {
    while (!this.isOver) this.step();
    return this;
  }

  keep() {
    const { engine, game } = this;
    this.steps = this.distances.push(engine.column("distance")[0]) - 1;
    this.seconds = this.steps * this.dt;
    this.isOver = !engine.isRunning();
    this.captured = Number(engine.column("captured")[0]);
    this.isCaught = this.captured === game.evaders;
    // An evader that is not caught and out of play is in the target.
    const isOut = !engine.column("active")[game.pursuers];
    this.hasReached = this.isOver && !this.isCaught && isOut;
    const forces = this.steps > 0 ? engine.lastForces() : new Float64Array(2 * engine.numPlayers);
    const period = this.region.wraps ? this.region.size : 0;
    this.players.forEach(({ columns }, number) => {
      const [x, y] = engine.pair("position", number);
      const [cos, sin] = engine.pair("heading", number);
      const moment = [
        continued(columns.x, x, period),
        continued(columns.y, y, period),
        continued(columns.heading, Math.atan2(sin, cos), 2 * Math.PI),
        ...engine.pair("velocity", number),
        ...forces.slice(2 * number, 2 * number + 2),
        engine.column("active")[number],
      ];
      MOTION.forEach((name, place) => columns[name].push(moment[place]));
    });
    if (this.hasReached) this.players[game.pursuers].hasReached = true;
    if (!this.isExplained) return;
    if (!this.isOver) engine.explain();
    this.players.forEach((player, number) => this.keepThoughts(player, number));
  }

  keepThoughts(player, number) {
    const { columns } = player;
    const isActive = columns.active.at(-1) > 0.5 && !this.isOver;
    const thoughts = isActive ? this.thoughtsOf(player.side, number) : {};
    for (const [name, { length }] of Object.entries(thoughts)) player.thoughts.set(name, length);
    for (const [name, length] of player.thoughts) {
      const numbers = thoughts[name];
      columns[name] ??= Array(this.steps).fill(0);
      columns[name].push(numbers ? 1 : 0);
      for (let index = 0; index < length; index++) {
        const part = (columns[`${name}.${index}`] ??= Array(this.steps).fill(numbers[index]));
        part.push(numbers ? numbers[index] : part.at(-1)); // it keeps its last value
      }
    }
  }

  /** The annotations that a side's vehicles can have, by the names of their switches. */
  marksOf(script, side) {
    const { pursuer, evader } = this.game;
    const { parts = [], num_parts, behavior, threat_range } = script?.fields ?? {};
    const { names } = library.layout;
    const has = parts.slice(0, num_parts).map((part) => names.part[part]);
    const isWanderer = names.behavior[behavior] === "wander";
    const aim = has.includes("behavior") && !isWanderer;
    return {
      apollonius: side === PURSUER && pursuer.max_speed !== evader.max_speed,
      aim,
      threat: aim && threat_range < Infinity,
      wander: isWanderer || has.includes("wander"),
      feelers: this.region.hasWalls && has.includes("walls"),
      corridor: this.obstacles.length > 0 && has.includes("obstacles"),
    };
  }

  /** Annotations of a player with their numbers, offsets as in Python's recorded pages. */
  thoughtsOf(side, number) {
    const { engine } = this;
    const marks = this.marks[side];
    const found = {};
    const [place, heading] = ["position", "heading"].map((name) => engine.pair(name, number));
    const add = (name, ...parts) => {
      found[name] = Array.from(looks.parts[name]).flatMap((letter, index) => {
        if (letter === "n") return parts[index];
        const beside = [0, 1].map((axis) => parts[index][axis] - place[axis]);
        return letter === "p" ? beside : inFrameOf(heading, beside);
      });
    };
    const read = (name) => engine.explanation(number, name);
    const circle = marks.apollonius && engine.apollonius(number);
    if (circle) add("apollonius", circle, circle[2]);
    if (marks.threat) add("threat", this.sides[side].script.fields.threat_range);
    if (marks.aim && read("has_opponent")[0] && read("has_aim")[0]) {
      add("aim", read("aim"), read("opponent"));
    }
    if (marks.wander) {
      add("wander", read("wander_center"), read("wander_radius")[0], read("wander_target"));
    }
    const tips = read("feelers");
    if (marks.feelers) add("feelers", ...[0, 2, 4].map((tip) => tips.slice(tip, tip + 2)));
    if (marks.corridor) add("corridor", ...read("corridor"));
    return found;
  }
}

/** A value that goes on without jumps from the last of a column, if it has a period. */
function continued(column, value, period) {
  if (!column.length || !period) return value;
  return value - period * Math.round((value - column.at(-1)) / period);
}
