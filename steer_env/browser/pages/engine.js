// Games in the compiled loop: N at once, as Python's Engine has them.

const SIDES = ["pursuer", "evader"];
const PURSUER = 0;
const EVADER = 1;
const OUTSIDE = { behavior: -1 }; // the script of players that are steered from outside

/**
 * N games with the same rules.
 *
 * `game` describes the game (see Python's `browser.games`); `players` are the two sides' players:
 * `{ script }` with the fields of a script, `{ network }`, or `{}` for a person. With
 * `isExplained`, `explain` says how scripts come to their forces.
 */
class Engine {
  constructor(machine, game, players, numGames = 1, isExplained = false) {
    for (const { name, network } of players) {
      if (!network || network.features === game.features) continue;
      throw new Error(`${name} cannot play this game: it was trained for another one`);
    }
    this.machine = machine;
    this.game = game;
    this.numGames = numGames;
    this.teams = [game.pursuers, game.evaders];
    this.numPlayers = game.pursuers + game.evaders;
    this.counts = { games: numGames, players: this.numPlayers, obstacles: game.obstacles };
    this.isSteered = players.map(({ script }) => !script);
    this.blocks = [];
    try {
      this.places = this.layOut(machine.layout.arrays);
      this.networks = players.map(({ network }) => network && this.layOutNetwork(network));
      this.records = this.layOutRecords(players, isExplained);
    } catch (error) {
      this.close(); // of what there was no memory for
      throw error;
    }
  }

  /** Frees its memory. */
  close() {
    for (const [address, bytes] of this.blocks) this.machine.release(address, bytes);
    this.blocks = [];
  }

  room(bytes) {
    const address = this.machine.allocate(bytes);
    this.blocks.push([address, bytes]);
    return address;
  }

  /** Makes the arrays: where each is, of what kind, and how long. The state is in one piece. */
  layOut(arrays) {
    const places = {};
    for (const [group, members] of Object.entries(arrays)) {
      let bytes = 0;
      for (const [name, array] of Object.entries(members)) {
        const count = this.machine.lengthOf(array, this.counts);
        places[name] = { offset: bytes, kind: array.kind, count };
        bytes += Math.ceil((count * sizeOf(array.kind)) / ALIGNMENT) * ALIGNMENT;
      }
      const start = this.room(bytes);
      for (const name of Object.keys(members))
        places[name].address = start + places[name].offset;
      if (group === "state") this.stateBlock = [start, bytes];
    }
    return places;
  }

  /** Makes the records that the loop takes, and returns their addresses. */
  layOutRecords(players, isExplained) {
    const { machine, game, counts, numGames, numPlayers } = this;
    const { layout, routines } = machine;
    const sized = (name) => this.room(machine.sizeOf(name));
    const records = Object.fromEntries(
      ["memory", "scratch", "rules", "call"].map((name) => [name, sized(name)]),
    );
    const scripts = this.room(2 * machine.sizeOf("script"));
    players.forEach((player, side) => {
      const address = scripts + side * machine.sizeOf("script");
      machine.write("script", address, this.scriptFields(player, isExplained));
    });
    machine.write("rules", records.rules, game.rules);
    const limits = SIDES.flatMap((side, number) =>
      Array(this.teams[number]).fill(game.limits[side]),
    );
    for (const name of ["lowest", "highest"]) this.column(name).set(limits.flat());
    const size = machine.sizeOf("explanation") * numGames * numPlayers;
    this.explanations = isExplained ? this.room(size) : 0;
    const addressesOf = (group) =>
      Object.fromEntries(
        Object.keys(layout.arrays[group]).map((name) => [name, this.places[name].address]),
      );
    machine.write("memory", records.memory, {
      ...addressesOf("state"),
      ...addressesOf("limits"),
      ...counts,
      num_features: game.features,
      sighting_rows: this.places.sightings.count / numGames,
      rules: records.rules,
      scripts,
      sensors: this.room(2 * machine.sizeOf("sensor")),
      explanations: this.explanations,
      address: records.memory,
      move_among_obstacles: game.obstacles > 0 ? routines.move_among_obstacles : 0,
      observe_obstacles: game.obstacles > 0 ? routines.observe_obstacles : 0,
      part_overlapping: game.rules.solid > 0 ? routines.part_overlapping : 0,
    });
    const { arena, captureRadius, startShare, accelerationUnit } = game;
    const sizes = [arena.size / 2, captureRadius, startShare, accelerationUnit];
    machine.functions.fit_rules(records.memory, ...sizes);
    machine.write("scratch", records.scratch, {
      ...addressesOf("scratch"),
      address: records.scratch,
    });
    const seen = Math.max(...this.teams) * numGames * game.features;
    this.actions = this.teams.map((team) => this.room(4 * 2 * team * numGames));
    this.observations = this.room(4 * seen);
    this.forces = this.room(16 * Math.max(numPlayers, 2)); // also for a circle
    this.seeds = this.room(8 * numGames);
    const mask = this.room(numGames);
    machine.array(mask, "b1", numGames).fill(1);
    machine.write("call", records.call, {
      memory: records.memory,
      scratch: records.scratch,
      first: 0,
      last: numGames,
      mask,
      rewards: this.room(8 * numGames),
      terminated: this.room(numGames),
      truncated: this.room(numGames),
    });
    return records;
  }

