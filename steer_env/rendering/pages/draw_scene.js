// Draws a moment of an episode: the arena, the players, their annotations, names and score.

const TRAIL_SECONDS = 3;
const TRAIL_BANDS = 12; // of falling opacity
const MOST_NAMES = 8; // of each side
const DASHES = 24; // along each edge of a torus

const DART = { corners: [[1.05, 0], [-0.737, 0.675], [-0.32, 0], [-0.737, -0.675]] };
const DROP = { center: -0.18, radius: 0.7, nose: 1.05 };

/**
 * Draws an episode over the whole of a square canvas, at a time in steps; a tile has no texts.
 * `under` and `over` draw more, with the pen: on the ground, and under the vehicles.
 */
function drawScene(context, view, episode, time, shown, colors, options = {}) {
  const { chosen = null, isTile = false, under, over } = options;
  const pen = new Pen(context, view, colors);
  const poses = episode.players.map((player) => poseAt(episode, player, time));
  drawArena(pen, episode);
  // Annotations end at the arena.
  pen.clipped(() => {
    under?.(pen);
    if (shown.has("capture")) drawCaptureRadii(pen, episode, poses);
    drawAnnotations(pen, episode, poses, time, shown, RANGES);
    if (shown.has("trail")) {
      episode.players.forEach((player) => drawTrail(pen, episode, player, time));
    }
    drawAnnotations(pen, episode, poses, time, shown, SENSES);
    over?.(pen);
    drawArrows(pen, episode, poses, shown);
  });
  // Bodies that are drawn larger than they are overlap walls.
  pen.clipped(() => drawVehicles(pen, episode, poses, chosen), view.wraps);
  drawBorder(pen);
  if (shown.has("names") && !isTile) writeNames(pen, episode, poses);
  if (shown.has("score") && !isTile) writeScore(pen, episode, time);
}

const sideColor = (colors, player) => (player.side === 0 ? colors.pursuer : colors.evader);

/** The color of texts about a player: a shade of its side's color with enough contrast. */
const textColor = (colors, player) =>
  player.side === 0 ? colors["pursuer-text"] : colors["evader-text"];

function drawArena(pen, episode) {
  const { context, view, colors } = pen;
  context.fillStyle = colors.background;
  context.fillRect(0, 0, view.side, view.side);
  const [left, top, side] = view.ground();
  context.fillStyle = colors.ground;
  context.fillRect(left, top, side, side);
  drawGrid(pen, left, top, side);
  pen.clipped(() => {
    for (const zone of episode.zones ?? []) {
      const corners = zone.map(([x, y]) => ({ x, y }));
      pen.fill(colors.obstacle, 0.4, () => pen.tracePolygon(corners)); // as scene.ZONE_OPACITY
    }
    for (const [x, y, radius] of episode.obstacles) {
      const place = { x, y };
      pen.atImages(place, radius, () => pen.disc(colors.obstacle, place, radius));
    }
  });
}

function drawGrid(pen, left, top, side) {
  const { context, view, colors } = pen;
  const spacing = view.gridSpacing();
  const reach = side / 2 / view.scale;
  const multiples = (center) => {
    const first = Math.ceil((center - reach) / spacing - 1e-9);
    const last = Math.floor((center + reach) / spacing + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * spacing);
  };
  context.fillStyle = colors.grid;
  for (const x of multiples(view.center.x)) {
    context.fillRect(Math.round(view.column(x)), top, 1, side);
  }
  for (const y of multiples(view.center.y)) {
    context.fillRect(left, Math.round(view.row(y)), side, 1);
  }
}

/** Solid walls; dashes on a torus, where vehicles cross them; nothing in the open. */
function drawBorder({ context, view, colors }) {
  if (!view.isBounded) return;
  const width = 2.2 * view.stroke;
  const [left, top, side] = view.ground();
  const length = side + width;
  const lineDashOffset = view.wraps ? length / (4 * DASHES) : 0;
  const style = { strokeStyle: colors.wall, lineWidth: width, lineDashOffset };
  Object.assign(context, { ...style, lineCap: "butt", lineJoin: "miter" });
  context.setLineDash(view.wraps ? [length / (2 * DASHES)] : []);
  // Just outside the arena, so that vehicles touch the wall but do not overlap it.
  context.strokeRect(left - width / 2, top - width / 2, length, length);
  context.setLineDash([]);
  context.lineDashOffset = 0;
}

function drawCaptureRadii(pen, episode, poses) {
  const { captureRadius: radius, players } = episode;
  const pursuers = radius ? poses.filter((_, number) => players[number].side === 0) : [];
  for (const pose of pursuers) {
    pen.atImages(pose, radius, () => {
      pen.disc(pen.colors.pursuer, pose, radius, 0.14);
      pen.ring(pen.colors.pursuer, pose, radius, { opacity: 0.55 });
    });
  }
}

