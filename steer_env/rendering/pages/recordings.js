// Recorded episodes, one at a time or side by side: the mode of a page without an engine.

const GAP = 8; // pixels between tiles, as in the style sheet
const CAPTION = 44; // pixels below a tile's picture

class Recordings {
  constructor(episodes) {
    this.episodes = episodes;
    this.index = 0;
    this.showsAll = episodes.length > 1; // side by side
    this.keys = [
      [["[", "p"], "[", "previous episode", () => this.move(-1), "previous"],
      [["]", "n"], "]", "next episode", () => this.move(1), "next"],
      [["g"], "G", "all episodes side by side", () => this.toggleAll(), "all"],
    ];
  }

  get episode() {
    return this.episodes[this.index];
  }

  /** The episodes that the timeline draws faintly. */
  get others() {
    return this.showsAll ? this.episodes.filter((each) => each !== this.episode) : [];
  }

  /** The end of the time bar, in steps of the current episode; side by side, of the longest. */
  get lastStep() {
    if (!this.showsAll) return this.episode.steps;
    const seconds = Math.max(...this.episodes.map(({ steps, dt }) => steps * dt));
    return Math.round(seconds / this.episode.dt);
  }

  get names() {
    if (!this.showsAll) return this.episode.names;
    return [0, 1].map((side) => namesOfAll(this.episodes, side));
  }

  get result() {
    if (!this.showsAll) return `${capitalized(this.episode.result)}.`;
    const caught = this.episodes.filter(({ captured }) => captured).length;
    return `Caught in ${caught} of ${this.episodes.length} episodes.`;
  }

  show(index) {
    this.index = index;
    if (!this.showsAll) app.time = 0;
    update();
  }

  move(places) {
    const count = this.episodes.length;
    this.show((this.index + places + count) % count);
  }

  toggleAll() {
    if (this.episodes.length < 2) return;
    this.showsAll = !this.showsAll;
    setTime(app.time);
  }

  open(index) {
    const seconds = app.time * this.episode.dt;
    this.showsAll = false;
    this.show(index);
    setTime(seconds / this.episode.dt);
  }

  advance = advanceTime;
  end = stopAtEnd;

  draw() {
    if (this.showsAll) drawTiles(this.episodes, app.time * this.episode.dt);
    else drawScene(find("arena"), this.episode, app.time);
  }

  updateTexts() {
    const { episode, showsAll } = this;
    find("episode").value = this.index;
    find("all").setAttribute("aria-pressed", showsAll);
    find("stage").classList.toggle("is-all", showsAll);
    find("picture").hidden = showsAll;
    find("tiles").hidden = !showsAll;
    const facts = entriesOf([["seed", episode.seed], ["result", episode.result]]);
    find("facts").replaceChildren(...facts);
    document.querySelectorAll(".about").forEach((about, side) => {
      about.hidden = !episode.descriptions[side];
      about.firstElementChild.textContent = `${breakable(episode.names[side])}:`;
      about.lastElementChild.textContent = episode.descriptions[side];
    });
    if (showsAll) arrangeTiles(this.episodes, this.index);
  }

  /** Handles the keys of annotations; returns whether it was one of them. */
  press({ key }) {
    const letter = key.toLowerCase();
    const name = Object.keys(app.meanings).find((each) => app.letters[each] === letter);
    if (name) toggleShown(name);
    return Boolean(name);
  }

  listen() {
    find("episode").onchange = ({ target }) => this.show(Number(target.value));
    find("tiles").addEventListener("scroll", update);
  }
}

function beginRecordings({ episodes }) {
  episodes.forEach(restore);
  const mode = (app.mode = new Recordings(episodes));
  app.isPlaying = !stillness.matches;
  find("episodes").hidden = false;
  find("choice").hidden = episodes.length < 2;
  episodes.forEach((episode, index) => {
    const label = labelOfEpisode(episodes, episode);
    find("episode").append(new Option(`${index + 1}. ${label}: ${episode.result}`, index));
  });
  buildTiles(episodes, (index) => mode.open(index));
}

