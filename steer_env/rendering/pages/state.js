// The state of the page, and all functions that change it.

const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** Everything that changes while the page is open. Times are in steps of the shown episode. */
const state = {
  episodes: [],
  meanings: {},
  letters: {},
  index: 0,
  time: 0,
  isPlaying: false,
  speed: 1,
  shown: new Set(),
  showsAll: false, // all episodes side by side
  hovered: null,
  pinned: null,
  colors: {},
};

const current = () => state.episodes[state.index];

/** The end of the time bar, in steps of the current episode; side by side, of the longest. */
function lastStep() {
  if (!state.showsAll) return current().steps;
  const seconds = Math.max(...state.episodes.map((episode) => episode.steps * episode.dt));
  return Math.round(seconds / current().dt);
}

// ------------------------------------------------------------------------- changes

function showEpisode(index) {
  state.index = index;
  if (!state.showsAll) state.time = 0;
  if (state.pinned >= current().players.length) state.pinned = null;
  state.hovered = null;
  update();
}

/** Shows the next or previous episode; after the last comes the first. */
function moveEpisode(places) {
  const count = state.episodes.length;
  showEpisode((state.index + places + count) % count);
}

function showTime(time) {
  state.time = Math.min(Math.max(time, 0), lastStep());
  update();
}

/** Moves to a whole step and stops playing. */
function step(steps) {
  state.isPlaying = false;
  const from = steps > 0 ? Math.floor(state.time + 1e-6) : Math.ceil(state.time - 1e-6);
  showTime(from + steps);
}

function togglePlay() {
  if (!state.isPlaying && state.time >= lastStep()) state.time = 0;
  state.isPlaying = !state.isPlaying;
  update();
}

function changeSpeed(places) {
  const place = SPEEDS.indexOf(state.speed) + places;
  state.speed = SPEEDS[Math.min(Math.max(place, 0), SPEEDS.length - 1)];
  update();
}

function toggleShown(name) {
  if (!state.shown.delete(name)) state.shown.add(name);
  update();
}

/** Shows everything; if everything is shown already, what was shown at first. */
function toggleEverything() {
  const names = Object.keys(state.meanings);
  const showsEverything = names.every((name) => state.shown.has(name));
  state.shown = new Set(showsEverything ? state.shownAtFirst : names);
  update();
}

function toggleTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  readColors();
  update();
}

function toggleAll() {
  if (state.episodes.length < 2) return;
  state.showsAll = !state.showsAll;
  state.time = Math.min(state.time, lastStep());
  state.hovered = state.pinned = null;
  update();
}

function chooseNextVehicle() {
  const count = current().players.length;
  const next = state.pinned === null ? 0 : state.pinned + 1;
  state.pinned = next < count ? next : null;
  update();
}

function readColors() {
  state.colors = colorsOfStyle();
}
