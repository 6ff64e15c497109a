// All episodes side by side: a matrix of pairs and seeds, or tiles in any number of columns.

const GAP = 8; // pixels between tiles, as in the style sheet
const LEAST_TILE = 72; // pixels: the side below which tiles are scrolled instead of shrunk
const SCROLLED_TILE = 112; // pixels: about the side of tiles that are scrolled
const SCROLL_BAR = 16; // pixels that a scroll bar may take
const LONGEST_LIST = 32; // letters of a side's names in the heading; else their number

const tiles = []; // the buttons, in the order of the episodes

/** Whether a property differs between episodes. */
const differs = (property) => new Set(state.episodes.map(property)).size > 1;

/** An episode's names, without a side whose name is the same in all episodes. */
function distinctNames(episode) {
  return episode.names.filter((_, side) => differs((each) => each.names[side]));
}

/** The names of a side in all episodes; if there are too many, their number. */
function namesOfAll(side) {
  const names = [...new Set(state.episodes.map((episode) => episode.names[side]))];
  const list = names.join(", ");
  if (names.length < 2 || list.length <= LONGEST_LIST) return list;
  return `${names.length} ${side === 0 ? "pursuers" : "evaders"}`;
}

/**
 * The episodes as rows of one pair of players and columns of one seed; holes are undefined.
 *
 * Returns null if there is only one pair or seed, or if most places would be empty.
 */
function matrixOf(episodes) {
  const rows = new Map(); // from a pair of names to its episodes by column
  const columns = new Map(); // from a seed, and how often the pair had it before, to its number
  for (const episode of episodes) {
    const pair = JSON.stringify(episode.names);
    if (!rows.has(pair)) rows.set(pair, []);
    const row = rows.get(pair);
    const before = row.filter((each) => each?.seed === episode.seed).length;
    const key = `${episode.seed}, ${before}`;
    if (!columns.has(key)) columns.set(key, { number: columns.size, seed: episode.seed });
    row[columns.get(key).number] = episode;
  }
  if (Math.min(rows.size, columns.size) < 2) return null;
  if (rows.size * columns.size > 2 * episodes.length) return null;
  return { rows: [...rows.values()], seeds: [...columns.values()].map(({ seed }) => seed) };
}

// ---------------------------------------------------------------------------- building

function buildTiles() {
  const matrix = matrixOf(state.episodes);
  tiles.push(...state.episodes.map((episode, index) => tileOf(episode, index, !matrix)));
  const box = find("tiles");
  box.classList.toggle("is-matrix", matrix !== null);
  box.replaceChildren(...(matrix ? cellsOf(matrix) : tiles));
  if (matrix) box.style.setProperty("--columns", matrix.seeds.length);
}

/** A button with an episode's picture; in a matrix, its row and column have names and seed. */
function tileOf(episode, index, isAlone) {
  const names = episode.names.join(" against ");
  const title = `${names}, seed ${episode.seed}: ${episode.result}`;
  const seconds = `${(episode.steps * episode.dt).toFixed(1)} s`;
  const className = episode.captured ? "pursuer" : "evader";
  const tile = create(
    "button",
    { type: "button", title, onclick: () => openTile(index) },
    create("canvas"),
    ...(isAlone ? namesUnder(episode) : []),
    create(
      "span",
      {},
      ...(isAlone ? [create("i", {}, `seed ${episode.seed}`)] : []),
      create("b", { className }, seconds),
    ),
  );
  // What one reads on it is its name, so that one can call it by that; in a matrix that is a time.
  if (!isAlone) tile.setAttribute("aria-label", title);
  return tile;
}

function namesUnder(episode) {
  // The end of a long name says the most.
  const names = distinctNames(episode).map((name) => name.split("/").slice(-2).join("/"));
  return names.length ? [create("span", { className: "names" }, names.join(" v "))] : [];
}

/** The heads of the columns, then each row: its label, and a tile or a hole for each seed. */
function cellsOf({ rows, seeds }) {
  const heads = seeds.map((seed) => create("span", { className: "head" }, `seed ${seed}`));
  const cells = rows.flatMap((row) => [
    labelOfRow(row.find(Boolean)),
    ...seeds.map((_, column) => tiles[state.episodes.indexOf(row[column])] ?? create("span")),
  ]);
  return [create("span", { className: "corner" }), ...heads, ...cells];
}

