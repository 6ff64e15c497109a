// Draws the board: an episode, with ghosts of others, a map below and shares of forces above.

const GHOST_STEPS = 2; // of the clock between the points of a ghost's path

/** The colors of ghosts, in their order. */
const ghostColors = (colors) => [colors.force, colors.apollonius, colors.faint];

/**
 * Draws an episode as the page shows it.
 *
 * `ghosts` are {name, episode, vehicle, from}: others from the same start, whose `vehicle` is
 * followed; `map` is a painted map with its half size.
 */
function drawBoard(canvas, episode, time, shown, colors, { ghosts = [], ghostTime = time, map, chosen, splits }) {
  const { context, width } = prepare(canvas);
  if (episode.arena.kind === "open") episode.view = null; // its range grows with the episode
  const view = viewOf(episode, width);
  drawScene(context, view, episode, time, shown, colors, {
    chosen,
    under: (pen) => {
      if (map) drawMap(pen, map);
    },
    over: (pen) => {
      ghosts.forEach((ghost, place) => {
        drawGhost(pen, ghost, ghostTime, ghostColors(colors)[place % 3]);
      });
      if (splits) drawShares(pen, episode, time);
    },
  });
  return view;
}

function drawMap(pen, { canvas, halfSize }) {
  const { context, view } = pen;
  const side = 2 * halfSize * view.scale;
  context.imageSmoothingEnabled = true;
  context.drawImage(canvas, view.column(-halfSize), view.row(halfSize), side, side);
}

/** The path of a ghost until a time, and where it is: hollow, with its name. */
function drawGhost(pen, { name, episode, vehicle, from = 0 }, time, color) {
  const player = episode.players[vehicle];
  const now = Math.min(time + from, episode.steps);
  pen.stroke(color, { opacity: 0.75, width: 1.5, dashes: true }, () =>
    tracePath(pen, episode, player, from, Math.floor(now), now),
  );
  const pose = poseAt(episode, player, now);
  const radius = pen.view.drawnRadius(player.radius);
  pen.ring(color, pose, 0.8 * radius, { width: 1.6 });
  if (!name) return;
  const size = 0.8 * textSize(pen.view);
  const row = pen.row(pose.y) - radius * pen.view.scale - 0.9 * size;
  const style = { size, align: "center", halo: pen.colors.ground, weight: 600 };
  writeText(pen.context, name, color, pen.column(pose.x), row, style);
}

/** The shares of each part in a script's force, one arrow after the other. */
function drawShares(pen, episode, time) {
  const moment = Math.min(Math.floor(time), episode.steps);
  for (const player of episode.players) {
    const pose = poseAt(episode, player, moment);
    if (!pose.isActive) continue;
    const longest = (2 * ARROW * pen.view.side) / pen.view.scale / player.maxForce;
    let start = pose;
    for (const name of player.thoughts ?? []) {
      if (!name.startsWith("share ") || player.columns[name][moment] < 0.5) continue;
      const [x, y] = [0, 1].map((axis) => player.columns[`${name}.${axis}`][moment] * longest);
      if (Math.hypot(x, y) * pen.view.scale < 2) continue;
      const tip = offset(start, x, y);
      pen.line(pen.colors.ink, start, tip, { width: 1.8, opacity: 0.9 });
      pen.dot(pen.colors.ink, tip, 1, 2.2);
      const style = { size: 0.72 * textSize(pen.view), align: "center", halo: pen.colors.ground };
      const middle = offset(start, 0.6 * x, 0.6 * y);
      writeText(
        pen.context,
        name.replace("share ", ""),
        pen.colors.ink,
        pen.column(middle.x),
        pen.row(middle.y) - 8,
        style,
      );
      start = tip;
    }
  }
}
