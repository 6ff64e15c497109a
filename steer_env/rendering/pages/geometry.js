// The view of the plane, and the pen that draws in it.

const MARGIN = 0.07; // around the arena, as a share of the side; the score is written in it

/** The least 1, 2 or 5 times a power of ten that is not below a number. */
function roundedUp(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
}

/** Maps an episode's positions, in meters with y upward, to CSS pixels. */
class View {
  constructor(episode, side, margin = MARGIN) {
    this.side = side;
    const { size, wraps, isBounded } = episode.region;
    Object.assign(this, { wraps, isBounded, half: size / 2 });
    this.stroke = Math.max(1, side / 450);
    const [left, right] = this.rangeOf(episode, "x");
    const [bottom, top] = this.rangeOf(episode, "y");
    this.center = { x: (left + right) / 2, y: (bottom + top) / 2 };
    this.scale = (side * (1 - 2 * margin)) / Math.max(right - left, top - bottom);
  }

  /** The range of a coordinate: that of the arena; in the open, also of all positions. */
  rangeOf(episode, name) {
    const players = this.isBounded ? [] : episode.players;
    const places = players.flatMap(({ columns }) => [...columns[name]]);
    const farthest = (choose, limit) => places.reduce((one, other) => choose(one, other), limit);
    return [farthest(Math.min, -this.half), farthest(Math.max, this.half)];
  }

  column(x) {
    return this.side / 2 + (x - this.center.x) * this.scale;
  }

  row(y) {
    return this.side / 2 - (y - this.center.y) * this.scale;
  }

  /** A vehicle's radius in meters, or the smallest visible one. */
  drawnRadius(radius) {
    return Math.max(radius, Math.max(0.019 * this.side, 5) / this.scale);
  }

  /** Left, top and side of the ground, in pixels. */
  ground() {
    if (!this.isBounded) return [0, 0, this.side];
    return [this.column(-this.half), this.row(this.half), 2 * this.half * this.scale];
  }

  /** The distance between the grid's lines, of which there are at most 12 across the view. */
  gridSpacing() {
    return roundedUp((this.isBounded ? 2 * this.half : this.side / this.scale) / 12);
  }

  /** The shifts at which something of that reach is visible; several at the edges of a torus. */
  images(x, y, reach) {
    if (!this.wraps) return [{ x: 0, y: 0 }];
    const shifts = [0, 2 * this.half, -2 * this.half];
    const seen = (coordinate) => (shift) => Math.abs(coordinate + shift) < this.half + reach;
    const columns = shifts.filter(seen(x));
    const rows = shifts.filter(seen(y));
    return columns.flatMap((shiftX) => rows.map((shiftY) => ({ x: shiftX, y: shiftY })));
  }
}

/** Draws in meters on a canvas' context. On a torus, images are drawn with a shift. */
class Pen {
  constructor(context, view, colors) {
    Object.assign(this, { context, view, colors, shift: { x: 0, y: 0 } });
  }

  column(x) {
    return this.view.column(x + this.shift.x);
  }

  row(y) {
    return this.view.row(y + this.shift.y);
  }

  /** Strokes a path that `trace` builds; the width is in strokes of the view. */
  stroke(color, { opacity = 1, width = 1, dashes = false, cap = "round" }, trace) {
    const { context, view } = this;
    context.beginPath();
    trace(context);
    const [lineWidth, lineCap] = [width * view.stroke, dashes ? "butt" : cap];
    const style = { strokeStyle: color, globalAlpha: opacity, lineWidth, lineCap };
    Object.assign(context, { ...style, lineJoin: "round" });
    context.setLineDash(dashes ? [4 * view.stroke, 3 * view.stroke] : []);
    context.stroke();
    context.globalAlpha = 1;
  }

  fill(color, opacity, trace) {
    const { context } = this;
    context.beginPath();
    trace(context);
    Object.assign(context, { fillStyle: color, globalAlpha: opacity });
    context.fill();
    context.globalAlpha = 1;
  }

  line(color, start, end, style = {}) {
    this.stroke(color, style, (context) => {
      context.moveTo(this.column(start.x), this.row(start.y));
      context.lineTo(this.column(end.x), this.row(end.y));
    });
  }

  ring(color, center, radius, style = {}) {
    const pixels = radius * this.view.scale;
    // Browsers are slow at dashing huge circles, of which only a piece is visible.
    const dashes = style.dashes && pixels < 4 * this.view.side;
    this.stroke(color, { ...style, dashes }, () => this.traceCircle(center, pixels));
  }

  disc(color, center, radius, opacity = 1) {
    this.fill(color, opacity, () => this.traceCircle(center, radius * this.view.scale));
  }

  traceCircle(center, pixels) {
    this.context.arc(this.column(center.x), this.row(center.y), pixels, 0, 2 * Math.PI);
  }

  tracePolygon(corners) {
    for (const { x, y } of corners) this.context.lineTo(this.column(x), this.row(y));
    this.context.closePath();
  }

  /** A small disc, whose radius is in strokes of the view. */
  dot(color, center, opacity = 1, strokes = 2) {
    this.disc(color, center, (strokes * this.view.stroke) / this.view.scale, opacity);
  }

  /** Calls `draw` with the shift of each visible image of something of a reach at a place. */
  atImages({ x, y }, reach, draw) {
    for (this.shift of this.view.images(x, y, reach)) draw();
    this.shift = { x: 0, y: 0 };
  }

  clipped(draw, isClipped = true) {
    const { context } = this;
    const [left, top, side] = this.view.ground();
    context.save();
    if (isClipped) {
      context.beginPath();
      context.rect(left, top, side, side);
      context.clip();
    }
    draw();
    context.restore();
  }
}

/** Writes text; a halo in the color of the ground keeps it legible over lines. */
function writeText(context, text, color, column, row, { size, align, halo = null, weight = 500 }) {
  const font = fontOf(size, weight);
  Object.assign(context, { font, textAlign: align, textBaseline: "middle" });
  if (halo) {
    Object.assign(context, { strokeStyle: halo, lineWidth: size / 4, lineJoin: "round" });
    context.setLineDash([]);
    context.strokeText(text, column, row);
  }
  context.fillStyle = color;
  context.fillText(text, column, row);
}

const fontOf = (size, weight) =>
  `${weight} ${size}px system-ui, -apple-system, "Segoe UI", sans-serif`;
