// Writes moving pictures as GIF: 256 colors, and of each frame only what has changed.

const MOST_COLORS = 255;
const UNCHANGED = 255; // the place of the color of what is as before
const LARGEST_CODE = 4095;

/** Collects bytes. */
class Bytes {
  constructor() {
    this.parts = [];
  }

  put(...numbers) {
    this.parts.push(Uint8Array.from(numbers));
  }

  /** Numbers of 16 bits, the low byte first. */
  putShort(...numbers) {
    this.put(...numbers.flatMap((number) => [number & 255, number >> 8]));
  }

  putText(text) {
    this.put(...Array.from(text, (letter) => letter.charCodeAt(0)));
  }

  /** Data in blocks of at most 255 bytes, which an empty one ends. */
  putBlocks(data) {
    for (let start = 0; start < data.length; start += 255) {
      const block = data.slice(start, start + 255);
      this.put(block.length);
      this.parts.push(Uint8Array.from(block));
    }
    this.put(0);
  }
}

/** The most frequent colors of some images (RGBA), as numbers of 24 bits. */
function paletteOf(images) {
  const counts = new Map();
  for (const { data } of images) {
    for (let at = 0; at < data.length; at += 4) {
      const color = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  }
  const colors = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color);
  return colors.slice(0, MOST_COLORS);
}

/** The place in a palette of the color nearest to one; `known` remembers. */
function placeOfColor(color, palette, known) {
  const place = known.get(color);
  if (place !== undefined) return place;
  let [best, least] = [0, Infinity];
  palette.forEach((other, index) => {
    const red = (color >> 16) - (other >> 16);
    const green = ((color >> 8) & 255) - ((other >> 8) & 255);
    const blue = (color & 255) - (other & 255);
    const distance = 3 * red * red + 4 * green * green + 2 * blue * blue;
    if (distance < least) [best, least] = [index, distance];
  });
  known.set(color, best);
  return best;
}

/** Compresses places in a palette of 256 colors by Lempel, Ziv and Welch's method. */
function compressed(places) {
  const clear = 256;
  const out = [];
  let [bits, filled] = [0, 0];
  let size = 9;
  const put = (code) => {
    bits |= code << filled;
    filled += size;
    while (filled >= 8) {
      out.push(bits & 255);
      bits >>>= 8;
      filled -= 8;
    }
  };
  let codes = new Map();
  let next = clear + 2;
  put(clear);
  let prefix = places[0];
  for (let at = 1; at < places.length; at++) {
    const key = (prefix << 8) | places[at];
    const code = codes.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix);
    if (next > LARGEST_CODE) {
      put(clear);
      codes = new Map();
      next = clear + 2;
      size = 9;
    } else {
      if (next >= 1 << size) size += 1;
      codes.set(key, next++);
    }
    prefix = places[at];
  }
  put(prefix);
  put(clear + 1);
  if (filled > 0) out.push(bits & 255);
  return out;
}

/** A moving picture that repeats, made frame by frame. */
class Gif {
  constructor(width, height, palette) {
    this.size = [width, height];
    this.palette = palette;
    this.known = new Map(); // places of colors
    this.before = null;
    this.seconds = this.hundredths = 0; // until the next frame, exactly and as written
    this.bytes = new Bytes();
    this.bytes.putText("GIF89a");
    this.bytes.putShort(width, height);
    this.bytes.put(0xf7, 0, 0); // a table of 256 colors follows
    for (let index = 0; index < 256; index++) {
      const color = palette[index] ?? 0;
      this.bytes.put(color >> 16, (color >> 8) & 255, color & 255);
    }
    this.bytes.put(0x21, 0xff, 11);
    this.bytes.putText("NETSCAPE2.0");
    this.bytes.put(3, 1, 0, 0, 0); // for ever
  }

  /** Adds a frame, ImageData of the picture's size, that is seen for some seconds. */
  add({ data }, seconds) {
    const { bytes, palette, known, before } = this;
    const places = new Uint8Array(data.length / 4);
    for (let at = 0; at < places.length; at++) {
      const color = (data[4 * at] << 16) | (data[4 * at + 1] << 8) | data[4 * at + 2];
      places[at] = placeOfColor(color, palette, known);
    }
    const changed = before
      ? places.map((place, at) => (place === before[at] ? UNCHANGED : place))
      : places;
    this.seconds += seconds;
    const delay = Math.round(100 * this.seconds) - this.hundredths;
    this.hundredths += delay;
    bytes.put(0x21, 0xf9, 4, 0x05);
    bytes.putShort(delay);
    bytes.put(UNCHANGED, 0, 0x2c);
    bytes.putShort(0, 0, ...this.size);
    bytes.put(0, 8);
    bytes.putBlocks(compressed(changed));
    this.before = places;
  }

  blob() {
    this.bytes.put(0x3b);
    return new Blob(this.bytes.parts, { type: "image/gif" });
  }
}
