// Recorded episodes, one at a time or side by side: the mode of a page without an engine.

const GAP = 8; // pixels between tiles, as in the style sheet
const CAPTION = 44; // pixels below a tile's picture
const LEAST_TILE = 72; // pixels: the side below which tiles are scrolled instead of shrunk

class Recordings {
  constructor(episodes) {
    this.episodes = episodes;
    this.index = 0;
    this.showsAll = false; // side by side
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

  /** Shows the next or previous episode; after the last comes the first. */
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
    if (this.showsAll) {
      drawTiles(this.episodes, app.time * this.episode.dt);
    } else {
      const { context, width } = prepare(find("arena"));
      const view = viewOf(this.episode, width);
      drawScene(context, view, this.episode, app.time, app.shown, app.colors);
    }
  }

  updateTexts() {
    const { episode, showsAll } = this;
    find("episode").value = this.index;
    find("all").setAttribute("aria-pressed", showsAll);
    find("stage").classList.toggle("is-all", showsAll);
    find("picture").hidden = showsAll;
    find("tiles").hidden = !showsAll;
    if (showsAll) arrangeTiles(this.episodes, this.index);
  }

  listen() {
    find("episode").onchange = ({ target }) => this.show(Number(target.value));
    find("tiles").addEventListener("scroll", update);
  }

  /**
   * Sets the page to a hash such as #episode=2&step=120&paused&show=aim,trail. Several episodes
   * are shown side by side unless it names one of them, or says view=one.
   */
  readAddress() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const number = (name) => (hash.has(name) ? Number(hash.get(name)) : NaN);
    if (number("episode") >= 1) {
      this.index = Math.min(Math.floor(number("episode")), this.episodes.length) - 1;
    }
    const view = hash.get("view") ?? (hash.has("episode") ? "one" : "all");
    this.showsAll = view !== "one" && this.episodes.length > 1;
    if (number("step") >= 0) app.time = Math.min(Math.floor(number("step")), this.lastStep);
    if (hash.has("show")) {
      const given = hash.get("show").split(",");
      const isShown = (name) => given.includes(name) || given.includes("all");
      app.shown = new Set(Object.keys(app.meanings).filter(isShown));
    }
    if (["light", "dark"].includes(hash.get("theme"))) root.dataset.theme = hash.get("theme");
    app.isPlaying = !hash.has("paused") && !stillness.matches;
    readColors();
  }
}

function beginRecordings({ episodes }) {
  episodes.forEach(restore);
  const mode = (app.mode = new Recordings(episodes));
  mode.readAddress();
  find("episodes").hidden = false;
  const options = episodes.map((episode, index) => {
    return new Option(`${index + 1}. ${titleOfEpisode(episode)}`, index);
  });
  find("episode").replaceChildren(...options);
  buildTiles(episodes, (index) => mode.open(index));
}

// Side by side: a column for each pair of players if there are several of both pairs and seeds;
// otherwise as many columns as fill the box.

const titleOfEpisode = ({ names, seed, result }) => `${names.join(" vs ")}, seed ${seed}: ${result}`;

function buildTiles(episodes, open) {
  const tiles = episodes.map((episode, index) => tileOf(episode, index, () => open(index)));
  find("tiles").replaceChildren(...tiles);
}

function tileOf(episode, index, onclick) {
  const title = titleOfEpisode(episode);
  const seconds = `${(episode.steps * episode.dt).toFixed(1)} s`;
  const className = episode.captured ? "pursuer" : "evader";
  const tile = create(
    "button",
    { type: "button", title, onclick },
    create("canvas"),
    create("span", { className: "names" }, episode.names.join(" vs ")),
    create("span", {}, `seed ${episode.seed} `, create("b", { className }, seconds)),
  );
  tile.dataset.index = index;
  return tile;
}

/** Makes tiles as large as they can be, and marks the current one. */
function arrangeTiles(episodes, current) {
  const box = find("tiles");
  const { clientWidth: width, clientHeight: height } = box;
  const pairs = new Set(episodes.map(({ names }) => names.join())).size;
  const free = Math.ceil(Math.sqrt((episodes.length * width) / height));
  const columns = 1 < pairs && pairs < episodes.length ? pairs : free;
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
