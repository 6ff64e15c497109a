// Draws the (mean) distance between the sides over time, behind the time bar.

/** `time` and `steps`, the end of the bar, are in steps of the episode. */
function drawTimeline(context, width, height, episode, others, time, steps, colors) {
  const [left, right] = [7, width - 7]; // half of the bar's handle, as in the style sheet
  const [top, bottom] = [16, height - 22];
  const most = Math.max(1e-9, ...[episode, ...others].map((each) => each.farthest));
  const whole = Math.max(steps, 1) * episode.dt;
  const columnOf = (second) => left + (right - left) * (second / whole);
  const rowOf = (distance) => bottom - (bottom - top) * (distance / most);
  const small = (text, color, column, row, align) =>
    writeText(context, text, color, column, row, { size: 11, align });
  const stroke = (strokeStyle, globalAlpha, lineWidth, points) => {
    Object.assign(context, { strokeStyle, globalAlpha, lineWidth });
    context.beginPath();
    for (const [column, row] of points) context.lineTo(column, row);
    context.stroke();
    context.globalAlpha = 1;
  };
  const curve = (each, last) => {
    const moments = [...Array(Math.floor(last) + 1).keys(), last];
    return moments.map((at) => [columnOf(at * each.dt), rowOf(valueAt(each.distances, at))]);
  };

  context.clearRect(0, 0, width, height);
  context.lineJoin = "round";
  const seconds = steps * episode.dt;
  const spacing = roundedUp(Math.max(seconds / Math.max(2, width / 60), 0.5));
  for (let tick = 0; tick <= seconds + 1e-9; tick += spacing) {
    const column = columnOf(tick);
    context.fillStyle = colors.grid;
    context.fillRect(Math.round(column), top, 1, bottom - top);
    const align = tick === 0 ? "left" : column > width - 24 ? "right" : "center";
    const edge = tick === 0 ? 0 : align === "right" ? width : column;
    small(`${Number(tick.toFixed(1))} s`, colors.faint, edge, bottom + 15, align);
  }
  const reach = rowOf(episode.captureRadius);
  context.setLineDash([3, 3]);
  if (episode.captureRadius) stroke(colors.pursuer, 0.6, 1, [[left, reach], [right, reach]]);
  context.setLineDash([]);
  for (const other of others) stroke(colors.ink, 0.22, 1, curve(other, other.steps));
  stroke(colors.ink, 0.45, 1.3, curve(episode, episode.steps));

  const now = Math.min(time, episode.steps);
  stroke(colors.evader, 1, 2, curve(episode, now));
  context.lineTo(columnOf(now * episode.dt), bottom);
  context.lineTo(left, bottom);
  Object.assign(context, { fillStyle: colors.evader, globalAlpha: 0.14 });
  context.fill();
  context.globalAlpha = 1;

  context.lineCap = "round";
  for (const moment of episode.captures) {
    const [column, row] = [columnOf(moment * episode.dt), rowOf(episode.distances[moment])];
    const cross = [[-4, -4], [4, 4], [0, 0], [-4, 4], [4, -4]];
    const points = cross.map(([right, down]) => [column + right, row + down]);
    stroke(colors.ground, 1, 5, points);
    stroke(colors.pursuer, 1, 2.2, points);
  }
  context.lineCap = "butt";
  const range = `up to ${most.toFixed(most < 9.95 ? 1 : 0)} m`;
  small(`${distanceOf(episode)}, ${range}`, colors.faint, left, 7, "left");
  const column = columnOf(time * episode.dt);
  stroke(colors.ink, 1, 1.5, [[column, top], [column, bottom]]);
}
