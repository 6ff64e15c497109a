// The compiled loop in its WebAssembly module, and N games in it, as Python's Engine has them.

const KINDS = {
  b1: Uint8Array,
  c16: Float64Array, // two numbers for each entry
  f4: Float32Array,
  f8: Float64Array,
  i4: Int32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
};
const ALIGNMENT = 64; // bytes

const aligned = (bytes) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const numbersOf = (kind) => (kind === "c16" ? 2 : 1);
const sizeOf = (kind) =>
  kind in KINDS ? KINDS[kind].BYTES_PER_ELEMENT * numbersOf(kind) : Number(kind.slice(1));

/** The length of an array: a factor times numbers of games, players or obstacles. */
function lengthOf(length, counts) {
  const [[names, factor] = ["", 0]] = Object.entries(length);
  return names.split("*").reduce((product, name) => product * (counts[name] ?? 1), factor);
}

/** The module, from its exports; `layout` says where everything is, as Python wrote it. */
class Machine {
  spare = {}; // addresses of released memory, by size
  tables = new Map(); // of games with maps: the addresses of their arrays

  constructor(functions, layout) {
    Object.assign(this, { functions, layout });
    this.end = aligned(functions.__heap_base.value);
    const table = this.array(functions.routines.value, "i4", layout.routines.length);
    this.routines = {};
    layout.routines.forEach((name, place) => (this.routines[name] = table[place]));
  }

  /** Returns the address of new zeros, as many as are aligned. */
  allocate(size) {
    const { memory } = this.functions;
    const spare = this.spare[size]?.pop();
    if (spare !== undefined) {
      new Uint8Array(memory.buffer, spare, size).fill(0);
      return spare;
    }
    const missing = this.end + size - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536)); // or it throws
    this.end += size;
    return this.end - size;
  }

  release(address, size) {
    (this.spare[size] ??= []).push(address);
  }

  /** A part of memory as an array, valid until more memory is allocated. */
  array(address, kind, count) {
    return new KINDS[kind](this.functions.memory.buffer, address, count * numbersOf(kind));
  }

  field(record, address, name) {
    const [offset, kind, count] = this.layout.records[record].fields[name];
    return this.array(address + offset, kind, count);
  }

  write(record, address, values) {
    for (const [name, value] of Object.entries(values)) {
      const into = this.field(record, address, name);
      const convert = typeof into[0] === "bigint" ? BigInt : Number;
      into.set([value].flat().map((each) => convert(each)));
    }
  }

  sizeOf(record) {
    return this.layout.records[record].size;
  }

  /** The addresses of a table's arrays, which all engines share. */
  addressesOf(table) {
    if (!this.tables.has(table)) {
      const put = ([name, bytes]) => {
        const address = this.allocate(aligned(Math.max(bytes.length, 1)));
        this.array(address, "b1", bytes.length).set(bytes);
        return [name, address];
      };
      this.tables.set(table, Object.fromEntries(Object.entries(table).map(put)));
    }
    return this.tables.get(table);
  }
}

/**
 * N games with the same rules, described by `game` (see Python's `browser.games`). The two
 * `players` are `{ script }` with the fields of a script, `{ network }`, or `{}` for a person.
 * With `isExplained`, `explain` says how scripts come to their forces.
 */
class Engine {
  constructor(machine, game, players, numGames = 1, isExplained = false) {
    for (const { name, network } of players) {
      if (!network || network.features === game.features) continue;
      throw new Error(`${name} cannot play this game: it was trained for another one`);
    }
    Object.assign(this, { machine, game, numGames });
    this.teams = [game.pursuers, game.evaders];
    this.numPlayers = game.pursuers + game.evaders;
    this.counts = { games: numGames, players: this.numPlayers, obstacles: game.obstacles };
    this.isSteered = players.map(({ script }) => !script);
    this.blocks = [];
    try {
      this.places = this.layOut(machine.layout.arrays);
      this.networks = players.map(({ network }) => network && this.layOutNetwork(network));
      this.layOutRecords(players, isExplained);
    } catch (error) {
      this.close(); // of what there was no memory for
      throw error;
    }
  }

  close() {
    for (const block of this.blocks) this.machine.release(...block);
    this.blocks = [];
  }

  /** Returns the address of new memory, of at least this many bytes, all 0. */
  room(bytes) {
    const size = aligned(Math.max(bytes, 1));
    const address = this.machine.allocate(size);
    this.blocks.push([address, size]);
    return address;
  }