/** The names of a row's players, without a side that is the same in all rows. */
function labelOfRow(episode) {
  const classes = ["pursuer", "evader"];
  const parts = episode.names.map((name, side) => {
    return create("b", { className: classes[side] }, breakable(name));
  });
  const shown = parts.filter((_, side) => differs((each) => each.names[side]));
  if (shown.length === 2) shown.splice(1, 0, create("i", {}, " v "));
  const title = episode.names.join(" against ");
  return create("div", { className: "label" }, create("span", { title }, ...shown));
}

/** Opens one of the episodes that are shown side by side, at the same time. */
function openTile(index) {
  const seconds = state.time * current().dt;
  state.showsAll = false;
  showEpisode(index);
  showTime(seconds / current().dt);
}

// ---------------------------------------------------------------------------- updating

/** Marks the current episode; scrolls to it within the box if it has become another one. */
function markTile() {
  if (!state.showsAll) return;
  tiles.forEach((tile, index) => {
    const isCurrent = String(index === state.index);
    if (tile.getAttribute("aria-current") === isCurrent) return;
    tile.setAttribute("aria-current", isCurrent);
    if (isCurrent === "true") scrollToTile(tile);
  });
}

/** Centers a tile that cannot be seen; `scrollIntoView` would scroll the page, too. */
function scrollToTile(tile) {
  const box = find("tiles");
  const seen = box.getBoundingClientRect();
  const { left, right, top, bottom } = tile.getBoundingClientRect();
  const isSeen =
    left >= seen.left && right <= seen.right && top >= seen.top && bottom <= seen.bottom;
  if (isSeen) return;
  const across = (left + right - seen.left - seen.right) / 2;
  const down = (top + bottom - seen.top - seen.bottom) / 2;
  box.scrollBy(across, down);
}

/** Makes tiles as large as they can be without scrolling, but never too small. */
function arrangeTiles() {
  if (!state.showsAll) return;
  const box = find("tiles");
  const style = getComputedStyle(box);
  // With its scroll bars, which are not there if all tiles fit.
  const width = box.offsetWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const height = box.offsetHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  const isMatrix = box.classList.contains("is-matrix");
  const side = isMatrix ? sideInMatrix(box, width, height) : sideInColumns(width, height);
  box.style.setProperty("--tile", `${Math.floor(side)}px`);
}

/** The side of a matrix' tiles; the style sheet decides whether labels are beside or above. */
function sideInMatrix(box, width, height) {
  const columns = Number(box.style.getPropertyValue("--columns"));
  const { offsetWidth: beside } = box.querySelector(".corner");
  const { offsetHeight: head } = box.querySelector(".head");
  const labels = box.querySelectorAll(".label");
  const above = beside ? 0 : labels[0].offsetHeight + GAP;
  const caption = tiles[0].lastElementChild.offsetHeight;
  const across = (room) => (room - beside - GAP * (columns - (beside ? 0 : 1))) / columns;
  const down = (room) => (room - head) / labels.length - GAP - above - caption;
  const side = Math.min(across(width), down(height));
  if (side >= LEAST_TILE) return side;
  // Scrolled in one direction only, if possible.
  const one = Math.max(across(width - SCROLL_BAR), down(height - SCROLL_BAR), LEAST_TILE);
  return Math.min(one, SCROLLED_TILE);
}

/** The side of tiles in the number of columns for which they are largest, or are scrolled. */
function sideInColumns(width, height) {
  const caption = distinctNames(current()).length ? 44 : 24;
  const sideOf = (columns) => {
    const rows = Math.ceil(state.episodes.length / columns);
    return Math.min(
      (width - GAP * (columns - 1)) / columns,
      (height - GAP * (rows - 1)) / rows - caption,
    );
  };
  const side = Math.max(...state.episodes.map((_, index) => sideOf(index + 1)));
  const room = width - SCROLL_BAR;
  const columns = Math.max(2, Math.round(room / (SCROLLED_TILE + GAP)));
  const scrolled = (room - GAP * (columns - 1)) / columns;
  return Math.max(side, Math.min(scrolled, SCROLLED_TILE));
}

/** Draws the tiles that can be seen. */
function drawTiles() {
  const seen = find("tiles").getBoundingClientRect();
  state.episodes.forEach((episode, index) => {
    const canvas = tiles[index].firstElementChild;
    const box = canvas.getBoundingClientRect();
    if (box.bottom < seen.top || box.top > seen.bottom) return;
    if (box.right < seen.left || box.left > seen.right) return;
    const { context, width } = prepare(canvas);
    const time = Math.min((state.time * current().dt) / episode.dt, episode.steps);
    const view = viewOf(episode, width, 0.02);
    drawScene(context, view, episode, time, state.shown, state.colors, { isTile: true });
  });
}
