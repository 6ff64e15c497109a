// Draws the annotations of scripts. They are recorded; no steering is computed here.

const CROSS = 0.013; // of the picture's side: half a crosshair
const ARROW = 0.075; // of the picture's side: an arrow at top speed, or of the largest force
const SHORTEST_ARROW = 0.004; // of the picture's side: shorter arrows are left out

/** Annotations under everything that moves; `draw` gets the pen, the pose and the numbers. */
const RANGES = [
  {
    switch: "threat",
    column: "threat_range",
    draw: (pen, pose, color, [radius]) =>
      pen.ring(color, pose, radius, { opacity: 0.55, dashes: true }),
  },
  {
    switch: "apollonius",
    column: "apollonius",
    draw: (pen, pose, color, [x, y, radius]) =>
      pen.ring(pen.colors.apollonius, offset(pose, x, y), radius, { opacity: 0.85, width: 1.2 }),
  },
  { switch: "view", column: "field_of_view", draw: drawFieldOfView },
];

/** Annotations above the trails. */
const SENSES = [
  { switch: "corridor", column: "corridor", draw: drawCorridor },
  { switch: "feelers", column: "feelers", draw: drawFeelers },
  { switch: "wander", column: "wander", draw: drawWander },
  { switch: "aim", column: "lead", draw: drawLead },
  {
    switch: "aim",
    column: "aim",
    draw: (pen, pose, color, [x, y]) => drawCross(pen, offset(pose, x, y), color),
  },
];

/** A place beside a vehicle, offset along the axes of the arena. */
function offset(pose, x, y) {
  return { x: pose.x + x, y: pose.y + y };
}

/** A place beside a vehicle, offset forward and to its left. */
function ahead(pose, forward, left) {
  return offset(
    pose,
    pose.cos * forward - pose.sin * left,
    pose.sin * forward + pose.cos * left,
  );
}

function drawFieldOfView(pen, pose, color, [radius, halfAngle]) {
  const style = { opacity: 0.4 };
  if (halfAngle >= 3.14) {
    pen.ring(color, pose, radius, style);
    return;
  }
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
  pen.stroke(color, { opacity: 0.4 }, trace);
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
function drawCross(pen, place, color) {
  const { view } = pen;
  const half = (CROSS * Math.max(view.side, 300)) / view.scale;
  const reach = view.ground()[2] / 2 / view.scale - 1.4 * half;
  const clamp = (coordinate, center) =>
    view.isTorus ? coordinate : Math.min(Math.max(coordinate, center - reach), center + reach);
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

/** An arrow from the edge of a body; `share` is relative to the longest arrow. */
function drawArrow(pen, pose, radius, color, share, style) {
  const { view } = pen;
  const length = Math.hypot(share.x, share.y);
  if (length * ARROW <= SHORTEST_ARROW) return;
  const longest = (ARROW * view.side) / view.scale;
  const along = { x: share.x / length, y: share.y / length };
  const start = offset(pose, radius * along.x, radius * along.y);
  const tip = offset(start, longest * share.x, longest * share.y);
  pen.line(color, start, tip, style);
  const barb = Math.max(0.011 * view.side, 4) / view.scale;
  for (const angle of [2.6, -2.6]) {
    const x = along.x * Math.cos(angle) - along.y * Math.sin(angle);
    const y = along.x * Math.sin(angle) + along.y * Math.cos(angle);
    pen.line(color, tip, offset(tip, barb * x, barb * y), style);
  }
}
