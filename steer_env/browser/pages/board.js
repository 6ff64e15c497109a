// Draws the board: an episode, with ghosts of others above a map.

const COUNT_SIZE = 0.36; // of the board's side: the countdown
const BARRIER_DISCS = 180; // that make up the places from which an evader gets to the target

/**
 * `ghosts` are {title, episode, vehicle, from}: others from the same start, whose `vehicle` is
 * followed until `ghostTime`; `future` is for how many steps to show what will come; `map` is a
 * painted map; with `barrier` the places are tinted from which the evader gets to the target;
 * `view` is another view than the episode's; `count` is a number of the countdown.
 */
function drawBoard(episode, time, options) {
  const { ghosts = [], ghostTime = time, future = 0, map, barrier, chosen, count } = options;
  const { shown, colors } = app;
  const { context, width } = prepare(find("arena"));
  if (episode.arena.kind === "open") episode.view = null; // its range grows with the episode
  const view = options.view ?? viewOf(episode, width);
  drawScene(context, view, episode, time, shown, colors, {
    chosen,
    under: (pen) => {
      if (map) drawMap(pen, map);
      if (barrier) drawBarrier(pen, episode, time);
    },
    over: (pen) => {
      const ofRivals = [colors.force, colors.apollonius];
      ghosts.forEach((ghost, place) => {
        drawGhost(pen, ghost, ghostTime, future, ghost.color ?? ofRivals[place]);
      });
      if (future > 0) drawFutures(pen, episode, time, future);
    },
  });
  if (!count) return;
  const style = { size: COUNT_SIZE * width, align: "center", weight: 700 };
  context.globalAlpha = 0.4;
  writeText(context, String(count), colors.ink, width / 2, width / 2, style);
  context.globalAlpha = 1;
}

/**
 * The places from which the evader gets to the target, if all turn on the spot and play their
 * best: discs about the target's points (see `steer_env.solved.reach_avoid`), in one path.
 */
function drawBarrier({ context, view, colors }, episode, time) {
  const { rules, capture_radius: radius, pursuer, evader } = episode.game;
  const nu = evader.max_speed / pursuer.max_speed;
  if (nu > 1) return;
  const { x, y } = poseAt(episode, episode.players[0], time);
  const [right, up] = rules.target_center;
  context.beginPath();
  for (let turn = 0; turn < BARRIER_DISCS; turn++) {
    const angle = (2 * Math.PI * turn) / BARRIER_DISCS;
    const place = [
      right + rules.target_radius * Math.cos(angle),
      up + rules.target_radius * Math.sin(angle),
    ];
    const reach = nu * (Math.hypot(place[0] - x, place[1] - y) - radius);
    if (reach <= 0) continue;
    const [column, row] = [view.column(place[0]), view.row(place[1])];
    context.moveTo(column + reach * view.scale, row);
    context.arc(column, row, reach * view.scale, 0, 2 * Math.PI);
  }
  context.fillStyle = colors.evader;
  context.globalAlpha = 0.18;
  context.fill();
  context.globalAlpha = 1;
}

function drawMap({ context, view }, { canvas }) {
  const side = 2 * view.half * view.scale;
  context.imageSmoothingEnabled = true;
  context.drawImage(canvas, view.column(-view.half), view.row(view.half), side, side);
}

function drawFutures(pen, episode, time, steps) {
  const [first, last] = [Math.floor(time), Math.min(Math.floor(time + steps), episode.steps)];
  for (const player of episode.players) {
    pen.stroke(sideColor(pen.colors, player), { opacity: 0.8, width: 1.8 }, () =>
      tracePath(pen, episode, player, first, last, last),
    );
  }
}

/** The path of a ghost until a time, and into its future; and where it is then: hollow. */
function drawGhost(pen, { title, episode, vehicle, from = 0 }, time, future, color) {
  const player = episode.players[vehicle];
  const now = Math.min(time + from, episode.steps);
  const last = Math.min(now + future, episode.steps);
  pen.stroke(color, { opacity: 0.75, width: 1.5, dashes: true }, () =>
    tracePath(pen, episode, player, from, Math.floor(last), last),
  );
  const pose = poseAt(episode, player, now);
  const radius = pen.view.drawnRadius(player.radius);
  pen.ring(color, pose, 0.8 * radius, { width: 1.6 });
  if (!title) return;
  const { context, view, colors } = pen;
  const style = { size: 0.8 * textSize(view), align: "center", halo: colors.ground };
  context.font = fontOf(style.size, 500);
  const half = context.measureText(title).width / 2 + 3;
  const [left, top, side] = view.ground();
  const column = Math.min(Math.max(view.column(pose.x), left + half), left + side - half);
  const away = 1.3 * (radius * view.scale + style.size / 2);
  const isLow = view.row(pose.y) + away + style.size / 2 > top + side;
  writeText(context, title, color, column, view.row(pose.y) + (isLow ? -away : away), style);
}
