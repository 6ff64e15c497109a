// Unpacks the recordings; steer_env/rendering/html.py says how they were packed.

/** From base64 of a raw deflate stream to {meanings, letters, shown, episodes}. */
async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const headerLength = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)));
  let place = 4 + headerLength;
  for (const episode of header.episodes) {
    const moments = episode.steps + 1;
    for (const { columns } of [...episode.players, episode]) {
      for (const [name, [unit, start, order, width]] of Object.entries(columns)) {
        const content = bytes.subarray(place, place + width * moments);
        columns[name] = unpackColumn(content, moments, unit, start, order, width);
        place += width * moments;
      }
    }
  }
  return header;
}

/** The values of a column at all moments. */
function unpackColumn(content, moments, unit, start, order, width) {
  const values = new Float64Array(moments);
  let value = start;
  let change = 0;
  for (let moment = 0; moment < moments; moment++) {
    let zigzag = 0;
    for (let plane = width - 1; plane >= 0; plane--) {
      zigzag = zigzag * 256 + content[plane * moments + moment];
    }
    const difference = zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
    change = order === 2 ? change + difference : difference;
    value += change;
    values[moment] = value * unit;
  }
  return values;
}

/** A column at a time that may lie between two moments, counted in steps. */
function valueAt(column, time) {
  const moment = Math.floor(time);
  const share = time - moment;
  if (share === 0 || moment + 1 >= column.length) return column[moment];
  return column[moment] + share * (column[moment + 1] - column[moment]);
}

/** Where a player is and how it moves at a time; on a torus, inside the arena. */
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

/** The numbers of a mark at a time, or null where it is not there. Jumps are not smoothed. */
function markAt(episode, player, name, time) {
  const { columns } = player;
  const isThere = columns[name];
  const moment = Math.floor(time);
  if (!isThere || isThere[moment] < 0.5) return null;
  const lastsOn = isThere[Math.min(moment + 1, episode.steps)] > 0.5;
  const numbers = [];
  let jumps = !lastsOn;
  for (let index = 0; columns[`${name}.${index}`]; index++) {
    const column = columns[`${name}.${index}`];
    const next = column[Math.min(moment + 1, episode.steps)];
    jumps ||= Math.abs(next - column[moment]) > 0.05 * episode.arena.size;
    numbers.push(valueAt(column, time));
  }
  if (!jumps) return numbers;
  return numbers.map((_, index) => columns[`${name}.${index}`][moment]);
}

/** A coordinate brought into the arena, where that is a torus. */
function wrapped(episode, coordinate) {
  if (episode.arena.kind !== "torus") return coordinate;
  const { size } = episode.arena;
  return coordinate - size * Math.floor(coordinate / size + 0.5);
}

/** How far a player is from its nearest opponent that is in the game; null without any. */
function nearestOpponentDistance(episode, player, time) {
  let nearest = null;
  const x = valueAt(player.columns.x, time);
  const y = valueAt(player.columns.y, time);
  for (const other of episode.players) {
    // Who is caught at a moment was there until then.
    const wasActive = other.columns.active[Math.max(Math.ceil(time) - 1, 0)] > 0.5;
    if (other.side === player.side || !wasActive) continue;
    const distance = Math.hypot(
      wrapped(episode, valueAt(other.columns.x, time) - x),
      wrapped(episode, valueAt(other.columns.y, time) - y),
    );
    if (nearest === null || distance < nearest) nearest = distance;
  }
  return nearest;
}

/** The moments at which evaders were caught, in steps. */
function capturesOf(episode) {
  return episode.players
    .map((player) => player.columns.active.findIndex((isActive) => isActive < 0.5))
    .filter((moment) => moment >= 0)
    .sort((one, other) => one - other);
}
