// Draws a moment of an episode: the arena, the players, their annotations, names and score.

/**
 * Draws an episode over the whole of a square canvas, at a time in steps; a tile has no texts.
 * `over` draws more in the picture, under the vehicles.
 */
function drawScene(canvas, episode, time, options = {}) {
  const { chosen = null, isTile = false, shown = app.shown, over } = options;
  const { context, width } = prepare(canvas);
  const view = options.view ?? viewOf(episode, width, isTile ? looks.edge : looks.margin);
  const picture = new Picture(context, view, app.colors);
  const poses = episode.players.map((player) => poseAt(episode, player, time));
  drawArena(picture, episode);
  // Annotations end at the arena.
  picture.clipped(() => {
    if (shown.has("capture")) drawCaptureRadii(picture, episode, poses);
    drawMarks(picture, episode, poses, time, shown, looks.marks.ranges);
    if (shown.has("trail")) {
      episode.players.forEach((player) => drawTrail(picture, episode, player, time));
    }
    drawMarks(picture, episode, poses, time, shown, looks.marks.senses);
    over?.(picture);
    drawArrows(picture, episode, poses, shown);
  });
  // Bodies that are drawn larger than they are overlap walls.
  picture.clipped(() => drawVehicles(picture, episode, poses, chosen), view.isTorus);
  if (!episode.map) drawBorder(picture);
  if (shown.has("names") && !isTile) writeNames(picture, episode, poses);
  if (shown.has("score") && !isTile) writeScore(picture, episode, time);
  return picture;
}

const sideColor = (colors, { side }) => colors[SIDES[side]];

function drawArena(picture, episode) {
  const { context, view, colors } = picture;
  context.fillStyle = colors.background;
  context.fillRect(0, 0, view.side, view.side);
  const [left, top, side] = view.ground();
  context.fillStyle = colors.ground;
  context.fillRect(left, top, side, side);
  drawGrid(picture, left, top, side);
  picture.clipped(() => {
    for (const zone of episode.zones ?? []) {
      const corners = zone.map(([x, y]) => ({ x, y }));
      picture.fill(colors.obstacle, "zone", () => picture.trace(corners));
    }
    for (const [x, y, radius] of episode.obstacles) {
      picture.disc(colors.obstacle, "solid", { x, y }, radius);
    }
  });
  if (episode.map) drawMap(picture, episode.map);
}

/** Covers all that is solid in a map, and draws walls in it: vehicles only touch them. */
function drawMap(picture, { rings, walls }) {
  const { context, view, colors } = picture;
  const [left, top, side] = view.ground();
  const beyond = looks.lines["wall of solids"][1] * view.stroke;
  const length = side + 2 * beyond;
  const frame = () => context.rect(left - beyond, top + side + beyond, length, -length); // to the left
  const traceOf = (lines, isClosed) => () => {
    for (const line of lines) {
      picture.trace(line.map(([x, y]) => ({ x, y })));
      if (isClosed) context.closePath();
    }
  };
  const traceRings = traceOf(rings, true);
  const traceSolid = () => (frame(), traceRings());
  picture.fill(colors.background, "solid", traceSolid);
  context.save();
  context.beginPath();
  traceSolid();
  context.clip();
  picture.stroke(colors.wall, "wall of solids", traceRings);
  context.restore();
  picture.stroke(colors.wall, "border", traceOf(walls));
}

/** The grid through the origin, with lines on whole pixels so that they are sharp. */
function drawGrid({ context, view, colors }, left, top, side) {
  const spacing = view.gridSpacing();
  const reach = side / 2 / view.scale;
  const { x, y } = view.center;
  const firstOf = (center) => Math.ceil((center - reach) / spacing);
  context.fillStyle = colors.grid;
  for (let line = firstOf(x); line * spacing <= x + reach; line++) {
    context.fillRect(Math.floor(view.column(line * spacing)), top, 1, side);
  }
  for (let line = firstOf(y); line * spacing <= y + reach; line++) {
    context.fillRect(left, Math.floor(view.row(line * spacing)), side, 1);
  }
}

