// Draws the board: an episode, with ghosts of others above a map.

const GHOST_COLORS = ["textbook", "rival"]; // of the textbook's player, and of a better one

/**
 * `ghosts` are {title, episode, vehicle (or vehicles), color, from}, followed until `ghostTime`;
 * `future` is for how many steps to show what will come; with `barrier` the places are tinted
 * from which the evader gets to the target; `view` is another view than the episode's; `banner`
 * has `lines` of text, and a `side` in whose color they are.
 */
function drawBoard(episode, time, options) {
  const { ghosts = [], ghostTime = time, future = 0, map, barrier, chosen } = options;
  const { count, banner } = options;
  const { colors } = app;
  const { context, width } = prepare(find("arena"));
  if (!episode.region.isBounded) episode.view = null; // its range grows with the episode
  const view = options.view ?? viewOf(episode, width);
  drawScene(context, view, episode, time, shownNow(), colors, {
    chosen,
    under: (pen) => {
      const [side, left, top] = [2 * view.half * view.scale, -view.half, view.half];
      if (map) context.drawImage(map.canvas, view.column(left), view.row(top), side, side);
      if (barrier) drawBarrier(pen, episode, time);
    },
    over: (pen) => {
      for (const ghost of ghosts) {
        for (const vehicle of ghost.vehicles ?? [ghost.vehicle]) {
          drawGhost(pen, { ...ghost, vehicle }, ghostTime, future, colors[ghost.color]);
        }
      }
      const [first, last] = [Math.floor(time), Math.min(Math.floor(time + future), episode.steps)];
      for (const player of future > 0 ? episode.players : []) {
        const trace = () => tracePath(pen, episode, player, first, last, last);
        pen.stroke(sideColor(colors, player), { opacity: 0.8, width: 1.8 }, trace);
      }
    },
  });
  writeLegend(context, view, ghosts);
  if (banner) writeBanner(context, view, episode, time, banner);
  if (!count) return;
  const style = { size: 0.36 * width, align: "center", weight: 700 };
  context.globalAlpha = 0.4;
  writeText(context, String(count), colors.ink, width / 2, width / 2, style);
  context.globalAlpha = 1;
}

/** Writes lines across the upper or lower half of the board, farther from all vehicles. */
function writeBanner(context, view, episode, time, { lines, side }) {
  const { colors } = app;
  context.font = fontOf(100, 700);
  const widest = Math.max(...lines.map((line) => context.measureText(line).width)) / 100;
  const size = view.side * Math.min(0.1, 0.76 / widest);
  const rows = episode.players.map((player) => view.row(poseAt(episode, player, time).y));
  const room = (middle) => Math.min(...rows.map((row) => Math.abs(row - middle)));
  const [middle] = [0.25 * view.side, 0.75 * view.side].sort((one, other) => room(other) - room(one));
  const style = { size, align: "center", weight: 700, halo: colors.ground };
  lines.forEach((line, place) => {
    const row = middle + 1.2 * size * (place - (lines.length - 1) / 2);
    writeText(context, line, colors[`${SIDES[side]}-text`] ?? colors.ink, view.side / 2, row, style);
  });
}

/** Whence the evader gets to the target: discs about its points, see `solved.reach_avoid`. */
function drawBarrier(pen, episode, time) {
  const { rules, capture_radius: radius, pursuer, evader } = episode.game;
  const nu = evader.max_speed / pursuer.max_speed;
  if (nu > 1) return;
  const { x, y } = poseAt(episode, episode.players[0], time);
  const [right, up] = rules.target_center;
  pen.fill(pen.colors.evader, 0.18, (context) => {
    for (let degrees = 0; degrees < 360; degrees += 2) {
      const angle = (Math.PI * degrees) / 180;
      const place = {
        x: right + rules.target_radius * Math.cos(angle),
        y: up + rules.target_radius * Math.sin(angle),
      };
      const pixels = nu * (Math.hypot(place.x - x, place.y - y) - radius) * pen.view.scale;
      if (pixels <= 0) continue;
      context.moveTo(pen.column(place.x) + pixels, pen.row(place.y));
      pen.traceCircle(place, pixels);
    }
  });
}

/** The path of a ghost until a time, and into its future; hollow where it is, faint at its end. */
function drawGhost(pen, { title, episode, vehicle, from = 0 }, time, future, color) {
  const player = episode.players[vehicle];
  const now = Math.min(time + from, episode.steps);
  const last = Math.min(now + future, episode.steps);
  const opacity = title && now >= episode.steps ? 0.35 : 0.75;
  pen.stroke(color, { opacity, width: 1.5, dashes: true }, () =>
    tracePath(pen, episode, player, from, Math.floor(last), last),
  );
  const radius = pen.view.drawnRadius(player.radius);
  pen.ring(color, poseAt(episode, player, now), 0.8 * radius, { width: 1.6, opacity });
}

/** The titles of ghosts below the board, where they cover nothing. */
function writeLegend(context, view, ghosts) {
  const { colors } = app;
  const style = { size: 0.85 * textSize(view), align: "left", halo: colors.background };
  const inset = MARGIN * view.side;
  const row = view.side - Math.max(inset / 2, 0.7 * textSize(view));
  const titled = ghosts.filter(({ title }) => title);
  const textOf = ({ title }) => `○ ${title}  `;
  context.font = fontOf(style.size, 500);
  const width = context.measureText(titled.map(textOf).join("")).width;
  style.size *= Math.min(1, (0.64 * view.side) / width); // beside the size of the grid
  let column = inset;
  for (const ghost of titled) {
    const color = colors[`${ghost.color}-text`] ?? colors[ghost.color];
    writeText(context, textOf(ghost), color, column, row, style);
    column += context.measureText(textOf(ghost)).width;
  }
}
