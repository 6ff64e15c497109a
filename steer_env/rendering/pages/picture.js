// The view of the plane, and the picture that draws in it, as Python's `rendering.picture`.

let looks; // of all marks: Python's table `rendering.marks.LOOKS`

/** The least 1, 2 or 5 times a power of ten that is not below a number. */
function roundedUp(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9));
}

/** A place beside a vehicle, offset along the axes of the arena. */
const offset = (pose, x, y) => ({ x: pose.x + x, y: pose.y + y });

/** A place beside a vehicle, offset forward and to its left. */
const ahead = (pose, forward, left) =>
  offset(pose, pose.cos * forward - pose.sin * left, pose.sin * forward + pose.cos * left);

const UPRIGHT = { cos: 1, sin: 0 }; // of a glyph that does not turn

/** Maps an episode's positions, in meters with y upward, to CSS pixels. */
class View {
  constructor(episode, side, margin = looks.margin) {
    this.side = side;
    const { size, wraps, isBounded } = episode.region;
    Object.assign(this, { isTorus: wraps, isOpen: !isBounded, half: size / 2 });
    this.stroke = this.size("stroke");
    const [left, right] = this.rangeOf(episode, "x");
    const [bottom, top] = this.rangeOf(episode, "y");
    const edge = Math.max(margin * side, looks.numbers["least edge"]);
    this.center = { x: (left + right) / 2, y: (bottom + top) / 2 };
    this.scale = (side - 2 * edge) / Math.max(right - left, top - bottom);
  }

  /** The range of a coordinate: that of the arena; in the open, also of all positions. */
  rangeOf(episode, name) {
    const players = this.isOpen ? episode.players : [];
    const places = players.flatMap(({ columns }) => [...columns[name]]);
    const farthest = (choose, limit) => places.reduce((one, other) => choose(one, other), limit);
    return [farthest(Math.min, -this.half), farthest(Math.max, this.half)];
  }

  /** One of the sizes of the table, in pixels. */
  size(name) {
    const [share, least] = looks.sizes[name];
    return Math.max(share * this.side, least);
  }

  column(x) {
    return this.side / 2 + (x - this.center.x) * this.scale;
  }

  row(y) {
    return this.side / 2 - (y - this.center.y) * this.scale;
  }

  /** A vehicle's radius in meters, or the smallest visible one. */
  drawnRadius(radius) {
    return Math.max(radius, this.size("body") / this.scale);
  }

  /** Left, top and side of the ground, in pixels. */
  ground() {
    if (this.isOpen) return [0, 0, this.side];
    return [this.column(-this.half), this.row(this.half), 2 * this.half * this.scale];
  }

  gridSpacing() {
    const extent = this.isOpen ? this.side / this.scale : 2 * this.half;
    return roundedUp(extent / looks.numbers["grid lines"]);
  }

  /** The shifts at which something of that reach is visible; several at the edges of a torus. */
  images({ x, y }, reach) {
    if (!this.isTorus) return [{ x: 0, y: 0 }];
    const shifts = [0, 2 * this.half, -2 * this.half];
    const seen = (coordinate) => (shift) => Math.abs(coordinate + shift) < this.half + reach;
    const rows = shifts.filter(seen(y));
    return shifts.filter(seen(x)).flatMap((right) => rows.map((up) => ({ x: right, y: up })));
  }
}

/** Draws in meters on a canvas' context, on a torus at every visible image. */
class Picture {
  constructor(context, view, colors) {
    Object.assign(this, { context, view, colors });
  }