// Side by side: a row for each pair of players and a column for each seed; of one pair or one
// seed as many columns as fill the box.

const differs = (episodes, property) => new Set(episodes.map(property)).size > 1;

/** An episode's names, without a side whose name is the same in all episodes. */
function distinctNames(episodes, { names }) {
  return names.filter((_, side) => differs(episodes, (each) => each.names[side]));
}

/** The names, the seed or both, as they distinguish an episode from the others. */
function labelOfEpisode(episodes, episode) {
  const names = distinctNames(episodes, episode).join(" vs ");
  const hasSeed = !names || differs(episodes, ({ seed }) => seed);
  return [names, hasSeed ? `seed ${episode.seed}` : ""].filter(Boolean).join(", ");
}

function namesOfAll(episodes, side) {
  const names = [...new Set(episodes.map((episode) => episode.names[side]))];
  const list = names.join(", ");
  return names.length < 2 || list.length <= 32 ? list : `${names.length} ${SIDES[side]}s`;
}

function buildTiles(episodes, open) {
  const pairs = new Map();
  episodes.forEach(({ names }, index) => {
    const pair = JSON.stringify(names);
    pairs.set(pair, [...(pairs.get(pair) ?? []), index]);
  });
  const rows = [...pairs.values()]; // which have the same seeds
  const isGrid = rows.length > 1 && rows[0].length > 1;
  find("tiles").dataset.columns = isGrid ? rows[0].length : "";
  const tiles = rows.flat().map((index) => tileOf(episodes, index, () => open(index)));
  find("tiles").replaceChildren(...tiles);
}

function tileOf(episodes, index, onclick) {
  const episode = episodes[index];
  const title = `${episode.names.join(" vs ")}, seed ${episode.seed}: ${episode.result}`;
  const seconds = `${(episode.steps * episode.dt).toFixed(1)} s`;
  const className = episode.winner ?? (episode.captured ? "pursuer" : "evader");
  // A long name keeps both ends, since names differ in either.
  const cut = (name) => (name.length > 20 ? `${name.slice(0, 9)}…${name.slice(-10)}` : name);
  const names = distinctNames(episodes, episode).map(cut).join(" vs ");
  const outcome = [`seed ${episode.seed} `, create("b", { className }, seconds)];
  const parts = [create("span", { className: "names" }, names), create("span", {}, ...outcome)];
  const tile = create("button", { type: "button", title, onclick }, create("canvas"), ...parts);
  tile.dataset.index = index;
  return tile;
}

/** Makes tiles as large as they can be, and marks the current one; small ones are scrolled. */
function arrangeTiles(episodes, current) {
  const box = find("tiles");
  const { clientWidth: width, clientHeight: height } = box;
  const free = Math.ceil(Math.sqrt((episodes.length * width) / height));
  const columns = Number(box.dataset.columns) || free;
  const rows = Math.ceil(episodes.length / columns);
  const side = Math.floor(Math.min(width / columns, height / rows - CAPTION) - 2 * GAP);
  box.style.setProperty("--tile", `${Math.max(side, 72)}px`);
  box.style.setProperty("--columns", columns);
  for (const tile of box.children) {
    const isCurrent = Number(tile.dataset.index) === current;
    if (tile.getAttribute("aria-current") === String(isCurrent)) continue;
    tile.setAttribute("aria-current", isCurrent);
    if (isCurrent) box.scrollTop = tile.offsetTop - (box.clientHeight - tile.offsetHeight) / 2;
  }
}

function drawTiles(episodes, seconds) {
  const seen = find("tiles").getBoundingClientRect();
  for (const tile of find("tiles").children) {
    const episode = episodes[tile.dataset.index];
    const canvas = tile.firstElementChild;
    const box = canvas.getBoundingClientRect();
    if (box.bottom < seen.top || box.top > seen.bottom) continue;
    drawScene(canvas, episode, Math.min(seconds / episode.dt, episode.steps), { isTile: true });
  }
}
