// Draws the board: an episode, with ghosts of others; and finds what is at a place on it.

const GHOST_COLORS = ["textbook", "rival"]; // of the textbook's player, and of a better one

/**
 * `ghosts` are {title, episode, vehicles, color, from}, followed until `ghostTime`;
 * `future` is for how many steps to show what will come; `view` is another view than the
 * episode's; `banner` has `lines` of text, and a `side` in whose color they are.
 */
function drawBoard(episode, time, options) {
  const { ghosts = [], ghostTime = time, future = 0, view, chosen } = options;
  const { count, banner } = options;
  const { colors } = app;
  if (!episode.region.isBounded) episode.view = null; // its range grows with the episode
  const picture = drawScene(find("arena"), episode, time, {
    view,
    chosen,
    shown: shownNow(),
    over: (picture) => {
      for (const ghost of ghosts) {
        for (const vehicle of ghost.vehicles) {
          drawGhost(picture, ghost, vehicle, ghostTime, future);
        }
      }
      const [first, last] = [Math.floor(time), Math.min(Math.floor(time + future), episode.steps)];
      for (const player of future > 0 ? episode.players : []) {
        const trace = () => tracePath(picture, episode, player, first, last, last);
        picture.stroke(sideColor(colors, player), "trail", trace);
      }
    },
  });
  writeLegend(picture, ghosts);
  if (banner) writeBanner(picture, episode, time, banner);
  if (!count) return;
  const { side } = picture.view;
  [picture.context.globalAlpha] = looks.lines.count;
  const style = { size: picture.view.size("count"), align: "center" };
  picture.text(String(count), colors.ink, side / 2, side / 2, style);
  picture.context.globalAlpha = 1;
}

/** Writes lines across the upper or lower half of the board, farther from all vehicles. */
function writeBanner(picture, episode, time, { lines, side }) {
  const { view, colors } = picture;
  const widest = Math.max(...lines.map((line) => picture.textWidth(line, 100))) / 100;
  const size = Math.min(view.size("banner"), view.size("banner's width") / widest);
  const rows = episode.players.map((player) => view.row(poseAt(episode, player, time).y));
  const room = (middle) => Math.min(...rows.map((row) => Math.abs(row - middle)));
  const halves = [0.25 * view.side, 0.75 * view.side];
  const [middle] = halves.sort((one, other) => room(other) - room(one));
  const style = { size, align: "center", rim: colors.ground };
  lines.forEach((line, place) => {
    const row = middle + looks.numbers["banner line"] * size * (place - (lines.length - 1) / 2);
    const color = colors[`${SIDES[side]}-text`] ?? colors.ink;
    picture.text(line, color, view.side / 2, row, style);
  });
}

/** The path of a ghost until a time, and into its future; hollow where it is, faint at its end. */
function drawGhost(picture, { title, episode, color: name, from = 0 }, vehicle, time, future) {
  const color = picture.colors[name];
  const player = episode.players[vehicle];
  const now = Math.min(time + from, episode.steps);
  const last = Math.min(now + future, episode.steps);
  const share = title && now >= episode.steps ? looks.numbers["ended ghost"] : 1;
  const trace = () => tracePath(picture, episode, player, from, Math.floor(last), last);
  picture.stroke(color, "ghost's path", trace, share);
  const radius = looks.numbers.ghost * picture.view.drawnRadius(player.radius);
  picture.ring(color, "ghost", poseAt(episode, player, now), radius, share);
}

/** The titles of ghosts below the board, where they cover nothing. */
function writeLegend(picture, ghosts) {
  const { view, colors } = picture;
  const inset = looks.margin * view.side;
  const titled = ghosts.filter(({ title }) => title);
  const textOf = ({ title }) => `○ ${title}  `;
  const full = view.size("name");
  const width = picture.textWidth(titled.map(textOf).join(""), full);
  const size = full * Math.min(1, view.size("legend's width") / width); // beside the grid's size
  let column = inset;
  for (const ghost of titled) {
    const color = colors[`${ghost.color}-text`] ?? colors[ghost.color];
    const style = { size, rim: colors.background };
    picture.text(textOf(ghost), color, column, view.side - inset / 2, style);
    column += picture.textWidth(textOf(ghost), size);
  }
}

/** Where an event of the pointer, or a finger, is in pixels of the board. */
function placeOf({ clientX, clientY }) {
  const { left, top } = find("arena").getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

/** The number of the vehicle of the shown episode nearest to a place on the board, or null. */
function vehicleAt(place) {
  const { episode } = app.mode;
  const view = viewOf(episode, find("arena").clientWidth);
  let [nearest, least] = [null, Infinity];
  episode.players.forEach((player, number) => {
    const pose = poseAt(episode, player, Math.min(app.time, episode.steps));
    const distance = Math.hypot(view.column(pose.x) - place.x, view.row(pose.y) - place.y);
    const reach = Math.max(24, 1.5 * view.drawnRadius(player.radius) * view.scale);
    if (distance < Math.min(reach, least)) [nearest, least] = [number, distance];
  });
  return nearest;
}
