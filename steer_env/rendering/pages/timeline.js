// Draws the (mean) distance between the sides over time, behind the time bar.

/** `time` and `steps`, the end of the bar, are in steps of the episode. */
function drawTimeline(context, width, height, episode, others, time, steps, colors) {
  const { inset, above, below, text: size, label, tick, arm } = looks.timeline;
  const [left, right] = [inset, width - inset];
  const [top, bottom] = [above, height - below];
  const farthest = (least, { distances }) =>
    distances.reduce((one, other) => Math.max(one, other), least);
  const most = [episode, ...others].reduce(farthest, 1e-9);
  const whole = Math.max(steps, 1) * episode.dt;
  // A picture of distances, in meters, over time, in seconds.
  const picture = new Picture(context, {
    stroke: 1,
    scale: 1,
    images: () => [{ x: 0, y: 0 }],
    column: (second) => left + (right - left) * (second / whole),
    row: (distance) => bottom - (bottom - top) * (distance / most),
  }, colors);
  const small = (text, column, row, align) =>
    picture.text(text, colors.faint, column, row, { size, align });
  const curve = (each, last) =>
    [...Array(Math.floor(last) + 1).keys(), last].map((at) => {
      return { x: at * each.dt, y: valueAt(each.distances, at) };
    });

  context.clearRect(0, 0, width, height);
  const seconds = steps * episode.dt;
  const spacing = roundedUp(Math.max(seconds / Math.max(2, width / tick), 0.5));
  for (let each = 0; each <= seconds + 1e-9; each += spacing) {
    const column = picture.view.column(each);
    context.fillStyle = colors.grid;
    context.fillRect(Math.floor(column), top, 1, bottom - top);
    const align = each === 0 ? "left" : column > width - below ? "right" : "center";
    const edge = each === 0 ? 0 : align === "right" ? width : column;
    small(`${Number(each.toFixed(1))} s`, edge, bottom + label, align);
  }
  const { captureRadius: y } = episode;
  if (y) picture.path(colors.pursuer, "reach", [{ x: 0, y }, { x: whole, y }]);
  for (const other of others) picture.path(colors.ink, "other distance", curve(other, other.steps));
  picture.path(colors.ink, "distance", curve(episode, episode.steps));

  const now = Math.min(time, episode.steps);
  const past = curve(episode, now);
  picture.path(colors.evader, "past distance", past);
  const corners = [{ x: now * episode.dt, y: 0 }, { x: 0, y: 0 }];
  picture.fill(colors.evader, "past", () => picture.trace([...past, ...corners]));
  for (const { columns, hasReached } of episode.players) {
    const moment = columns.active.findIndex((isActive) => isActive < 0.5);
    if (moment < 0 || hasReached) continue;
    const column = picture.view.column(moment * episode.dt);
    const row = picture.view.row(episode.distances[moment]);
    for (const [color, line] of [[colors.ground, "rim of catch"], [colors.pursuer, "catch"]]) {
      picture.stroke(color, line, () => {
        for (const down of [arm, -arm]) {
          context.moveTo(column - arm, row - down);
          context.lineTo(column + arm, row + down);
        }
      });
    }
  }
  const range = `up to ${most.toFixed(most < 9.95 ? 1 : 0)} m`;
  small(`${distanceOf(episode)}, ${range}`, left, above / 2, "left");
  picture.path(colors.ink, "now", [{ x: time * episode.dt, y: 0 }, { x: time * episode.dt, y: most }]);
}