  /** Strokes a path that `trace` builds as a line of the table, or with a share of its opacity. */
  stroke(color, line, trace, share = 1, mayDash = true) {
    const [opacity, width, dashes] = looks.lines[line];
    const isDashed = dashes && mayDash;
    const { context, view: { stroke } } = this;
    const dash = Math.PI * looks.numbers.dash * stroke;
    const style = { strokeStyle: color, globalAlpha: opacity * share, lineWidth: width * stroke };
    const cap = isDashed || share !== 1 ? "butt" : "round";
    Object.assign(context, { ...style, lineCap: cap, lineJoin: "round" });
    context.setLineDash(isDashed ? [dash, dash] : []);
    context.beginPath();
    trace(context);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  fill(color, line, trace) {
    const { context } = this;
    Object.assign(context, { fillStyle: color, globalAlpha: looks.lines[line][0] });
    context.beginPath();
    trace(context);
    context.fill();
    context.globalAlpha = 1;
  }

  /** Traces lines through places; null interrupts them. */
  trace(points) {
    const { context, view } = this;
    points.forEach((place, index) => {
      if (!place) return;
      const method = points[index - 1] ? "lineTo" : "moveTo";
      context[method](view.column(place.x), view.row(place.y));
    });
  }

  traceCircle(center, pixels) {
    const { context, view } = this;
    context.arc(view.column(center.x), view.row(center.y), pixels, 0, 2 * Math.PI);
  }

  /** Calls `draw` for each visible image of something of a reach at a place. */
  atImages(place, reach, draw) {
    for (const { x, y } of this.view.images(place, reach)) {
      this.context.save();
      this.context.translate(x * this.view.scale, -y * this.view.scale);
      draw();
      this.context.restore();
    }
  }

  disc(color, line, center, radius) {
    const trace = () => this.traceCircle(center, radius * this.view.scale);
    this.atImages(center, radius, () => this.fill(color, line, trace));
  }

  dot(color, line, center) {
    this.disc(color, line, center, (looks.numbers.dot * this.view.stroke) / this.view.scale);
  }

  ring(color, line, center, radius, share = 1) {
    const pixels = radius * this.view.scale;
    // Browsers are slow at dashing huge circles, of which only a piece is visible.
    const mayDash = pixels < 4 * this.view.side;
    const trace = () => this.traceCircle(center, pixels);
    this.atImages(center, radius, () => this.stroke(color, line, trace, share, mayDash));
  }

  line(color, line, start, end) {
    this.path(color, line, [start, end]);
  }

  path(color, line, points) {
    this.atImagesOf(points, () => this.stroke(color, line, () => this.trace(points)));
  }

  area(color, line, corners) {
    this.atImagesOf(corners, () => this.fill(color, line, () => this.trace(corners)));
  }

  atImagesOf(points, draw) {
    const [{ x, y }] = points;
    const away = points.map((place) => (place ? Math.hypot(place.x - x, place.y - y) : 0));
    this.atImages(points[0], Math.max(...away), draw);
  }

  /** One of the table's glyphs, heading as a pose does; its unit is in meters. */
  glyph(name, color, pose, unit) {
    for (const [kind, shade, line, corners, radius] of looks.glyphs[name]) {
      const places = corners.map((each) => each && ahead(pose, unit * each[0], unit * each[1]));
      const given = places.length > 1 ? [places] : [pose, radius * unit];
      this[kind](this.colors[shade] ?? color, line, ...given);
    }
  }

  box(color, line, pose, _, length, half) {
    const corners = [[0, half], [length, half], [length, -half], [0, -half]];
    this.path(color, line, corners.map((corner) => ahead(pose, ...corner)));
  }

  sector(color, line, pose, _, radius, half) {
    if (half >= 3.14) return this.ring(color, line, pose, radius);
    const turns = Array.from({ length: 65 }, (_, step) => half * (step / 32 - 1));
    const at = (turn) => ahead(pose, radius * Math.cos(turn), radius * Math.sin(turn));
    this.path(color, line, [pose, ...turns.map(at), pose]);
  }

  /** A crosshair of a point; at the edge of the arena if it is outside. */
  cross(color, line, { x, y }) {
    const { view } = this;
    const half = view.size(line) / view.scale;
    const reach = view.ground()[2] / 2 / view.scale - looks.numbers["cross inset"] * half;
    const clamp = (coordinate, center) =>
      view.isTorus ? coordinate : Math.min(Math.max(coordinate, center - reach), center + reach);
    const middle = { x: clamp(x, view.center.x), y: clamp(y, view.center.y), ...UPRIGHT };
    this.glyph(line, color, middle, half);
  }

  /** An arrow from the edge of a body, for a vector whose length is at most `most`. */
  arrow(color, line, pose, radius, vector, most) {
    const { view } = this;
    const length = Math.hypot(vector.x, vector.y);
    const share = Math.min(length / most, 1);
    if (!(share * view.size("arrow") > view.size("least arrow"))) return;
    const along = { x: pose.x, y: pose.y, cos: vector.x / length, sin: vector.y / length };
    const long = (share * view.size("arrow")) / view.scale;
    const barb = Math.min(view.size("barb") / view.scale, looks.numbers["longest barb"] * long);
    const angle = looks.numbers["barb angle"];
    const [right, back] = [barb * Math.sin(angle), radius + long + barb * Math.cos(angle)];
    const corners = [[radius, 0], [radius + long, 0], [back, right], [radius + long, 0], [back, -right]];
    this.path(color, line, corners.map((corner) => ahead(along, ...corner)));
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

  /** Writes text in pixels; a rim in another color keeps it legible over lines. */
  text(text, color, column, row, { size, align = "left", rim = null }) {
    const { context } = this;
    Object.assign(context, { font: fontOf(size), textAlign: align, textBaseline: "middle" });
    if (rim) {
      const lineWidth = 2 * looks.numbers["text rim"];
      Object.assign(context, { strokeStyle: rim, lineWidth, lineJoin: "round" });
      context.strokeText(text, column, row);
    }
    context.fillStyle = color;
    context.fillText(text, column, row);
  }

  textWidth(text, size) {
    this.context.font = fontOf(size);
    return this.context.measureText(text).width;
  }
}

const fontOf = (size) => {
  const { weight, em } = looks.numbers;
  return `${weight} ${em * size}px system-ui, -apple-system, "Segoe UI", sans-serif`;
};
