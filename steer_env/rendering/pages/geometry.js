// Where things are in the picture, and the strokes that everything is drawn with.

const MARGIN = 0.07; // around the arena, as a share of the side; the score stands in it
const GRID_CELLS = 12; // at most so many across

/** What an episode is seen through: from meters, y upward, to pixels of the style sheet. */
class View {
  constructor(episode, side, margin = MARGIN) {
    this.side = side;
    this.isTorus = episode.arena.kind === "torus";
    this.isOpen = episode.arena.kind === "open";
    this.half = episode.arena.size / 2;
    this.stroke = Math.max(1, side / 450);
    const { low, high } = this.isOpen ? extentOf(episode) : squareOf(this.half);
    const extent = Math.max(high.x - low.x, high.y - low.y);
    this.center = { x: (low.x + high.x) / 2, y: (low.y + high.y) / 2 };
    this.scale = (side * (1 - 2 * margin)) / extent;
    this.extent = extent;
  }

  column(x) {
    return this.side / 2 + (x - this.center.x) * this.scale;
  }

  row(y) {
    return this.side / 2 - (y - this.center.y) * this.scale;
  }

  /** The smallest radius of a vehicle that can be seen, in meters. */
  drawnRadius(radius) {
    return Math.max(radius, Math.max(0.019 * this.side, 5) / this.scale);
  }

  /** Left, top and side, in pixels, of the ground that is drawn. */
  ground() {
    if (this.isOpen) return [0, 0, this.side];
    return [this.column(-this.half), this.row(this.half), 2 * this.half * this.scale];
  }

  /** Between the lines of the grid, in meters: 1, 2 or 5 times a power of ten. */
  gridSpacing() {
    const least = (this.isOpen ? this.side / this.scale : 2 * this.half) / GRID_CELLS;
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
  }

  /** The shifts at which something of that reach is seen; several across a torus' edges. */
  images(x, y, reach) {
    if (!this.isTorus) return [{ x: 0, y: 0 }];
    const shifts = [0, 2 * this.half, -2 * this.half];
    const seen = (coordinate) => (shift) => Math.abs(coordinate + shift) < this.half + reach;
    const columns = shifts.filter(seen(x));
    const rows = shifts.filter(seen(y));
    return columns.flatMap((shiftX) => rows.map((shiftY) => ({ x: shiftX, y: shiftY })));
  }
}

function squareOf(half) {
  return { low: { x: -half, y: -half }, high: { x: half, y: half } };
}

/** What holds the start square and all the ways of an episode. */
function extentOf(episode) {
  const { low, high } = squareOf(episode.arena.size / 2);
  for (const { columns } of episode.players) {
    for (let moment = 0; moment <= episode.steps; moment++) {
      low.x = Math.min(low.x, columns.x[moment]);
      low.y = Math.min(low.y, columns.y[moment]);
      high.x = Math.max(high.x, columns.x[moment]);
      high.y = Math.max(high.y, columns.y[moment]);
    }
  }
  return { low, high };
}

/** Draws in meters on a canvas' context; a torus' images are drawn by moving the pen. */
class Pen {
  constructor(context, view, colors) {
    this.context = context;
    this.view = view;
    this.colors = colors;
    this.shift = { x: 0, y: 0 };
  }

  column(x) {
    return this.view.column(x + this.shift.x);
  }

  row(y) {
    return this.view.row(y + this.shift.y);
  }

  /** Strokes what is traced; the width is in strokes of the view. */
  stroke(color, { opacity = 1, width = 1, dashes = false, cap = "round" }, trace) {
    const { context, view } = this;
    context.beginPath();
    trace(context);
    context.strokeStyle = color;
    context.globalAlpha = opacity;
    context.lineWidth = width * view.stroke;
    context.lineCap = dashes ? "butt" : cap;
    context.lineJoin = "round";
    context.setLineDash(dashes ? [4 * view.stroke, 3 * view.stroke] : []);
    context.stroke();
    context.globalAlpha = 1;
  }

  fill(color, opacity, trace) {
    const { context } = this;
    context.beginPath();
    trace(context);
    context.fillStyle = color;
    context.globalAlpha = opacity;
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
    // Of a huge circle only a piece is seen; browsers are slow at dashing all of it.
    const dashes = style.dashes && pixels < 4 * this.view.side;
    this.stroke(color, { ...style, dashes }, (context) =>
      context.arc(this.column(center.x), this.row(center.y), pixels, 0, 2 * Math.PI),
    );
  }

  disc(color, center, radius, opacity = 1) {
    this.fill(color, opacity, (context) =>
      context.arc(
        this.column(center.x),
        this.row(center.y),
        radius * this.view.scale,
        0,
        2 * Math.PI,
      ),
    );
  }

  /** A small disc, whose radius is in strokes of the view. */
  dot(color, center, opacity = 1, strokes = 2) {
    this.disc(color, center, (strokes * this.view.stroke) / this.view.scale, opacity);
  }

  /** Text with a halo in the color of the ground, so that it is legible over lines. */
  text(text, color, column, row, { size, align = "left", halo = null, weight = 500 }) {
    const { context } = this;
    context.font = fontOf(size, weight);
    context.textAlign = align;
    context.textBaseline = "middle";
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = size / 4;
      context.lineJoin = "round";
      context.setLineDash([]);
      context.strokeText(text, column, row);
    }
    context.fillStyle = color;
    context.fillText(text, column, row);
  }

  textWidth(text, { size, weight = 500 }) {
    this.context.font = fontOf(size, weight);
    return this.context.measureText(text).width;
  }
}

function fontOf(size, weight = 500) {
  return `${weight} ${size}px system-ui, -apple-system, "Segoe UI", sans-serif`;
}