  put(kind, values) {
    const address = this.room(sizeOf(kind) * values.length);
    this.machine.array(address, kind, values.length).set(values);
    return address;
  }

  /** Returns the address of new records, one for each object with fields. */
  records(name, ...rows) {
    const size = this.machine.sizeOf(name);
    const address = this.room(size * rows.length);
    rows.forEach((fields, row) => this.machine.write(name, address + row * size, fields));
    return address;
  }

  /** Finds the places of the arrays, one after the other; the state comes first. */
  layOut(arrays) {
    const places = {};
    let bytes = 0;
    for (const [group, members] of Object.entries(arrays)) {
      for (const [name, { kind, length }] of Object.entries(members)) {
        const count = lengthOf(length, this.counts);
        places[name] = { offset: bytes, kind, count };
        bytes += aligned(count * sizeOf(kind));
      }
      if (group === "state") this.stateBytes = bytes;
    }
    this.first = this.room(bytes);
    return places;
  }

  layOutRecords(players, isExplained) {
    const { machine, game, counts, numGames, numPlayers } = this;
    const { layout, routines } = machine;
    const entryOf = (name) => [name, this.first + this.places[name].offset];
    const addressesOf = (group) =>
      Object.fromEntries(Object.keys(layout.arrays[group]).map(entryOf));
    const limits = SIDES.flatMap((side, number) => {
      const ofOne = layout.names.limit.map((name) => game[side][name]);
      return Array(this.teams[number]).fill(ofOne).flat();
    });
    for (const name of ["lowest", "highest"]) this.column(name).set(limits);
    const numExplained = isExplained ? numGames * numPlayers : 0;
    this.explanations = numExplained && this.room(numExplained * machine.sizeOf("explanation"));
    // The optional routines of each phase of a step: bodies are parted after they moved.
    const phases = Array(layout.records.memory.fields.phases[2]).fill(0);
    if (game.rules.solid > 0) phases[layout.moved] = routines.part_overlapping;
    const memory = this.records("memory", {
      ...addressesOf("state"),
      ...addressesOf("limits"),
      ...counts,
      num_features: game.features,
      sighting_rows: this.places.sightings.count / numGames,
      rules: this.records("rules", game.rules),
      scripts: this.records("script", ...players.map((each) => this.fieldsOf(each, isExplained))),
      sensors: this.records("sensor", {}, {}),
      explanations: this.explanations,
      move_among_obstacles: game.obstacles > 0 ? routines.move_among_obstacles : 0,
      observe_obstacles: game.obstacles > 0 ? routines.observe_obstacles : 0,
      decide_reach: game.racers ? routines.decide_reach : 0,
      phases,
      ...(game.maps ? this.partOnMaps() : {}),
    });
    this.actions = this.teams.map((team) => this.room(4 * 2 * team * numGames));
    this.observations = this.room(4 * Math.max(...this.teams) * numGames * game.features);
    this.vectors = this.room(16 * Math.max(numPlayers, 2)); // forces, or a circle
    this.seeds = this.room(8 * numGames);
    this.call = this.records("call", {
      memory,
      scratch: this.records("scratch", {
        ...addressesOf("scratch"),
        way_numbers: this.room(8 * (game.way_numbers ?? 0)),
      }),
      first: 0,
      last: numGames,
      mask: this.put("b1", Array(numGames).fill(1)),
      rewards: this.room(8 * numGames),
      terminated: this.room(numGames),
      truncated: this.room(numGames),
      pursuer_actions: this.isSteered[PURSUER] ? this.actions[PURSUER] : 0,
      evader_actions: this.isSteered[EVADER] ? this.actions[EVADER] : 0,
    });
    const sizes = [game.arena_size / 2, game.capture_radius, game.start_distance];
    machine.functions.fit_rules(this.call, ...sizes, game.acceleration_unit);
  }

  /** What the memory of games with maps has besides. */
  partOnMaps() {
    const { machine, game } = this;
    const { move_among_walls, approach_in_line, push_off_walls, follow_ways } = machine.routines;
    const addresses = { ...machine.addressesOf(game.table), move_among_obstacles: move_among_walls };
    const num_maps = game.maps.length;
    return { ...addresses, num_maps, approach_in_line, push_off_walls, follow_ways };
  }

