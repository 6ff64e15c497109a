// Unpacks the recordings, and reads values at any time; html.py describes the format.

/** The content of an element, zlib's compressed data in base64, as a Response. */
function unpacked(id) {
  const text = find(id).textContent.trim();
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream);
}

function restore(episode) {
  episode.distances = valuesOf(episode.distances);
  for (const { columns } of episode.players) {
    for (const name of Object.keys(columns)) columns[name] = valuesOf(columns[name]);
  }
}

/** The values of a column at all moments, from its unit and its second differences. */
function valuesOf([unit, ...changes]) {
  let [change, value] = [0, 0];
  return Float64Array.from(changes, (difference) => {
    change += difference;
    value += change;
    return value * unit;
  });
}

/** The value of a column at a time in steps, also between two moments. */
function valueAt(column, time) {
  const moment = Math.floor(time);
  const share = time - moment;
  if (share === 0 || moment + 1 >= column.length) return column[moment];
  return column[moment] + share * (column[moment + 1] - column[moment]);
}

/** The position, motion and force of a player at a time; on a torus, inside the arena. */
function poseAt(episode, player, time) {
  const { columns } = player;
  const at = (name) => valueAt(columns[name], time);
  const heading = at("heading");
  return {
    x: wrapped(episode, at("x")),
    y: wrapped(episode, at("y")),
    heading,
    cos: Math.cos(heading),
    sin: Math.sin(heading),
    velocity: { x: at("velocityX"), y: at("velocityY") },
    force: { x: at("forceX"), y: at("forceY") },
    isActive: columns.active[Math.floor(time)] > 0.5,
  };
}

/** The parts of an annotation at a time, or null while it is absent; jumps stay jumps. */
function partsAt(episode, player, name, pose, time) {
  const { columns } = player;
  const present = columns[name];
  const moment = Math.floor(time);
  if (!present || present[moment] < 0.5) return null;
  const next = Math.min(moment + 1, episode.steps);
  const numbers = [];
  for (let each = 0; columns[`${name}.${each}`]; each++) numbers.push(columns[`${name}.${each}`]);
  const jumps =
    present[next] < 0.5 ||
    numbers.some((each) => Math.abs(each[next] - each[moment]) > 0.05 * episode.region.size);
  const values = numbers.map((each) => (jumps ? each[moment] : valueAt(each, time)));
  return Array.from(looks.parts[name], (letter) => {
    if (letter === "n") return values.shift();
    return (letter === "p" ? offset : ahead)(pose, ...values.splice(0, 2));
  });
}

function wrapped(episode, coordinate) {
  const { size, wraps } = episode.region;
  if (!wraps) return coordinate;
  return coordinate - size * Math.floor(coordinate / size + 0.5);
}
