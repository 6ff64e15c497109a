// Writes moving pictures as GIF: 256 colors, and of each frame only what has changed.

const MOST_COLORS = 255; // and one for what has not changed
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

/**
 * A GIF of frames, which repeats, as a Blob.
 *
 * `images` are ImageData of one size; `delays` are in hundredths of a second, one for each.
 */
function gifOf(images, delays) {
  const { width, height } = images[0];
  const sampled = images.filter((_, index) => index % 8 === 0 || index === images.length - 1);
  const palette = paletteOf(sampled);
  const same = MOST_COLORS; // the color of what has not changed
  const bytes = new Bytes();
  bytes.putText("GIF89a");
  bytes.putShort(width, height);
  bytes.put(0xf7, 0, 0); // a table of 256 colors follows
  for (let index = 0; index < 256; index++) {
    const color = palette[index] ?? 0;
    bytes.put(color >> 16, (color >> 8) & 255, color & 255);
  }
  bytes.put(0x21, 0xff, 11);
  bytes.putText("NETSCAPE2.0");
  bytes.put(3, 1, 0, 0, 0); // for ever
  const known = new Map();
  let before = null;
  images.forEach(({ data }, index) => {
    const places = new Uint8Array(width * height);
    for (let at = 0; at < places.length; at++) {
      const color = (data[4 * at] << 16) | (data[4 * at + 1] << 8) | data[4 * at + 2];
      places[at] = placeOfColor(color, palette, known);
    }
    const changed = before ? places.map((place, at) => (place === before[at] ? same : place)) : places;
    bytes.put(0x21, 0xf9, 4, 0x05);
    bytes.putShort(delays[index]);
    bytes.put(same, 0, 0x2c);
    bytes.putShort(0, 0, width, height);
    bytes.put(0, 8);
    bytes.putBlocks(compressed(changed));
    before = places;
  });
  bytes.put(0x3b);
  return new Blob(bytes.parts, { type: "image/gif" });
}