  /** The fields of a player's script, with the routine that works out its forces. */
  fieldsOf({ script }, isExplained) {
    if (!script) return { behavior: -1 }; // steered from outside
    const { fields, fills } = script;
    const { obstacles, maps } = this.game;
    const isVectorized = obstacles > 0 ? fields.is_vectorized_among_obstacles : fields.is_vectorized;
    // Only the general routine explains; its forces are the same.
    const routine = fills[maps ? 1 : 0][isVectorized && !isExplained ? 1 : 0];
    return { ...fields, routine: this.machine.routines[routine] };
  }

  /** Makes a network with its own room, for as many observations as there are at once. */
  layOutNetwork({ layers, activation, head, bound = 0, means, deviations }) {
    const widest = Math.max(...layers.flatMap(({ inputs, width }) => [inputs, width]));
    const rows = this.numGames * Math.max(...this.teams);
    const made = layers.map(({ weights, biases, ...sizes }) => ({
      ...sizes,
      weights: this.put("f4", weights),
      biases: this.put("f4", biases),
    }));
    return this.records("network", {
      num_layers: layers.length,
      layers: this.records("layer", ...made),
      activation,
      head,
      means: means ? this.put("f8", means) : 0,
      deviations: deviations ? this.put("f8", deviations) : 0,
      bound,
      sums: this.room(4 * 2 * widest),
      values: this.room(4 * rows * widest),
      next_values: this.room(4 * rows * widest),
    });
  }

  /** A column of the games, as an array; it is valid until memory is allocated. */
  column(name) {
    const { offset, kind, count } = this.places[name];
    return this.machine.array(this.first + offset, kind, count);
  }

  /** The two numbers of a player in the first game in a column such as "position". */
  pair(name, number) {
    const first = 2 * number * this.numGames;
    return this.column(name).slice(first, first + 2);
  }

  /** Begins the episodes of seeds, which are BigInts; one for each game. */
  start(seeds) {
    this.machine.array(this.seeds, "u8", this.numGames).set(seeds);
    this.machine.functions.seed(this.call, this.seeds);
    this.play(0, "restart");
  }

  step(steps = 1) {
    this.chooseActions();
    this.play(steps, "idle");
  }

  /** Has the loop play; if there is an address, a side's observations are written to it. */
  play(steps, whenOver, side = PURSUER, observations = 0) {
    const { functions, layout } = this.machine;
    const fields = { steps, when_over: layout.when_over[whenOver], side, observations };
    this.machine.write("call", this.call, fields);
    const fault = functions.play_games(this.call);
    if (fault !== -1) throw new Error(`the loop refused to go on: ${fault}`);
  }

  isRunning() {
    return this.column("phase").includes(BigInt(this.machine.layout.phases.running));
  }

  chooseActions() {
    this.networks.forEach((network, side) => {
      if (!network) return;
      this.play(0, "idle", side, this.observations);
      const rows = this.numGames * this.teams[side];
      this.machine.functions.act(network, this.observations, this.actions[side], rows);
    });
  }

  /** The actions of a side, (games, players of the side, 2) in one array, to be written. */
  actionsOf(side) {
    return this.machine.array(this.actions[side], "f4", 2 * this.teams[side] * this.numGames);
  }

  /** The forces of the first game's last step, x and y of each player, in newtons. */
  lastForces() {
    this.machine.functions.read_forces(this.call, this.vectors);
    return this.machine.array(this.vectors, "c16", this.numPlayers);
  }

  /** A pursuer's Apollonius circle in the first game, [x, y, radius]; null if it has none. */
  apollonius(number) {
    const { machine, call, vectors } = this;
    if (!machine.functions.apollonius(call, number, vectors)) return null;
    return [...machine.array(vectors, "f8", 3)];
  }

  /** True unless walls of the first game's map leave a body no room at a place. */
  hasRoom(radius, x, y) {
    return !this.game.maps || Boolean(this.machine.functions.has_room(this.call, radius, x, y));
  }

  /** Has scripts explain what they are about to do; `explanation` reads it. */
  explain() {
    const before = this.snapshot();
    this.machine.functions.explain(this.call);
    this.restore(before);
  }

  /** A field of what a player's script explained, in the first game. */
  explanation(number, name) {
    const offset = number * this.numGames * this.machine.sizeOf("explanation");
    return this.machine.field("explanation", this.explanations + offset, name);
  }

  snapshot() {
    return this.machine.array(this.first, "b1", this.stateBytes).slice();
  }

  /** Puts the games into a state of this engine, or of another of the same size. */
  restore(state) {
    this.machine.array(this.first, "b1", this.stateBytes).set(state);
  }
}
