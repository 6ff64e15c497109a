// Draws the board: an episode, with ghosts of others, a map below and shares of forces above.

const SHORTEST_SHARE = 12; // pixels: shorter arrows of parts have no name

/** The colors of ghosts, in their order. */
const ghostColors = (colors) => [colors.force, colors.apollonius, colors.faint];

/**
 * Draws an episode as the page shows it.
 *
 * `ghosts` are {name, episode, vehicle, from}: others from the same start, whose `vehicle` is
 * followed until `ghostTime`; `future` is for how many steps to show what will come; `map` is a
 * painted map with its half size.
 */
function drawBoard(canvas, episode, time, shown, colors, options) {
  const { context, width } = prepare(canvas);
  if (episode.arena.kind === "open") episode.view = null; // its range grows with the episode
  const view = options.view ?? viewOf(episode, width);
  paintBoard(context, view, episode, time, shown, colors, options);
}

/** `drawBoard` in a view of the episode. */
function paintBoard(context, view, episode, time, shown, colors, options) {
  const { ghosts = [], ghostTime = time, future = 0, map, chosen, splits } = options;
  const names = splits ? new Set([...shown].filter((name) => name !== "names")) : shown;
  drawScene(context, view, episode, time, names, colors, {
    chosen,
    under: (pen) => {
      if (map) drawMap(pen, map);
    },
    over: (pen) => {
      ghosts.forEach((ghost, place) => {
        const color = ghost.color ?? ghostColors(colors)[place % 3];
        drawGhost(pen, ghost, ghostTime, future, color);
      });
      if (future > 0) drawFutures(pen, episode, time, future);
      if (splits) drawShares(pen, episode, time);
    },
  });
  writeGhostNames(new Pen(context, view, colors), ghosts);
}

/** Names the ghosts below the arena, beside a piece of their line. */
function writeGhostNames(pen, ghosts) {
  const { context, view, colors } = pen;
  const size = 0.8 * textSize(view);
  const row = view.side - Math.max((MARGIN * view.side) / 2, 0.7 * size);
  let column = view.isOpen ? size / 2 : MARGIN * view.side;
  ghosts
    .filter(({ name }) => name)
    .forEach(({ name }, place) => {
      const color = ghostColors(colors)[place % 3];
      const trace = () => {
        context.moveTo(column, row);
        context.lineTo(column + 1.6 * size, row);
      };
      pen.stroke(color, { width: 2, dashes: true }, trace);
      column += 2.1 * size;
      const style = {
        size,
        align: "left",
        halo: view.isOpen ? colors.ground : colors.background,
      };
      writeText(context, shortName(name), colors.ink, column, row, style);
      column += context.measureText(shortName(name)).width + size;
    });
}

function drawMap(pen, { canvas, halfSize }) {
  const { context, view } = pen;
  const side = 2 * halfSize * view.scale;
  context.imageSmoothingEnabled = true;
  context.drawImage(canvas, view.column(-halfSize), view.row(halfSize), side, side);
}

/** The paths of all vehicles from a time on, for some steps. */
function drawFutures(pen, episode, time, steps) {
  const [first, last] = [Math.floor(time), Math.min(Math.floor(time + steps), episode.steps)];
  for (const player of episode.players) {
    pen.stroke(sideColor(pen.colors, player), { opacity: 0.8, width: 1.8 }, () =>
      tracePath(pen, episode, player, first, last, last),
    );
  }
}

/** The path of a ghost until a time, and into its future; and where it is then: hollow. */
function drawGhost(pen, { episode, vehicle, from = 0 }, time, future, color) {
  const player = episode.players[vehicle];
  const now = Math.min(time + from, episode.steps);
  const last = Math.min(now + future, episode.steps);
  pen.stroke(color, { opacity: 0.75, width: 1.5, dashes: true }, () =>
    tracePath(pen, episode, player, from, Math.floor(last), last),
  );
  const pose = poseAt(episode, player, now);
  const radius = pen.view.drawnRadius(player.radius);
  pen.ring(color, pose, 0.8 * radius, { width: 1.6 });
}

/** Writes centered text with a halo, moved into the board if it would leave it. */
function writeInside(pen, text, color, { x, y }, { size, weight = 500 }) {
  const { context, view, colors } = pen;
  context.font = fontOf(size, weight);
  const half = context.measureText(text).width / 2 + 3;
  const within = (value, room) => Math.min(Math.max(value, room), view.side - room);
  const style = { size, weight, align: "center", halo: colors.ground };
  writeText(context, text, color, within(x, half), within(y, size), style);
}

/** What a player is called on the board: of a trained network the last part of its name. */
const shortName = (name) =>
  name in library.policies ? `learned (${name.split("/").pop()})` : name;

/** The shares of each part in a script's force, one arrow after the other. */
function drawShares(pen, episode, time) {
  pen.written = []; // the places of names so far
  const moment = Math.min(Math.floor(time), episode.steps);
  for (const player of episode.players) {
    const pose = poseAt(episode, player, moment);
    if (!pose.isActive) continue;
    const length = (2.4 * ARROW * pen.view.side) / pen.view.scale / player.maxForce;
    let start = pose;
    for (const name of player.thoughts.keys()) {
      if (!name.startsWith("share ") || player.columns[name][moment] < 0.5) continue;
      const [x, y] = [0, 1].map((axis) => player.columns[`${name}.${axis}`][moment] * length);
      const tip = offset(start, x, y);
      drawShare(pen, start, tip, name.replace("share ", ""));
      start = tip;
    }
  }
}

/** One part's arrow, with its name on the left of it. */
function drawShare(pen, start, tip, name) {
  const [x, y] = [tip.x - start.x, tip.y - start.y];
  const pixels = Math.hypot(x, y) * pen.view.scale;
  if (pixels < 1) return;
  const color = pen.colors.ink;
  pen.line(color, start, tip, { width: 2 });
  pen.dot(color, tip, 1, 2.4);
  if (pixels < SHORTEST_SHARE) return;
  const size = 0.72 * textSize(pen.view);
  const aside = size / pixels;
  const middle = offset(start, x / 2 - y * aside, y / 2 + x * aside);
  const isFree = pen.written.every(
    (other) => Math.hypot(other.x - middle.x, other.y - middle.y) * pen.view.scale > 3 * size,
  );
  if (!isFree) return;
  pen.written.push(middle);
  writeInside(pen, name, color, { x: pen.column(middle.x), y: pen.row(middle.y) }, { size });
}
