// Rounds that a person plays: a countdown, the round, its end, and how others do from there.

const ROUND = ["game", "as", "level", "opponent", "seed"]; // parts of a link that make a round
const PUSH_LEVELS = 31; // parts of a full push, in which links keep it
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const COUNTS = 3; // the countdown to a round begins with this number
const COUNT_SECONDS = 0.8; // for each number of it

/** The rounds of a person: phase is "ready", "count", "round", "pause" or "end". */
class Rounds {
  phase = "ready";
  isFirst = true; // until a round has ended
  episode = null;
  ghosts = [];

  /** Makes a round ready; `link` says which, see `readLink`. */
  prepare(link) {
    for (const { episode } of [this, ...this.ghosts]) episode?.engine.close();
    this.link = link;
    this.isPursuer = link.as === "pursuer";
    const base = library.games[link.game];
    this.level = base.levels[link.as].find(({ name }) => name === link.level);
    this.game = gameWith(base, this.level.changes);
    this.vehicle = this.isPursuer ? 0 : this.game.pursuers; // the person's
    this.opponent = link.opponent ?? this.level.opponent;
    this.episode = this.episodeWith(YOU);
    this.phase = "ready";
    this.rest = 0;
    this.pushes = ""; // the person's so far, two letters for each step
    this.ghosts = this.challengers = link.round ? [this.challengerOf(link.round)] : [];
    const isCut = this.challengers.some(({ episode }) => !episode.isOver);
    if (isCut) say("The round in the link is damaged.");
  }

  /** The sender of a link as a ghost: their pushes are played again. */
  challengerOf(pushes) {
    const episode = this.episodeWith(YOU);
    for (let place = 0; place < pushes.length && !episode.isOver; place += 2) {
      const levels = [0, 1].map((axis) => LETTERS.indexOf(pushes[place + axis]) - PUSH_LEVELS);
      this.push(episode, levels.map((level) => level / PUSH_LEVELS));
    }
    return { title: "challenger", episode, vehicles: [this.vehicle], color: "ink" };
  }

  /** Plays a step of an episode in which the person pushes along [right, up]. */
  push(episode, push) {
    const action = inFrameOf(episode.engine.pair("heading", this.vehicle), push);
    episode.step(this.isPursuer ? [action] : [undefined, action]);
  }

  /** The episode with a player of this name in the person's place, at its start. */
  episodeWith(name) {
    const names = this.isPursuer ? [name, this.opponent] : [this.opponent, name];
    const players = names.map((each) => playerNamed(each));
    const episode = new LiveEpisode(this.game, players, this.link.seed, false);
    return Object.assign(episode, { names: names.map(titleOf) });
  }

  /** Begins the countdown; the textbook's script and a better player play their rounds. */
  begin() {
    this.phase = "count";
    this.left = COUNTS * COUNT_SECONDS;
    this.isPushed = false;
    const best = this.opponent === this.level.opponent ? this.level.best : null;
    const [{ racers }, { as }] = [this.game, this.link];
    const rivals = [["textbook method", (racers ?? library.textbook)[as]]];
    const strong = [`${best ? "best known" : "strong"} player`, best ?? library.strong[as]];
    if (!racers) rivals.push(strong);
    const ghosts = rivals.map(([title, name], place) => {
      const episode = this.episodeWith(name).finish();
      return { title, episode, vehicles: [this.vehicle], color: GHOST_COLORS[place] };
    });
    this.ghosts = [...ghosts, ...this.challengers];
  }

  isOf(link) {
    return [...ROUND, "round"].every((name) => this.link?.[name] === link[name]);
  }

  get isRunning() {
    return ["count", "round"].includes(this.phase);
  }

  get count() {
    return Math.min(Math.floor(this.left / COUNT_SECONDS) + 1, COUNTS);
  }

  pause() {
    if (this.phase === "pause") this.phase = this.left > 0 ? "count" : "round";
    else if (this.isRunning) this.phase = "pause";
  }

  /** Lets seconds pass; `push` gives the person's push in the arena for every step. */
  advance(seconds, push) {
    const used = this.phase === "count" ? Math.min(this.left, seconds) : 0;
    this.left -= used;
    if (this.phase === "count" && this.left <= 0) this.phase = "round";
    if (this.phase !== "round") return;
    this.rest += seconds - used;
    while (this.rest >= this.game.dt && this.phase === "round") {
      this.rest -= this.game.dt;
      const levels = push().map((part) => Math.round(PUSH_LEVELS * part));
      this.isPushed ||= levels.some(Boolean);
      this.pushes += levels.map((level) => LETTERS[PUSH_LEVELS + level]).join("");
      this.push(this.episode, levels.map((level) => level / PUSH_LEVELS));
      if (this.episode.isOver) this.end();
    }
  }

  /** The time to draw, in steps: between the last two moments, so that motion is smooth. */
  get time() {
    const { steps } = this.episode;
    if (this.phase !== "round") return steps;
    return Math.max(steps - 1 + this.rest / this.game.dt, 0);
  }

  end() {
    this.phase = "end";
    this.rest = 0;
    this.isFirst = false;
  }

  get outcomes() {
    const all = [{ title: YOU, episode: this.episode }, ...this.ghosts];
    return all.map(({ title, episode }) => [title, outcomeOf(this.isPursuer, episode)]);
  }

  get isWon() {
    return isGood(this.isPursuer, this.episode);
  }

  get sentence() {
    const { evaders, racers } = this.game;
    if (this.isPursuer && !racers && evaders === 1 && !this.isWon) return "Time’s up: it got away.";
    return `${capitalized(this.outcomes[0][1])}.`;
  }

  /** The outcome in a few words across the board, in the color of the side that won. */
  get banner() {
    const { seconds, isCaught, captured, hasReached } = this.episode;
    const time = `${seconds.toFixed(1)} s`;
    const { isPursuer, game: { evaders, racers } } = this;
    const it = isPursuer ? "It" : "You";
    const side = isCaught || (racers && !hasReached) ? PURSUER : EVADER;
    if (hasReached) return { lines: [`${it} got there: ${time}`], side };
    if (isCaught) return { lines: [`Caught! ${time}`], side };
    if (racers) return { lines: [isPursuer ? "You kept it out" : "Time’s up"], side };
    return { lines: [captured ? `Caught ${captured} of ${evaders}` : `${it} got away`], side };
  }
}

/** True if an episode went well for the pursuer, or for the evader. */
function isGood(isPursuer, { game, isCaught, hasReached }) {
  if (game.racers) return isPursuer !== hasReached;
  return isPursuer === isCaught;
}

function outcomeOf(isPursuer, { game, seconds, isCaught, captured, hasReached }) {
  const time = `${seconds.toFixed(1)} s`;
  if (hasReached) return isPursuer ? `let it in after ${time}` : `got there in ${time}`;
  if (game.racers && !isCaught) return isPursuer ? "kept it out" : "did not get there in time";
  if (!isPursuer) return isCaught ? `caught after ${time}` : "got away";
  const { evaders } = game;
  if (isCaught) return `caught ${evaders > 1 ? `all ${evaders}` : "it"} in ${time}`;
  const limit = `within ${Number(seconds.toFixed(1))} s`;
  return evaders > 1 ? `caught ${captured} of ${evaders} ${limit}` : `did not catch it ${limit}`;
}