/** Solid walls; dashes on a torus, where vehicles cross them; nothing in the open. */
function drawBorder({ context, view, colors }) {
  if (view.isOpen) return;
  const width = looks.lines.border[1] * view.stroke;
  const dashes = looks.numbers["border dashes"];
  const [left, top, side] = view.ground();
  const length = side + width;
  const lineDashOffset = view.isTorus ? length / (4 * dashes) : 0;
  const style = { strokeStyle: colors.wall, lineWidth: width, lineDashOffset };
  Object.assign(context, { ...style, lineCap: "butt", lineJoin: "miter" });
  context.setLineDash(view.isTorus ? [length / (2 * dashes)] : []);
  // Just outside the arena, so that vehicles touch the wall but do not overlap it.
  context.strokeRect(left - width / 2, top - width / 2, length, length);
  context.setLineDash([]);
  context.lineDashOffset = 0;
}

function drawCaptureRadii(picture, { captureRadius: radius, players }, poses) {
  const { pursuer } = picture.colors;
  poses.forEach((pose, number) => {
    if (!radius || players[number].side !== PURSUER) return;
    picture.disc(pursuer, "capture area", pose, radius);
    picture.ring(pursuer, "capture", pose, radius);
  });
}

/** Draws the rows of `marks` that are chosen. */
function drawMarks(picture, episode, poses, time, shown, marks) {
  episode.players.forEach((player, number) => {
    const pose = poses[number];
    for (const [name, kind, places, line] of pose.isActive ? marks : []) {
      const parts = shown.has(name) && partsAt(episode, player, name, pose, time);
      if (!parts) continue;
      const color = picture.colors[name] ?? sideColor(picture.colors, player);
      picture[kind](color, line, ...places.map((place) => [pose, pose, ...parts][place]));
    }
  });
}

/** The whole path faintly, and the last seconds as a line that fades into the past. */
function drawTrail(picture, episode, player, time) {
  const color = sideColor(picture.colors, player);
  const pathOf = (first, last, end) => () => tracePath(picture, episode, player, first, last, end);
  picture.stroke(color, "whole path", pathOf(0, Math.floor(time), time));
  const bands = looks.numbers["trail bands"];
  const bandSteps = looks.trailSeconds / episode.dt / bands;
  for (let band = 0; band < bands; band++) {
    const last = Math.floor(time - band * bandSteps);
    const first = Math.max(0, Math.floor(time - (band + 1) * bandSteps));
    if (last < 0 || (last <= first && band > 0)) continue;
    const share = 1 - (band + 0.5) / bands;
    picture.stroke(color, "trail", pathOf(first, last, band > 0 ? last : time), share);
  }
}

/** The path between two moments, and on to a time after the last. */
function tracePath(picture, episode, player, first, last, time) {
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
    picture.trace(places.map(([x, y]) => ({ x: x + right, y: y + up })));
  }
}

function drawArrows(picture, episode, poses, shown) {
  const { view, colors } = picture;
  const topSpeed = Math.max(...episode.players.map((player) => player.maxSpeed));
  poses.forEach((pose, number) => {
    if (!pose.isActive) return;
    const player = episode.players[number];
    const radius = view.drawnRadius(player.radius);
    const add = (color, name, most) =>
      shown.has(name) && picture.arrow(color, name, pose, radius, pose[name], most);
    add(sideColor(colors, player), "velocity", topSpeed);
    add(colors.force, "force", player.maxForce);
  });
}

function drawVehicles(picture, episode, poses, chosen) {
  const { view, colors } = picture;
  // The captured lie below their captors.
  const order = [...poses.keys()].sort((a, b) => poses[a].isActive - poses[b].isActive);
  for (const number of order) {
    const [pose, player] = [poses[number], episode.players[number]];
    const radius = view.drawnRadius(player.radius);
    if (chosen === number) {
      const gap = (looks.numbers["chosen gap"] * view.stroke) / view.scale;
      picture.ring(colors.ink, "chosen", pose, radius + gap);
    }
    const color = sideColor(colors, player);
    const isShown = pose.isActive || player.hasReached;
    if (isShown) picture.glyph(SIDES[player.side], color, pose, radius);
    else picture.glyph("caught", color, { ...pose, ...UPRIGHT }, radius);
  }
}

