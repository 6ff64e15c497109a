// The compiled loop in its WebAssembly module: its functions, and what is in its memory.

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
const PAGE = 65536; // bytes by which memory grows

const numbersOf = (kind) => (kind === "c16" ? 2 : 1);
const sizeOf = (kind) =>
  kind in KINDS ? KINDS[kind].BYTES_PER_ELEMENT * numbersOf(kind) : Number(kind.slice(1));

class Machine {
  /** Starts the module; `layout` says where everything is, as Python wrote it. */
  static async start(code, layout) {
    const { instance } = await WebAssembly.instantiate(code);
    return new Machine(instance.exports, layout);
  }

  constructor(functions, layout) {
    this.functions = functions;
    this.layout = layout;
    this.end = functions.__heap_base.value;
    this.spare = new Map(); // addresses of released memory, by size
    const table = this.array(functions.routines.value, "i4", layout.routines.length);
    this.routines = Object.fromEntries(
      layout.routines.map((name, place) => [name, table[place]]),
    );
  }

  /** The address of so many bytes of zeros. */
  allocate(bytes) {
    const size = Math.ceil(Math.max(bytes, 1) / ALIGNMENT) * ALIGNMENT;
    const spare = this.spare.get(size)?.pop();
    if (spare !== undefined) {
      new Uint8Array(this.functions.memory.buffer, spare, size).fill(0);
      return spare;
    }
    const address = Math.ceil(this.end / ALIGNMENT) * ALIGNMENT;
    const missing = address + size - this.functions.memory.buffer.byteLength;
    if (missing > 0) this.functions.memory.grow(Math.ceil(missing / PAGE)); // or it throws
    this.end = address + size;
    return address;
  }

  /** Gives memory back, for the next that needs as much. */
  release(address, bytes) {
    const size = Math.ceil(Math.max(bytes, 1) / ALIGNMENT) * ALIGNMENT;
    if (!this.spare.has(size)) this.spare.set(size, []);
    this.spare.get(size).push(address);
  }

  /** What is in memory, as an array. It is valid until more memory is allocated. */
  array(address, kind, count) {
    return new KINDS[kind](this.functions.memory.buffer, address, count * numbersOf(kind));
  }

  /** The numbers of a field of a record, likewise. */
  field(record, address, name) {
    const [offset, kind, count] = this.layout.records[record].fields[name];
    return this.array(address + offset, kind, count);
  }

  /** Writes fields of a record, from numbers, booleans or arrays of them. */
  write(record, address, values) {
    for (const [name, value] of Object.entries(values)) {
      const into = this.field(record, address, name);
      const given = [value].flat();
      for (let place = 0; place < given.length; place++) {
        into[place] = typeof into[0] === "bigint" ? BigInt(given[place]) : Number(given[place]);
      }
    }
  }

  /** The size of a record, in bytes. */
  sizeOf(record) {
    return this.layout.records[record].size;
  }

  /** How many entries an array of the engine has, for numbers of games, players, obstacles. */
  lengthOf({ length }, counts) {
    const products = Object.entries(length).map(([names, factor]) =>
      names.split("*").reduce((product, name) => product * (name ? counts[name] : 1), factor),
    );
    return products.reduce((sum, product) => sum + product, 0);
  }
}
