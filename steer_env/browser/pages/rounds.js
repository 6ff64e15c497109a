// Rounds that a person plays, and how others do from the same start.

const ROUND = ["game", "as", "level", "opponent", "seed"]; // parts of a link that make a round
const PUSH_LEVELS = 31; // parts of a full push, in which links keep it
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The rounds of a person: phase is "ready", "round", "pause" or "end". */
class Rounds {
  phase = "ready";
  episode = null;
  ghosts = [];
  hasPlayed = false; // whether a round has ended since the page was opened

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
    this.episode = this.episodeWith(YOU, true);
    this.phase = "ready";
    this.rest = 0;
    this.pushes = ""; // the person's so far, two letters for each step
    this.ghosts = this.challengers = link.round ? [this.challengerOf(link.round)] : [];
    const isCut = this.challengers.some(({ episode }) => !episode.isOver);
    if (isCut) say("The round in the link is damaged.");
  }

  /** The sender of a link as a ghost: their pushes are played again. */
  challengerOf(pushes) {
    const episode = this.episodeWith(YOU, false);
    for (let place = 0; place < pushes.length && !episode.isOver; place += 2) {
      const levels = [0, 1].map((axis) => LETTERS.indexOf(pushes[place + axis]) - PUSH_LEVELS);
      this.push(episode, levels.map((level) => level / PUSH_LEVELS));
    }
    return { title: "challenger", episode, vehicle: this.vehicle, color: "ink" };
  }

  /** Plays a step of an episode in which the person pushes along [right, up]. */
  push(episode, push) {
    const action = inFrameOf(episode.engine.pair("heading", this.vehicle), push);
    episode.step(this.isPursuer ? [action] : [undefined, action]);
  }

  /** The episode with a player of this name in the person's place, at its start. */
  episodeWith(name, isExplained) {
    const names = this.isPursuer ? [name, this.opponent] : [this.opponent, name];
    const players = names.map((each) => playerNamed(each));
    const episode = new LiveEpisode(this.game, players, this.link.seed, isExplained);
    return Object.assign(episode, { names: names.map(titleOf) });
  }

  begin() {
    this.phase = "round";
    this.isPushed = false;
  }

  /** The textbook's script and a better player as ghosts. */
  rivals() {
    const best = this.opponent === this.level.opponent ? this.level.best : null;
    const { racers } = this.game;
    const rivals = racers
      ? { "textbook method": racers[this.link.as] }
      : {
          "textbook method": library.textbook[this.link.as],
          [`${best ? "best known" : "strong"} player`]: best ?? library.strong[this.link.as],
        };
    return Object.entries(rivals).map(([title, name], place) => {
      const episode = this.episodeWith(name, false).finish();
      return { title, episode, vehicle: this.vehicle, color: GHOST_COLORS[place] };
    });
  }

  isOf(link) {
    const isSame = (name) => this.link[name] === link[name];
    return Boolean(this.link) && [...ROUND, "round"].every(isSame);
  }

  get isRunning() {
    return this.phase === "round";
  }

  pause() {
    if (this.phase === "pause") this.phase = "round";
    else if (this.isRunning) this.phase = "pause";
  }

  /** Lets seconds pass; `push` gives the person's push in the arena for every step. */
  advance(seconds, push) {
    this.rest += seconds;
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
    this.hasPlayed = true;
    this.ghosts = [...this.rivals(), ...this.challengers];
  }

  /** The outcomes from this start: of the person, and of the ghosts. */
  get outcomes() {
    const all = [{ title: YOU, episode: this.episode }, ...this.ghosts];
    return all.map(({ title, episode }) => [title, outcomeOf(this.isPursuer, episode)]);
  }

  /** True if the person has won the round. */
  get isWon() {
    return isGood(this.isPursuer, this.episode);
  }

  /** The outcome in a sentence for the person. */
  get sentence() {
    const { evaders, racers } = this.game;
    if (this.isPursuer && !racers && evaders === 1 && !this.isWon) return "Time’s up: it got away.";
    return `${capitalized(this.outcomes[0][1])}.`;
  }

  /** The outcome across the board, in the color of the side that won. */
  get banner() {
    return { lines: [this.sentence], side: this.isWon === this.isPursuer ? PURSUER : EVADER };
  }
}

/** True if an episode went well for the pursuer, or for the evader. */
function isGood(isPursuer, { game, isCaught, hasReached }) {
  if (game.racers) return isPursuer !== hasReached;
  return isPursuer === isCaught;
}

/** The outcome of an episode in words about the pursuer or the evader. */
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