function nameOf(episode, number) {
  const player = episode.players[number];
  const team = episode.players.filter(({ side }) => side === player.side);
  const name = episode.names[player.side];
  return team.length > 1 ? `${name} ${team.indexOf(player) + 1}` : name;
}

/** Names above or below the vehicles, away from the nearest one, where they fit. */
function writeNames(picture, episode, poses) {
  const { view, colors } = picture;
  const size = view.size("name");
  const height = looks.numbers.em * size;
  const [, top, side] = view.ground();
  const written = [];
  const counts = [0, 0];
  poses.forEach((pose, number) => {
    const player = episode.players[number];
    if (!pose.isActive && poses.length > 2 * looks.mostNames) return;
    if (++counts[player.side] > looks.mostNames) return;
    const label = nameOf(episode, number);
    const half = (picture.textWidth(label, size) + height) / 2;
    const column = Math.min(Math.max(view.column(pose.x), half), view.side - half);
    const away = view.drawnRadius(player.radius) * view.scale + height;
    const distance = ({ x, y }) => Math.hypot(pose.x - x, pose.y - y);
    const others = poses.filter((other) => other !== pose);
    const [nearest] = others.sort((one, other) => distance(one) - distance(other));
    const below = nearest?.y > pose.y ? away : -away; // or above
    const farther = below + height * Math.sign(below);
    const rows = [below, -below, farther, -farther].map((each) => view.row(pose.y) + each);
    const fits = (row) => row > top + height / 2 && row < top + side - height / 2;
    const covers = (row) => (other) =>
      Math.abs(other.row - row) < height && Math.abs(other.column - column) < other.half + half;
    const isFree = (row) => fits(row) && !written.some(covers(row));
    const best = rows.find(isFree) ?? rows.find(fits) ?? rows[0];
    written.push({ row: best, column, half });
    const style = { size, align: "center", rim: colors.ground };
    // A shade of the side's color with enough contrast.
    picture.text(label, colors[`${SIDES[player.side]}-text`], column, best, style);
  });
}

const evadersOf = ({ players }) => players.filter(({ side }) => side === EVADER);
const distanceOf = (episode) => (evadersOf(episode).length > 1 ? "mean distance" : "distance");

function writeScore(picture, episode, time) {
  const { view, colors } = picture;
  const inset = looks.margin * view.side;
  const [above, below] = [inset / 2, view.side - inset / 2];
  const moment = Math.floor(time);
  const evaders = evadersOf(episode);
  const isOut = (player) => player.columns.active[moment] < 0.5;
  const caught = evaders.filter((player) => isOut(player) && !player.hasReached).length;
  const isSafe = evaders.some((player) => isOut(player) && player.hasReached);
  const ofTeam = `caught ${caught} of ${evaders.length}`;
  const ofOne = caught ? "caught" : isSafe ? "in the target" : "still free";
  const declared = moment >= episode.steps && episode.outcome; // by a scenario
  const rim = view.isOpen ? colors.ground : null;
  const write = (text, color, column, row, align) =>
    picture.text(text, color, column, row, { size: view.size("text"), align, rim });
  write(`${(time * episode.dt).toFixed(1)} s`, colors.ink, inset, above, "left");
  write(declared || (evaders.length > 1 ? ofTeam : ofOne), colors.ink, view.side - inset, above, "right");
  if (caught < evaders.length) {
    const distance = valueAt(episode.distances, time).toFixed(1);
    write(`${distanceOf(episode)} ${distance} m`, colors.ink, view.side / 2, above, "center");
  }
  const spacing = Number(view.gridSpacing().toPrecision(2));
  write(`grid ${spacing} m`, colors.faint, view.side - inset, below, "right");
}
