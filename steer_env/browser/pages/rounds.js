// Rounds that a person plays: a countdown, the round, its end, and how others do from there.

const STORED = "steer_env best times";

/** The best times by what was played, kept by the browser; or else until the page closes. */
class BestTimes {
  constructor() {
    this.times = {};
  }

  /** The best seconds of a challenge; null for none. */
  of(challenge) {
    try {
      this.times = { ...JSON.parse(localStorage.getItem(STORED)) }; // also by other windows
    } catch {
      // What cannot be read is written anew.
    }
    const seconds = Object.hasOwn(this.times, challenge) ? this.times[challenge] : null;
    return Number.isFinite(seconds) ? seconds : null;
  }

  /** Keeps a time if it is the best; returns whether it is. */
  offer(challenge, seconds, isLongerBetter) {
    const best = this.of(challenge);
    if (best !== null && (isLongerBetter ? seconds <= best : seconds >= best)) return false;
    this.times[challenge] = Number(seconds.toFixed(3));
    try {
      localStorage.setItem(STORED, JSON.stringify(this.times));
    } catch {
      // A page that may keep nothing remembers until it closes.
    }
    return true;
  }
}

/** The rounds of a person: phase is "ready", "count", "round", "pause" or "end". */
class Rounds {
  constructor(machine) {
    this.machine = machine;
    this.best = new BestTimes();
    this.phase = "ready";
    this.episode = null;
    this.ghosts = [];
  }

  /** Makes a round ready; `link` says which, see `readLink`. */
  prepare(link) {
    for (const { episode } of [this, ...this.ghosts]) episode?.close();
    this.link = link;
    const base = library.games[link.game];
    this.level = base.levels[link.as].find(({ name }) => name === link.level);
    this.game = gameWith(base, changesOfLevel(this.level, link.as));
    this.opponent = link.opponent ?? this.level.opponent;
    this.episode = this.episodeWith(YOU, true);
    this.ghosts = [];
    this.phase = "ready";
    this.rest = 0;
  }

  /** The episode with a player of this name in the person's place, at its start. */
  episodeWith(name, isExplained) {
    const [own, other] = [name, this.opponent].map((each) => playerNamed(each));
    const players = this.isPursuer ? [own, other] : [other, own];
    return new LiveEpisode(this.machine, this.game, players, this.link.seed, isExplained);
  }

  get isPursuer() {
    return this.link.as === "pursuer";
  }

  /** The number of the person's vehicle. */
  get vehicle() {
    return this.isPursuer ? 0 : this.game.pursuers;
  }

  /** Begins the countdown; the others play their rounds meanwhile. */
  begin() {
    this.phase = "count";
    this.left = library.counts.number * library.counts.seconds;
    this.ghosts = this.rivals.map(({ name, title }) => {
      return { name, title, episode: this.episodeWith(name, false).finish() };
    });
  }

  /** Whether a round of this link is here already. */
  isOf(link) {
    const names = ["game", "as", "level", "opponent", "seed"];
    return Boolean(this.link) && names.every((name) => this.link[name] === link[name]);
  }

  get isRunning() {
    return ["count", "round"].includes(this.phase);
  }

  /** The number that the countdown shows. */
  get count() {
    const { number, seconds } = library.counts;
    return Math.min(Math.floor(this.left / seconds) + 1, number);
  }

  /** The players that the person is compared with: the textbook's script, and a better one. */
  get rivals() {
    const side = this.link.as;
    const isLevels = this.level.rival && this.opponent === this.level.opponent;
    const rival = isLevels ? this.level.rival : library.strong[side];
    return [{ name: library.textbook[side], title: library.textbook[side] }, rival];
  }

  /** Pauses, or goes on. */
  pause() {
    if (this.phase === "pause") this.phase = this.left > 0 ? "count" : "round";
    else if (this.isRunning) this.phase = "pause";
  }

  /** Lets seconds pass; `push` is called for every step. */
  advance(seconds, push) {
    let time = seconds;
    if (this.phase === "count") {
      const used = Math.min(this.left, time);
      this.left -= used;
      time -= used;
      if (this.left <= 0) this.phase = "round";
    }
    if (this.phase !== "round") return;
    this.rest += time;
    while (this.rest >= this.game.dt && this.phase === "round") {
      this.rest -= this.game.dt;
      this.step(push());
      if (this.episode.isOver) this.end();
    }
  }

  /** Plays a step in which the person pushes in a direction of the arena. */
  step(push) {
    const heading = this.episode.engine.column("heading");
    const own = [heading[2 * this.vehicle], heading[2 * this.vehicle + 1]];
    const action = actionOfPush(push, own);
    this.episode.step(this.isPursuer ? [action] : [undefined, action]);
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
    this.bestBefore = this.best.of(this.challenge);
    // A pursuer's round has no time without a capture.
    const isTimed = !this.isPursuer || this.episode.isCaught;
    const { seconds } = this.episode;
    this.isBest = isTimed && this.best.offer(this.challenge, seconds, !this.isPursuer);
  }

  /** What comparable rounds have in common. */
  get challenge() {
    return [this.link.as, this.opponent, JSON.stringify(this.game.keywords)].join(" ");
  }

  /** A sentence that concludes: how the person did beside the rivals. */
  get conclusion() {
    const compared = this.ghosts.map(({ title, episode }) => {
      return `${comparison(this.isPursuer, this.episode, episode)} ${title}`;
    });
    return `${headline(this.isPursuer, this.game.evaders, this.episode)}: ${compared.join(", ")}.`;
  }

  /** How the round compares with the person's earlier ones. */
  get bestText() {
    const best = this.bestBefore === null ? "" : `${this.bestBefore.toFixed(1)} s`;
    if (this.isBest) return `Your new best${best && ` (before: ${best})`}.`;
    return best && `Your best: ${best}.`;
  }
}

/** The end of a person's round in a few words. */
function headline(isPursuer, evaders, { seconds, isCaught, captured }) {
  const time = `${seconds.toFixed(1)} s`;
  if (!isPursuer) return isCaught ? `Caught after ${time}` : `Free for ${time}`;
  if (isCaught) return `${evaders > 1 ? "All caught" : "Caught"} in ${time}`;
  return evaders > 1 ? `${captured} of ${evaders} caught in ${time}` : `Not caught in ${time}`;
}

/** How a person did beside another player, by the times that are shown. */
function comparison(isPursuer, mine, theirs) {
  const [own, other] = [mine, theirs].map(({ isCaught, seconds }) =>
    isCaught ? Number(seconds.toFixed(1)) : Infinity,
  );
  if (own === other) return "level with";
  const words = own < other === isPursuer ? "ahead of" : "behind";
  const late = Math.abs(own - other);
  return late < Infinity ? `${late.toFixed(1)} s ${words}` : words;
}