function drawAnnotations(pen, episode, poses, time, shown, kinds) {
  episode.players.forEach((player, number) => {
    const pose = poses[number];
    if (!pose.isActive) return;
    const color = sideColor(pen.colors, player);
    for (const [name, column, draw] of kinds) {
      if (!shown.has(name)) continue;
      const numbers = annotationAt(episode, player, column, time);
      if (!numbers) continue;
      const others = { aim: annotationAt(episode, player, "aim", time) };
      const reach = Math.max(...numbers.map(Math.abs), ...(others.aim ?? [0]).map(Math.abs));
      pen.atImages(pose, 2 * reach, () => draw(pen, pose, color, numbers, others));
    }
  });
}

/** The whole path faintly, and the last seconds as a line that fades into the past. */
function drawTrail(pen, episode, player, time) {
  const color = sideColor(pen.colors, player);
  const faint = { opacity: 0.25, width: 1.1 };
  pen.stroke(color, faint, () => tracePath(pen, episode, player, 0, Math.floor(time), time));
  const bandSteps = TRAIL_SECONDS / episode.dt / TRAIL_BANDS;
  for (let band = 0; band < TRAIL_BANDS; band++) {
    const last = Math.floor(time - band * bandSteps);
    const first = Math.max(0, Math.floor(time - (band + 1) * bandSteps));
    if (last < 0 || (last <= first && band > 0)) continue;
    const style = { opacity: 0.8 * (1 - band / TRAIL_BANDS), width: 1.8, cap: "butt" };
    const end = band > 0 ? last : time;
    pen.stroke(color, style, () => tracePath(pen, episode, player, first, last, end));
  }
}

/** The path between two moments, and on to a time after the last. */
function tracePath(pen, episode, player, first, last, time) {
  const places = [];
  const shifts = new Map(); // on a torus, those at which parts of the path are visible
  for (let moment = first; moment <= last + 1; moment++) {
    const at = moment > last ? Math.max(time, last) : moment;
    const [x, y] = ["x", "y"].map((name) => valueAt(player.columns[name], at));
    const shift = [wrapped(episode, x) - x, wrapped(episode, y) - y];
    places.push([x, y]);
    shifts.set(shift.map(Math.round).join(), shift);
  }
  for (const [right, up] of shifts.values()) {
    places.forEach(([x, y], index) => {
      const place = [pen.column(x + right), pen.row(y + up)];
      if (index) pen.context.lineTo(...place);
      else pen.context.moveTo(...place);
    });
  }
}

function drawArrows(pen, episode, poses, shown) {
  const { view, colors } = pen;
  const topSpeed = Math.max(...episode.players.map((player) => player.maxSpeed));
  poses.forEach((pose, number) => {
    if (!pose.isActive) return;
    const player = episode.players[number];
    const radius = view.drawnRadius(player.radius);
    pen.atImages(pose, radius + (2 * ARROW * view.side) / view.scale, () => {
      if (shown.has("velocity")) {
        const [color, style] = [sideColor(colors, player), { opacity: 0.65, width: 1.3 }];
        drawArrow(pen, pose, radius, color, pose.velocity, topSpeed, style);
      }
      if (shown.has("force")) {
        drawArrow(pen, pose, radius, colors.force, pose.force, player.maxForce, { width: 2 });
      }
    });
  });
}

function drawVehicles(pen, episode, poses, chosen) {
  const { view, colors } = pen;
  // The captured lie below their captors.
  const order = [...poses.keys()].sort((a, b) => poses[a].isActive - poses[b].isActive);
  for (const number of order) {
    const [pose, player] = [poses[number], episode.players[number]];
    const radius = view.drawnRadius(player.radius);
    pen.atImages(pose, 2 * radius, () => {
      if (chosen === number) {
        const around = radius + (5 * view.stroke) / view.scale;
        pen.ring(colors.ink, pose, around, { width: 1.2, opacity: 0.8, dashes: true });
      }
      if (pose.isActive || player.hasReached) drawBody(pen, pose, player, radius);
      else drawCaught(pen, pose, radius);
    });
  }
}

/** Pursuers are darts, evaders drops, so shapes differ as colors do. */
function drawBody(pen, pose, player, radius) {
  const { context, view, colors } = pen;
  context.save();
  context.translate(pen.column(pose.x), pen.row(pose.y));
  context.rotate(-pose.heading);
  context.scale(radius * view.scale, radius * view.scale);
  context.beginPath();
  if (player.side === 0) {
    DART.corners.forEach(([x, y]) => context.lineTo(x, y));
  } else {
    const touch = Math.acos(DROP.radius / (DROP.nose - DROP.center));
    context.moveTo(DROP.nose, 0);
    context.arc(DROP.center, 0, DROP.radius, touch, 2 * Math.PI - touch);
  }
  context.closePath();
  context.restore();
  context.setLineDash([]);
  const lineWidth = 2.5 * view.stroke; // half of it is covered by the body
  Object.assign(context, { strokeStyle: colors.ground, lineWidth, lineJoin: "round" });
  context.stroke();
  context.fillStyle = sideColor(colors, player);
  context.fill();
}

