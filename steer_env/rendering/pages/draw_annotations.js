// Draws the annotations of scripts. They are recorded; no steering is computed here.

const ARROW = 0.075; // of the picture's side: an arrow at top speed, or of the largest force

/** Annotations under everything that moves: switch, column, and what draws the numbers. */
const RANGES = [
  ["threat", "threat_range", (pen, pose, color, [radius]) =>
    pen.ring(color, pose, radius, { opacity: 0.55, dashes: true })],
  ["apollonius", "apollonius", (pen, pose, color, [x, y, radius]) =>
    pen.ring(pen.colors.apollonius, offset(pose, x, y), radius, { opacity: 0.85, width: 1.2 })],
  ["view", "field_of_view", drawFieldOfView],
];

const SENSES = [
  ["corridor", "corridor", drawCorridor],
  ["feelers", "feelers", drawFeelers],
  ["wander", "wander", drawWander],
  ["aim", "lead", drawLead],
  ["aim", "aim", drawCross],
];

/** A place beside a vehicle, offset along the axes of the arena. */
const offset = (pose, x, y) => ({ x: pose.x + x, y: pose.y + y });

/** A place beside a vehicle, offset forward and to its left. */
const ahead = ({ x, y, cos, sin }, forward, left) => ({
  x: x + cos * forward - sin * left,
  y: y + sin * forward + cos * left,
});

function drawFieldOfView(pen, pose, color, [radius, halfAngle]) {
  const style = { opacity: 0.4 };
  if (halfAngle >= 3.14) return pen.ring(color, pose, radius, style);
  const column = pen.column(pose.x);
  const row = pen.row(pose.y);
  const trace = (context) => {
    context.moveTo(column, row);
    // Rows count downward, and so do a canvas' angles.
    const start = -pose.heading - halfAngle;
    context.arc(column, row, radius * pen.view.scale, start, start + 2 * halfAngle);
    context.closePath();
  };
  pen.fill(color, 0.06, trace);
  pen.stroke(color, style, trace);
}

function drawCorridor(pen, pose, color, [length, half]) {
  const corners = [[0, half], [length, half], [length, -half], [0, -half]];
  const trace = () => pen.tracePolygon(corners.map((corner) => ahead(pose, ...corner)));
  pen.fill(color, 0.07, trace);
  pen.stroke(color, { opacity: 0.45 }, trace);
}

function drawFeelers(pen, pose, color, tips) {
  for (let index = 0; index < tips.length; index += 2) {
    const tip = ahead(pose, tips[index], tips[index + 1]);
    pen.line(color, pose, tip, { opacity: 0.5 });
    pen.dot(color, tip, 0.7);
  }
}

function drawWander(pen, pose, color, [forward, left, radius, targetForward, targetLeft]) {
  const target = ahead(pose, targetForward, targetLeft);
  pen.ring(color, ahead(pose, forward, left), radius, { opacity: 0.5 });
  pen.line(color, pose, target, { opacity: 0.35 });
  pen.dot(color, target);
}

/** The line from the opponent's perceived position to the expected one. */
function drawLead(pen, pose, color, [x, y], others) {
  if (!others.aim) return;
  const [aimX, aimY] = others.aim;
  pen.line(color, offset(pose, x, y), offset(pose, aimX, aimY), { opacity: 0.35 });
}

/** A ring and four hairs around a point; at the edge of the arena if it is outside. */
function drawCross(pen, pose, color, [right, up]) {
  const { view } = pen;
  const place = offset(pose, right, up);
  const half = (0.013 * Math.max(view.side, 300)) / view.scale;
  const reach = view.ground()[2] / 2 / view.scale - 1.4 * half;
  const clamp = (coordinate, center) =>
    view.wraps ? coordinate : Math.min(Math.max(coordinate, center - reach), center + reach);
  const middle = { x: clamp(place.x, view.center.x), y: clamp(place.y, view.center.y) };
  for (const [shade, width] of [[pen.colors.ground, 3.2], [color, 1.5]]) {
    for (const [x, y] of [[half, 0], [0, half], [-half, 0], [0, -half]]) {
      const start = offset(middle, 0.35 * x, 0.35 * y);
      pen.line(shade, start, offset(middle, 1.35 * x, 1.35 * y), { width });
    }
  }
  pen.ring(color, middle, 0.75 * half, { width: 1.5 });
  pen.dot(color, middle, 1, 1.5);
}

/** An arrow from the edge of a body, for a vector whose length is at most `most`. */
function drawArrow(pen, pose, radius, color, vector, most, style) {
  const { view } = pen;
  const share = Math.hypot(vector.x, vector.y) / most;
  if (share * ARROW <= 0.004) return; // too short to be seen
  const longest = (ARROW * view.side) / view.scale;
  const direction = Math.atan2(vector.y, vector.x);
  const [x, y] = [Math.cos(direction), Math.sin(direction)];
  const start = offset(pose, radius * x, radius * y);
  const tip = offset(start, longest * share * x, longest * share * y);
  pen.line(color, start, tip, style);
  const barb = Math.max(0.011 * view.side, 4) / view.scale;
  for (const angle of [direction + 2.6, direction - 2.6]) {
    const end = offset(tip, barb * Math.cos(angle), barb * Math.sin(angle));
    pen.line(color, tip, end, style);
  }
}
