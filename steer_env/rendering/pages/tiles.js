// All episodes side by side: a row for each pair of players and a column for each seed, if that
// leaves no holes; otherwise as many columns as fill the box.

const GAP = 8; // pixels between tiles, as in the style sheet
const CAPTION = 44; // pixels below a tile's picture
const LEAST_TILE = 72; // pixels: the side below which tiles are scrolled instead of shrunk
const LONGEST_LIST = 32; // letters of a side's names in the heading; else their number

/** Whether a property differs between episodes. */
const differs = (episodes, property) => new Set(episodes.map(property)).size > 1;

/** An episode's names, without a side whose name is the same in all episodes. */
function distinctNames(episodes, { names }) {
  return names.filter((_, side) => differs(episodes, (each) => each.names[side]));
}

/** What distinguishes an episode from the others: names, seed, or both. */
function labelOfEpisode(episodes, episode) {
  const names = distinctNames(episodes, episode);
  const hasSeed = !names.length || differs(episodes, ({ seed }) => seed);
  const parts = names.length ? [names.join(" against ")] : [];
  return [...parts, ...(hasSeed ? [`seed ${episode.seed}`] : [])].join(", ");
}

/** The names of a side in all episodes; if there are too many, their number. */
function namesOfAll(episodes, side) {
  const names = [...new Set(episodes.map((episode) => episode.names[side]))];
  const list = names.join(", ");
  if (names.length < 2 || list.length <= LONGEST_LIST) return list;
  return `${names.length} ${side === 0 ? "pursuers" : "evaders"}`;
}

/** The episodes' indices, pair after pair, and the number of seeds of each; null with holes. */
function matrixOf(episodes) {
  const pairs = new Map();
  episodes.forEach(({ names }, index) => {
    const pair = JSON.stringify(names);
    pairs.set(pair, [...(pairs.get(pair) ?? []), index]);
  });
  const rows = [...pairs.values()];
  const seeds = rows.map((row) => row.map((index) => episodes[index].seed).join());
  const isWhole = rows.length > 1 && rows[0].length > 1 && new Set(seeds).size === 1;
  return isWhole ? { order: rows.flat(), columns: rows[0].length } : null;
}

/** Makes a button for each episode, which calls `open` with its index. */
function buildTiles(episodes, open) {
  const matrix = matrixOf(episodes);
  const order = matrix?.order ?? episodes.map((_, index) => index);
  const box = find("tiles");
  box.dataset.columns = matrix?.columns ?? "";
  box.replaceChildren(
    ...order.map((index) => {
      const tile = tileOf(episodes, episodes[index], () => open(index));
      tile.dataset.index = index;
      return tile;
    }),
  );
}

/** A button with an episode's picture, what distinguishes it, and how long it took. */
function tileOf(episodes, episode, onclick) {
  const names = episode.names.join(" against ");
  const title = `${names}, seed ${episode.seed}: ${episode.result}`;
  const seconds = `${(episode.steps * episode.dt).toFixed(1)} s`;
  const className = episode.captured ? "pursuer" : "evader";
  // A long name keeps both ends, since names differ in either.
  const parts = distinctNames(episodes, episode).map((name) =>
    name.length > 20 ? `${name.slice(0, 9)}…${name.slice(-10)}` : name,
  );
  return create(
    "button",
    { type: "button", title, onclick },
    create("canvas"),
    create("span", { className: "names" }, parts.join(" v ")),
    create("span", {}, `seed ${episode.seed} `, create("b", { className }, seconds)),
  );
}

/** Makes tiles as large as they can be, and marks the current one. */
function arrangeTiles(episodes, current) {
  const box = find("tiles");
  const { clientWidth: width, clientHeight: height } = box;
  const free = Math.ceil(Math.sqrt((episodes.length * width) / height));
  const columns = Number(box.dataset.columns) || free;
  const rows = Math.ceil(episodes.length / columns);
  const side = Math.floor(Math.min(width / columns, height / rows - CAPTION) - 2 * GAP);
  box.style.setProperty("--tile", `${Math.max(side, LEAST_TILE)}px`);
  box.style.setProperty("--columns", columns);
  for (const tile of box.children) {
    const isCurrent = Number(tile.dataset.index) === current;
    if (tile.getAttribute("aria-current") === String(isCurrent)) continue;
    tile.setAttribute("aria-current", isCurrent);
    if (isCurrent) box.scrollTop = tile.offsetTop - (box.clientHeight - tile.offsetHeight) / 2;
  }
}

/** Draws the tiles that can be seen, at a time in seconds. */
function drawTiles(episodes, seconds) {
  const seen = find("tiles").getBoundingClientRect();
  for (const tile of find("tiles").children) {
    const episode = episodes[tile.dataset.index];
    const canvas = tile.firstElementChild;
    const box = canvas.getBoundingClientRect();
    if (box.bottom < seen.top || box.top > seen.bottom) continue;
    const { context, width } = prepare(canvas);
    const time = Math.min(seconds / episode.dt, episode.steps);
    const view = viewOf(episode, width, 0.02);
    drawScene(context, view, episode, time, app.shown, app.colors, { isTile: true });
  }
}