/** A circle, crossed out: larger than a vehicle, so that one on it hides neither. */
function drawCaught(pen, pose, bodyRadius) {
  const { ground, evader } = pen.colors;
  const radius = 1.5 * bodyRadius;
  const arm = 0.7 * radius;
  pen.disc(ground, pose, radius);
  pen.ring(evader, pose, radius, { width: 2 });
  pen.line(evader, offset(pose, -arm, -arm), offset(pose, arm, arm), { width: 2 });
  pen.line(evader, offset(pose, -arm, arm), offset(pose, arm, -arm), { width: 2 });
}

function nameOf(episode, number) {
  const { side } = episode.players[number];
  const team = episode.players.filter((player) => player.side === side);
  const place = team.indexOf(episode.players[number]) + 1;
  return team.length > 1 ? `${episode.names[side]} ${place}` : episode.names[side];
}

const textSize = (view) => Math.max(12, view.side / 34);

/** Names above or below the vehicles, away from the nearest one, where they fit. */
function writeNames(pen, episode, poses) {
  const { context, view, colors } = pen;
  const size = 0.88 * textSize(view);
  const style = { size, align: "center", halo: colors.ground, weight: 600 };
  context.font = fontOf(size, style.weight);
  const [, top, side] = view.ground();
  const written = [];
  const counts = [0, 0];
  poses.forEach((pose, number) => {
    const player = episode.players[number];
    if (!pose.isActive && poses.length > 2 * MOST_NAMES) return;
    if (++counts[player.side] > MOST_NAMES) return;
    const label = nameOf(episode, number);
    const half = context.measureText(label).width / 2 + 3;
    const column = Math.min(Math.max(view.column(pose.x), half), view.side - half);
    const away = view.drawnRadius(player.radius) * view.scale + 0.85 * size;
    const below = nearestOther(poses, pose)?.y > pose.y ? away : -away; // or above
    const farther = below + 1.1 * size * Math.sign(below);
    const rows = [below, -below, farther, -farther].map((each) => view.row(pose.y) + each);
    const fits = (row) => row > top + size / 2 && row < top + side - size / 2;
    const covers = (row) => (other) =>
      Math.abs(other.row - row) < size && Math.abs(other.column - column) < other.half + half;
    const isFree = (row) => fits(row) && !written.some(covers(row));
    const best = rows.find(isFree) ?? rows.find(fits) ?? rows[0];
    written.push({ row: best, column, half });
    writeText(context, label, textColor(colors, player), column, best, style);
  });
}

function nearestOther(poses, pose) {
  const distance = ({ x, y }) => Math.hypot(pose.x - x, pose.y - y);
  const others = poses.filter((other) => other !== pose);
  return others.sort((one, other) => distance(one) - distance(other))[0];
}

function distanceOf({ players }) {
  return players.filter(({ side }) => side === 1).length > 1 ? "mean distance" : "distance";
}

function writeScore(pen, episode, time) {
  const { view, colors } = pen;
  const size = textSize(view);
  const inset = MARGIN * view.side;
  const above = Math.max(inset / 2, 0.7 * size);
  const moment = Math.floor(time);
  const evaders = episode.players.filter((player) => player.side === 1);
  const isOut = (player) => player.columns.active[moment] < 0.5;
  const caught = evaders.filter((player) => isOut(player) && !player.hasReached).length;
  const isSafe = evaders.some((player) => isOut(player) && player.hasReached);
  const ofTeam = `caught ${caught} of ${evaders.length}`;
  const ofOne = caught ? "caught" : isSafe ? "in the target" : "still free";
  const state = evaders.length > 1 ? ofTeam : ofOne;
  const halo = view.isBounded ? colors.background : colors.ground;
  const write = (text, color, column, row, align) =>
    writeText(pen.context, text, color, column, row, { size, align, halo });
  write(`${(time * episode.dt).toFixed(1)} s`, colors.ink, inset, above, "left");
  write(state, colors.ink, view.side - inset, above, "right");
  if (caught < evaders.length) {
    const distance = valueAt(episode.distances, time).toFixed(1);
    write(`${distanceOf(episode)} ${distance} m`, colors.ink, view.side / 2, above, "center");
  }
  const below = view.side - above;
  const spacing = Number(view.gridSpacing().toPrecision(2));
  write(`grid ${spacing} m`, colors.faint, view.side - inset, below, "right");
}