  /** The fields of a player's script, with the routine that works out its forces. */
  scriptFields({ script }, isExplained) {
    const always = { drawn_below: Infinity };
    if (!script) return { ...OUTSIDE, ...always };
    const { fields, fill } = script;
    const isPlain = this.game.obstacles > 0 ? fields.is_plain_among_obstacles : fields.is_plain;
    // The routine of plain scripts explains nothing; that of the others gets the same forces.
    const routine = isPlain && !isExplained ? "fill_plain_forces" : fill;
    return { ...fields, ...always, routine: this.machine.routines[routine] };
  }

  /** Makes a network with its own room, for as many observations as there are at once. */
  layOutNetwork(network) {
    const { machine, numGames } = this;
    const put = (kind, values) => {
      const address = this.room(sizeOf(kind) * values.length);
      machine.array(address, kind, values.length).set(values);
      return address;
    };
    const size = machine.sizeOf("layer");
    const layers = this.room(size * network.layers.length);
    network.layers.forEach(({ inputs, outputs, width, weights, biases }, place) => {
      const addresses = { weights: put("f4", weights), biases: put("f4", biases) };
      machine.write("layer", layers + place * size, { inputs, outputs, width, ...addresses });
    });
    const widest = Math.max(
      ...network.layers.map(({ inputs, width }) => Math.max(inputs, width)),
    );
    const rows = numGames * Math.max(...this.teams);
    const address = this.room(machine.sizeOf("network"));
    machine.write("network", address, {
      num_layers: network.layers.length,
      layers,
      activation: network.activation,
      head: network.head,
      means: network.mean ? put("f8", network.mean) : 0,
      deviations: network.deviation ? put("f8", network.deviation) : 0,
      bound: network.clip ?? 0,
      sums: this.room(4 * 2 * widest),
      values: this.room(4 * rows * widest),
      next_values: this.room(4 * rows * widest),
    });
    return address;
  }

  /** A column of the games, as an array; it is valid until memory is allocated. */
  column(name) {
    const { address, kind, count } = this.places[name];
    return this.machine.array(address, kind, count);
  }

  /** Begins the episodes of seeds, which are BigInts; one for each game. */
  start(seeds) {
    const { machine, records } = this;
    machine.array(this.seeds, "u8", this.numGames).set(seeds);
    machine.functions.seed(records.memory, this.seeds);
    this.play(0, "restart");
  }

  /** Steps the games; those that are over rest. */
  step(steps = 1) {
    this.chooseActions();
    this.play(steps, "rest");
  }

  play(steps, whenOver) {
    const { machine, records } = this;
    machine.write("call", records.call, {
      steps,
      when_over: machine.layout.when_over[whenOver],
      side: PURSUER,
      pursuer_actions: this.isSteered[PURSUER] ? this.actions[PURSUER] : 0,
      evader_actions: this.isSteered[EVADER] ? this.actions[EVADER] : 0,
      observations: 0,
    });
    const fault = machine.functions.play_games(records.call);
    if (fault !== -1) throw new Error(`the loop refused to go on: ${fault}`);
  }

  /** Plays all games to their end. */
  finish() {
    const { horizon } = this.game;
    if (!this.isSteered.includes(true)) {
      this.play(horizon, "rest");
      return;
    }
    for (let step = 0; step < horizon && this.isRunning(); step++) this.step();
  }

  isRunning() {
    const running = BigInt(this.machine.layout.phases.running);
    return this.column("phase").some((phase) => phase === running);
  }

  /** Has networks write their sides' actions. */
  chooseActions() {
    this.networks.forEach((network, side) => {
      if (!network) return;
      this.observe(side);
      const rows = this.numGames * this.teams[side];
      this.machine.functions.act(network, this.observations, this.actions[side], rows);
    });
  }

  /** The observations of a side, (games, players of the side, features) in one array. */
  observe(side) {
    const { machine, records } = this;
    const steps = { steps: 0, when_over: machine.layout.when_over.rest, side };
    machine.write("call", records.call, { ...steps, observations: this.observations });
    machine.functions.play_games(records.call);
    const count = this.numGames * this.teams[side] * this.game.features;
    return machine.array(this.observations, "f4", count);
  }

  /** The actions of a side, (games, players of the side, 2) in one array, to be written. */
  actionsOf(side) {
    return this.machine.array(this.actions[side], "f4", 2 * this.teams[side] * this.numGames);
  }

  /** The forces of the first game's last step, x and y of each player, in newtons. */
  lastForces() {
    const { machine, records, numPlayers } = this;
    machine.functions.read_forces(records.memory, records.scratch, this.forces);
    return machine.array(this.forces, "c16", numPlayers);
  }

  /** A pursuer's Apollonius circle in the first game, [x, y, radius]; null if it has none. */
  apollonius(number) {
    const { machine, records, forces } = this;
    const { functions } = machine;
    if (!functions.apollonius(records.memory, records.scratch, number, forces)) return null;
    return [...machine.array(forces, "f8", 3)];
  }

  /** Has scripts explain what they are about to do; `explanation` reads it. */
  explain() {
    const { machine, records } = this;
    const before = this.snapshot();
    machine.functions.explain(records.memory, records.scratch, this.numGames);
    this.restore(before);
  }

  /** A field of what a player's script explained, in the first game. */
  explanation(number, name) {
    const size = this.machine.sizeOf("explanation");
    return this.machine.field(
      "explanation",
      this.explanations + number * this.numGames * size,
      name,
    );
  }

  /** A copy of the state of all games. */
  snapshot() {
    const [address, bytes] = this.stateBlock;
    return this.machine.array(address, "b1", bytes).slice();
  }

  /** Puts the games into a state of this engine, or of another of the same size. */
  restore(state) {
    const [address, bytes] = this.stateBlock;
    this.machine.array(address, "b1", bytes).set(state);
  }
}
